//! Structures and numbers of kernel launches and of functions' attributes.

use crate::args::{Elements, In};

/// `CU_LAUNCH_PARAM_END`: end of the list `extra` of a launch.
pub const CU_LAUNCH_PARAM_END: u64 = 0;
/// `CU_LAUNCH_PARAM_BUFFER_POINTER`: followed by a pointer to a buffer with all parameters.
pub const CU_LAUNCH_PARAM_BUFFER_POINTER: u64 = 1;
/// `CU_LAUNCH_PARAM_BUFFER_SIZE`: followed by a pointer to the buffer's size.
pub const CU_LAUNCH_PARAM_BUFFER_SIZE: u64 = 2;

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

/// Numbers of `CUlaunchAttributeID`.
#[allow(missing_docs)]
pub mod launch_attribute {
    pub const IGNORE: u32 = 0;
    pub const ACCESS_POLICY_WINDOW: u32 = 1;
    pub const COOPERATIVE: u32 = 2;
    pub const SYNCHRONIZATION_POLICY: u32 = 3;
    pub const CLUSTER_DIMENSION: u32 = 4;
    pub const CLUSTER_SCHEDULING_POLICY_PREFERENCE: u32 = 5;
    pub const PROGRAMMATIC_STREAM_SERIALIZATION: u32 = 6;
    pub const PROGRAMMATIC_EVENT: u32 = 7;
    pub const PRIORITY: u32 = 8;
    pub const MEM_SYNC_DOMAIN_MAP: u32 = 9;
    pub const MEM_SYNC_DOMAIN: u32 = 10;
    pub const PREFERRED_CLUSTER_DIMENSION: u32 = 11;
    pub const LAUNCH_COMPLETION_EVENT: u32 = 12;
    pub const DEVICE_UPDATABLE_KERNEL_NODE: u32 = 13;
    pub const PREFERRED_SHARED_MEMORY_CARVEOUT: u32 = 14;
    pub const NVLINK_UTIL_CENTRIC_SCHEDULING: u32 = 16;
    pub const PORTABLE_CLUSTER_SIZE_MODE: u32 = 17;
    pub const SHARED_MEMORY_MODE: u32 = 18;
}

/// Numbers of `CUfunction_attribute`.
#[allow(missing_docs)]
pub mod function_attribute {
    pub const MAX_THREADS_PER_BLOCK: u32 = 0;
    pub const SHARED_SIZE_BYTES: u32 = 1;
    pub const CONST_SIZE_BYTES: u32 = 2;
    pub const LOCAL_SIZE_BYTES: u32 = 3;
    pub const NUM_REGS: u32 = 4;
    pub const PTX_VERSION: u32 = 5;
    pub const BINARY_VERSION: u32 = 6;
    pub const CACHE_MODE_CA: u32 = 7;
    pub const MAX_DYNAMIC_SHARED_SIZE_BYTES: u32 = 8;
    pub const PREFERRED_SHARED_MEMORY_CARVEOUT: u32 = 9;
    pub const CLUSTER_SIZE_MUST_BE_SET: u32 = 10;
    pub const REQUIRED_CLUSTER_WIDTH: u32 = 11;
    pub const REQUIRED_CLUSTER_HEIGHT: u32 = 12;
    pub const REQUIRED_CLUSTER_DEPTH: u32 = 13;
    pub const NON_PORTABLE_CLUSTER_SIZE_ALLOWED: u32 = 14;
    pub const CLUSTER_SCHEDULING_POLICY_PREFERENCE: u32 = 15;
}
