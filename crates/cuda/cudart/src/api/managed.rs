//! Managed memory: advice, prefetches, and their attributes (runtime API, "Memory Management").
//! CUDA 12 has functions that name a device, and functions with the suffix `_v2` that name a
//! location; in CUDA 13 the latter have the plain names.

use crate::call::forward;
use crate::types::Stream;
use std::ffi::c_uint;
use texunit_cuda_abi::args::{In, Raw};
use texunit_cuda_abi::{CUdeviceptr, CUmemLocation};

forward! {
    /// An attribute of a range of managed memory.
    unsafe fn cudaMemRangeGetAttribute(
        data: Raw, dataSize: usize, attribute: c_uint, devPtr: CUdeviceptr, count: usize,
    ) = cuMemRangeGetAttribute;
    /// Several attributes of a range of managed memory.
    unsafe fn cudaMemRangeGetAttributes(
        data: In<Raw>, dataSizes: In<usize>, attributes: In<c_uint>, numAttributes: usize,
        devPtr: CUdeviceptr, count: usize,
    ) = cuMemRangeGetAttributes;
    /// Attaches managed memory to one stream, to all streams, or to the host.
    fn cudaStreamAttachMemAsync(stream: Stream, devPtr: CUdeviceptr, length: usize, flags: c_uint)
        = cuStreamAttachMemAsync;
}

/// Defines the functions that name a location, under the names of a version.
macro_rules! by_location {
    ($advise:ident, $prefetch:ident) => {
        forward! {
            /// Gives advice about a range of memory.
            fn $advise(devPtr: CUdeviceptr, count: usize, advice: c_uint, location: CUmemLocation)
                = cuMemAdvise_v2;
            /// Prefetches memory to a location.
            fn $prefetch(
                devPtr: CUdeviceptr, count: usize, location: CUmemLocation, flags: c_uint,
                stream: Stream,
            ) = cuMemPrefetchAsync_v2;
        }
    };
}

#[cfg(feature = "cuda-12")]
mod versions {
    use super::*;
    use std::ffi::c_int;

    // The driver checks that addresses are of managed memory.
    by_location!(cudaMemAdvise_v2, cudaMemPrefetchAsync_v2);

    forward! {
        /// Gives advice about a range; the location is a device number or the host.
        fn cudaMemAdvise(devPtr: CUdeviceptr, count: usize, advice: c_uint, location: c_int)
            = cuMemAdvise;
        /// Prefetches memory to a device or to the host.
        fn cudaMemPrefetchAsync(devPtr: CUdeviceptr, count: usize, dstDevice: c_int, stream: Stream)
            = cuMemPrefetchAsync;
    }
}

#[cfg(not(feature = "cuda-12"))]
mod versions {
    use super::*;
    use std::ffi::c_ulonglong;

    by_location!(cudaMemAdvise, cudaMemPrefetchAsync);

    forward! {
        /// Discards the contents of managed memory.
        unsafe fn cudaMemDiscardBatchAsync(
            dptrs: In<CUdeviceptr>, sizes: In<usize>, count: usize, flags: c_ulonglong,
            stream: Stream,
        ) = cuMemDiscardBatchAsync;
    }

    forward! {
        /// Prefetches memory ranges in a batch, each to one of several locations.
        unsafe fn cudaMemPrefetchBatchAsync(
            dptrs: In<CUdeviceptr>, sizes: In<usize>, count: usize, prefetchLocs: In<CUmemLocation>,
            prefetchLocIdxs: In<usize>, numPrefetchLocs: usize, flags: c_ulonglong, stream: Stream,
        ) = cuMemPrefetchBatchAsync;
        /// Prefetches memory ranges in a batch after discarding their contents.
        unsafe fn cudaMemDiscardAndPrefetchBatchAsync(
            dptrs: In<CUdeviceptr>, sizes: In<usize>, count: usize, prefetchLocs: In<CUmemLocation>,
            prefetchLocIdxs: In<usize>, numPrefetchLocs: usize, flags: c_ulonglong, stream: Stream,
        ) = cuMemDiscardAndPrefetchBatchAsync;
    }
}
