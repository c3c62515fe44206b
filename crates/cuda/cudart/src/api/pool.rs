//! Stream-ordered allocation and memory pools (runtime API, "Stream Ordered Memory Allocator"). A
//! `cudaMemPool_t` is a `CUmemoryPool`.

use crate::call::{check, forward, runtime_api};
use crate::driver;
use crate::state::{check_device, context};
use crate::types::{Pool, Stream};
use std::ffi::c_uint;
use texunit_cuda_abi::args::{In, Out, Raw};
use texunit_cuda_abi::{CUdevice, CUdeviceptr, CUmemAccessDesc, CUmemLocation, CUmemPoolProps};

runtime_api! {
    /// Allocates from the current pool of the stream's device, in stream order.
    fn cudaMallocAsync(devPtr: Out<CUdeviceptr>, size: usize, hStream: Stream) {
        context()?;
        devPtr.check()?;
        check(driver::cuMemAllocAsync(devPtr, size, hStream))
    }

    /// Allocates from a pool, in stream order.
    fn cudaMallocFromPoolAsync(
        ptr: Out<CUdeviceptr>,
        size: usize,
        memPool: Pool,
        stream: Stream,
    ) {
        context()?;
        ptr.check()?;
        check(driver::cuMemAllocFromPoolAsync(ptr, size, memPool, stream))
    }

    /// The default pool of a device.
    fn cudaDeviceGetDefaultMemPool(memPool: Out<Pool>, device: CUdevice) {
        context()?;
        check_device(device)?;
        check(driver::cuDeviceGetDefaultMemPool(memPool, device))
    }

    /// The current pool of a device, from which `cudaMallocAsync` allocates.
    fn cudaDeviceGetMemPool(memPool: Out<Pool>, device: CUdevice) {
        context()?;
        check_device(device)?;
        check(driver::cuDeviceGetMemPool(memPool, device))
    }

    /// Sets the current pool of a device.
    fn cudaDeviceSetMemPool(device: CUdevice, memPool: Pool) {
        context()?;
        check_device(device)?;
        check(driver::cuDeviceSetMemPool(device, memPool))
    }
}

forward! {
    /// Frees memory in stream order.
    fn cudaFreeAsync(devPtr: CUdeviceptr, hStream: Stream) = cuMemFreeAsync;
    /// Creates a memory pool.
    fn cudaMemPoolCreate(memPool: Out<Pool>, poolProps: In<CUmemPoolProps>) = cuMemPoolCreate;
    /// Destroys a memory pool.
    fn cudaMemPoolDestroy(memPool: Pool) = cuMemPoolDestroy;
    /// Frees memory that a pool holds but does not use.
    fn cudaMemPoolTrimTo(memPool: Pool, minBytesToKeep: usize) = cuMemPoolTrimTo;
    /// Sets an attribute of a pool.
    unsafe fn cudaMemPoolSetAttribute(memPool: Pool, attr: c_uint, value: Raw)
        = cuMemPoolSetAttribute;
    /// An attribute or statistic of a pool.
    unsafe fn cudaMemPoolGetAttribute(memPool: Pool, attr: c_uint, value: Raw)
        = cuMemPoolGetAttribute;
    /// Sets the access rights of devices to a pool's memory.
    unsafe fn cudaMemPoolSetAccess(memPool: Pool, descList: In<CUmemAccessDesc>, count: usize)
        = cuMemPoolSetAccess;
    /// The access rights of a device to a pool's memory.
    fn cudaMemPoolGetAccess(flags: Out<c_uint>, memPool: Pool, location: In<CUmemLocation>)
        = cuMemPoolGetAccess;
    /// Exports a pool as a file descriptor.
    unsafe fn cudaMemPoolExportToShareableHandle(
        shareableHandle: Raw, memPool: Pool, handleType: c_uint, flags: c_uint,
    ) = cuMemPoolExportToShareableHandle;
    /// Imports a pool from a file descriptor.
    unsafe fn cudaMemPoolImportFromShareableHandle(
        memPool: Out<Pool>, shareableHandle: Raw, handleType: c_uint, flags: c_uint,
    ) = cuMemPoolImportFromShareableHandle;
    /// Exports data with which another process can import an allocation of a pool.
    fn cudaMemPoolExportPointer(exportData: Out<[u8; 64]>, ptr: CUdeviceptr)
        = cuMemPoolExportPointer;
    /// Imports an allocation of another process's pool.
    fn cudaMemPoolImportPointer(ptr: Out<CUdeviceptr>, memPool: Pool, exportData: In<[u8; 64]>)
        = cuMemPoolImportPointer;
}

#[cfg(not(feature = "cuda-12"))]
mod of_locations {
    use super::{CUmemLocation, In, Out, Pool, c_uint, forward};

    forward! {
        /// The default pool of a location.
        fn cudaMemGetDefaultMemPool(memPool: Out<Pool>, location: In<CUmemLocation>, type_: c_uint)
            = cuMemGetDefaultMemPool;
        /// The current pool of a location.
        fn cudaMemGetMemPool(memPool: Out<Pool>, location: In<CUmemLocation>, type_: c_uint)
            = cuMemGetMemPool;
        /// Sets the current pool of a location.
        fn cudaMemSetMemPool(location: In<CUmemLocation>, type_: c_uint, memPool: Pool)
            = cuMemSetMemPool;
    }
}
