//! The signatures of the driver's functions (`data/driver-functions.txt`), shared by
//! `texunit-cuda`, which defines the functions, `texunit-cudart`, which calls them, and
//! `texunit-gpu`, which looks them up in a driver.
//!
//! [`driver_functions!`](crate::driver_functions) passes the signatures to a macro.

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
/// A callback that returns the dynamic shared memory of a CTA by its number of threads
/// (`CUoccupancyB2DSize`).
pub type CUoccupancyB2DSize = Option<unsafe extern "C" fn(i32) -> usize>;
/// The address of a function of any type, as `cuGetProcAddress` finds it.
pub type CUprocAddress = Option<unsafe extern "C" fn() -> CUresult>;

include!(concat!(env!("OUT_DIR"), "/driver_functions.rs"));

macro_rules! signatures {
    ($($safety:ident { $(fn $name:ident($($arg:ident: $type:ty),* $(,)?);)* })*) => {
        /// For each listed function, a function pointer type of the same name, as the header
        /// declares the function.
        #[allow(missing_docs)]
        pub mod signature {
            use super::*;
            use std::ffi::{c_int, c_uint, c_ulonglong};

            $($(pub type $name = unsafe extern "C" fn($($type),*) -> CUresult;)*)*
        }
    };
}
driver_functions!(signatures);
