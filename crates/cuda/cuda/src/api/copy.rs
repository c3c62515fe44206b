//! Copies of contiguous bytes between host memory, device memory and the first rows of arrays, and
//! 2D and 3D copies that a structure describes.

use crate::api::*;
use crate::copy::{CopyParams, any, bytes_at};
use crate::graph::capture;

/// Ends a copy: a call without a stream has waited for it and for all preceding work.
pub(super) fn done(copied: Answer, order: &Order) -> Answer {
    if copied.is_ok() && order.waits {
        checks::host_waited();
    }
    copied
}

/// Defines pairs of a synchronous and an asynchronous function that copy bytes from one end to
/// another, or functions that are synchronous only.
macro_rules! copies {
    ($($(#[$doc:meta])*
    fn $now:ident, $in_stream:ident($($arg:ident),*) { $from:expr => $to:expr })*) => {$(
        copies! { $(#[$doc])* fn $now($($arg),*) { $from => $to } }
        copies! {
            @ $(#[$doc])*
            /// As the synchronous function, in stream order.
            fn $in_stream($($arg),*) [ByteCount hStream] Order::capturable(hStream), $from => $to
        }
    )*};
    ($($(#[$doc:meta])* fn $now:ident($($arg:ident),*) { $from:expr => $to:expr })*) => {$(
        copies! { @ $(#[$doc])* fn $now($($arg),*) [ByteCount] Order::current(), $from => $to }
    )*};
    (@ $(#[$doc:meta])* fn $name:ident($($arg:ident),*) [$count:ident $($stream:ident)?]
     $order:expr, $from:expr => $to:expr) => {
        driver_api! {
            $(#[$doc])*
            fn $name($($arg,)* $count $(, $stream)?) {
                let order = $order?;
                let params = CopyParams::line($to, $from, $count);
                // SAFETY: the program's memory is valid during the call, as the driver API
                // requires.
                done(unsafe { capture::copy(&params, &order) }, &order)
            }
        }
    };
}

copies! {
    /// Copies bytes between any two addresses.
    fn cuMemcpy, cuMemcpyAsync(dst, src) {
        any(src) => any(dst)
    }

    /// Copies bytes from host to device memory.
    fn cuMemcpyHtoD_v2, cuMemcpyHtoDAsync_v2(dstDevice, srcHost) {
        host(srcHost) => device(dstDevice)
    }

    /// Copies bytes from device to host memory.
    fn cuMemcpyDtoH_v2, cuMemcpyDtoHAsync_v2(dstHost, srcDevice) {
        device(srcDevice) => host(dstHost)
    }

    /// Copies bytes of device memory.
    fn cuMemcpyDtoD_v2, cuMemcpyDtoDAsync_v2(dstDevice, srcDevice) {
        device(srcDevice) => device(dstDevice)
    }

    /// Copies bytes between the memory of two devices.
    fn cuMemcpyPeer, cuMemcpyPeerAsync(dstDevice, dstContext, srcDevice, srcContext) {
        of(srcContext, srcDevice)? => of(dstContext, dstDevice)?
    }

    /// Copies bytes from host memory into the first row of an array.
    fn cuMemcpyHtoA_v2, cuMemcpyHtoAAsync_v2(dstArray, dstOffset, srcHost) {
        host(srcHost) => array(dstArray, dstOffset)
    }

    /// Copies bytes from the first row of an array to host memory.
    fn cuMemcpyAtoH_v2, cuMemcpyAtoHAsync_v2(dstHost, srcArray, srcOffset) {
        array(srcArray, srcOffset) => host(dstHost)
    }
}

copies! {
    /// Copies bytes from device memory into the first row of an array.
    fn cuMemcpyDtoA_v2(dstArray, dstOffset, srcDevice) {
        device(srcDevice) => array(dstArray, dstOffset)
    }

    /// Copies bytes from the first row of an array to device memory.
    fn cuMemcpyAtoD_v2(dstDevice, srcArray, srcOffset) {
        array(srcArray, srcOffset) => device(dstDevice)
    }

    /// Copies bytes between the first rows of two arrays.
    fn cuMemcpyAtoA_v2(dstArray, dstOffset, srcArray, srcOffset) {
        array(srcArray, srcOffset) => array(dstArray, dstOffset)
    }
}

fn device(address: u64) -> CopySide3D {
    bytes_at(CU_MEMORYTYPE_DEVICE, address)
}

/// The source or destination of a copy in device memory of a context. The context must have no
/// fault.
fn of(context: Handle<Context>, address: u64) -> Answer<CopySide3D> {
    context.get()?.check()?;
    Ok(device(address))
}

fn host(pointer: Raw<'_>) -> CopySide3D {
    bytes_at(CU_MEMORYTYPE_HOST, pointer.address())
}

/// The source or destination of a copy in an array, from a byte of its first row on.
pub(super) fn array(array: Handle<ArrayObject>, x_in_bytes: usize) -> CopySide3D {
    let (memory_type, array) = (CU_MEMORYTYPE_ARRAY, array.number());
    CopySide3D { memory_type, array, x_in_bytes, ..CopySide3D::default() }
}

/// Defines pairs of a synchronous and an asynchronous function for copies that a structure
/// describes.
macro_rules! boxes {
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
pub(super) use boxes;

boxes! {
    /// Copies rows between host memory, device memory and arrays. Pitches need not be aligned.
    fn cuMemcpy2D_v2 | cuMemcpy2DUnaligned_v2, cuMemcpy2DAsync_v2 = copy_2d;
    /// Copies a 3D region between host memory, device memory and arrays.
    fn cuMemcpy3D_v2, cuMemcpy3DAsync_v2 = copy_3d;
    /// Copies a 3D region between contexts.
    fn cuMemcpy3DPeer, cuMemcpy3DPeerAsync = copy_peer;
}

/// # Safety
/// Both sides satisfy the safety contract of [`capture::copy`].
pub(super) unsafe fn copy_2d(copy: &CUDA_MEMCPY2D, order: &Order) -> Answer {
    let side = |side: &CopySide2D| {
        let CopySide2D { x_in_bytes, y, memory_type, host, device, array, pitch } = *side;
        let plane =
            CopySide3D { x_in_bytes, y, memory_type, host, device, ..CopySide3D::default() };
        CopySide3D { array, pitch, ..plane }
    };
    let (src, dst) = (side(&copy.src), side(&copy.dst));
    let CUDA_MEMCPY2D { width_in_bytes, height, .. } = *copy;
    // SAFETY: the caller upholds this function's safety contract.
    unsafe { copy_3d(&CUDA_MEMCPY3D { src, dst, width_in_bytes, height, depth: 1 }, order) }
}

/// # Safety
/// Both sides satisfy the safety contract of [`capture::copy`].
pub(super) unsafe fn copy_3d(copy: &CUDA_MEMCPY3D, order: &Order) -> Answer {
    // SAFETY: the caller upholds this function's safety contract.
    unsafe { capture::copy(&CopyParams { copy: *copy, is_line: false }, order) }
}

/// # Safety
/// Both sides satisfy the safety contract of [`capture::copy`].
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
