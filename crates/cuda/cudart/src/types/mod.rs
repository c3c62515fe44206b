//! Structures and numbers of the runtime API, with the layout of CUDA's headers (`driver_types.h`,
//! `texture_types.h`, `vector_types.h`), and conversions to the driver's structures. `build.rs`
//! generates them from `data/structures.txt`. Structures that are equal in both APIs
//! (`cudaMemLocation`, `cudaMemPoolProps`, `cudaMemcpy3DBatchOp` and others) are the driver's.
//!
//! `tests/layout.rs` compares them with the real headers of both major versions. Nothing here calls
//! the driver.

mod channel;
mod copy;
mod texture;

pub(crate) use crate::codes::*;
pub(crate) use channel::*;
pub(crate) use copy::*;

use std::ffi::{c_char, c_int, c_uint};
use texunit_cuda_abi::args::{Answer, Elements, In};
use texunit_cuda_abi::*;

include!(concat!(env!("OUT_DIR"), "/structures.rs"));

/// Handle of a stream (`cudaStream_t`).
pub(crate) type Stream = usize;
/// Handle of an array (`cudaArray_t`), which is the driver's handle.
pub(crate) type Array = usize;
/// Handle of a mipmapped array (`cudaMipmappedArray_t`), which is the driver's handle.
pub(crate) type Mipmap = usize;

impl Dim3 {
    /// The extents as the driver API takes them.
    pub(crate) fn all(self) -> [u32; 3] {
        [self.x, self.y, self.z]
    }
}

impl cudaLaunchConfig_t {
    /// A launch without attributes.
    pub(crate) fn new(gridDim: Dim3, blockDim: Dim3, shared: usize, stream: Stream) -> Self {
        Self { gridDim, blockDim, dynamicSmemBytes: shared, stream, ..Self::default() }
    }

    /// The attributes.
    ///
    /// # Safety
    /// `attrs` is null or points to an array of `numAttrs` attributes, for the lifetime.
    pub(crate) unsafe fn attributes<'a>(&self) -> Elements<'a, CUlaunchAttribute> {
        // SAFETY: the caller upholds this function's safety contract.
        unsafe { In::of(self.attrs).elements(self.numAttrs as usize) }
    }
}

/// Number of reserved integers at the end of the structure.
const RESERVED: usize = if cfg!(feature = "cuda-12") { 63 } else { 56 };

/// Defines `cudaDeviceProp` from the rows of `data/properties.txt`: field, type, and its value,
/// given a function that returns attributes by number.
macro_rules! properties {
    ($of:ident; $($name:ident: $type:ty = $value:expr;)*) => {
        /// `cudaDeviceProp`
        #[derive(Clone, Copy, Debug)]
        #[repr(C)]
        pub(crate) struct cudaDeviceProp {
            pub(crate) name: [c_char; 256],
            pub(crate) uuid: [u8; 16],
            pub(crate) luid: [c_char; 8],
            pub(crate) luidDeviceNodeMask: c_uint,
            pub(crate) totalGlobalMem: usize,
            $(pub(crate) $name: $type,)*
            pub(crate) reserved: [c_int; RESERVED],
        }

        impl cudaDeviceProp {
            /// Offset of each field in bytes, for the comparison with the header.
            #[allow(dead_code)]
            pub(crate) const OFFSETS: &[(&str, usize)] = &[
                ("totalGlobalMem", std::mem::offset_of!(cudaDeviceProp, totalGlobalMem)),
                $((stringify!($name), std::mem::offset_of!(cudaDeviceProp, $name)),)*
            ];

            /// Fills the properties of a device, given its name, UUID, memory size, and a function
            /// that returns driver attributes by number.
            pub(crate) fn of<E>(
                name: [c_char; 256],
                uuid: [u8; 16],
                memory: usize,
                $of: impl Fn(c_int) -> Result<c_int, E>,
            ) -> Result<Self, E> {
            Ok(Self {
                name,
                uuid,
                luid: [0; 8],
                luidDeviceNodeMask: 0,
                totalGlobalMem: memory,
                $($name: $value,)*
                reserved: [0; RESERVED],
            })
            }
        }
    };
}

include!(concat!(env!("OUT_DIR"), "/properties.rs"));
