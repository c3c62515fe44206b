//! Errors and versions (runtime API, "Error Handling", "Version Management").

use crate::api::*;
use crate::call::{self, cudaError_t};
use crate::{MAJOR, codes};
use std::ffi::CStr;
use texunit_cuda_abi::kept_text;

/// Name and description of a code that does not exist.
const UNKNOWN: &CStr = c"unrecognized error code";
/// CUDA version of the library's functions.
const VERSION: c_int = if MAJOR == 12 { 12_090 } else { 13_050 };

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
}
