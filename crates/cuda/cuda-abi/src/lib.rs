//! The C types of the CUDA driver API: numbers, structures and flags with the layout of `cuda.h`,
//! used by the driver library (`texunit-cuda`) and by the runtime library that calls it
//! (`texunit-cudart`).
//!
//! Enumerations are plain numbers here, since a C caller may pass any value. Names are the
//! header's. `tests/layout.rs` compares sizes and offsets with a C compiler that reads the real
//! header, if it is installed.

#![allow(unsafe_code)]
#![allow(non_camel_case_types, non_snake_case, reason = "names of CUDA's headers")]

pub mod args;
pub mod driver;
mod methods;
mod refusal;
mod result;
mod stack;
pub mod work;

pub use driver::{
    CUasyncCallback, CUgraphRecaptureCallback, CUhostFn, CUlogsCallback, CUoccupancyB2DSize,
    CUprocAddress, CUstreamCallback,
};
pub use methods::*;
pub use refusal::{Argument, Plain, Refusal, Subject, lacking};
pub use result::{CODES, CUresult, Code, kept_text};
pub use stack::Stack;
pub use texunit_forms::{lock, read_lock, write_lock};

include!(concat!(env!("OUT_DIR"), "/constants.rs"));
include!(concat!(env!("OUT_DIR"), "/enums.rs"));
include!(concat!(env!("OUT_DIR"), "/structures.rs"));
include!(concat!(env!("OUT_DIR"), "/types.rs"));

/// The numbers of array formats (`CU_AD_FORMAT_*`) and of view formats.
pub mod format {
    include!(concat!(env!("OUT_DIR"), "/formats.rs"));
}

/// 16 bytes that identify a device or an export table (`CUuuid`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct CUuuid(pub [u8; 16]);

/// Handle, passed by value, of memory or an event of another process (`CUipcMemHandle`,
/// `CUipcEventHandle`).
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct CUipcHandle(pub [u8; 64]);

/// The CUDA version that the libraries implement (`cuDriverGetVersion`): 1000 * major + 10 * minor.
pub const CUDA_VERSION: i32 = 13_050;

/// The driver's first handle, in a range that no allocation uses; later handles are larger.
pub const FIRST_HANDLE: usize = 0x0000_5c00_0000_0000;

/// A symbol that only texunit's `libcuda.so.1` exports, so that a program that needs a real GPU
/// (`texunit compare`) can tell the drivers apart.
pub const MARKER: &std::ffi::CStr = c"texunit_driver";
