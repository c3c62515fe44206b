//! Shared code of the tests of exported functions: their declarations, as in a C program, and a
//! context.

#![allow(non_snake_case, dead_code, missing_docs)]

// This crate defines the functions declared below.
use texunit_cuda as _;
use texunit_cuda_abi::CUresult;

/// A handle of the driver API.
pub(crate) type Ptr = *mut std::ffi::c_void;

/// Declares functions, each with a safe wrapper that panics with the error code.
macro_rules! functions {
    ($($name:ident($($arg:ident: $ty:ty),* $(,)?);)*) => {
        unsafe extern "C" {
            $(pub(crate) fn $name($($arg: $ty),*) -> texunit_cuda_abi::CUresult;)*
        }
    };
}
#[allow(unused_imports, reason = "not every test declares more")]
pub(crate) use functions;

mod declared;
#[allow(unused_imports, reason = "not every test calls one")]
pub(crate) use declared::*;

functions! {
    cuCtxCreate_v2(context: *mut Ptr, flags: u32, device: i32);
    cuCtxDestroy_v2(context: Ptr);
    cuCtxSetCurrent(context: Ptr);
}

/// The PTX in a file, as a C string.
#[allow(unused_macros, reason = "not every test has a file")]
macro_rules! ptx {
    ($file:literal) => {
        match std::ffi::CStr::from_bytes_with_nul(concat!(include_str!($file), "\0").as_bytes()) {
            Ok(text) => text,
            Err(_) => panic!("a zero byte"),
        }
    };
}
#[allow(unused_imports, reason = "not every test has a file")]
pub(crate) use ptx;

/// Calls a function that must succeed.
macro_rules! ok {
    ($call:expr) => {{
        // SAFETY: every pointer is null, of a local, or of memory of the size that the call says.
        let result = unsafe { $call };
        assert_eq!(result, texunit_cuda_abi::CUresult::SUCCESS, "{}", stringify!($call));
    }};
}
pub(crate) use ok;

/// Calls a function that must return another code.
#[allow(unused_macros, reason = "not every test asks")]
macro_rules! fails {
    ($code:ident, $call:expr) => {{
        // SAFETY: as above; or the call is refused before it uses the pointer, which is what is
        // tested.
        let result = unsafe { $call };
        assert_eq!(result, texunit_cuda_abi::CUresult::$code, "{}", stringify!($call));
    }};
}
#[allow(unused_imports, reason = "not every test asks")]
pub(crate) use fails;

/// Creates a context, current to this thread.
pub(crate) fn context() -> Ptr {
    let mut context = std::ptr::null_mut();
    ok!(cuInit(0));
    ok!(cuCtxCreate_v2(&raw mut context, 0, 0));
    context
}

const _: CUresult = CUresult::SUCCESS;
