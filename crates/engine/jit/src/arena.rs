//! Executable memory for compiled code. [`Code::new`] is given machine code as bytes, copies it
//! into free pages of an arena, and returns it as executable memory, which is freed when the `Code`
//! is dropped.
//!
//! A page is writable or executable, never both. A function owns whole pages, because a page whose
//! code may be running must not become writable. Pages of dropped functions are reused, and an
//! arena is unmapped with its last function, so that a process has few mappings however many
//! functions it compiles. The memory is private: a forked process has its own copy.

#![allow(unsafe_code, reason = "pages become executable here")]

use memmap2::{MmapMut, MmapOptions, MmapRaw};
use std::io;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// Bytes of an arena, unless one function needs more.
const ARENA: usize = 1 << 20;
/// Unit of allocation and protection: a multiple of the page size of all supported processors.
const PAGE: usize = 1 << 12;

static ARENAS: Mutex<Vec<Weak<Arena>>> = Mutex::new(Vec::new());

/// Executable code: a range of pages of an arena.
#[derive(Debug)]
pub(crate) struct Code {
    arena: Arc<Arena>,
    pages: Range<usize>,
    len: usize,
}

#[derive(Debug)]
struct Arena {
    map: MmapRaw,
    free: Mutex<Free>,
}

/// The free pages of an arena.
#[derive(Debug, Default, PartialEq, Eq)]
struct Free {
    /// Ranges of executable pages that a dropped function has freed, sorted and not adjacent.
    used: Vec<Range<usize>>,
    /// The first page that has never been allocated; all pages from there to `end` are writable.
    fresh: usize,
    end: usize,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Free {
    /// Allocates `count` pages. The flag says whether the pages are writable already.
    fn take(&mut self, count: usize) -> Option<(Range<usize>, bool)> {
        if let Some(i) = self.used.iter().position(|pages| pages.len() >= count) {
            let pages = &mut self.used[i];
            let taken = pages.start..pages.start + count;
            pages.start = taken.end;
            if pages.start == pages.end {
                self.used.remove(i);
            }
            return Some((taken, false));
        }
        let taken = self.fresh..self.fresh + count;
        (taken.end <= self.end).then(|| {
            self.fresh = taken.end;
            (taken, true)
        })
    }

    /// Frees pages, and merges them with adjacent free ranges.
    fn give(&mut self, mut pages: Range<usize>) {
        let at = self.used.partition_point(|other| other.end < pages.start);
        if let Some(before) = self.used.get(at)
            && before.end == pages.start
        {
            pages.start = self.used.remove(at).start;
        }
        if let Some(behind) = self.used.get(at)
            && behind.start == pages.end
        {
            pages.end = self.used.remove(at).end;
        }
        self.used.insert(at, pages);
    }
}

impl Arena {
    fn new(pages: usize) -> io::Result<Self> {
        let map: MmapMut = MmapOptions::new().len(pages * PAGE).map_anon()?;
        let free = Free { used: Vec::new(), fresh: 0, end: pages };
        Ok(Self { map: map.into(), free: Mutex::new(free) })
    }

    /// Makes pages readable and either executable or writable.
    fn protect(&self, pages: &Range<usize>, executable: bool) -> io::Result<()> {
        let access = if executable { libc::PROT_EXEC } else { libc::PROT_WRITE };
        let from = self.map.as_mut_ptr().wrapping_add(pages.start * PAGE);
        // SAFETY: the pages lie in this mapping, whose bytes are only reached through raw pointers
        // and, while they cannot be written, through `Code::bytes`.
        let done =
            unsafe { libc::mprotect(from.cast(), pages.len() * PAGE, libc::PROT_READ | access) };
        if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }

    /// Allocates pages and copies code to them; `None` if the arena has no room.
    fn allocate(self: &Arc<Self>, bytes: &[u8]) -> Option<io::Result<Code>> {
        let count = bytes.len().div_ceil(PAGE).max(1);
        let (pages, writable) = lock(&self.free).take(count)?;
        // If `fill` fails, dropping `code` frees the pages.
        let code = Code { arena: Arc::clone(self), pages, len: bytes.len() };
        Some(code.fill(bytes, writable).map(|()| code))
    }
}

impl Code {
    /// Copies machine code to executable memory.
    pub(crate) fn new(bytes: &[u8]) -> io::Result<Self> {
        let mut arenas = lock(&ARENAS);
        arenas.retain(|arena| arena.strong_count() != 0);
        // The newest arena is tried first, because older ones are mostly full.
        for arena in arenas.iter().rev().filter_map(Weak::upgrade) {
            if let Some(code) = arena.allocate(bytes) {
                return code;
            }
        }
        let arena = Arc::new(Arena::new(bytes.len().max(ARENA).div_ceil(PAGE))?);
        arenas.push(Arc::downgrade(&arena));
        arena.allocate(bytes).unwrap_or_else(|| Err(io::Error::other("no room in a new arena")))
    }

    fn fill(&self, bytes: &[u8], writable: bool) -> io::Result<()> {
        if !writable {
            self.arena.protect(&self.pages, false)?;
        }
        // SAFETY: the pages lie in the mapping, are enough for the bytes, are writable, and
        // `Free::take` has allocated them to this `Code` only.
        unsafe {
            let to = self.arena.map.as_mut_ptr().add(self.pages.start * PAGE);
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), to, bytes.len());
        }
        self.arena.protect(&self.pages, true)
    }

    /// The machine code, which does not change while `self` lives.
    pub(crate) fn bytes(&self) -> &[u8] {
        // SAFETY: `fill` has written these bytes. They lie in the mapping, which `self.arena` keeps
        // alive, and belong to this `Code`, which never writes them again.
        unsafe {
            let from = self.arena.map.as_ptr().add(self.pages.start * PAGE);
            std::slice::from_raw_parts(from, self.len)
        }
    }

    /// Bytes of executable memory that the code occupies, in whole pages.
    pub(crate) fn size(&self) -> usize {
        self.pages.len() * PAGE
    }
}

impl Drop for Code {
    fn drop(&mut self) {
        lock(&self.arena.free).give(self.pages.clone());
    }
}
