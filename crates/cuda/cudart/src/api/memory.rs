//! Device and managed memory (runtime API, "Memory Management").

use crate::call::{check, forward, runtime_api};
use crate::driver;
use crate::state::context;
use crate::types::{cudaExtent, cudaPitchedPtr};
use std::ffi::c_uint;
use texunit_cuda_abi::args::{Answer, Out};
use texunit_cuda_abi::{CUdeviceptr, CUresult};
use texunit_forms::Count;

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

    /// Frees device or managed memory; null is allowed.
    fn cudaFree(devPtr: CUdeviceptr) {
        context()?;
        if devPtr == 0 {
            return Ok(());
        }
        check(driver::cuMemFree_v2(devPtr))
    }
}

forward! {
    /// Free and total device memory in bytes.
    fn cudaMemGetInfo(free: Out<usize>, total: Out<usize>) = cuMemGetInfo_v2;
}

/// Allocates pitched memory and returns its address and pitch; null and 0 if the size is 0.
fn rows(width: usize, height: usize) -> Answer<(CUdeviceptr, usize)> {
    let (mut address, mut pitch) = (0, 0);
    if width != 0 && height != 0 {
        check(driver::cuMemAllocPitch_v2(&mut address, &mut pitch, width, height, 4))?;
    }
    Ok((address, pitch))
}
