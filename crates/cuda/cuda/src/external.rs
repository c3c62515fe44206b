//! External memory (`cuImportExternalMemory`): memory of `cuMemCreate` that this or another process
//! has exported as a file descriptor, mapped as linear memory or as a mipmapped array.
//!
//! An array has its texels in the mapped range, in texunit's own layout, so that processes which
//! map the same array share its texels.

use crate::array::{self, MipmapObject};
use crate::context::Context;
use crate::memory::ipc::map;
use crate::memory::virtual_memory::{Physical, place};
use crate::memory::{self, AllocationKind};
use crate::prelude::*;
use crate::settings::printed_refusal;
use texunit_device::{Block, Pages};

/// Name of the function that maps arrays, in messages.
const ARRAY: &str = "cuExternalMemoryGetMappedMipmappedArray";

/// Imported memory. Its mappings stay when it is destroyed.
#[derive(Debug)]
pub(crate) struct ExternalMemory {
    pages: Arc<Pages>,
    /// Size in bytes, as the import gives it.
    size: u64,
}

object!(ExternalMemory, "external memory");

/// Imports memory. If this succeeds, the file descriptor is closed, as the driver owns it.
pub(crate) fn import(
    context: &Context,
    desc: &CUDA_EXTERNAL_MEMORY_HANDLE_DESC,
) -> Answer<Handle<ExternalMemory>> {
    match desc.kind {
        CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD => {}
        2..=CU_EXTERNAL_MEMORY_HANDLE_TYPE_LAST => {
            let reason = format!(
                "type {} is not CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD (1): other types are handles of Windows and of \
                 other drivers (NvSciBuf, DMA-BUF), which do not exist here",
                desc.kind
            );
            return Err(printed_refusal(CUresult::NOT_SUPPORTED, reason));
        }
        other => bail!("type {other} is not a CUexternalMemoryHandleType"),
    }
    if desc.flags & !CUDA_EXTERNAL_MEMORY_DEDICATED != 0 {
        bail!("flags {:#x} is not 0 or CUDA_EXTERNAL_MEMORY_DEDICATED (1)", desc.flags);
    }
    let number = desc.handle[0] as i32;
    let (pages, prop) = Physical::open(number)?;
    let own = context.gpu.ordinal;
    if let Some(other) = place(&prop)
        && other != own
    {
        bail!(
            "fd {number} is memory of device {other}, and the current context is one of device {own}"
        );
    }
    if desc.size == 0 || desc.size > pages.size() {
        bail!("size {} is not the size of the memory of fd {number}: {}", desc.size, pages.size());
    }
    let handle = context.register(ExternalMemory { pages: Arc::new(pages), size: desc.size })?;
    // SAFETY: the descriptor is open, and the program has handed it over.
    unsafe { libc::close(number) };
    Ok(handle)
}

/// Maps a range as linear memory (`cuExternalMemoryGetMappedBuffer`).
pub(crate) fn buffer(
    context: &Context,
    memory: Handle<ExternalMemory>,
    desc: &CUDA_EXTERNAL_MEMORY_BUFFER_DESC,
) -> Answer<CUdeviceptr> {
    let memory = memory.get()?;
    let CUDA_EXTERNAL_MEMORY_BUFFER_DESC { offset, size, flags } = *desc;
    ensure!(flags == 0, "flags {flags:#x} is not 0");
    let is_inside = offset.checked_add(size).is_some_and(|end| end <= memory.size);
    if size == 0 || !is_inside {
        bail!(
            "{} at offset {offset} are not inside the memory, which has {}",
            Count(size, "byte"),
            memory.size
        );
    }
    let (block, base) = map(&memory.pages, (offset, size), memory::EXTERNAL_BUFFER)?;
    let buffer = context.gpu.device.adopt(base, block, false).map_err(refusal)?;
    memory::take_in(context, &context.gpu, (base, size), buffer, AllocationKind::External)
}

/// Maps memory from an offset on as a mipmapped array (`cuExternalMemoryGetMappedMipmappedArray`).
pub(crate) fn mipmapped(
    context: &Context,
    memory: Handle<ExternalMemory>,
    desc: &CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC,
) -> Answer<Handle<MipmapObject>> {
    let memory = memory.get()?;
    let offset = desc.offset;
    let align = Block::ALIGN as u64;
    if offset >= memory.size || !offset.is_multiple_of(align) {
        bail!(
            "offset {offset} is not a multiple of {align} inside the memory, which has {}",
            Count(memory.size, "byte")
        );
    }
    let (block, _) = map(&memory.pages, (offset, memory.size - offset), ARRAY)?;
    array::create_mipmapped(context, &desc.array, desc.levels, Some(&block))
}
