//! Errors and versions (runtime API, "Error Handling", "Version Management").

use crate::api::*;
use crate::call::{self, cudaError_t};
use crate::{MAJOR, codes};
use std::collections::BTreeMap;
use std::ffi::{CStr, CString};
use std::sync::Mutex;

/// CUDA version of the library's functions.
const VERSION: c_int = if MAJOR == 12 { 12_090 } else { 13_050 };

/// Returns and clears the thread's last error, unless it has ended the context.
///
/// # Safety
/// There are no requirements.
#[unsafe(no_mangle)]
unsafe extern "C" fn cudaGetLastError() -> cudaError_t {
    call::last_error(true)
}

/// Returns the thread's last error without clearing it.
///
/// # Safety
/// There are no requirements.
#[unsafe(no_mangle)]
unsafe extern "C" fn cudaPeekAtLastError() -> cudaError_t {
    call::last_error(false)
}

/// The name of a code.
///
/// # Safety
/// There are no requirements.
#[unsafe(no_mangle)]
unsafe extern "C" fn cudaGetErrorName(error: cudaError_t) -> *const c_char {
    text(codes::find(error.0, MAJOR).map(|(name, _)| name))
}

/// The description of a code.
///
/// # Safety
/// There are no requirements.
#[unsafe(no_mangle)]
unsafe extern "C" fn cudaGetErrorString(error: cudaError_t) -> *const c_char {
    text(codes::find(error.0, MAJOR).map(|(_, text)| text))
}

/// A C string that lives to the end of the program. There is at most one for each name or
/// description.
fn text(text: Option<&'static str>) -> *const c_char {
    static TEXTS: Mutex<BTreeMap<&str, &CStr>> = Mutex::new(BTreeMap::new());
    let Some(text) = text else { return c"unrecognized error code".as_ptr() };
    let mut texts = lock(&TEXTS);
    let kept = texts.entry(text);
    // Names and descriptions contain no zero byte.
    kept.or_insert_with(|| Box::leak(CString::new(text).unwrap_or_default().into_boxed_c_str()))
        .as_ptr()
}

runtime_api! {
    /// The CUDA version that the driver supports.
    fn cudaDriverGetVersion(driverVersion: Out<c_int>) {
        driverVersion.set(ask(|driverVersion| driver::cuDriverGetVersion(driverVersion))?)
    }

    /// The version of this library.
    fn cudaRuntimeGetVersion(runtimeVersion: Out<c_int>) {
        runtimeVersion.set(VERSION)
    }
}
