//! Exports that `build.rs` generates from `data/runtime-api.txt`: the functions that only call one
//! of the driver, and those that are not provided.

use crate::api::function::kernel;
#[cfg(not(feature = "cuda-12"))]
use crate::api::green::green_of;
use crate::call::{self, check, cudaError_t, runtime_api};
use crate::driver::{self, *};
use crate::state::{check_device, context, init};
use std::ffi::{c_char, c_int, c_uint, c_ulonglong, c_void};
use std::sync::Once;
use texunit_client::report;
use texunit_cuda_abi::args::{In, InOut, Out, Raw, Text};
use texunit_cuda_abi::lacking;

/// Defines functions that texunit does not provide: each prints its name once and returns an error.
/// They take no parameters, as a C caller may pass arguments to a function that takes none.
macro_rules! refused {
    ($(fn $name:ident() = $group:literal;)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name() -> cudaError_t {
            static SAID: Once = Once::new();
            refuse(stringify!($name), $group, &SAID)
        }
    )*};
}

fn refuse(name: &'static str, group: &str, said: &Once) -> cudaError_t {
    said.call_once(|| report::say_refused(&format!("{name} is not supported")));
    call::answer(name, || Err(lacking(name, group)), &[])
}

include!(concat!(env!("OUT_DIR"), "/functions.rs"));
