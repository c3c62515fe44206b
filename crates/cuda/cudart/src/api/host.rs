//! Page-locked host memory (runtime API, "Memory Management").

use crate::call::{check, forward, runtime_api};
use crate::driver;
use crate::state::context;
use std::ffi::c_uint;
use texunit_cuda_abi::CUdeviceptr;
use texunit_cuda_abi::args::{Answer, Out, Raw};

runtime_api! {
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

forward! {
    /// Registers the program's memory for access by kernels.
    unsafe fn cudaHostRegister(ptr: Raw, size: usize, flags: c_uint) = cuMemHostRegister_v2;
    /// Unregisters host memory, which kernels can no longer access.
    unsafe fn cudaHostUnregister(ptr: Raw) = cuMemHostUnregister;
    /// The device address of host memory.
    fn cudaHostGetDevicePointer(pDevice: Out<CUdeviceptr>, pHost: Raw, flags: c_uint)
        = cuMemHostGetDevicePointer_v2;
    /// The flags with which host memory was allocated or registered.
    fn cudaHostGetFlags(pFlags: Out<c_uint>, pHost: Raw) = cuMemHostGetFlags;
}

fn allocate(pointer: Out<u64>, size: usize, flags: c_uint) -> Answer {
    context()?;
    if size == 0 {
        return pointer.set(0);
    }
    check(driver::cuMemHostAlloc(pointer, size, flags))
}
