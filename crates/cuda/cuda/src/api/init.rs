//! Initialisation, version, names of errors.

use crate::args::Out;
use crate::call::driver_api;
use crate::state;
use std::ffi::{CString, c_char, c_int, c_uint};
use texunit_cuda_abi::{CUDA_VERSION, CUresult};

driver_api! {
    /// Makes the devices. Flags must be 0.
    fn cuInit(Flags: c_uint) {
        if Flags != 0 {
            return Err(CUresult::INVALID_VALUE.because(format!("Flags {Flags} is not 0")));
        }
        state::init()
    }

    /// The version of CUDA that the library speaks; before `cuInit` too.
    fn cuDriverGetVersion(driverVersion: Out<c_int>) {
        driverVersion.set(CUDA_VERSION)
    }

    /// The text of an error; null for a number that is none.
    fn cuGetErrorString(error: CUresult, pStr: Out<*const c_char>) {
        name(error, pStr, |code| code.text)
    }

    /// The name of an error; null for a number that is none.
    fn cuGetErrorName(error: CUresult, pStr: Out<*const c_char>) {
        name(error, pStr, |code| code.name)
    }
}

/// Sets `out` to a text of a code, with a zero byte at its end, that lives for ever.
fn name(
    error: CUresult,
    out: Out<*const c_char>,
    text: fn(&texunit_cuda_abi::Code) -> &'static str,
) -> crate::args::Answer {
    use std::collections::HashMap;
    use std::sync::{Mutex, PoisonError};
    static TEXTS: Mutex<Option<HashMap<&'static str, CString>>> = Mutex::new(None);
    let Some(code) = error.code() else {
        out.set(std::ptr::null())?;
        return Err(CUresult::INVALID_VALUE.because(format!("error {} is not a CUresult", error.0)));
    };
    let mut texts = TEXTS.lock().unwrap_or_else(PoisonError::into_inner);
    let text = text(code);
    let entry = texts.get_or_insert_default().entry(text);
    // No text of the table holds a zero byte. An entry is never removed or changed.
    out.set(entry.or_insert_with(|| CString::new(text).unwrap_or_default()).as_ptr())
}
