//! A simulated GPU for tests: texunit's own driver, which is linked. Everything but the real GPU is
//! tested.

use crate::driver::{Gpu, GpuError};
use crate::ffi::{Api, Handle};
use std::ffi::{c_char, c_int};
use texunit_cuda_abi::{CUdevice, CUresult};

/// Value of [`LIBRARY_VARIABLE`](crate::LIBRARY_VARIABLE) that selects this GPU.
pub(crate) const NAME: &str = "test-card";

unsafe extern "C" {
    fn cuCtxCreate_v2(context: *mut Handle, flags: u32, device: CUdevice) -> CUresult;
    fn cuCtxDestroy_v2(context: Handle) -> CUresult;
    fn cuCtxGetCurrent(context: *mut Handle) -> CUresult;
}

/// A simulated GPU in a context of its own, so that a fault ends only this GPU.
///
/// # Errors
/// The driver's error.
pub fn gpu() -> Result<Gpu, GpuError> {
    Gpu::start(Api {
        cuDeviceGetName: name,
        cuDevicePrimaryCtxRetain: create,
        cuDevicePrimaryCtxRelease_v2: destroy,
        ..Api::linked()
    })
}

/// Results that are recorded must not seem to be those of a card.
unsafe extern "C" fn name(out: *mut c_char, size: c_int, _: CUdevice) -> CUresult {
    let name = c"texunit test card".to_bytes_with_nul();
    assert!(name.len() <= size as usize);
    // SAFETY: the caller passes the length of the buffer.
    unsafe { out.cast::<u8>().copy_from(name.as_ptr(), name.len()) };
    CUresult::SUCCESS
}

unsafe extern "C" fn create(context: *mut Handle, device: CUdevice) -> CUresult {
    // SAFETY: the caller's out-pointer is that of `cuDevicePrimaryCtxRetain`.
    unsafe { cuCtxCreate_v2(context, 0, device) }
}

unsafe extern "C" fn destroy(_: CUdevice) -> CUresult {
    let mut context = 0;
    // SAFETY: the out-pointer is to a local variable; each GPU of a thread is dropped before those
    // that were made earlier, so that the current context is its own.
    unsafe {
        cuCtxGetCurrent(&raw mut context);
        cuCtxDestroy_v2(context)
    }
}

/// A simulated GPU that no other test of this process uses at the same time.
#[cfg(test)]
pub(crate) fn alone() -> (std::sync::MutexGuard<'static, ()>, Gpu) {
    static ALONE: std::sync::Mutex<()> = std::sync::Mutex::new(());
    let alone = ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    (alone, gpu().expect("the test card starts"))
}

/// Free memory of the GPU in bytes.
#[cfg(test)]
pub(crate) fn free_memory() -> usize {
    unsafe extern "C" {
        fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize) -> CUresult;
    }
    let (mut free, mut total) = (0, 0);
    // SAFETY: the out-pointers are to local variables.
    let code = unsafe { cuMemGetInfo_v2(&raw mut free, &raw mut total) };
    assert_eq!(code, CUresult::SUCCESS);
    free
}
