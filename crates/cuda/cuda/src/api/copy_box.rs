//! 2D and 3D copies that a structure describes.

use super::copy::done;
use crate::api::*;
use crate::copy::{end_2d, end_3d};
use crate::graph::capture;

/// Defines pairs of a synchronous and an asynchronous function for copies that a structure
/// describes.
macro_rules! copies {
    ($($(#[$doc:meta])* fn $($now:ident)|+, $in_stream:ident = $copy:ident;)*) => {
        driver_api! {$(
            $(#[$doc])*
            fn $($now)|+(pCopy) {
                let order = Order::current()?;
                // SAFETY: addresses in the structure are valid as the driver API requires.
                done(unsafe { $copy(&pCopy.get()?, &order) }, &order)
            }

            $(#[$doc])*
            /// As the synchronous function, in stream order.
            fn $in_stream(pCopy, hStream) {
                let order = Order::capturable(hStream)?;
                // SAFETY: addresses in the structure are valid as the driver API requires.
                unsafe { $copy(&pCopy.get()?, &order) }
            }
        )*}
    };
}
pub(super) use copies;

copies! {
    /// Copies rows between host memory, device memory and arrays. Pitches need not be aligned.
    fn cuMemcpy2D_v2 | cuMemcpy2DUnaligned_v2, cuMemcpy2DAsync_v2 = copy_2d;
    /// Copies a 3D region between host memory, device memory and arrays.
    fn cuMemcpy3D_v2, cuMemcpy3DAsync_v2 = copy_3d;
    /// Copies a 3D region between contexts.
    fn cuMemcpy3DPeer, cuMemcpy3DPeerAsync = copy_peer;
}

/// # Safety
/// Both ends satisfy the safety contract of [`crate::copy::CopyEnd::memory`].
pub(super) unsafe fn copy_2d(copy: &CUDA_MEMCPY2D, order: &Order) -> Answer {
    let size = [copy.width_in_bytes as u64, copy.height as u64, 1];
    // SAFETY: the caller upholds this function's safety contract.
    let (to, from) = unsafe { (end_2d("dst", &copy.dst)?, end_2d("src", &copy.src)?) };
    capture::copy(&to, &from, size, order)
}

/// # Safety
/// Both ends satisfy the safety contract of [`crate::copy::CopyEnd::memory`].
pub(super) unsafe fn copy_3d(copy: &CUDA_MEMCPY3D, order: &Order) -> Answer {
    let size = [copy.width_in_bytes, copy.height, copy.depth].map(|n| n as u64);
    // SAFETY: the caller upholds this function's safety contract.
    let (to, from) = unsafe { (end_3d("dst", &copy.dst)?, end_3d("src", &copy.src)?) };
    capture::copy(&to, &from, size, order)
}

/// # Safety
/// Both ends satisfy the safety contract of [`crate::copy::CopyEnd::memory`].
unsafe fn copy_peer(copy: &CUDA_MEMCPY3D, order: &Order) -> Answer {
    for (name, side) in [("srcContext", &copy.src), ("dstContext", &copy.dst)] {
        // The context is that of device memory or an array; for host memory it is ignored.
        if matches!(side.memory_type, CU_MEMORYTYPE_DEVICE | CU_MEMORYTYPE_ARRAY) {
            let context = Handle::<Context>::of(side.context).get();
            context.map_err(|refusal| refusal.named(name))?.check()?;
        }
    }
    // SAFETY: the caller upholds this function's safety contract.
    unsafe { copy_3d(copy, order) }
}
