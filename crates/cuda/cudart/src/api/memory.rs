//! Device, managed and page-locked host memory (runtime API, "Memory Management").

use crate::api::*;

// The pointers passed to driver functions come from the C caller, which guarantees that they are
// valid, or are to local variables.
runtime_api! {
    /// Allocates device memory; null if the size is 0.
    fn cudaMalloc(devPtr: Out<CUdeviceptr>, size: usize) {
        context()?;
        if size == 0 {
            return devPtr.set(0);
        }
        check(driver::cuMemAlloc_v2(devPtr, size))
    }

    /// Allocates managed memory; null if the size is 0.
    fn cudaMallocManaged(devPtr: Out<CUdeviceptr>, size: usize, flags: c_uint) {
        context()?;
        if size == 0 {
            return devPtr.set(0);
        }
        check(driver::cuMemAllocManaged(devPtr, size, flags))
    }

    /// Allocates device memory for rows with an aligned pitch.
    fn cudaMallocPitch(
        devPtr: Out<CUdeviceptr>,
        pitch: Out<usize>,
        width: usize,
        height: usize,
    ) {
        context()?;
        devPtr.check()?;
        pitch.check()?;
        let (address, bytes) = rows(width, height)?;
        devPtr.set(address)?;
        pitch.set(bytes)
    }

    /// Allocates device memory for slices of rows with an aligned pitch.
    fn cudaMalloc3D(pitchedDevPtr: Out<cudaPitchedPtr>, extent: cudaExtent) {
        context()?;
        pitchedDevPtr.check()?;
        let height = extent.height.checked_mul(extent.depth).ok_or_else(|| CUresult::OUT_OF_MEMORY.because(format!("extent of {} x {} slices is more than any memory has", Count(extent.height, "row"), extent.depth)))?;
        let (ptr, pitch) = rows(extent.width, height)?;
        let (xsize, ysize) = (extent.width, extent.height);
        pitchedDevPtr.set(cudaPitchedPtr { ptr, pitch, xsize, ysize })
    }

    /// Allocates host memory; null if the size is 0.
    fn cudaMallocHost(ptr: Out<u64>, size: usize) {
        allocate(ptr, size, 0)
    }

    /// Allocates host memory with flags; null if the size is 0.
    fn cudaHostAlloc(pHost: Out<u64>, size: usize, flags: c_uint) {
        allocate(pHost, size, flags)
    }

    /// Frees host memory; null is allowed.
    fn cudaFreeHost(ptr: Raw) {
        context()?;
        if ptr.is_null() {
            return Ok(());
        }
        // SAFETY: the caller upholds the same contract as for the driver's function.
        check(unsafe { driver::cuMemFreeHost(ptr.as_ptr()) })
    }
}

/// Allocates pitched memory and returns its address and pitch; null and 0 if the size is 0.
fn rows(width: usize, height: usize) -> Answer<(CUdeviceptr, usize)> {
    let (mut address, mut pitch) = (0, 0);
    if width != 0 && height != 0 {
        check(driver::cuMemAllocPitch_v2(&mut address, &mut pitch, width, height, 4))?;
    }
    Ok((address, pitch))
}

/// Allocates host memory; null if the size is 0.
fn allocate(pointer: Out<u64>, size: usize, flags: c_uint) -> Answer {
    context()?;
    if size == 0 {
        return pointer.set(0);
    }
    check(driver::cuMemHostAlloc(pointer, size, flags))
}
