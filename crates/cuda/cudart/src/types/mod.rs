//! Structures and numbers of the runtime API, with the layout of CUDA's headers (`driver_types.h`,
//! `texture_types.h`), and conversions to the driver's structures. Structures that are equal in
//! both APIs (`cudaMemLocation`, `cudaMemPoolProps`, `cudaMemcpy3DBatchOp` and others) are the
//! driver's.
//!
//! `tests/layout.rs` compares them with the real headers of both major versions. Nothing here calls
//! the driver.

mod channel;
mod copy;
mod graph;
mod memory;
mod texture;

pub(crate) use crate::codes::{
    INVALID_CHANNEL_DESCRIPTOR, INVALID_MEMCPY_DIRECTION, INVALID_PITCH_VALUE,
};
pub(crate) use channel::*;
pub(crate) use copy::*;
pub(crate) use graph::*;
pub(crate) use memory::*;
pub(crate) use texture::*;

use texunit_cuda_abi::CUresult;

/// `cudaErrorInvalidFilterSetting`: a linear filter of integers is not supported.
pub(crate) const INVALID_FILTER_SETTING: CUresult = CUresult(26);
/// `cudaErrorInvalidNormSetting`: the format does not support the read mode.
pub(crate) const INVALID_NORM_SETTING: CUresult = CUresult(27);

/// Handle of a stream (`cudaStream_t`).
pub(crate) type Stream = usize;
/// Handle of an array (`cudaArray_t`), which is the driver's handle.
pub(crate) type Array = usize;
/// Handle of a mipmapped array (`cudaMipmappedArray_t`), which is the driver's handle.
pub(crate) type Mipmap = usize;
