//! The accesses to one object by the ranges that were merged so far: masks of its sectors, and the
//! merged bytes.

use super::{bytes, numbers, sectors};
use crate::fold::Fold;
use crate::runs::{Run, SECTOR};
use std::sync::Arc;
use texunit_memory::Block;

/// Sectors of a page.
const SECTORS: u64 = 512;
/// Bytes of a page.
const PAGE: u64 = SECTORS * SECTOR;

/// A page with accesses.
struct Page {
    read: [u32; SECTORS as usize],
    /// Allocated at the first write or reduction.
    changed: Option<Box<Changed>>,
}

struct Changed {
    written: [u32; SECTORS as usize],
    reduced: [u32; SECTORS as usize],
    /// For each word, the code of its reduction.
    folds: [u8; SECTORS as usize * 8],
    bytes: Vec<u8>,
}

/// The pages of an object.
pub(super) struct Pages {
    block: Arc<Block>,
    pages: Vec<Option<Box<Page>>>,
}

impl Pages {
    pub(super) fn new(block: &Arc<Block>) -> Self {
        let count = (block.size() as u64).div_ceil(PAGE);
        Self { block: Arc::clone(block), pages: (0..count).map(|_| None).collect() }
    }

    pub(super) fn size(&self) -> u64 {
        self.block.size() as u64
    }

    fn page(&self, sector: u64) -> Option<(&Page, usize)> {
        let page = self.pages.get((sector / SECTORS) as usize)?.as_deref()?;
        Some((page, (sector % SECTORS) as usize))
    }

    fn changes(&self, sector: u64) -> Option<(&Changed, usize)> {
        let (page, at) = self.page(sector)?;
        Some((page.changed.as_deref()?, at))
    }

    /// The first byte of a run that was written or reduced.
    pub(super) fn changed(&self, run: Run) -> Option<u64> {
        run.sectors().find_map(|sector| {
            let (page, at) = self.changes(sector)?;
            let both = run.mask & (page.written[at] | page.reduced[at]);
            first(sector, both)
        })
    }

    /// The first byte of a run that conflicts with a write: it was read or reduced, or written with
    /// another value.
    pub(super) fn against_write(&self, run: Run, values: &[u8]) -> Option<u64> {
        sectors(run).find_map(|(sector, own)| {
            let (page, at) = self.page(sector)?;
            let mut both = run.mask & page.read[at];
            if let Some(page) = page.changed.as_deref() {
                both |= run.mask & page.reduced[at];
                let bytes_here = &page.bytes[at * SECTOR as usize..];
                for (n, byte) in bytes(run.mask) {
                    let differs = bytes_here[byte as usize] != values[own.start + n];
                    if page.written[at] >> byte & 1 == 1 && differs {
                        both |= 1 << byte;
                    }
                }
            }
            first(sector, both)
        })
    }

    /// The first byte of a run that conflicts with a reduction: it was read, written, or reduced by
    /// another operation.
    pub(super) fn against_fold(&self, run: Run, fold: Fold) -> Option<u64> {
        run.sectors().find_map(|sector| {
            let (page, at) = self.page(sector)?;
            let mut both = run.mask & page.read[at];
            if let Some(page) = page.changed.as_deref() {
                both |= run.mask & page.written[at];
                for word in 0..8 {
                    let here = run.mask & page.reduced[at] & 0xf << (4 * word);
                    if page.folds[at * 8 + word] != fold.code() {
                        both |= here;
                    }
                }
            }
            first(sector, both)
        })
    }

    fn page_for(&mut self, sector: u64) -> (&mut Page, usize) {
        let page = self.pages[(sector / SECTORS) as usize]
            .get_or_insert_with(|| Box::new(Page { read: [0; SECTORS as usize], changed: None }));
        (page, (sector % SECTORS) as usize)
    }

    /// The page with a copy of the block's bytes, which is made at the first change.
    fn with_bytes(&mut self, sector: u64) -> (&mut Changed, usize) {
        let block = Arc::clone(&self.block);
        let (page, at) = self.page_for(sector);
        let changed = page.changed.get_or_insert_with(|| {
            let first = sector / SECTORS * PAGE;
            let mut bytes = vec![0; PAGE as usize];
            let len = (block.size() as u64 - first).min(PAGE) as usize;
            block.read(first, &mut bytes[..len]).expect("inside of the block");
            let none = [0; SECTORS as usize];
            let folds = [0; SECTORS as usize * 8];
            Box::new(Changed { written: none, reduced: none, folds, bytes })
        });
        (changed, at)
    }

    pub(super) fn read(&mut self, run: Run) {
        for sector in run.sectors() {
            let (page, at) = self.page_for(sector);
            page.read[at] |= run.mask;
        }
    }

    pub(super) fn write(&mut self, run: Run, values: &[u8]) {
        for (sector, own) in sectors(run) {
            let (page, at) = self.with_bytes(sector);
            page.written[at] |= run.mask;
            for (n, byte) in bytes(run.mask) {
                page.bytes[at * SECTOR as usize + byte as usize] = values[own.start + n];
            }
        }
    }

    pub(super) fn fold(&mut self, run: Run, fold: Fold, values: &[u8]) {
        let size = fold.size() as usize;
        for (sector, own) in sectors(run) {
            let block = Arc::clone(&self.block);
            let (page, at) = self.with_bytes(sector);
            page.reduced[at] |= run.mask;
            for (n, byte) in numbers(run.mask, fold).enumerate() {
                let number = |bytes: &[u8]| {
                    let mut all = [0; 8];
                    all[..size].copy_from_slice(&bytes[..size]);
                    u64::from_le_bytes(all)
                };
                let initial = block.load(sector * SECTOR + byte, size as u8).unwrap_or(0);
                let here = at * SECTOR as usize + byte as usize;
                let merged = number(&page.bytes[here..]);
                let value = fold.apply(initial, merged, number(&values[own.start + n * size..]));
                page.bytes[here..here + size].copy_from_slice(&value.to_le_bytes()[..size]);
                let word = at * 8 + byte as usize / 4;
                page.folds[word..word + size / 4].fill(fold.code());
            }
        }
    }

    /// Writes all changed bytes into the block; returns their number.
    pub(super) fn commit(&self) -> u64 {
        let mut count = 0;
        for (n, page) in (0..).zip(&self.pages) {
            let Some(page) = page.as_ref().and_then(|page| page.changed.as_deref()) else {
                continue;
            };
            for (sector, (w, r)) in (0..).zip(page.written.iter().zip(&page.reduced)) {
                let mut rest = w | r;
                count += u64::from(rest.count_ones());
                // Consecutive bytes are written together.
                while rest != 0 {
                    let from = rest.trailing_zeros();
                    let len = (rest >> from).trailing_ones();
                    rest &= !((((1_u64 << len) - 1) << from) as u32);
                    let at = sector * SECTOR + u64::from(from);
                    let bytes = &page.bytes[at as usize..][..len as usize];
                    // Kernels cannot have written a read-only block, so an error here has no
                    // effect.
                    let _ = self.block.write(n * PAGE + at, bytes);
                }
            }
        }
        count
    }
}

/// The offset of the first byte in a sector's mask.
fn first(sector: u64, mask: u32) -> Option<u64> {
    (mask != 0).then(|| sector * SECTOR + u64::from(mask.trailing_zeros()))
}
