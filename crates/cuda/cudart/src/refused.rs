//! The functions that are not provided, made by `build.rs` from `data/runtime-api.txt`.

use crate::call::{self, cudaError_t};
use std::sync::Once;
use texunit_client::told;
use texunit_cuda_abi::lacking;

/// Defines functions that texunit does not provide: each prints its name once and returns an error.
/// They take no parameters, as a C caller may pass arguments to a function that takes none.
macro_rules! refused {
    ($(fn $name:ident() = $group:literal;)*) => {$(
        #[unsafe(no_mangle)]
        #[allow(non_snake_case)]
        unsafe extern "C" fn $name() -> cudaError_t {
            static SAID: Once = Once::new();
            refuse(stringify!($name), $group, &SAID)
        }
    )*};
}

fn refuse(name: &'static str, group: &str, said: &Once) -> cudaError_t {
    said.call_once(|| told::say_refused(&format!("{name} is not supported")));
    call::answer(name, || Err(lacking(name, group)), &[])
}

include!(concat!(env!("OUT_DIR"), "/functions.rs"));
