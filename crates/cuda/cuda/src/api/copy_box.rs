//! 2D and 3D copies that a structure describes.

use super::copy::at_once;
use crate::args::{Answer, In};
use crate::array::ArrayObject;
use crate::call::driver_api;
use crate::context::Context;
use crate::copy::{CopyEnd, Memory};
use crate::deferred::Order;
use crate::graph::capture;
use crate::handle::Handle;
use crate::memory::endpoint::Space;
use crate::stream::Stream;
use texunit_cuda_abi::{
    CU_MEMORYTYPE_ARRAY, CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_HOST, CU_MEMORYTYPE_UNIFIED,
    CUDA_MEMCPY2D, CUDA_MEMCPY3D, CopySide2D, CopySide3D, ensure, invalid,
};
use texunit_device::Array;

/// Defines pairs of a synchronous and an asynchronous function for copies that a structure
/// describes.
macro_rules! copies {
    ($($(#[$doc:meta])* fn $($now:ident)|+, $in_stream:ident(pCopy: $type:ty) = $copy:ident;)*) => {
        driver_api! {$(
            $(#[$doc])*
            fn $($now)|+(pCopy: In<$type>) {
                let order = Order::current()?;
                // SAFETY: addresses in the structure are valid as the driver API requires.
                at_once(unsafe { $copy(&pCopy.get()?, &order) })
            }

            $(#[$doc])*
            /// As the synchronous function, in stream order.
            fn $in_stream(pCopy: In<$type>, hStream: Handle<Stream>) {
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
    fn cuMemcpy2D_v2 | cuMemcpy2DUnaligned_v2, cuMemcpy2DAsync_v2(pCopy: CUDA_MEMCPY2D) = copy_2d;
    /// Copies a 3D region between host memory, device memory and arrays.
    fn cuMemcpy3D_v2, cuMemcpy3DAsync_v2(pCopy: CUDA_MEMCPY3D) = copy_3d;
    /// Copies a 3D region between contexts.
    fn cuMemcpy3DPeer, cuMemcpy3DPeerAsync(pCopy: CUDA_MEMCPY3D) = copy_peer;
}

/// The memory or array of one side of a copy.
fn place(
    side: &str,
    kind: u32,
    host: u64,
    device: u64,
    array: usize,
) -> Answer<Result<(Space, u64), Array>> {
    Ok(match kind {
        CU_MEMORYTYPE_HOST => Ok((Space::Host, host)),
        CU_MEMORYTYPE_DEVICE => Ok((Space::Device, device)),
        CU_MEMORYTYPE_UNIFIED => Ok((Space::Unified, device)),
        CU_MEMORYTYPE_ARRAY => {
            let found = Handle::<ArrayObject>::of(array).get();
            Err(found.map_err(|refusal| refusal.named(&format!("{side}Array")))?.array.clone())
        }
        _ => {
            return Err(invalid!(
                "{side}MemoryType {kind} is not a CUmemorytype: 1 (host), 2 (device), 3 (array) or 4 (unified)"
            ));
        }
    })
}

/// # Safety
/// The arguments satisfy the safety contract of [`CopyEnd::memory`].
unsafe fn end_2d<'a>(name: &str, side: &CopySide2D) -> Answer<CopyEnd<'a>> {
    let at = [side.x_in_bytes as u64, side.y as u64, 0];
    Ok(match place(name, side.memory_type, side.host, side.device, side.array)? {
        Ok((space, address)) => {
            let memory = Memory { pitch: side.pitch as u64, ..Memory::bytes(space, address) };
            // SAFETY: the caller upholds this function's safety contract.
            unsafe { CopyEnd::memory(memory, at) }
        }
        Err(array) => CopyEnd::array(array, at),
    })
}

/// # Safety
/// The arguments satisfy the safety contract of [`CopyEnd::memory`].
unsafe fn end_3d<'a>(name: &str, side: &CopySide3D) -> Answer<CopyEnd<'a>> {
    ensure!(side.lod == 0, "{name}LOD {} is not 0, the only value that there is", side.lod);
    let at = [side.x_in_bytes, side.y, side.z].map(|n| n as u64);
    Ok(match place(name, side.memory_type, side.host, side.device, side.array)? {
        Ok((space, address)) => {
            let [pitch, height] = [side.pitch, side.height].map(|n| n as u64);
            let memory = Memory { pitch, height, ..Memory::bytes(space, address) };
            // SAFETY: the caller upholds this function's safety contract.
            unsafe { CopyEnd::memory(memory, at) }
        }
        Err(array) => CopyEnd::array(array, at),
    })
}

/// # Safety
/// Both ends satisfy the safety contract of [`CopyEnd::memory`].
pub(super) unsafe fn copy_2d(copy: &CUDA_MEMCPY2D, order: &Order) -> Answer {
    let size = [copy.width_in_bytes as u64, copy.height as u64, 1];
    // SAFETY: the caller upholds this function's safety contract.
    let (to, from) = unsafe { (end_2d("dst", &copy.dst)?, end_2d("src", &copy.src)?) };
    capture::copy(&to, &from, size, order)
}

/// # Safety
/// Both ends satisfy the safety contract of [`CopyEnd::memory`].
pub(crate) unsafe fn copy_3d(copy: &CUDA_MEMCPY3D, order: &Order) -> Answer {
    let size = [copy.width_in_bytes, copy.height, copy.depth].map(|n| n as u64);
    // SAFETY: the caller upholds this function's safety contract.
    let (to, from) = unsafe { (end_3d("dst", &copy.dst)?, end_3d("src", &copy.src)?) };
    capture::copy(&to, &from, size, order)
}

/// # Safety
/// Both ends satisfy the safety contract of [`CopyEnd::memory`].
unsafe fn copy_peer(copy: &CUDA_MEMCPY3D, order: &Order) -> Answer {
    for (name, side) in [("srcContext", &copy.src), ("dstContext", &copy.dst)] {
        // The context is that of device memory or an array; for host memory it is ignored.
        if matches!(side.memory_type, CU_MEMORYTYPE_DEVICE | CU_MEMORYTYPE_ARRAY) {
            Handle::<Context>::of(side.context)
                .get()
                .map_err(|refusal| refusal.named(name))?
                .check()?;
        }
    }
    // SAFETY: the caller upholds this function's safety contract.
    unsafe { copy_3d(copy, order) }
}
