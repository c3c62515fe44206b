//! The ends of a copy from the structures of the driver API.

use super::{CopyEnd, Memory};
use crate::args::Answer;
use crate::array::ArrayObject;
use crate::handle::Handle;
use crate::memory::endpoint::Space;
use texunit_cuda_abi::{
    CU_MEMORYTYPE_ARRAY, CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_HOST, CU_MEMORYTYPE_UNIFIED,
    CopySide2D, CopySide3D, ensure, invalid,
};
use texunit_device::Array;

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

/// The end that a side of a 2D copy describes; `name` is `src` or `dst`.
///
/// # Safety
/// The arguments satisfy the safety contract of [`CopyEnd::memory`].
pub(crate) unsafe fn end_2d<'a>(name: &str, side: &CopySide2D) -> Answer<CopyEnd<'a>> {
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

/// The end that a side of a 3D copy describes; `name` is `src` or `dst`.
///
/// # Safety
/// The arguments satisfy the safety contract of [`CopyEnd::memory`].
pub(crate) unsafe fn end_3d<'a>(name: &str, side: &CopySide3D) -> Answer<CopyEnd<'a>> {
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
