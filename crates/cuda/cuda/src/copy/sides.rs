//! The ends of a copy from the structures of the driver API.

use super::*;

/// The end that a side of a 2D copy describes; `name` is `src` or `dst`.
///
/// # Safety
/// The arguments satisfy the safety contract of [`CopyEnd::memory`].
pub(crate) unsafe fn end_2d<'a>(name: &str, side: &CopySide2D) -> Answer<CopyEnd<'a>> {
    let CopySide2D { x_in_bytes, y, memory_type, host, device, array, pitch } = *side;
    let slice = CopySide3D {
        x_in_bytes,
        y,
        memory_type,
        host,
        device,
        array,
        pitch,
        ..CopySide3D::default()
    };
    // SAFETY: the caller upholds this function's safety contract.
    unsafe { end_3d(name, &slice) }
}

/// The end that a side of a 3D copy describes; `name` is `src` or `dst`.
///
/// # Safety
/// The arguments satisfy the safety contract of [`CopyEnd::memory`].
pub(crate) unsafe fn end_3d<'a>(name: &str, side: &CopySide3D) -> Answer<CopyEnd<'a>> {
    ensure!(side.lod == 0, "{name}LOD {} is not 0, the only value that there is", side.lod);
    let at = [side.x_in_bytes, side.y, side.z].map(|n| n as u64);
    let (space, address) = match side.memory_type {
        CU_MEMORYTYPE_HOST => (Space::Host, side.host),
        CU_MEMORYTYPE_DEVICE => (Space::Device, side.device),
        CU_MEMORYTYPE_UNIFIED => (Space::Unified, side.device),
        CU_MEMORYTYPE_ARRAY => {
            let array = Handle::<ArrayObject>::of(side.array).get();
            let array = array.map_err(|refusal| refusal.named(&format!("{name}Array")))?;
            return Ok(CopyEnd::array(array.array.clone(), at));
        }
        other => bail!(
            "{name}MemoryType {other} is not a CUmemorytype: 1 (host), 2 (device), 3 (array) or 4 (unified)"
        ),
    };
    let [pitch, height] = [side.pitch, side.height].map(|n| n as u64);
    let memory = Memory { pitch, height, ..Memory::bytes(space, address) };
    // SAFETY: the caller upholds this function's safety contract.
    Ok(unsafe { CopyEnd::memory(memory, at) })
}
