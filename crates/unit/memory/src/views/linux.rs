//! Host memory with two mappings, on Linux: two mappings of one memory file, and a lock-free table
//! in which signal handlers find them.

use crate::Rights;
use crate::mapped::memory_file;
use std::ops::Range;
use std::os::fd::AsRawFd;
use std::ptr::{NonNull, null_mut};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU8, AtomicUsize, Ordering::*};
use texunit_forms::lock;

/// Maximum number of blocks with two mappings at a time.
const MAX_VIEWS: usize = 4096;
/// Maximum number of runs of closed pages in one block: each run is a mapping, and the system
/// limits mappings.
const MAX_RUNS: usize = 512;
/// Maximum number of runs of closed pages in all blocks.
const MAX_RUNS_OF_ALL: usize = 16384;
/// Host memory of at least this size is aligned to 2 MiB, as drivers align it.
const LARGE: usize = 1 << 20;

static WANTED: AtomicBool = AtomicBool::new(false);

/// A watched block, as signal handlers find it. Handlers run at any time, so all fields are
/// atomics.
struct Slot {
    /// Address at which the program sees the block; 0 if the slot is free.
    start: AtomicUsize,
    pages: AtomicUsize,
    /// Whether the block is memory of the program itself, with one mapping only.
    is_program_memory: AtomicBool,
    /// Rights of each page. The array has room for the largest block that the slot has ever held
    /// and is never freed, because a handler may be reading it.
    states: AtomicPtr<AtomicU8>,
}

static SLOTS: [Slot; MAX_VIEWS] = [const {
    Slot {
        start: AtomicUsize::new(0),
        pages: AtomicUsize::new(0),
        is_program_memory: AtomicBool::new(false),
        states: AtomicPtr::new(null_mut()),
    }
}; MAX_VIEWS];
/// Number of slots that have ever been used.
static USED: AtomicUsize = AtomicUsize::new(0);

/// State of a used slot that signal handlers do not need. A lock guards it.
struct Used {
    /// Number of pages that the slot's array of states has room for.
    room: usize,
    /// Number of runs of closed pages in the slot's block.
    runs: usize,
}

static TABLE: Mutex<Vec<Used>> = Mutex::new(Vec::new());

pub(super) fn enable() {
    WANTED.store(true, Relaxed);
}

pub(super) fn page() -> u64 {
    page_size() as u64
}

fn page_size() -> usize {
    static PAGE: AtomicUsize = AtomicUsize::new(0);
    match PAGE.load(Relaxed) {
        0 => {
            // SAFETY: the call takes no pointer.
            let size = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
            let size = usize::try_from(size).ok().filter(|size| size.is_power_of_two());
            PAGE.store(size.unwrap_or(4096), Relaxed);
            size.unwrap_or(4096)
        }
        size => size,
    }
}

/// The two mappings of a block's bytes, which are zero at first: `ours` is used by texunit,
/// `theirs` by the program.
#[derive(Debug)]
pub(crate) struct Views {
    ours: Mapping,
    theirs: Mapping,
    slot: usize,
}

/// A mapping of whole pages, which is unmapped when it is dropped.
#[derive(Debug)]
struct Mapping {
    at: NonNull<u8>,
    len: usize,
}

impl Drop for Mapping {
    fn drop(&mut self) {
        unmap(self.at.as_ptr(), self.len);
    }
}

/// Maps shared pages of a file at an address, or anywhere if it is null.
fn map(at: *mut libc::c_void, len: usize, file: i32) -> Option<NonNull<u8>> {
    let rights = libc::PROT_READ | libc::PROT_WRITE;
    let fixed = if at.is_null() { 0 } else { libc::MAP_FIXED };
    // SAFETY: a new mapping, or a replacement at addresses that the caller has reserved.
    let mapped = unsafe { libc::mmap(at, len, rights, libc::MAP_SHARED | fixed, file, 0) };
    if mapped == libc::MAP_FAILED { None } else { NonNull::new(mapped.cast()) }
}

fn unmap(at: *mut u8, len: usize) {
    if len > 0 {
        // SAFETY: whole pages of a mapping that the caller has made, and that has no user any more.
        unsafe { libc::munmap(at.cast(), len) };
    }
}

/// Reserves addresses of whole pages at a multiple of a power of two.
fn reserve(len: usize, align: usize) -> Option<NonNull<u8>> {
    let all = len.checked_add(align)?;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: a new mapping.
    let mapped = unsafe { libc::mmap(null_mut(), all, libc::PROT_NONE, flags, -1, 0) };
    if mapped == libc::MAP_FAILED {
        return None;
    }
    let first: *mut u8 = mapped.cast();
    let before = first.addr().next_multiple_of(align) - first.addr();
    let start = first.wrapping_add(before);
    unmap(first, before);
    unmap(start.wrapping_add(len), all - before - len);
    NonNull::new(start)
}

impl Views {
    /// Maps `size` bytes twice, with `slack` more bytes after them in texunit's mapping. `None` if
    /// two mappings are not requested, if there are too many blocks, or if the system refuses.
    pub(crate) fn new(size: usize, slack: usize) -> Option<Self> {
        if !WANTED.load(Relaxed) {
            return None;
        }
        let theirs_len = size.checked_next_multiple_of(page_size())?;
        let ours_len = theirs_len.checked_add(slack)?.checked_next_multiple_of(page_size())?;
        // `texunit-cuda` takes mappings of a file of this name as memory of this process alone.
        let file = memory_file(c"texunit", 0).ok()?;
        file.set_len(ours_len as u64).ok()?;
        let file = file.as_raw_fd();
        let ours = Mapping { at: map(null_mut(), ours_len, file)?, len: ours_len };
        let align = if theirs_len >= LARGE { 2 * LARGE } else { page_size() };
        let theirs = Mapping { at: reserve(theirs_len, align)?, len: theirs_len };
        let place = map(theirs.at.as_ptr().cast(), theirs_len, file)?;
        let start = place.as_ptr().expose_provenance();
        let slot = enter(start, theirs_len / page_size(), false)?;
        Some(Self { ours, theirs, slot })
    }

    pub(crate) fn ours(&self) -> NonNull<u8> {
        self.ours.at
    }

    pub(crate) fn theirs(&self) -> NonNull<u8> {
        self.theirs.at
    }
}

impl Drop for Views {
    fn drop(&mut self) {
        leave(&mut lock(&TABLE)[self.slot], self.slot);
    }
}

/// Frees the slot of a block.
fn leave(used: &mut Used, slot: usize) {
    SLOTS[slot].start.store(0, SeqCst);
    used.runs = 0;
}

/// The whole pages inside a range.
fn inside(range: &Range<u64>) -> Range<usize> {
    let start = (range.start as usize).next_multiple_of(page_size());
    start..(range.end as usize / page_size() * page_size()).max(start)
}

/// Whether a range overlaps the stack of this thread.
fn is_stack(range: &Range<usize>) -> bool {
    // SAFETY: a plain C structure, which is filled before it is read.
    let mut all: libc::pthread_attr_t = unsafe { std::mem::zeroed() };
    let (mut low, mut size) = (null_mut(), 0);
    // SAFETY: all pointers are to local variables; the attributes are destroyed afterwards.
    let is_known = unsafe {
        libc::pthread_getattr_np(libc::pthread_self(), &raw mut all) == 0 && {
            let known = libc::pthread_attr_getstack(&raw const all, &raw mut low, &raw mut size);
            libc::pthread_attr_destroy(&raw mut all);
            known == 0
        }
    };
    !is_known || (range.start < low.addr() + size && low.addr() < range.end)
}

pub(super) fn watch(range: &Range<u64>) {
    let pages = inside(range);
    // The stack cannot be watched, because a signal handler needs a stack.
    if WANTED.load(Relaxed) && !pages.is_empty() && !is_stack(&pages) {
        enter(pages.start, pages.len() / page_size(), true);
    }
}

/// The slot of watched program memory that begins at an address.
fn program_slot(used: &[Used], start: usize) -> Option<usize> {
    let is =
        |slot: &Slot| slot.is_program_memory.load(Relaxed) && slot.start.load(Relaxed) == start;
    SLOTS[..used.len()].iter().position(is)
}

pub(super) fn unwatch(range: &Range<u64>) {
    let pages = inside(range);
    // A range without a whole page was never watched. Another range may begin at the same page.
    if pages.is_empty() {
        return;
    }
    let mut table = lock(&TABLE);
    let Some(i) = program_slot(&table, pages.start) else { return };
    open(&mut table[i], i);
    leave(&mut table[i], i);
}

/// Opens all closed pages of watched program memory.
fn open(used: &mut Used, i: usize) {
    let slot = &SLOTS[i];
    let (start, pages) = (slot.start.load(Relaxed), slot.pages.load(Relaxed));
    let is_closed = |&page: &usize| rights(state(slot, page).load(SeqCst)) != Rights::ReadWrite;
    let mut page = 0;
    while let Some(first) = (page..pages).find(is_closed) {
        page = (first..pages).find(|page| !is_closed(page)).unwrap_or(pages);
        let run = first..page;
        let unlock = |first, count| protect(start + first * page_size(), count, Rights::ReadWrite);
        // The program may have unmapped some pages of the run; the pages that remain are opened one
        // by one.
        if !unlock(first, run.len()) {
            run.clone().for_each(|page| _ = unlock(page, 1));
        }
        run.for_each(|page| state(slot, page).store(Rights::ReadWrite as u8, SeqCst));
    }
    used.runs = 0;
}

pub(super) fn open_watched() {
    for (i, used) in lock(&TABLE).iter_mut().enumerate() {
        let slot = &SLOTS[i];
        let is_watched = slot.is_program_memory.load(Relaxed) && slot.start.load(Relaxed) != 0;
        if is_watched && used.runs != 0 {
            open(used, i);
        }
    }
}

/// Enters a block into the table of watched blocks; returns its slot.
fn enter(start: usize, pages: usize, is_program_memory: bool) -> Option<usize> {
    let mut table = lock(&TABLE);
    let is_free = |&i: &usize| SLOTS[i].start.load(Relaxed) == 0;
    // A free slot whose array is large enough is preferred.
    let fits = (0..table.len()).find(|i| is_free(i) && table[*i].room >= pages);
    let i = fits.or_else(|| (0..table.len()).find(is_free)).unwrap_or(table.len());
    if i == MAX_VIEWS {
        return None;
    }
    if i == table.len() {
        table.push(Used { room: 0, runs: 0 });
    }
    let slot = &SLOTS[i];
    if table[i].room < pages {
        let room = pages.next_power_of_two();
        let states: Vec<AtomicU8> = (0..room).map(|_| AtomicU8::new(0)).collect();
        slot.states.store(Box::leak(states.into_boxed_slice()).as_mut_ptr(), SeqCst);
        table[i].room = room;
    }
    slot.pages.store(pages, SeqCst);
    slot.is_program_memory.store(is_program_memory, SeqCst);
    for page in 0..pages {
        state(slot, page).store(Rights::ReadWrite as u8, Relaxed);
    }
    slot.start.store(start, SeqCst);
    USED.fetch_max(i + 1, SeqCst);
    Some(i)
}

/// The state of a page of the slot.
fn state(slot: &Slot, page: usize) -> &AtomicU8 {
    // SAFETY: the array has an element for each page that the slot has ever had, and is never
    // freed.
    unsafe { &*slot.states.load(SeqCst).add(page) }
}

fn rights(state: u8) -> Rights {
    match state {
        0 => Rights::None,
        1 => Rights::Read,
        _ => Rights::ReadWrite,
    }
}

pub(super) fn all() -> Vec<Range<u64>> {
    ranges(false)
}

pub(super) fn watched() -> Vec<Range<u64>> {
    let all = ranges(true);
    let rights = if all.is_empty() { None } else { crate::rights(&all) };
    let all = all.into_iter().zip(rights.unwrap_or_default());
    all.filter(|of| of.1 == Rights::ReadWrite).map(|of| of.0).collect()
}

fn ranges(of_program: bool) -> Vec<Range<u64>> {
    let table = lock(&TABLE);
    let slots = SLOTS[..table.len()].iter();
    let slots = slots.filter(|slot| slot.is_program_memory.load(Relaxed) == of_program);
    let ranges = slots.map(|slot| {
        let start = slot.start.load(Relaxed);
        start as u64..(start + slot.pages.load(Relaxed) * page_size()) as u64
    });
    ranges.filter(|range| range.start != 0).collect()
}

fn protect(start: usize, pages: usize, rights: Rights) -> bool {
    let flags = match rights {
        Rights::None => libc::PROT_NONE,
        Rights::Read => libc::PROT_READ,
        Rights::ReadWrite => libc::PROT_READ | libc::PROT_WRITE,
    };
    let at = std::ptr::with_exposed_provenance_mut(start);
    // SAFETY: whole pages of the program's mapping, which texunit does not use.
    unsafe { libc::mprotect(at, pages * page_size(), flags) == 0 }
}

pub(super) fn set(start: u64, wanted: &[Rights]) {
    let start = start as usize;
    let mut table = lock(&TABLE);
    let mut slots = SLOTS[..table.len()].iter();
    let Some(i) = slots.position(|slot| slot.start.load(Relaxed) == start) else { return };
    let slot = &SLOTS[i];
    table[i].runs = 0;
    let others: usize = table.iter().map(|used| used.runs).sum();
    let most = MAX_RUNS.min(MAX_RUNS_OF_ALL.saturating_sub(others));
    let (mut page, mut closed) = (0, 0);
    for run in wanted.chunk_by(|a, b| a == b) {
        let pages = run.len().min(slot.pages.load(Relaxed).saturating_sub(page));
        let right = if closed == most { Rights::ReadWrite } else { run[0] };
        closed += usize::from(right != Rights::ReadWrite);
        let all = || (page..page + pages).map(|page| state(slot, page));
        if all().any(|state| rights(state.load(SeqCst)) != right) {
            all().for_each(|state| state.store(right as u8, SeqCst));
            if !protect(start + page * page_size(), pages, right) {
                // The system allows no more mappings: the whole block gets the same rights again.
                let count = slot.pages.load(Relaxed);
                (0..count).for_each(|p| state(slot, p).store(Rights::ReadWrite as u8, SeqCst));
                protect(start, count, Rights::ReadWrite);
                closed = 0;
                break;
            }
        }
        page += pages;
    }
    table[i].runs = closed;
}

/// Whether pages may be opened. Tests replace it to simulate that the system allows no more
/// mappings.
#[cfg(not(test))]
fn can_open(_: usize) -> bool {
    true
}

#[cfg(test)]
thread_local! {
    pub(super) static REFUSES_ONE: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

#[cfg(test)]
fn can_open(pages: usize) -> bool {
    pages != 1 || !REFUSES_ONE.get()
}

pub(super) fn open_page(address: u64) -> Option<Rights> {
    let address = address as usize;
    for slot in &SLOTS[..USED.load(SeqCst)] {
        let start = slot.start.load(SeqCst);
        let page = address.wrapping_sub(start) / page_size();
        if start == 0 || address < start || page >= slot.pages.load(SeqCst) {
            continue;
        }
        // The page is opened before its state changes, so that a page whose state is open is open.
        let pages = [(page, 1), (0, slot.pages.load(SeqCst))];
        let opened = pages.into_iter().find(|&(first, count)| {
            can_open(count) && protect(start + first * page_size(), count, Rights::ReadWrite)
        });
        let (first, count) = opened?;
        let before = rights(state(slot, page).load(SeqCst));
        // The states of all opened pages are updated, so that they can be closed again.
        (first..first + count)
            .for_each(|page| state(slot, page).store(Rights::ReadWrite as u8, SeqCst));
        return Some(before);
    }
    None
}
