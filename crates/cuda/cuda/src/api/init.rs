//! Initialisation, version, names of errors, look-up of functions by name ("Driver Entry Point
//! Access"), and profiler control ("Profiler Control"), which has no effect, as there is no
//! profiler.

use crate::api::*;
use crate::functions::{Address, FUNCTIONS, Function, address};
use crate::{checks, context, leaks, report, state};

driver_api! {
    /// Initialises the driver and its devices. Flags must be 0.
    fn cuInit(Flags) {
        ensure!(Flags == 0, "Flags {Flags} is not 0");
        state::init(|devices| {
            report::devices(devices);
            checks::begin(leaks::at_end);
        })
    }

    /// The supported CUDA version; also before `cuInit`.
    fn cuDriverGetVersion(driverVersion) {
        driverVersion.set(CUDA_VERSION)
    }

    /// Description of an error; null for an unknown code.
    fn cuGetErrorString(error, pStr) {
        name(error, pStr, |code| code.text)
    }

    /// Name of an error; null for an unknown code.
    fn cuGetErrorName(error, pStr) {
        name(error, pStr, |code| code.name)
    }
}

/// Returns a static C string for a code's name or description.
fn name(
    error: CUresult,
    out: Out<*const c_char>,
    text: fn(&texunit_cuda_abi::Code) -> &'static str,
) -> Answer {
    let Some(code) = error.code() else {
        out.set(std::ptr::null())?;
        bail!("error {} is not a CUresult", error.0);
    };
    out.set(texunit_cuda_abi::kept_text(text(code)).as_ptr())
}

driver_api! {
    /// Refused, as there is no profiler that could write such a file.
    fn cuProfilerInitialize(_config, _output, _format) {
        Err(CUresult::PROFILER_DISABLED.because("there is no profiler that could write such a file"))
    }

    /// Starts profiling, which has no effect.
    fn cuProfilerStart() {
        context::current().map(|_| ())
    }

    /// Stops profiling, which has no effect.
    fn cuProfilerStop() {
        context::current().map(|_| ())
    }
}

driver_api! {
    /// The function of a name in a version of CUDA (from 11.3 on).
    fn cuGetProcAddress(symbol, pfn, cudaVersion, flags) {
        get(symbol, pfn, cudaVersion, flags).map(|_| ())
    }

    /// The function of a name in a version of CUDA, or the reason why there is none. Functions that
    /// are not provided are found, too.
    fn cuGetProcAddress_v2(symbol, pfn, cudaVersion, flags, symbolStatus) {
        let (answer, why) = match get(symbol, pfn, cudaVersion, flags) {
            Ok(()) => (Ok(()), CU_GET_PROC_ADDRESS_SUCCESS),
            Err(refusal) if refusal.code == CUresult::NOT_FOUND && newer(symbol) => {
                (Err(refusal), CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT)
            }
            Err(refusal) => (Err(refusal), CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND),
        };
        symbolStatus.set_if(why);
        answer
    }
}

/// Whether the name exists in any version.
fn newer(symbol: Text) -> bool {
    symbol.get().is_ok_and(|name| FUNCTIONS.iter().any(|f| f.base == name))
}

fn get(symbol: Text, out: Out<Option<Address>>, version: c_int, flags: u64) -> Answer {
    out.check()?;
    let name = symbol.get()?;
    // Flags: 0 is the default, 1 the legacy default stream, 2 a default stream for each thread; all
    // give the same function.
    ensure!(
        flags <= 2,
        "flags {flags} is not CU_GET_PROC_ADDRESS_DEFAULT (0), _LEGACY_STREAM (1) or _PER_THREAD_DEFAULT_STREAM \
         (2)"
    );
    let found = find(&name, version);
    out.set(found.map(address))?;
    found.map(|_| ()).ok_or_else(|| {
        CUresult::NOT_FOUND.because(format!(
            "CUDA {}.{} has no function `{name}` in its driver API",
            version / 1000,
            version % 1000 / 10
        ))
    })
}

/// The newest function of this name in a version of CUDA. A versioned symbol, such as
/// `cuMemAlloc_v2`, is found in any version.
fn find(name: &str, version: c_int) -> Option<&'static Function> {
    let fits = |f: &&Function| f.base == name && f.version <= version;
    let newest = FUNCTIONS.iter().filter(fits).max_by_key(|f| f.version);
    newest.or_else(|| FUNCTIONS.iter().find(|f| f.symbol == name && f.base != name))
}
