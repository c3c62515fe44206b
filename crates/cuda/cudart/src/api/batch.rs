//! Copies in batches and copies with attributes (runtime API, "Memory Management"). The functions
//! of CUDA 12 also return the index of a failed copy.

use crate::call::{check, runtime_api};
use crate::driver;
use crate::state::context;
use crate::types::Stream;
use std::ffi::c_ulonglong;
use texunit_cuda_abi::args::In;
#[cfg(feature = "cuda-12")]
use texunit_cuda_abi::args::Out;
use texunit_cuda_abi::{CUDA_MEMCPY3D_BATCH_OP, CUdeviceptr, CUmemcpyAttributes};

#[cfg(feature = "cuda-12")]
mod versions {
    use super::*;

    runtime_api! {
        /// Copies memory ranges in a batch.
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
            let (dsts, srcs, sizes) = (dsts.as_ptr(), srcs.as_ptr(), sizes.as_ptr());
            let (attrs, indices) = (attrs.as_ptr(), attrsIdxs.as_ptr());
            // SAFETY: the caller's addresses and arrays satisfy the same contract as for the
            // driver's function.
            check(unsafe {
                driver::cuMemcpyBatchAsync(
                    dsts, srcs, sizes, count, attrs, indices, numAttrs, failIdx.as_ptr(), stream,
                )
            })
        }

        /// Copies 3D regions in a batch.
        fn cudaMemcpy3DBatchAsync(
            numOps: usize,
            opList: In<CUDA_MEMCPY3D_BATCH_OP>,
            failIdx: Out<usize>,
            flags: c_ulonglong,
            stream: Stream,
        ) {
            context()?;
            let (list, failed) = (opList.as_ptr(), failIdx.as_ptr());
            // SAFETY: as for the access above.
            check(unsafe { driver::cuMemcpy3DBatchAsync(numOps, list, failed, flags, stream) })
        }
    }
}

#[cfg(not(feature = "cuda-12"))]
mod versions {
    use super::*;

    runtime_api! {
        /// Copies memory ranges in a batch.
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
            let (dsts, srcs, sizes) = (dsts.as_ptr(), srcs.as_ptr(), sizes.as_ptr());
            let (attrs, indices) = (attrs.as_ptr(), attrsIdxs.as_ptr());
            // SAFETY: the caller's addresses and arrays satisfy the same contract as for the
            // driver's function.
            check(unsafe {
                driver::cuMemcpyBatchAsync_v2(
                    dsts, srcs, sizes, count, attrs, indices, numAttrs, stream,
                )
            })
        }

        /// Copies 3D regions in a batch.
        fn cudaMemcpy3DBatchAsync(
            numOps: usize,
            opList: In<CUDA_MEMCPY3D_BATCH_OP>,
            flags: c_ulonglong,
            stream: Stream,
        ) {
            context()?;
            // SAFETY: as for the access above.
            check(unsafe { driver::cuMemcpy3DBatchAsync_v2(numOps, opList.as_ptr(), flags, stream) })
        }

        /// Copies bytes with attributes of the copy.
        fn cudaMemcpyWithAttributesAsync(
            dst: CUdeviceptr,
            src: CUdeviceptr,
            size: usize,
            attr: In<CUmemcpyAttributes>,
            stream: Stream,
        ) {
            context()?;
            // SAFETY: as for the access above.
            check(unsafe {
                driver::cuMemcpyWithAttributesAsync(dst, src, size, attr.as_ptr(), stream)
            })
        }

        /// Copies a 3D region with attributes of the copy.
        fn cudaMemcpy3DWithAttributesAsync(
            op: In<CUDA_MEMCPY3D_BATCH_OP>,
            flags: c_ulonglong,
            stream: Stream,
        ) {
            context()?;
            // SAFETY: as for the access above.
            check(unsafe { driver::cuMemcpy3DWithAttributesAsync(op.as_ptr(), flags, stream) })
        }
    }
}
