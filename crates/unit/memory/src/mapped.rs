//! Virtual memory management (`cuMemCreate`, `cuMemAddressReserve`, `cuMemMap`): pages without an
//! address, and reserved addresses to which they are mapped.
//!
//! Pages are bytes of a memory file (`memfd`). Pages of one process are ranges of a common file;
//! each range is used once, and its memory returns to the system when the pages are released.
//! Shareable pages have a separate file for each allocation. Pages that are mapped at two addresses
//! are the same memory, and two adjacent mappings are one range of bytes, so that copies, textures
//! and JIT-compiled code treat them as one block.
//!
//! A reservation covers two ranges of the process's addresses. The first is the device addresses
//! themselves, which the program cannot access unless it is given access
//! ([`Mapped::set_host_rights`]), as it cannot access the device addresses of a GPU. The second is
//! [`DISTANCE`] bytes above and is used by texunit. Both are reserved until the last holder drops
//! the reservation. After an unmap, pages of zeros take the place of the mapped pages until then,
//! so that a holder of a block still reads and writes existing bytes
//! ([`Block::ended`](crate::Block::ended) tells it not to).

mod pages;
#[cfg(test)]
mod tests;

pub use pages::Pages;
pub(crate) use pages::memory_file;

use crate::Rights;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use texunit_forms::lock;

/// Device addresses that can be reserved: a part of the address space that operating systems assign
/// only on request.
const WINDOW: Range<u64> = 0x2_0000_0000..0x2800_0000_0000;
/// Distance from a device address to the address at which texunit accesses its byte.
const DISTANCE: u64 = 0x2800_0000_0000;
/// Address of the first reservation that does not request an address.
const FIRST: u64 = 0x0300_0000_0000;
/// Upper limit for the free space after a reservation, which is left so that the reservation can be
/// continued.
const MAX_ROOM: u64 = 1 << 30;
/// Default alignment: huge pages of a device.
const ALIGN: u64 = 2 << 20;

/// All reservations (the end of each, by its start), and the address at which the search for the
/// next reservation begins.
struct ReservationTable {
    taken: BTreeMap<u64, u64>,
    next: u64,
}

static TABLE: Mutex<ReservationTable> =
    Mutex::new(ReservationTable { taken: BTreeMap::new(), next: FIRST });

impl ReservationTable {
    /// The lowest free range at or after an address.
    fn gap(&self, from: u64, size: u64, align: u64) -> Option<u64> {
        let mut at = from.checked_next_multiple_of(align)?;
        let before = self.taken.range(..at).next_back().map_or(0, |(_, &end)| end);
        at = at.max(before).checked_next_multiple_of(align)?;
        loop {
            let end = at.checked_add(size).filter(|&end| end <= WINDOW.end)?;
            match self.taken.range(..end).next_back() {
                Some((_, &taken)) if taken > at => at = taken.checked_next_multiple_of(align)?,
                _ => return Some(at),
            }
        }
    }
}

/// Reserves addresses of the process, if they are free.
fn keep_free(at: u64, size: u64) -> bool {
    let flags =
        libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED_NOREPLACE;
    let wanted = std::ptr::with_exposed_provenance_mut(at as usize);
    // SAFETY: a new mapping, which replaces no existing one.
    let found = unsafe { libc::mmap(wanted, size as usize, libc::PROT_NONE, flags, -1, 0) };
    if found == wanted {
        return true;
    }
    if found != libc::MAP_FAILED {
        // A kernel that does not know the flag treats the address as a hint. SAFETY: the mapping
        // was made above.
        unsafe { libc::munmap(found, size as usize) };
    }
    false
}

fn give_up(at: u64, size: u64) {
    // SAFETY: `keep_free` has reserved the range, and it has no user any more.
    unsafe { libc::munmap(std::ptr::with_exposed_provenance_mut(at as usize), size as usize) };
}

/// Replaces a reserved range by anonymous pages, with the given rights: readable zeros, or no
/// access.
fn empty(at: u64, size: u64, rights: i32) -> bool {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED;
    let wanted = std::ptr::with_exposed_provenance_mut(at as usize);
    // SAFETY: the caller has reserved the addresses.
    unsafe { libc::mmap(wanted, size as usize, rights, flags, -1, 0) != libc::MAP_FAILED }
}

/// A reservation of device addresses, to which memory can be mapped (`cuMemAddressReserve`).
#[derive(Debug)]
pub struct Reserved {
    range: Range<u64>,
}

impl Reserved {
    /// Reserves addresses: the range at `wanted` if it is free and reservable, else another one.
    /// `size` is a multiple of the system's page size; `align` is a power of two or 0. `None` if no
    /// such range is left.
    pub fn new(wanted: u64, size: u64, align: u64) -> Option<Self> {
        let align = align.max(ALIGN);
        let mut table = lock(&TABLE);
        if size == 0 || size > WINDOW.end - WINDOW.start {
            return None;
        }
        let at_wanted = wanted >= WINDOW.start
            && wanted.is_multiple_of(align)
            && table.gap(wanted, size, align) == Some(wanted);
        if at_wanted && let Some(reserved) = Self::at(&mut table, wanted, size) {
            return Some(reserved);
        }
        // Addresses are reused once all have been used: the second search starts at the beginning.
        for mut from in [table.next, FIRST] {
            let mut step = align;
            while let Some(at) = table.gap(from, size, align) {
                if let Some(reserved) = Self::at(&mut table, at, size) {
                    let room = size.min(MAX_ROOM);
                    table.next = at.saturating_add(size).saturating_add(room).min(WINDOW.end);
                    return Some(reserved);
                }
                // Another mapping of the process is there, and may be large.
                from = at.saturating_add(step);
                step = step.saturating_mul(2);
            }
        }
        None
    }

    fn at(table: &mut ReservationTable, start: u64, size: u64) -> Option<Self> {
        if !keep_free(start, size) {
            return None;
        }
        if !keep_free(start + DISTANCE, size) {
            give_up(start, size);
            return None;
        }
        table.taken.insert(start, start + size);
        Some(Self { range: start..start + size })
    }

    /// Whether an address is in a reservation.
    pub fn holds(address: u64) -> bool {
        let table = lock(&TABLE);
        table.taken.range(..=address).next_back().is_some_and(|(_, &end)| address < end)
    }

    /// The range of device addresses.
    pub fn range(&self) -> Range<u64> {
        self.range.clone()
    }

    /// Maps all of `pages` at a free address of the reservation. `None` if they do not fit there,
    /// or if the system allows no more mappings.
    pub fn map(self: &Arc<Self>, address: u64, pages: &Arc<Pages>, size: u64) -> Option<Mapped> {
        let end = address.checked_add(size)?;
        let fits = address >= self.range.start && end <= self.range.end && size <= pages.size();
        let rights = libc::PROT_READ | libc::PROT_WRITE;
        if !fits || !pages.put(address + DISTANCE, size, rights) {
            return None;
        }
        let (reserved, pages) = (Arc::clone(self), Arc::clone(pages));
        Some(Mapped { reserved, pages, range: address..end, has_ended: AtomicBool::new(false) })
    }
}

impl Drop for Reserved {
    fn drop(&mut self) {
        let size = self.range.end - self.range.start;
        // The addresses are released before the entry is removed, so that another thread which
        // finds no entry finds the addresses free.
        give_up(self.range.start, size);
        give_up(self.range.start + DISTANCE, size);
        lock(&TABLE).taken.remove(&self.range.start);
    }
}

/// Pages mapped at an address (`cuMemMap`), until [`Mapped::end`].
#[derive(Debug)]
pub struct Mapped {
    /// The reservation that contains the mapping; the field keeps its addresses reserved.
    reserved: Arc<Reserved>,
    pages: Arc<Pages>,
    range: Range<u64>,
    has_ended: AtomicBool,
}

impl Mapped {
    /// The range of device addresses.
    pub fn range(&self) -> Range<u64> {
        self.range.clone()
    }

    /// The mapped pages.
    pub fn pages(&self) -> &Arc<Pages> {
        &self.pages
    }

    /// The reservation that contains the mapping.
    pub fn reserved(&self) -> &Arc<Reserved> {
        &self.reserved
    }

    /// Pointer to the first mapped byte, at the address that texunit uses.
    pub(crate) fn place(&self) -> *mut u8 {
        std::ptr::with_exposed_provenance_mut((self.range.start + DISTANCE) as usize)
    }

    /// Sets the access rights of the host program at the device address. Returns false if the
    /// system allows no more mappings.
    pub fn set_host_rights(&self, rights: Rights) -> bool {
        let (at, size) = (self.range.start, self.range.end - self.range.start);
        if self.has_ended() {
            return false;
        }
        match rights {
            Rights::None => empty(at, size, libc::PROT_NONE),
            Rights::Read => self.pages.put(at, size, libc::PROT_READ),
            Rights::ReadWrite => self.pages.put(at, size, libc::PROT_READ | libc::PROT_WRITE),
        }
    }

    /// Unmaps the pages (`cuMemUnmap`); other pages may be mapped at the address from now on.
    pub fn end(&self) {
        if self.has_ended.swap(true, SeqCst) {
            return;
        }
        let (at, size) = (self.range.start, self.range.end - self.range.start);
        empty(at, size, libc::PROT_NONE);
        empty(at + DISTANCE, size, libc::PROT_READ | libc::PROT_WRITE);
    }

    /// Whether the pages have been unmapped.
    pub fn has_ended(&self) -> bool {
        self.has_ended.load(SeqCst)
    }
}

impl Drop for Mapped {
    fn drop(&mut self) {
        self.end();
    }
}
