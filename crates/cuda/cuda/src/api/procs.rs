//! Look-up of driver functions by name (driver API, "Driver Entry Point Access").

use crate::api::*;
use crate::functions::{Address, FUNCTIONS, Function, address};

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_choose() {
        let symbol = |name, version| find(name, version).map(|f| f.symbol);
        assert_eq!(symbol("cuMemAlloc", 2000), Some("cuMemAlloc"));
        assert_eq!(symbol("cuMemAlloc", 13_000), Some("cuMemAlloc_v2"));
        assert_eq!(symbol("cuCtxCreate", 11_050), Some("cuCtxCreate_v3"));
        assert_eq!(symbol("cuMemAlloc_v2", 1), Some("cuMemAlloc_v2"));
        assert_eq!(symbol("cuLaunchKernelEx", 11_050), None);
        assert_eq!(symbol("cuNothing", 13_000), None);
    }
}
