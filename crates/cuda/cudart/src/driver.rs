//! The functions of the driver API that the runtime calls, in `libcuda.so.1`, with which it is linked: those of
//! [`texunit_cuda_abi::driver_functions!`].

use crate::call::check;
use std::ffi::{c_char, c_int, c_uchar, c_uint, c_ulonglong, c_void};
use texunit_cuda_abi::args::{Answer, In, Out, Raw};
pub(crate) use texunit_cuda_abi::*;

/// A parameter of C of type `P`, made of something that makes no pointer which is not valid: a number, a reference, or a
/// pointer of our own caller.
///
/// # Safety
/// A pointer is null or good for one value, which is there for the call, as `P` wants it: to be read or to be written.
pub(crate) unsafe trait Pass<P> {
    /// As C has it.
    fn pass(self) -> P;
}

macro_rules! numbers {
    ($($type:ty)*) => {
        // SAFETY: a number is no pointer.
        $(unsafe impl Pass<$type> for $type {
            fn pass(self) -> $type {
                self
            }
        })*
    };
}
numbers!(u8 i32 u32 u64 usize CUmemLocation);

macro_rules! pointers {
    ($($from:ty => $to:ty, $of:ident: $pass:expr;)*) => {
        // SAFETY: references are valid, and so are these pointers, as whoever made them has promised.
        $(unsafe impl<T> Pass<$to> for $from {
            fn pass(self) -> $to {
                let $of = self;
                $pass
            }
        })*
    };
}
pointers! {
    Out<'_, T> => *mut T, out: out.as_ptr();
    &mut T => *mut T, reference: reference;
    In<'_, T> => *const T, given: given.as_ptr();
    &T => *const T, reference: reference;
    Option<&T> => *const T, reference: reference.map_or(std::ptr::null(), std::ptr::from_ref);
}

// SAFETY: the functions that read or write there are not among those that take this.
unsafe impl Pass<*mut c_void> for Raw<'_> {
    fn pass(self) -> *mut c_void {
        self.as_ptr()
    }
}

macro_rules! declare {
    (
        safe { $(fn $safe:ident($($arg:ident: $type:ty),* $(,)?);)* }
        unsafe { $(fn $name:ident($($given:ident: $of:ty),* $(,)?);)* }
    ) => {
        mod linked {
            use super::*;

            unsafe extern "C" {
                $(pub(super) fn $safe($($arg: $type),*) -> CUresult;)*
            }
        }

        // What one version of the runtime does not call, the other does.
        $(#[allow(dead_code, non_snake_case, clippy::too_many_arguments)]
        pub(crate) fn $safe($($arg: impl Pass<$type>),*) -> CUresult {
            // SAFETY: what `Pass` makes of pointers is valid for the call, or null; the function checks the rest.
            unsafe { linked::$safe($($arg.pass()),*) }
        })*

        #[allow(dead_code)]
        unsafe extern "C" {
            $(pub(crate) fn $name($($given: $of),*) -> CUresult;)*
        }
    };
}
texunit_cuda_abi::driver_functions!(declare);

/// The one result of a function of the driver, which it writes through a pointer.
pub(crate) fn ask<T: Default>(function: impl FnOnce(*mut T) -> CUresult) -> Answer<T> {
    let mut value = T::default();
    check(function(&raw mut value))?;
    Ok(value)
}
