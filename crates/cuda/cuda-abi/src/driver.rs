//! The signatures of the driver's functions, shared by `texunit-cuda`, which defines the functions,
//! `texunit-cudart`, which calls them, and `texunit-gpu`, which looks them up in a driver.
//!
//! [`driver_functions!`](crate::driver_functions) passes the list to a macro. The definitions are
//! compared with it at compile time ([`Signature`]).

use crate::args::{In, InOut, Out, Raw, Text};
use crate::*;
use std::ffi::{c_char, c_void};

/// A callback that a stream calls (`CUhostFn`).
pub type CUhostFn = Option<unsafe extern "C" fn(*mut c_void)>;
/// A callback for log messages about errors (`CUlogsCallback`).
pub type CUlogsCallback = Option<unsafe extern "C" fn(*mut c_void, u32, *mut c_char, usize)>;
/// A callback for asynchronous notifications of a device (`CUasyncCallback`).
pub type CUasyncCallback = Option<unsafe extern "C" fn(*mut c_void, *mut c_void, usize)>;
/// A callback for changed parameters of a recaptured graph (`CUgraphRecaptureCallback`).
pub type CUgraphRecaptureCallback = Option<
    unsafe extern "C" fn(
        *mut c_void,
        usize,
        *const CUgraphNodeParams,
        *const CUgraphNodeParams,
        u32,
    ) -> CUresult,
>;
/// A callback that a stream calls with its status (`CUstreamCallback`).
pub type CUstreamCallback = Option<unsafe extern "C" fn(CUstream, CUresult, *mut c_void)>;

include!(concat!(env!("OUT_DIR"), "/driver_functions.rs"));

macro_rules! signatures {
    ($($safety:ident { $(fn $name:ident($($arg:ident: $type:ty),* $(,)?);)* })*) => {
        /// For each listed function, a function pointer type of the same name, as the header
        /// declares the function.
        #[allow(missing_docs)]
        pub mod signature {
            use super::*;
            use std::ffi::{c_int, c_uchar, c_uint, c_ulonglong};

            $($(pub type $name = unsafe extern "C" fn($($type),*) -> CUresult;)*)*
        }
    };
}
driver_functions!(signatures);

/// The C type of a parameter: a definition's type may carry more information than the header's.
///
/// # Safety
/// The type is passed as its C type is, and any value that a caller may pass by the function's
/// contract is a valid value of it.
pub unsafe trait Parameter {
    /// The parameter's type in the list of [`driver_functions!`](crate::driver_functions), which is
    /// the header's type.
    type C;
}

macro_rules! as_they_are {
    ($($type:ty)*) => {
        // SAFETY: `C` is the type itself, so the type is passed as its C type is and has the same
        // valid values.
        $(unsafe impl Parameter for $type {
            type C = Self;
        })*
    };
}
as_they_are! {
    CUDA_EXTERNAL_MEMORY_BUFFER_DESC CUDA_EXTERNAL_MEMORY_HANDLE_DESC CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC CUdevResource CU_DEV_SM_RESOURCE_GROUP_PARAMS c_char u8 i32 u32 u64 usize f32 CUresult CUuuid CUhostFn CUlogsCallback CUasyncCallback CUgraphRecaptureCallback CUDA_LAUNCH_PARAMS CUipcHandle CUmemLocation CUmemAccessDesc CUmemPoolProps
    CUmemcpyAttributes CUlaunchConfig CUDA_ARRAY3D_DESCRIPTOR CUDA_ARRAY_MEMORY_REQUIREMENTS
    CUDA_ARRAY_SPARSE_PROPERTIES CUDA_MEMCPY2D CUDA_MEMCPY3D CUDA_MEMCPY3D_BATCH_OP CUDA_RESOURCE_DESC
    CUDA_RESOURCE_VIEW_DESC CUDA_TEXTURE_DESC CUDA_KERNEL_NODE_PARAMS CUDA_KERNEL_NODE_PARAMS_v1
    CUDA_MEMSET_NODE_PARAMS_v1 CUDA_HOST_NODE_PARAMS_v1 CUDA_EXT_SEM_NODE_PARAMS CUDA_MEM_ALLOC_NODE_PARAMS
    CUgraphNodeParams CUgraphEdgeData CUDA_GRAPH_INSTANTIATE_PARAMS CUgraphExecUpdateResultInfo
}

// SAFETY: the type is `repr(transparent)` over its C type.
unsafe impl<T: Parameter> Parameter for Out<'_, T> {
    type C = *mut T::C;
}

// SAFETY: the type is `repr(transparent)` over its C type.
unsafe impl<T: Parameter> Parameter for InOut<'_, T> {
    type C = *mut T::C;
}

// SAFETY: the type is `repr(transparent)` over its C type.
unsafe impl<T: Parameter> Parameter for In<'_, T> {
    type C = *const T::C;
}

// SAFETY: arrays are passed by pointer only, and each element is passed as its C type is.
unsafe impl<T: Parameter, const N: usize> Parameter for [T; N] {
    type C = [T::C; N];
}

// Lets a definition's callback have its own type for the stream parameter. SAFETY: the types of the
// stream parameters are passed alike, so that functions with them are called alike.
unsafe impl<S: Parameter<C = CUstream>> Parameter
    for Option<unsafe extern "C" fn(S, CUresult, *mut c_void)>
{
    type C = CUstreamCallback;
}

// A function of any type, as a look-up by name returns it. SAFETY: a value of either type is null
// or the address of a function, and both are passed as pointers.
unsafe impl Parameter for Option<unsafe extern "C" fn() -> CUresult> {
    type C = *mut c_void;
}

// SAFETY: `C` is the type itself, a raw pointer, for which any address is a valid value.
unsafe impl<T> Parameter for *mut T {
    type C = Self;
}

// SAFETY: `C` is the type itself, a raw pointer, for which any address is a valid value.
unsafe impl<T> Parameter for *const T {
    type C = Self;
}

// SAFETY: the type is `repr(transparent)` over its C type.
unsafe impl Parameter for Raw<'_> {
    type C = *mut c_void;
}

// SAFETY: the type is `repr(transparent)` over its C type.
unsafe impl Parameter for Text<'_> {
    type C = *const c_char;
}

/// Maps the type of a definition's function to the C function type with the header's parameter
/// types, so that both can be compared at compile time.
pub trait Signature {
    /// The C function type, as in [`signature`].
    type C;
}

macro_rules! of_parameters {
    // The macro implements the trait for functions of each number of parameters, by recursion over
    // the list of type names.
    (@ [$($done:ident)*] $next:ident $($more:ident)*) => {
        of_parameters!(@ [$($done)*]);
        of_parameters!(@ [$($done)* $next] $($more)*);
    };
    (@ [$($type:ident)*]) => {
        impl<$($type: Parameter),*> Signature for unsafe extern "C" fn($($type),*) -> CUresult {
            type C = unsafe extern "C" fn($($type::C),*) -> CUresult;
        }
    };
}
of_parameters!(@ [] A B D E F G H I J K L);
