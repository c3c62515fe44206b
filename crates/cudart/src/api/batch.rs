//! Copies in batches and copies with attributes (runtime API, "Memory Management"). In CUDA 12 they say
//! which copy went wrong.

use crate::call::{check, runtime_api};
use crate::state::context;
use crate::types::Stream;
use std::ffi::c_ulonglong;
use texunit_cuda_abi::args::In;
#[cfg(feature = "cuda-12")]
use texunit_cuda_abi::args::Out;
use texunit_cuda_abi::{CUDA_MEMCPY3D_BATCH_OP, CUdeviceptr, CUmemcpyAttributes, CUresult};

#[cfg(feature = "cuda-12")]
mod versions {
    use super::*;

    // The pointers that they take come from the C caller, whose they are.
    unsafe extern "C" {
        safe fn cuMemcpyBatchAsync(
            to: In<CUdeviceptr>,
            from: In<CUdeviceptr>,
            sizes: In<usize>,
            count: usize,
            attributes: In<CUmemcpyAttributes>,
            indices: In<usize>,
            groups: usize,
            failed: Out<usize>,
            stream: Stream,
        ) -> CUresult;
        safe fn cuMemcpy3DBatchAsync(
            count: usize,
            list: In<CUDA_MEMCPY3D_BATCH_OP>,
            failed: Out<usize>,
            flags: c_ulonglong,
            stream: Stream,
        ) -> CUresult;
    }

    runtime_api! {
        /// Copies many pieces of memory.
        fn cudaMemcpyBatchAsync(
            dsts: In<CUdeviceptr>,
            srcs: In<CUdeviceptr>,
            sizes: In<usize>,
            count: usize,
            attrs: In<CUmemcpyAttributes>,
            attrsIdxs: In<usize>,
            numAttrs: usize,
            failIdx: Out<usize>,
            stream: Stream,
        ) {
            context()?;
            check(cuMemcpyBatchAsync(
                dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs, failIdx, stream,
            ))
        }

        /// Copies many boxes.
        fn cudaMemcpy3DBatchAsync(
            numOps: usize,
            opList: In<CUDA_MEMCPY3D_BATCH_OP>,
            failIdx: Out<usize>,
            flags: c_ulonglong,
            stream: Stream,
        ) {
            context()?;
            check(cuMemcpy3DBatchAsync(numOps, opList, failIdx, flags, stream))
        }
    }
}

#[cfg(not(feature = "cuda-12"))]
mod versions {
    use super::*;

    // The pointers that they take come from the C caller, whose they are.
    unsafe extern "C" {
        safe fn cuMemcpyBatchAsync_v2(
            to: In<CUdeviceptr>,
            from: In<CUdeviceptr>,
            sizes: In<usize>,
            count: usize,
            attributes: In<CUmemcpyAttributes>,
            indices: In<usize>,
            groups: usize,
            stream: Stream,
        ) -> CUresult;
        safe fn cuMemcpy3DBatchAsync_v2(
            count: usize,
            list: In<CUDA_MEMCPY3D_BATCH_OP>,
            flags: c_ulonglong,
            stream: Stream,
        ) -> CUresult;
        safe fn cuMemcpyWithAttributesAsync(
            to: CUdeviceptr,
            from: CUdeviceptr,
            size: usize,
            attribute: In<CUmemcpyAttributes>,
            stream: Stream,
        ) -> CUresult;
        safe fn cuMemcpy3DWithAttributesAsync(
            copy: In<CUDA_MEMCPY3D_BATCH_OP>,
            flags: c_ulonglong,
            stream: Stream,
        ) -> CUresult;
    }

    runtime_api! {
        /// Copies many pieces of memory.
        fn cudaMemcpyBatchAsync(
            dsts: In<CUdeviceptr>,
            srcs: In<CUdeviceptr>,
            sizes: In<usize>,
            count: usize,
            attrs: In<CUmemcpyAttributes>,
            attrsIdxs: In<usize>,
            numAttrs: usize,
            stream: Stream,
        ) {
            context()?;
            check(cuMemcpyBatchAsync_v2(
                dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs, stream,
            ))
        }

        /// Copies many boxes.
        fn cudaMemcpy3DBatchAsync(
            numOps: usize,
            opList: In<CUDA_MEMCPY3D_BATCH_OP>,
            flags: c_ulonglong,
            stream: Stream,
        ) {
            context()?;
            check(cuMemcpy3DBatchAsync_v2(numOps, opList, flags, stream))
        }

        /// Copies bytes, with something said of the copy.
        fn cudaMemcpyWithAttributesAsync(
            dst: CUdeviceptr,
            src: CUdeviceptr,
            size: usize,
            attr: In<CUmemcpyAttributes>,
            stream: Stream,
        ) {
            context()?;
            check(cuMemcpyWithAttributesAsync(dst, src, size, attr, stream))
        }

        /// Copies slices, with something said of the copy.
        fn cudaMemcpy3DWithAttributesAsync(
            op: In<CUDA_MEMCPY3D_BATCH_OP>,
            flags: c_ulonglong,
            stream: Stream,
        ) {
            context()?;
            check(cuMemcpy3DWithAttributesAsync(op, flags, stream))
        }
    }
}
