//! Structures and numbers of the runtime API, with the layout of CUDA's headers (`driver_types.h`,
//! `texture_types.h`), and what they are for the driver. Structures that both APIs have alike
//! (`cudaMemLocation`, `cudaMemPoolProps`, `cudaMemcpy3DBatchOp` and others) are the driver's.
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

/// `cudaErrorInvalidFilterSetting`: a linear filter of integers.
pub(crate) const INVALID_FILTER_SETTING: CUresult = CUresult(26);
/// `cudaErrorInvalidNormSetting`: a read mode that the format does not have.
pub(crate) const INVALID_NORM_SETTING: CUresult = CUresult(27);

/// Handle of a stream (`cudaStream_t`).
pub(crate) type Stream = usize;
/// Handle of an array (`cudaArray_t`): the driver's.
pub(crate) type Array = usize;
/// Handle of a mipmapped array (`cudaMipmappedArray_t`): the driver's.
pub(crate) type Mipmap = usize;
/// Handle of a memory pool (`cudaMemPool_t`): the driver's.
pub(crate) type Pool = usize;
