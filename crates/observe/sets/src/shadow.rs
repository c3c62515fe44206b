//! Which bytes of memory were read, written and reduced: pages of sectors, made where somebody comes by.
//!
//! All workers of a launch set the same bits, by relaxed atomics: bits are only set, and who looks at them does so
//! when the workers are gone.

use std::sync::OnceLock;
use std::sync::atomic::AtomicU8;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Sectors of a page.
pub(crate) const SECTORS: usize = 512;
/// Bytes of a page.
pub(crate) const PAGE: u64 = SECTORS as u64 * 32;
/// Words of 4 bytes of a sector.
pub(crate) const WORDS: usize = 8;
/// Stands for several reductions of a word.
pub(crate) const MIXED: u8 = u8::MAX;

/// Bytes of a page that something was done with.
pub(crate) struct Marks {
    /// By sector.
    masks: [AtomicU32; SECTORS],
    /// The operation that was the first to do it, by word.
    ops: [AtomicU32; SECTORS * WORDS],
}

/// Reductions of the words of a page, by [`crate::Fold::code`]; 0: none.
pub(crate) struct Folds {
    pub(crate) marks: Marks,
    codes: [AtomicU8; SECTORS * WORDS],
}

/// A page.
#[derive(Default)]
pub(crate) struct Page {
    pub(crate) read: OnceLock<Box<Marks>>,
    pub(crate) written: OnceLock<Box<Marks>>,
    pub(crate) reduced: OnceLock<Box<Folds>>,
}

/// All pages of an object.
pub(crate) struct Shadow(Box<[OnceLock<Box<Page>>]>);

impl Marks {
    pub(crate) fn new() -> Self {
        Self {
            masks: [const { AtomicU32::new(0) }; SECTORS],
            ops: [const { AtomicU32::new(0) }; SECTORS * WORDS],
        }
    }

    /// Marks bytes of a sector.
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

    /// Marks the words of a number.
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
    /// For an object of so many bytes.
    pub(crate) fn new(size: u64) -> Self {
        Self((0..size.div_ceil(PAGE)).map(|_| OnceLock::new()).collect())
    }

    /// The page of a byte inside.
    #[inline]
    pub(crate) fn page(&self, offset: u64) -> &Page {
        self.0[(offset / PAGE) as usize].get_or_init(Box::default)
    }

    /// Pages where somebody came by, with their numbers.
    pub(crate) fn pages(&self) -> impl Iterator<Item = (u64, &Page)> {
        (0..).zip(&self.0).filter_map(|(n, page)| Some((n, &**page.get()?)))
    }
}

impl std::fmt::Debug for Shadow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Shadow of {} pages", self.0.len())
    }
}
