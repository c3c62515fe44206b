//! Initialisation, version, names of errors, and profiler control (driver API, "Profiler Control"),
//! which has no effect, as there is no profiler.

use crate::api::*;
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
