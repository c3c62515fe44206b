//! Shared code of the tests of exported functions: their declarations, as in a C program, and a
//! context.

#![allow(non_snake_case, dead_code, missing_docs)]

// This crate defines the functions declared below.
use texunit_cuda as _;
use texunit_cuda_abi::{
    CU_RESOURCE_TYPE_LINEAR, CU_RESOURCE_TYPE_PITCH2D, CUDA_RESOURCE_DESC, CUresult,
};

/// A handle of the driver API.
pub(crate) type Ptr = *mut std::ffi::c_void;

/// Declares functions.
macro_rules! functions {
    ($($name:ident($($arg:ident: $ty:ty),* $(,)?);)*) => {
        #[allow(clashing_extern_declarations, reason = "tests pass pointers of several types")]
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

/// Resource descriptor of an array.
pub(crate) fn of_array(array: Ptr) -> CUDA_RESOURCE_DESC {
    CUDA_RESOURCE_DESC { what: array as u64, ..CUDA_RESOURCE_DESC::default() }
}

/// Resource descriptor of floats in linear memory.
pub(crate) fn linear(memory: u64, size: usize) -> CUDA_RESOURCE_DESC {
    CUDA_RESOURCE_DESC {
        res_type: CU_RESOURCE_TYPE_LINEAR,
        what: memory,
        format: 0x20,
        num_channels: 1,
        size,
        ..CUDA_RESOURCE_DESC::default()
    }
}

/// Resource descriptor of 16 by 4 floats in rows of 64 bytes.
pub(crate) fn pitched(memory: u64) -> CUDA_RESOURCE_DESC {
    CUDA_RESOURCE_DESC {
        res_type: CU_RESOURCE_TYPE_PITCH2D,
        height: 4,
        pitch_in_bytes: 64,
        ..linear(memory, 16)
    }
}
