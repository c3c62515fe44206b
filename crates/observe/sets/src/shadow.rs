//! The shadow of an object: for each byte whether it was read, written or reduced, in pages that
//! are allocated at the first access.
//!
//! All workers set bits with relaxed atomics. That is sufficient because bits are never cleared,
//! and are read only after the workers have ended.

use std::sync::OnceLock;
use std::sync::atomic::AtomicU8;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Bytes of a sector.
pub const SECTOR: u64 = 32;
/// Sectors of a page.
pub(crate) const SECTORS: usize = 512;
/// Bytes of a page.
pub(crate) const PAGE: u64 = SECTORS as u64 * SECTOR;
/// 4-byte words of a sector.
pub(crate) const WORDS: usize = 8;
/// The code of a word with several different reductions.
pub(crate) const MIXED: u8 = u8::MAX;

/// The bytes of a page that were accessed in one way: read, written or reduced.
pub(crate) struct Marks {
    /// For each sector, a mask of the bytes with this kind of access.
    masks: [AtomicU32; SECTORS],
    /// For each word, the first operation that accessed it.
    ops: [AtomicU32; SECTORS * WORDS],
}

/// The words of a page that atomics without result have changed, each with the code of its
/// reduction ([`crate::Fold::code`]); 0 for other words.
pub(crate) struct Folds {
    pub(crate) marks: Marks,
    codes: [AtomicU8; SECTORS * WORDS],
}

/// The shadow of a page of an object: which bytes were read, written and reduced.
#[derive(Default)]
pub(crate) struct Page {
    pub(crate) read: OnceLock<Box<Marks>>,
    pub(crate) written: OnceLock<Box<Marks>>,
    pub(crate) reduced: OnceLock<Box<Folds>>,
}

/// The shadow of an object, by page.
pub(crate) struct Shadow(Box<[OnceLock<Box<Page>>]>);

impl Marks {
    pub(crate) fn new() -> Self {
        Self {
            masks: [const { AtomicU32::new(0) }; SECTORS],
            ops: [const { AtomicU32::new(0) }; SECTORS * WORDS],
        }
    }

    /// Marks bytes of a sector as accessed by operation `op`.
    #[inline]
    pub(crate) fn set(&self, sector: usize, mask: u32, op: u32) {
        let new = mask & !self.masks[sector].load(Relaxed);
        if new == 0 {
            return;
        }
        self.masks[sector].fetch_or(new, Relaxed);
        for word in 0..WORDS {
            if new >> (4 * word) & 0xf != 0 {
                self.ops[sector * WORDS + word].store(op, Relaxed);
            }
        }
    }

    pub(crate) fn mask(&self, sector: usize) -> u32 {
        self.masks[sector].load(Relaxed)
    }

    pub(crate) fn op(&self, sector: usize, word: usize) -> u32 {
        self.ops[sector * WORDS + word].load(Relaxed)
    }
}

impl Folds {
    pub(crate) fn new() -> Self {
        Self { marks: Marks::new(), codes: [const { AtomicU8::new(0) }; SECTORS * WORDS] }
    }

    /// Marks the words of a number that operation `op` reduces.
    pub(crate) fn set(&self, sector: usize, (word, words): (usize, usize), code: u8, op: u32) {
        for word in word..word + words {
            let was = &self.codes[sector * WORDS + word];
            if let Err(other) = was.compare_exchange(0, code, Relaxed, Relaxed)
                && other != code
            {
                was.store(MIXED, Relaxed);
            }
        }
        self.marks.set(sector, (0xff >> (8 - 4 * words)) << (4 * word), op);
    }

    pub(crate) fn code(&self, sector: usize, word: usize) -> u8 {
        self.codes[sector * WORDS + word].load(Relaxed)
    }
}

impl Shadow {
    /// The shadow of an object of `size` bytes.
    pub(crate) fn new(size: u64) -> Self {
        Self((0..size.div_ceil(PAGE)).map(|_| OnceLock::new()).collect())
    }

    /// The page that contains an offset.
    #[inline]
    pub(crate) fn page(&self, offset: u64) -> &Page {
        self.0[(offset / PAGE) as usize].get_or_init(Box::default)
    }

    /// The accessed pages, with their numbers.
    pub(crate) fn pages(&self) -> impl Iterator<Item = (u64, &Page)> {
        (0..).zip(&self.0).filter_map(|(n, page)| Some((n, &**page.get()?)))
    }
}

impl std::fmt::Debug for Shadow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Shadow of {} pages", self.0.len())
    }
}
