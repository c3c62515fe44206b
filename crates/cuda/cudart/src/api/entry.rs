//! Errors, versions, access to driver functions by name and to export tables (runtime API, "Error
//! Handling", "Version Management", "Driver Entry Point Access", "Interactions with the CUDA Driver
//! API").

use crate::api::*;
use crate::call::{self, cudaError_t};
use crate::{MAJOR, codes};
use std::ffi::CStr;
use texunit_cuda_abi::kept_text;

/// `cudaEnableLegacyStream` and `cudaEnablePerThreadDefaultStream`, which exclude each other.
const MAX_FLAGS: u64 = 2;

/// CUDA version of the library's functions, which also selects among versions of a driver function
/// if the caller names none.
const VERSION: c_int = if MAJOR == 12 { 12_090 } else { CUDA_VERSION };
/// Name and description of a code that does not exist.
const UNKNOWN: &CStr = c"unrecognized error code";

/// Returns and clears the thread's last error, unless it has ended the context.
#[unsafe(no_mangle)]
extern "C" fn cudaGetLastError() -> cudaError_t {
    call::last_error(true)
}

/// Returns the thread's last error without clearing it.
#[unsafe(no_mangle)]
extern "C" fn cudaPeekAtLastError() -> cudaError_t {
    call::last_error(false)
}

/// The name of a code.
#[unsafe(no_mangle)]
extern "C" fn cudaGetErrorName(error: cudaError_t) -> *const c_char {
    codes::find(error.0, MAJOR).map_or(UNKNOWN, |(name, _)| kept_text(name)).as_ptr()
}

/// The description of a code.
#[unsafe(no_mangle)]
extern "C" fn cudaGetErrorString(error: cudaError_t) -> *const c_char {
    codes::find(error.0, MAJOR).map_or(UNKNOWN, |(_, text)| kept_text(text)).as_ptr()
}

runtime_api! {
    /// The CUDA version that the driver supports.
    fn cudaDriverGetVersion(driverVersion) {
        driverVersion.set(ask(|driverVersion| driver::cuDriverGetVersion(driverVersion))?)
    }

    /// The version of this library.
    fn cudaRuntimeGetVersion(runtimeVersion) {
        runtimeVersion.set(VERSION)
    }

    /// The driver function of a name, in the runtime's own version. If there is none, the call
    /// succeeds, and `status` gives the reason.
    fn cudaGetDriverEntryPoint(symbol, funcPtr, flags, driverStatus) {
        entry(symbol, funcPtr, VERSION, flags, driverStatus)
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
