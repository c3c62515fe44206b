//! The functions that are not provided, made by `build.rs` from `data/functions.txt`.

use crate::code::RandCode;
use std::sync::Once;
use texunit_client::call::not_supported;

/// Defines functions that say once, by name, that they are not provided. A C caller may pass arguments to a function that
/// takes none.
macro_rules! refused {
    ($($name:ident)*) => {$(
        #[unsafe(no_mangle)]
        #[allow(non_snake_case)]
        unsafe extern "C" fn $name() -> u32 {
            static SAID: Once = Once::new();
            not_supported::<RandCode>(stringify!($name), &SAID, "docs/cuda-libraries.md")
        }
    )*};
}

include!(concat!(env!("OUT_DIR"), "/functions.rs"));
