//! Managed memory: advice, prefetches, and their attributes (runtime API, "Memory Management").
//! CUDA 12 has functions that name a device, and functions with the suffix `_v2` that name a
//! location; in CUDA 13 the latter have the plain names.

use crate::call::{check, runtime_api};
use crate::driver;
use crate::state::context;
use crate::types::Stream;
use std::ffi::c_uint;
use texunit_cuda_abi::args::{In, Raw};
use texunit_cuda_abi::{CUdeviceptr, CUmemLocation};

runtime_api! {
    /// An attribute of a range of managed memory.
    fn cudaMemRangeGetAttribute(
        data: Raw,
        dataSize: usize,
        attribute: c_uint,
        devPtr: CUdeviceptr,
        count: usize,
    ) {
        context()?;
        // SAFETY: the caller upholds the same contract as for the driver's function.
        check(unsafe {
            driver::cuMemRangeGetAttribute(data.as_ptr(), dataSize, attribute, devPtr, count)
        })
    }

    /// Several attributes of a range of managed memory.
    fn cudaMemRangeGetAttributes(
        data: In<Raw>,
        dataSizes: In<usize>,
        attributes: In<c_uint>,
        numAttributes: usize,
        devPtr: CUdeviceptr,
        count: usize,
    ) {
        context()?;
        let (data, sizes) = (data.as_ptr().cast(), dataSizes.as_ptr());
        // SAFETY: the caller upholds the same contract as for the driver's function.
        check(unsafe {
            driver::cuMemRangeGetAttributes(
                data, sizes, attributes.as_ptr(), numAttributes, devPtr, count,
            )
        })
    }

    /// Attaches managed memory to one stream, to all streams, or to the host.
    fn cudaStreamAttachMemAsync(
        stream: Stream,
        devPtr: CUdeviceptr,
        length: usize,
        flags: c_uint,
    ) {
        context()?;
        check(driver::cuStreamAttachMemAsync(stream, devPtr, length, flags))
    }
}

/// Defines the functions that name a location, under the names of a version.
macro_rules! by_location {
    ($advise:ident, $prefetch:ident) => {
        runtime_api! {
            /// Gives advice about a range of memory.
            fn $advise(
                devPtr: CUdeviceptr,
                count: usize,
                advice: c_uint,
                location: CUmemLocation,
            ) {
                context()?;
                check(driver::cuMemAdvise_v2(devPtr, count, advice, location))
            }

            /// Prefetches memory to a location.
            fn $prefetch(
                devPtr: CUdeviceptr,
                count: usize,
                location: CUmemLocation,
                flags: c_uint,
                stream: Stream,
            ) {
                context()?;
                check(driver::cuMemPrefetchAsync_v2(devPtr, count, location, flags, stream))
            }
        }
    };
}

#[cfg(feature = "cuda-12")]
mod versions {
    use super::*;
    use std::ffi::c_int;

    // The driver checks that addresses are of managed memory.
    by_location!(cudaMemAdvise_v2, cudaMemPrefetchAsync_v2);

    runtime_api! {
        /// Gives advice about a range; the location is a device number or the host.
        fn cudaMemAdvise(devPtr: CUdeviceptr, count: usize, advice: c_uint, location: c_int) {
            context()?;
            check(driver::cuMemAdvise(devPtr, count, advice, location))
        }

        /// Prefetches memory to a device or to the host.
        fn cudaMemPrefetchAsync(
            devPtr: CUdeviceptr,
            count: usize,
            dstDevice: c_int,
            stream: Stream,
        ) {
            context()?;
            check(driver::cuMemPrefetchAsync(devPtr, count, dstDevice, stream))
        }
    }
}

#[cfg(not(feature = "cuda-12"))]
mod versions {
    use super::*;
    use std::ffi::c_ulonglong;

    by_location!(cudaMemAdvise, cudaMemPrefetchAsync);

    runtime_api! {
        /// Discards the contents of managed memory.
        fn cudaMemDiscardBatchAsync(
            dptrs: In<CUdeviceptr>,
            sizes: In<usize>,
            count: usize,
            flags: c_ulonglong,
            stream: Stream,
        ) {
            context()?;
            let (addresses, sizes) = (dptrs.as_ptr(), sizes.as_ptr());
            // SAFETY: the caller upholds the same contract as for the driver's function.
            check(unsafe { driver::cuMemDiscardBatchAsync(addresses, sizes, count, flags, stream) })
        }
    }

    /// Defines functions that prefetch memory ranges in a batch, each to one of several locations.
    macro_rules! prefetches {
        ($($(#[$doc:meta])* fn $name:ident = $driver:ident;)*) => {
            runtime_api! {
                $($(#[$doc])*
                fn $name(
                    dptrs: In<CUdeviceptr>,
                    sizes: In<usize>,
                    count: usize,
                    prefetchLocs: In<CUmemLocation>,
                    prefetchLocIdxs: In<usize>,
                    numPrefetchLocs: usize,
                    flags: c_ulonglong,
                    stream: Stream,
                ) {
                    context()?;
                    let (addresses, sizes) = (dptrs.as_ptr(), sizes.as_ptr());
                    let (places, indices) = (prefetchLocs.as_ptr(), prefetchLocIdxs.as_ptr());
                    let groups = numPrefetchLocs;
                    // SAFETY: the caller upholds the same contract as for the driver's function.
                    check(unsafe {
                        driver::$driver(addresses, sizes, count, places, indices, groups, flags, stream)
                    })
                })*
            }
        };
    }

    prefetches! {
        /// Prefetches memory ranges in a batch.
        fn cudaMemPrefetchBatchAsync = cuMemPrefetchBatchAsync;
        /// Prefetches memory ranges in a batch after discarding their contents.
        fn cudaMemDiscardAndPrefetchBatchAsync = cuMemDiscardAndPrefetchBatchAsync;
    }
}
