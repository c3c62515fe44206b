//! What the tests of the exported functions share: their declarations, as a C program has them, and a
//! context to call them in.

#![allow(non_snake_case, dead_code, missing_docs)]

// The functions below are in it.
use texunit_cuda as _;
use texunit_cuda_abi::CUresult;

/// A handle.
pub(crate) type Ptr = *mut std::ffi::c_void;

/// Declares functions and wraps each in a safe one that panics with the code if it fails.
macro_rules! functions {
    ($($name:ident($($arg:ident: $ty:ty),* $(,)?);)*) => {
        unsafe extern "C" {
            $(pub(crate) fn $name($($arg: $ty),*) -> texunit_cuda_abi::CUresult;)*
        }
    };
}
pub(crate) use functions;

functions! {
    cuInit(flags: u32);
    cuCtxCreate_v2(context: *mut Ptr, flags: u32, device: i32);
    cuCtxDestroy_v2(context: Ptr);
    cuCtxSetCurrent(context: Ptr);
}

/// Calls a function: `CUresult::SUCCESS` is wanted.
macro_rules! ok {
    ($call:expr) => {{
        // SAFETY: every pointer is null, of a local, or of memory of the size that the call says.
        let result = unsafe { $call };
        assert_eq!(result, texunit_cuda_abi::CUresult::SUCCESS, "{}", stringify!($call));
    }};
}
pub(crate) use ok;

/// Calls a function: another result is wanted.
#[allow(unused_macros, reason = "not every test asks")]
macro_rules! fails {
    ($code:ident, $call:expr) => {{
        // SAFETY: as above; or the call is refused before it uses the pointer, which is what is tested.
        let result = unsafe { $call };
        assert_eq!(result, texunit_cuda_abi::CUresult::$code, "{}", stringify!($call));
    }};
}
#[allow(unused_imports, reason = "not every test asks")]
pub(crate) use fails;

/// A context of its own, current to this thread.
pub(crate) fn context() -> Ptr {
    let mut context = std::ptr::null_mut();
    ok!(cuInit(0));
    ok!(cuCtxCreate_v2(&raw mut context, 0, 0));
    context
}

const _: CUresult = CUresult::SUCCESS;
