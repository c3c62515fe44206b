//! Structures of the runtime API, with the layout of its headers (`driver_types.h`,
//! `vector_types.h`).

mod properties;

pub(crate) use properties::cudaDeviceProp;
use std::ffi::{c_int, c_uint};
use texunit_cuda_abi::CUlaunchAttribute;
use texunit_cuda_abi::args::{Elements, In};

/// `dim3`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub(crate) struct Dim3 {
    /// Extent in x.
    pub(crate) x: c_uint,
    /// Extent in y.
    pub(crate) y: c_uint,
    /// Extent in z.
    pub(crate) z: c_uint,
}

impl Dim3 {
    /// The extents as the driver API takes them.
    pub(crate) fn all(self) -> [u32; 3] {
        [self.x, self.y, self.z]
    }
}

/// `cudaLaunchConfig_t`
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct cudaLaunchConfig_t {
    pub(crate) gridDim: Dim3,
    pub(crate) blockDim: Dim3,
    pub(crate) dynamicSmemBytes: usize,
    pub(crate) stream: usize,
    /// Pointer to an array of `numAttrs` attributes, which are the driver API's.
    pub(crate) attrs: u64,
    pub(crate) numAttrs: c_uint,
}

impl cudaLaunchConfig_t {
    /// The attributes.
    ///
    /// # Safety
    /// `attrs` is null or points to an array of `numAttrs` attributes, for the lifetime.
    pub(crate) unsafe fn attributes<'a>(&self) -> Elements<'a, CUlaunchAttribute> {
        // SAFETY: the caller upholds this function's safety contract.
        unsafe { In::of(self.attrs).elements(self.numAttrs as usize) }
    }
}

/// `cudaLaunchParams`: a launch of `cudaLaunchCooperativeKernelMultiDevice`.
#[cfg(feature = "cuda-12")]
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct cudaLaunchParams {
    pub(crate) func: usize,
    pub(crate) gridDim: Dim3,
    pub(crate) blockDim: Dim3,
    pub(crate) args: u64,
    pub(crate) sharedMem: usize,
    pub(crate) stream: usize,
}

/// `cudaFuncAttributes`
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct cudaFuncAttributes {
    pub(crate) sharedSizeBytes: usize,
    pub(crate) constSizeBytes: usize,
    pub(crate) localSizeBytes: usize,
    pub(crate) maxThreadsPerBlock: c_int,
    pub(crate) numRegs: c_int,
    pub(crate) ptxVersion: c_int,
    pub(crate) binaryVersion: c_int,
    pub(crate) cacheModeCA: c_int,
    pub(crate) maxDynamicSharedSizeBytes: c_int,
    pub(crate) preferredShmemCarveout: c_int,
    pub(crate) clusterDimMustBeSet: c_int,
    pub(crate) requiredClusterWidth: c_int,
    pub(crate) requiredClusterHeight: c_int,
    pub(crate) requiredClusterDepth: c_int,
    pub(crate) clusterSchedulingPolicyPreference: c_int,
    pub(crate) nonPortableClusterSizeAllowed: c_int,
    /// In CUDA 13 the first two numbers are flags for device updates and shared memory; both stay
    /// 0, the default.
    pub(crate) reserved: [c_int; 16],
}
