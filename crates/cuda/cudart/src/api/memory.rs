//! Device, managed and page-locked host memory (runtime API, "Memory Management"), and attributes
//! of pointers ("Unified Addressing").

use crate::api::*;

runtime_api! {
    /// Allocates device memory; null if the size is 0.
    fn cudaMalloc(devPtr, size) {
        context()?;
        if size == 0 {
            return devPtr.set(0);
        }
        check(driver::cuMemAlloc_v2(devPtr, size))
    }

    /// Allocates managed memory; null if the size is 0.
    fn cudaMallocManaged(devPtr, size, flags) {
        context()?;
        if size == 0 {
            return devPtr.set(0);
        }
        check(driver::cuMemAllocManaged(devPtr, size, flags))
    }

    /// Allocates device memory for rows with an aligned pitch.
    fn cudaMallocPitch(devPtr, pitch, width, height) {
        context()?;
        devPtr.check()?;
        pitch.check()?;
        let (address, bytes) = rows(width, height)?;
        devPtr.set(address)?;
        pitch.set(bytes)
    }

    /// Allocates device memory for slices of rows with an aligned pitch.
    fn cudaMalloc3D(pitchedDevPtr, extent) {
        context()?;
        pitchedDevPtr.check()?;
        let height = extent.height.checked_mul(extent.depth).ok_or_else(|| CUresult::OUT_OF_MEMORY.because(format!("extent of {} x {} slices is more than any memory has", Count(extent.height, "row"), extent.depth)))?;
        let (ptr, pitch) = rows(extent.width, height)?;
        let (xsize, ysize) = (extent.width, extent.height);
        pitchedDevPtr.set(cudaPitchedPtr { ptr, pitch, xsize, ysize })
    }

    /// Allocates host memory; null if the size is 0.
    fn cudaMallocHost(ptr, size) {
        allocate(ptr, size, 0)
    }

    /// Allocates host memory with flags; null if the size is 0.
    fn cudaHostAlloc(pHost, size, flags) {
        allocate(pHost, size, flags)
    }

    /// Frees host memory; null is allowed.
    fn cudaFreeHost(ptr) {
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

/// The `CU_POINTER_ATTRIBUTE_*` of the result's fields: memory type, device address, host address,
/// whether the memory is managed, device number, locality domain.
const ATTRIBUTES: [c_uint; 6] = [2, 3, 4, 8, 9, 22];

runtime_api! {
    /// Type, device and addresses of memory. Memory unknown to CUDA is reported as unregistered.
    fn cudaPointerGetAttributes(attributes, ptr) {
        context()?;
        attributes.give(|| of(ptr))
    }
}

#[allow(clippy::needless_update)] // for CUDA 12
fn of(address: u64) -> Answer<cudaPointerAttributes> {
    let mut values = [0; ATTRIBUTES.len()];
    let data = values.each_mut().map(std::ptr::from_mut::<u64>);
    let count = ATTRIBUTES.len() as c_uint;
    // SAFETY: both arrays have this many elements, and no attribute is wider than 64 bits.
    check(unsafe {
        driver::cuPointerGetAttributes(count, ATTRIBUTES.as_ptr(), data.as_ptr().cast(), address)
    })?;
    #[cfg_attr(feature = "cuda-12", allow(unused_variables))]
    let [memory, device_pointer, host_pointer, managed, device, domain] = values;
    let kind = match memory as u32 {
        _ if managed as u32 != 0 => MEMORY_MANAGED,
        CU_MEMORYTYPE_HOST => MEMORY_HOST,
        CU_MEMORYTYPE_DEVICE => MEMORY_DEVICE,
        _ => MEMORY_UNREGISTERED,
    };
    Ok(cudaPointerAttributes {
        kind,
        device: device as i32,
        device_pointer,
        host_pointer: if kind == MEMORY_UNREGISTERED { address } else { host_pointer },
        #[cfg(not(feature = "cuda-12"))]
        locality_domain: domain as i32,
        ..cudaPointerAttributes::default()
    })
}
