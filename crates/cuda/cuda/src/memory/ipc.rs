//! Device memory shared between processes (`cuIpcGetMemHandle`).

use super::*;
use crate::ipc::{self, Handle, Ticket};
use crate::memory::{self, Allocation, AllocationKind};
use std::os::fd::AsRawFd;
use texunit_device::Pages;

/// Kind number in the label of the memory's file; other kinds of memory have other numbers.
const KIND: u8 = 3;

/// Memory of another process that this one has opened; `users` counts the opens that have not been
/// closed.
#[derive(Debug)]
pub(crate) struct OpenedMemory {
    pub(crate) ticket: Ticket,
    pub(crate) users: Mutex<u32>,
}

/// The handle of an allocation, given its base address.
pub(crate) fn handle(address: u64) -> Answer<Handle> {
    let found = memory::find(address).filter(|found| found.base == address);
    let refused = || {
        invalid!(
            "dptr {address:#x} is not where an allocation of cuMemAlloc begins: memory of pools is exported by the pool, and \
             that of the host is not"
        )
    };
    let found = found.filter(|found| matches!(found.kind, AllocationKind::Device));
    let found = found.ok_or_else(refused)?;
    let buffer = found.buffer().ok_or_else(refused)?;
    let label = ipc::label(KIND, &found.gpu, found.size);
    let pages = buffer.share_pages(&label).map_err(|error| {
        CUresult::OUT_OF_MEMORY.because(format!("the system has no file in memory for it: {error}"))
    })?;
    Ok(Ticket::own(pages.own_number().ok_or_else(refused)?, found.id)?.handle(ipc::MEMORY))
}

/// Opens a handle and returns the address of the memory in this process.
pub(crate) fn open(context: &Context, handle: &Handle) -> Answer<u64> {
    let ticket = Ticket::read(handle, ipc::MEMORY)?;
    ensure!(
        !ticket.is_own(),
        CUresult::INVALID_CONTEXT,
        "handle is of this process: memory is opened in another one than it was allocated in"
    );
    if let Some(known) =
        opened(|of, opened| opened.ticket == ticket && of.context == context.handle)
    {
        if let AllocationKind::OpenedMemory(opened) = &known.kind {
            *lock(&opened.users) += 1;
        }
        return Ok(known.base);
    }
    let file = ticket.open()?;
    let failed = || CUresult::MAP_FAILED.because("handle is not one of memory of cuMemAlloc");
    let (pages, label) = Pages::of_file(file.as_raw_fd()).map_err(|_| failed())?;
    let (index, size) = ipc::read_label(KIND, &label).ok_or_else(failed)?;
    let gpu = state::with_index(index)?;
    let (block, base) = map(&Arc::new(pages), (0, size), "cuIpcOpenMemHandle")?;
    let buffer = gpu.device.adopt(base, block, false).map_err(refusal)?;
    let kind = AllocationKind::OpenedMemory(OpenedMemory { ticket, users: Mutex::new(1) });
    memory::take_in(context, gpu, (base, size), buffer, kind)
}

/// Maps pages at free device addresses. Returns a range of their bytes, by offset and size, with
/// its address; `name` is the mapping function.
pub(crate) fn map(
    pages: &Arc<Pages>,
    (offset, size): (u64, u64),
    name: &str,
) -> Answer<(Arc<Block>, u64)> {
    let (whole, base) = ipc::map(pages, name).map_err(|why| CUresult::MAP_FAILED.because(why))?;
    let part = Arc::new(whole)
        .slice(offset, size, name)
        .ok_or(CUresult::MAP_FAILED.because("the memory is smaller than the mapped range"))?;
    Ok((Arc::new(part), base + offset))
}

/// Closes one opening of memory; the last close unmaps it.
pub(crate) fn close(address: u64) -> Answer {
    let known = opened(|of, _| of.base == address).ok_or_else(|| {
        invalid!(
            "dptr {address:#x} is not an address that cuIpcOpenMemHandle has returned, or was closed before"
        )
    })?;
    let AllocationKind::OpenedMemory(opened) = &known.kind else { return Ok(()) };
    let mut users = lock(&opened.users);
    *users = users.saturating_sub(1);
    match *users {
        0 => memory::free("dptr", address, |kind| matches!(kind, AllocationKind::OpenedMemory(_))),
        _ => Ok(()),
    }
}

fn opened(is: impl Fn(&Allocation, &OpenedMemory) -> bool) -> Option<Arc<Allocation>> {
    let all = memory::all(|allocation| match &allocation.kind {
        AllocationKind::OpenedMemory(opened) => is(allocation, opened),
        _ => false,
    });
    all.into_iter().next()
}
