//! Copies in batches and copies with attributes (runtime API, "Memory Management"). The functions
//! of CUDA 12 also return the index of a failed copy.

use crate::call::forward;
use crate::types::Stream;
use std::ffi::c_ulonglong;
use texunit_cuda_abi::args::In;
#[cfg(feature = "cuda-12")]
use texunit_cuda_abi::args::Out;
use texunit_cuda_abi::{CUDA_MEMCPY3D_BATCH_OP, CUdeviceptr, CUmemcpyAttributes};

#[cfg(feature = "cuda-12")]
mod versions {
    use super::*;

    forward! {
        /// Copies memory ranges in a batch.
        unsafe fn cudaMemcpyBatchAsync(
            dsts: In<CUdeviceptr>, srcs: In<CUdeviceptr>, sizes: In<usize>, count: usize,
            attrs: In<CUmemcpyAttributes>, attrsIdxs: In<usize>, numAttrs: usize,
            failIdx: Out<usize>, stream: Stream,
        ) = cuMemcpyBatchAsync;
        /// Copies 3D regions in a batch.
        unsafe fn cudaMemcpy3DBatchAsync(
            numOps: usize, opList: In<CUDA_MEMCPY3D_BATCH_OP>, failIdx: Out<usize>,
            flags: c_ulonglong, stream: Stream,
        ) = cuMemcpy3DBatchAsync;
    }
}

#[cfg(not(feature = "cuda-12"))]
mod versions {
    use super::*;

    forward! {
        /// Copies memory ranges in a batch.
        unsafe fn cudaMemcpyBatchAsync(
            dsts: In<CUdeviceptr>, srcs: In<CUdeviceptr>, sizes: In<usize>, count: usize,
            attrs: In<CUmemcpyAttributes>, attrsIdxs: In<usize>, numAttrs: usize, stream: Stream,
        ) = cuMemcpyBatchAsync_v2;
        /// Copies 3D regions in a batch.
        unsafe fn cudaMemcpy3DBatchAsync(
            numOps: usize, opList: In<CUDA_MEMCPY3D_BATCH_OP>, flags: c_ulonglong, stream: Stream,
        ) = cuMemcpy3DBatchAsync_v2;
        /// Copies bytes with attributes of the copy.
        unsafe fn cudaMemcpyWithAttributesAsync(
            dst: CUdeviceptr, src: CUdeviceptr, size: usize, attr: In<CUmemcpyAttributes>,
            stream: Stream,
        ) = cuMemcpyWithAttributesAsync;
        /// Copies a 3D region with attributes of the copy.
        unsafe fn cudaMemcpy3DWithAttributesAsync(
            op: In<CUDA_MEMCPY3D_BATCH_OP>, flags: c_ulonglong, stream: Stream,
        ) = cuMemcpy3DWithAttributesAsync;
    }
}
