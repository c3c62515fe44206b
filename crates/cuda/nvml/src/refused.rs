//! Functions of `nvml.h` (CUDA 13.5) about hardware that a simulated device lacks.

use crate::error::Error;
use std::ffi::c_int;

/// Defines functions that return `NVML_ERROR_NOT_SUPPORTED`. They take no parameters, as a C caller
/// may pass arguments to a function that takes none.
macro_rules! refused {
    ($($name:ident)*) => {$(
        #[unsafe(no_mangle)]
        extern "C" fn $name() -> c_int {
            crate::ready().err().unwrap_or(Error::NotSupported) as c_int
        }
    )*};
}

// The names of `data/refused.txt`.
include!(concat!(env!("OUT_DIR"), "/refused.rs"));
