//! Structures of kernel launches.

use crate::args::{Elements, In};

/// `CUlaunchAttribute`: an attribute of a launch.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct CUlaunchAttribute {
    /// Which attribute the value sets (`CUlaunchAttributeID`).
    pub id: u32,
    /// Padding for the alignment of the value.
    pub pad: u32,
    /// Value of the attribute (`CUlaunchAttributeValue`, a union of 64 bytes).
    pub value: [u32; 16],
}

/// `CUlaunchConfig`: shape, stream and attributes of a launch.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
#[allow(missing_docs)]
pub struct CUlaunchConfig {
    pub gridDimX: u32,
    pub gridDimY: u32,
    pub gridDimZ: u32,
    pub blockDimX: u32,
    pub blockDimY: u32,
    pub blockDimZ: u32,
    pub sharedMemBytes: u32,
    /// The stream of the launch (`CUstream`).
    pub hStream: usize,
    /// Pointer to an array of `numAttrs` [`CUlaunchAttribute`].
    pub attrs: u64,
    pub numAttrs: u32,
}

/// `CUDA_LAUNCH_PARAMS`: one of the launches of a multi-device launch.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
#[allow(missing_docs)]
pub struct CUDA_LAUNCH_PARAMS {
    pub function: usize,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub sharedMemBytes: u32,
    pub hStream: usize,
    /// Address of an array with a pointer to each kernel parameter.
    pub kernelParams: u64,
}

impl CUlaunchConfig {
    /// The attributes of the launch, as an array that checks for null and its length.
    ///
    /// # Safety
    /// `attrs` is null or points to an array of `numAttrs` attributes, for the lifetime.
    pub unsafe fn attributes<'a>(&self) -> Elements<'a, CUlaunchAttribute> {
        // SAFETY: the caller upholds this function's safety contract.
        unsafe { In::of(self.attrs).elements(self.numAttrs as usize) }
    }
}
