//! Memory in the order of streams, and pools (runtime API, "Stream Ordered Memory Allocator"). A
//! `cudaMemPool_t` is a `CUmemoryPool`.

use crate::call::{check, runtime_api};
use crate::state::{check_device, context};
use crate::types::{Pool, Stream};
use std::ffi::c_uint;
use texunit_cuda_abi::args::{In, Out, Raw};
use texunit_cuda_abi::{
    CUdevice, CUdeviceptr, CUmemAccessDesc, CUmemLocation, CUmemPoolProps, CUresult,
};

// The pointers that they take come from the C caller, whose they are.
unsafe extern "C" {
    safe fn cuMemAllocAsync(address: Out<CUdeviceptr>, size: usize, stream: Stream) -> CUresult;
    safe fn cuMemAllocFromPoolAsync(
        address: Out<CUdeviceptr>,
        size: usize,
        pool: Pool,
        stream: Stream,
    ) -> CUresult;
    safe fn cuMemFreeAsync(address: CUdeviceptr, stream: Stream) -> CUresult;
    safe fn cuMemPoolCreate(pool: Out<Pool>, props: In<CUmemPoolProps>) -> CUresult;
    safe fn cuMemPoolDestroy(pool: Pool) -> CUresult;
    safe fn cuMemPoolTrimTo(pool: Pool, keep: usize) -> CUresult;
    safe fn cuMemPoolSetAttribute(pool: Pool, attribute: c_uint, value: Raw) -> CUresult;
    safe fn cuMemPoolGetAttribute(pool: Pool, attribute: c_uint, value: Raw) -> CUresult;
    safe fn cuMemPoolSetAccess(pool: Pool, map: In<CUmemAccessDesc>, count: usize) -> CUresult;
    safe fn cuMemPoolGetAccess(
        flags: Out<c_uint>,
        pool: Pool,
        location: In<CUmemLocation>,
    ) -> CUresult;
    safe fn cuDeviceGetDefaultMemPool(pool: Out<Pool>, device: CUdevice) -> CUresult;
    safe fn cuDeviceGetMemPool(pool: Out<Pool>, device: CUdevice) -> CUresult;
    safe fn cuDeviceSetMemPool(device: CUdevice, pool: Pool) -> CUresult;
}

runtime_api! {
    /// Allocates from the current pool of the stream's device.
    fn cudaMallocAsync(devPtr: Out<CUdeviceptr>, size: usize, hStream: Stream) {
        context()?;
        devPtr.check()?;
        check(cuMemAllocAsync(devPtr, size, hStream))
    }

    /// Allocates from a pool.
    fn cudaMallocFromPoolAsync(
        ptr: Out<CUdeviceptr>,
        size: usize,
        memPool: Pool,
        stream: Stream,
    ) {
        context()?;
        ptr.check()?;
        check(cuMemAllocFromPoolAsync(ptr, size, memPool, stream))
    }

    /// Frees memory in the order of a stream.
    fn cudaFreeAsync(devPtr: CUdeviceptr, hStream: Stream) {
        context()?;
        check(cuMemFreeAsync(devPtr, hStream))
    }

    /// Makes a pool.
    fn cudaMemPoolCreate(memPool: Out<Pool>, poolProps: In<CUmemPoolProps>) {
        context()?;
        check(cuMemPoolCreate(memPool, poolProps))
    }

    /// Ends a pool.
    fn cudaMemPoolDestroy(memPool: Pool) {
        context()?;
        check(cuMemPoolDestroy(memPool))
    }

    /// Gives back memory that a pool holds and does not use.
    fn cudaMemPoolTrimTo(memPool: Pool, minBytesToKeep: usize) {
        context()?;
        check(cuMemPoolTrimTo(memPool, minBytesToKeep))
    }

    /// A setting of a pool.
    fn cudaMemPoolSetAttribute(memPool: Pool, attr: c_uint, value: Raw) {
        context()?;
        check(cuMemPoolSetAttribute(memPool, attr, value))
    }

    /// A setting or count of a pool.
    fn cudaMemPoolGetAttribute(memPool: Pool, attr: c_uint, value: Raw) {
        context()?;
        check(cuMemPoolGetAttribute(memPool, attr, value))
    }

    /// Who reaches the memory of a pool.
    fn cudaMemPoolSetAccess(memPool: Pool, descList: In<CUmemAccessDesc>, count: usize) {
        context()?;
        check(cuMemPoolSetAccess(memPool, descList, count))
    }

    /// How a device reaches the memory of a pool.
    fn cudaMemPoolGetAccess(
        flags: Out<c_uint>,
        memPool: Pool,
        location: In<CUmemLocation>,
    ) {
        context()?;
        check(cuMemPoolGetAccess(flags, memPool, location))
    }

    /// The pool that a device always has.
    fn cudaDeviceGetDefaultMemPool(memPool: Out<Pool>, device: CUdevice) {
        context()?;
        check_device(device)?;
        check(cuDeviceGetDefaultMemPool(memPool, device))
    }

    /// The pool that `cudaMallocAsync` takes from.
    fn cudaDeviceGetMemPool(memPool: Out<Pool>, device: CUdevice) {
        context()?;
        check_device(device)?;
        check(cuDeviceGetMemPool(memPool, device))
    }

    /// Sets the pool that `cudaMallocAsync` takes from.
    fn cudaDeviceSetMemPool(device: CUdevice, memPool: Pool) {
        context()?;
        check_device(device)?;
        check(cuDeviceSetMemPool(device, memPool))
    }
}

#[cfg(not(feature = "cuda-12"))]
mod of_locations {
    use super::{CUmemLocation, CUresult, In, Out, Pool, c_uint, check, context, runtime_api};

    // The pointers that they take come from the C caller, whose they are.
    unsafe extern "C" {
        safe fn cuMemGetDefaultMemPool(
            pool: Out<Pool>,
            location: In<CUmemLocation>,
            kind: c_uint,
        ) -> CUresult;
        safe fn cuMemGetMemPool(
            pool: Out<Pool>,
            location: In<CUmemLocation>,
            kind: c_uint,
        ) -> CUresult;
        safe fn cuMemSetMemPool(location: In<CUmemLocation>, kind: c_uint, pool: Pool) -> CUresult;
    }

    runtime_api! {
        /// The pool that a place always has.
        fn cudaMemGetDefaultMemPool(
            memPool: Out<Pool>,
            location: In<CUmemLocation>,
            type_: c_uint,
        ) {
            context()?;
            check(cuMemGetDefaultMemPool(memPool, location, type_))
        }

        /// The current pool of a place.
        fn cudaMemGetMemPool(memPool: Out<Pool>, location: In<CUmemLocation>, type_: c_uint) {
            context()?;
            check(cuMemGetMemPool(memPool, location, type_))
        }

        /// Sets the current pool of a place.
        fn cudaMemSetMemPool(location: In<CUmemLocation>, type_: c_uint, memPool: Pool) {
            context()?;
            check(cuMemSetMemPool(location, type_, memPool))
        }
    }
}
