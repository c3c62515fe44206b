//! The C types of the CUDA driver API: numbers, structures and flags with the layout of `cuda.h`, for
//! both sides of the call: the driver library that answers (`texunit-cuda`) and the runtime library that
//! asks (`texunit-cudart`).
//!
//! Enumerations are plain numbers here, since a C caller may pass any value. Names are the header's.
//! `tests/layout.rs` compares sizes and offsets with a C compiler that reads the real header, where
//! one is there.

#![allow(unsafe_code)]

pub mod args;
mod array;
mod copy;
pub mod driver;
pub mod format;
mod graph;
mod green;
mod launch;
mod memory;
mod module;
mod refusal;
mod result;
mod stack;
mod texture;
pub mod work;

pub use array::*;
pub use copy::*;
pub use driver::{
    CUarray, CUasyncCallback, CUcontext, CUdevResourceDesc, CUevent, CUfunction,
    CUgraphRecaptureCallback, CUgreenCtx, CUhostFn, CUkernel, CUlibrary, CUlogsCallback,
    CUmemoryPool, CUmipmappedArray, CUmodule, CUstream, CUstreamCallback,
};
pub use graph::*;
pub use green::*;
pub use launch::*;
pub use memory::*;
pub use module::*;
pub use refusal::{Argument, Plain, Refusal, Subject, lacking};
pub use result::{CODES, CUresult, Code};
pub use stack::Stack;
pub use texture::*;

/// Number of a device (`CUdevice`).
pub type CUdevice = i32;
/// Address of device memory (`CUdeviceptr`).
pub type CUdeviceptr = u64;
/// Handle of a texture object (`CUtexObject`).
pub type CUtexObject = u64;
/// Handle of a surface object (`CUsurfObject`).
pub type CUsurfObject = u64;

/// 16 bytes that name a device or a table of functions (`CUuuid`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct CUuuid(pub [u8; 16]);

/// The version of CUDA that the libraries speak (`cuDriverGetVersion`): 1000 * major + 10 * minor.
pub const CUDA_VERSION: i32 = 13_050;

/// The first handle of the driver, which gives out larger ones: no address of a process looks like it.
pub const FIRST_HANDLE: usize = 0x0000_5c00_0000_0000;

/// A name that texunit's `libcuda.so.1` exports and no other driver does: by it a program that is to ask a real
/// card (`texunit compare`) knows that there is none.
pub const MARKER: &std::ffi::CStr = c"texunit_driver";
