//! Memory that is mapped: pages without an address, and addresses that are kept free for them.
//!
//! Pages are bytes of a file in memory (`memfd`). Those that nobody else is to have lie in one file of the process, in
//! which each byte is used once, and whose pages go back to the system when they are let go; those that can be shared
//! have a file of their own. Pages that are mapped at two addresses are one memory, and two mappings side by side are
//! one range of bytes, so that copies, textures and machine code see one block.
//!
//! A reservation keeps two ranges of the process' addresses: the device addresses themselves, which the program cannot
//! use unless it is given access ([`Mapped::show`]), as it cannot use those of a card's memory; and, [`DISTANCE`] bytes
//! above, those at which texunit uses the memory. Both stay until nobody holds the reservation any more. Where nothing
//! is mapped any more there are pages of zeros until then, so that whoever still holds a block reads and writes bytes
//! that are there ([`Block::ended`](crate::Block::ended) says that he should not).

mod pages;
#[cfg(test)]
mod tests;

pub use pages::Pages;

use crate::Rights;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Device addresses that can be reserved: those that systems give to programs only if they are asked to.
const WINDOW: Range<u64> = 0x2_0000_0000..0x2800_0000_0000;
/// From a device address to where its byte is.
const DISTANCE: u64 = 0x2800_0000_0000;
/// Where the first reservation is that does not say where it wants to be.
const FIRST: u64 = 0x0300_0000_0000;
/// Most bytes behind a reservation that are left free, so that it can be continued.
const MAX_ROOM: u64 = 1 << 30;
/// What addresses are multiples of where nothing else is asked for: large pages of a device.
const ALIGN: u64 = 2 << 20;

/// Where reservations end, by their beginnings, and where the next one is looked for.
struct Books {
    taken: BTreeMap<u64, u64>,
    next: u64,
}

static BOOKS: Mutex<Books> = Mutex::new(Books { taken: BTreeMap::new(), next: FIRST });

fn books() -> MutexGuard<'static, Books> {
    BOOKS.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Books {
    /// The lowest free range from an address on.
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

/// Keeps addresses of the process free, if they are.
fn keep_free(at: u64, size: u64) -> bool {
    let flags =
        libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED_NOREPLACE;
    let wanted = std::ptr::with_exposed_provenance_mut(at as usize);
    // SAFETY: a new mapping, over nothing.
    let found = unsafe { libc::mmap(wanted, size as usize, libc::PROT_NONE, flags, -1, 0) };
    if found == wanted {
        return true;
    }
    if found != libc::MAP_FAILED {
        // A system that does not know the flag takes the address for a hint.
        // SAFETY: made above.
        unsafe { libc::munmap(found, size as usize) };
    }
    false
}

fn give_up(at: u64, size: u64) {
    // SAFETY: a range that `keep_free` has kept, and nobody uses any more.
    unsafe { libc::munmap(std::ptr::with_exposed_provenance_mut(at as usize), size as usize) };
}

/// Pages of zeros, or (`rights`) pages that cannot be used, over a range that is kept.
fn empty(at: u64, size: u64, rights: i32) -> bool {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED;
    let wanted = std::ptr::with_exposed_provenance_mut(at as usize);
    // SAFETY: over addresses that are kept for this.
    unsafe { libc::mmap(wanted, size as usize, rights, flags, -1, 0) != libc::MAP_FAILED }
}

/// Device addresses that are kept free until memory is mapped there (`cuMemAddressReserve`).
#[derive(Debug)]
pub struct Reserved {
    range: Range<u64>,
}

impl Reserved {
    /// Reserves addresses: those that are wanted, if they are free and can be reserved, else others. `size` is a multiple of the
    /// pages of the system, `align` a power of two or 0. `None`: the system has no such range left.
    pub fn new(wanted: u64, size: u64, align: u64) -> Option<Self> {
        let align = align.max(ALIGN);
        let mut books = books();
        if size == 0 || size > WINDOW.end - WINDOW.start {
            return None;
        }
        let at_wanted = wanted >= WINDOW.start
            && wanted.is_multiple_of(align)
            && books.gap(wanted, size, align) == Some(wanted);
        if at_wanted && let Some(reserved) = Self::at(&mut books, wanted, size) {
            return Some(reserved);
        }
        let (next, mut from, mut step) = (books.next, books.next, align);
        let mut is_second = false;
        loop {
            let Some(at) = books.gap(from, size, align) else {
                // From the beginning: addresses are used again when all have been.
                if is_second || next == FIRST {
                    return None;
                }
                (from, is_second) = (FIRST, true);
                continue;
            };
            if let Some(reserved) = Self::at(&mut books, at, size) {
                let room = size.min(MAX_ROOM);
                books.next = at.saturating_add(size).saturating_add(room).min(WINDOW.end);
                return Some(reserved);
            }
            // Something else of the process is there, and may be large.
            from = at.saturating_add(step);
            step = step.saturating_mul(2);
        }
    }

    fn at(books: &mut Books, start: u64, size: u64) -> Option<Self> {
        if !keep_free(start, size) {
            return None;
        }
        if !keep_free(start + DISTANCE, size) {
            give_up(start, size);
            return None;
        }
        books.taken.insert(start, start + size);
        Some(Self { range: start..start + size })
    }

    /// Whether an address is one that somebody has reserved.
    pub fn holds(address: u64) -> bool {
        let books = books();
        let below = books.taken.range(..=address).next_back();
        below.is_some_and(|(_, &end)| address < end)
    }

    /// The device addresses.
    pub fn range(&self) -> Range<u64> {
        self.range.clone()
    }

    /// Maps pages, all of them, at an address of the reservation where nothing is. `None`: they do not fit there, or the
    /// system has no room for more mappings.
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
        // First the addresses, then the note: somebody who looks must find them free.
        give_up(self.range.start, size);
        give_up(self.range.start + DISTANCE, size);
        books().taken.remove(&self.range.start);
    }
}

/// Pages at an address (`cuMemMap`). It stays mapped until it is ended.
#[derive(Debug)]
pub struct Mapped {
    /// Kept: the addresses are there as long.
    reserved: Arc<Reserved>,
    pages: Arc<Pages>,
    range: Range<u64>,
    has_ended: AtomicBool,
}

impl Mapped {
    /// The device addresses.
    pub fn range(&self) -> Range<u64> {
        self.range.clone()
    }

    /// What is mapped.
    pub fn pages(&self) -> &Arc<Pages> {
        &self.pages
    }

    /// The reservation that it is in.
    pub fn reserved(&self) -> &Arc<Reserved> {
        &self.reserved
    }

    /// The first byte.
    pub(crate) fn place(&self) -> *mut u8 {
        std::ptr::with_exposed_provenance_mut((self.range.start + DISTANCE) as usize)
    }

    /// Says what the program may do with the memory by itself, at the device address. False: the system has no room for
    /// more mappings.
    pub fn show(&self, rights: Rights) -> bool {
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

    /// Takes the pages from the address (`cuMemUnmap`), to which something else may be mapped from now on.
    pub fn end(&self) {
        if self.has_ended.swap(true, SeqCst) {
            return;
        }
        let (at, size) = (self.range.start, self.range.end - self.range.start);
        empty(at, size, libc::PROT_NONE);
        empty(at + DISTANCE, size, libc::PROT_READ | libc::PROT_WRITE);
    }

    /// Whether it was ended.
    pub fn has_ended(&self) -> bool {
        self.has_ended.load(SeqCst)
    }
}

impl Drop for Mapped {
    fn drop(&mut self) {
        self.end();
    }
}
