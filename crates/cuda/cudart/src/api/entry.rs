//! Access to driver functions by name and to export tables (runtime API, "Driver Entry Point
//! Access", "Interactions with the CUDA Driver API").

use crate::MAJOR;
use crate::api::*;

/// `cudaEnableLegacyStream` and `cudaEnablePerThreadDefaultStream`, which exclude each other.
const MAX_FLAGS: u64 = 2;

/// CUDA version that selects among versions of a function if the caller names none.
const OWN_VERSION: c_int = if MAJOR == 12 { 12_090 } else { CUDA_VERSION };

runtime_api! {
    /// The driver function of a name, in the runtime's own version. If there is none, the call
    /// succeeds, and `status` gives the reason.
    fn cudaGetDriverEntryPoint(symbol, funcPtr, flags, driverStatus) {
        entry(symbol, funcPtr, OWN_VERSION, flags, driverStatus)
    }

    /// The driver function of a name, in a version of CUDA.
    fn cudaGetDriverEntryPointByVersion(symbol, funcPtr, cudaVersion, flags, driverStatus) {
        let cudaVersion = c_int::try_from(cudaVersion).map_err(|_| {
            invalid!("cudaVersion {cudaVersion} is not a version of CUDA")
        })?;
        entry(symbol, funcPtr, cudaVersion, flags, driverStatus)
    }

    /// An export table: functions without exported names, by UUID.
    fn cudaGetExportTable(ppExportTable, pExportTableId) {
        ppExportTable.check()?;
        state::init()?;
        let mut found = std::ptr::null();
        check(driver::cuGetExportTable(&mut found, pExportTableId))?;
        ppExportTable.set(found)
    }
}

fn entry(
    symbol: Text<'_>,
    function: Out<usize>,
    version: c_int,
    flags: u64,
    status: Out<c_uint>,
) -> Answer {
    function.check()?;
    ensure!(!symbol.is_null(), "symbol is null");
    ensure!(
        flags <= MAX_FLAGS,
        "flags {flags} is not cudaEnableDefault (0), cudaEnableLegacyStream (1) or \
         cudaEnablePerThreadDefaultStream (2)"
    );
    state::init()?;
    let (mut found, mut why): (CUprocAddress, _) = (None, 0);
    // SAFETY: the name is the caller's C string; the out-pointers are to local variables.
    let code = unsafe {
        driver::cuGetProcAddress_v2(symbol.as_ptr(), &raw mut found, version, flags, &raw mut why)
    };
    status.set_if(why);
    function.set(found.map_or(0, |function| function as usize))?;
    match code {
        CUresult::NOT_FOUND => Ok(()),
        code => check(code),
    }
}
