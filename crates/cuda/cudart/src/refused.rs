//! The functions that are not provided, made by `build.rs` from `data/runtime-api.txt`.

use crate::call::{self, cudaError_t};
use std::sync::Once;
use texunit_client::told;
use texunit_cuda_abi::CUresult;

/// Defines functions that say once, by name, that they are not provided. A C caller may pass arguments
/// to a function that takes none.
macro_rules! refused {
    ($(fn $name:ident();)*) => {$(
        #[unsafe(no_mangle)]
        #[allow(non_snake_case)]
        unsafe extern "C" fn $name() -> cudaError_t {
            static SAID: Once = Once::new();
            refuse(stringify!($name), &SAID)
        }
    )*};
}

fn refuse(name: &'static str, said: &Once) -> cudaError_t {
    said.call_once(|| told::say_refused(&format!("{name} is not supported")));
    let refusal = || {
        CUresult::NOT_SUPPORTED.because(format!(
            "texunit does not provide {name} (docs/cuda-api.md has what it provides)"
        ))
    };
    call::answer(name, || Err(refusal()), &[])
}

include!(concat!(env!("OUT_DIR"), "/functions.rs"));
