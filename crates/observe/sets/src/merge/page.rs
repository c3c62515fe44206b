//! The accesses to one object by the ranges that were merged so far: masks of its sectors, and the
//! merged bytes.

use super::Does;
use crate::fold::Fold;
use crate::set::Run;
use crate::shadow::{PAGE, SECTOR, SECTORS};
use std::sync::Arc;
use texunit_memory::Block;

/// The accesses to one page of an object, by all ranges that were merged so far.
struct Page {
    /// The accessed bytes of each sector, as masks: by reads, writes and reductions ([`Does`]).
    accessed: [[u32; SECTORS]; 3],
    /// For each 4-byte word of the page, the code of its reduction.
    folds: [u8; SECTORS * 8],
    /// The merged bytes of the page; empty until the first write or reduction.
    bytes: Vec<u8>,
}

/// An access of a range of CTAs to the bytes of a run of sectors.
#[derive(Clone, Copy)]
pub(super) struct Access<'v> {
    pub(super) does: Does,
    /// The reduction, if the access is one.
    pub(super) fold: Option<Fold>,
    /// The final values of the bytes, in order; empty for a read.
    pub(super) values: &'v [u8],
}

/// The pages of an object that were accessed by the ranges merged so far.
pub(super) struct Pages {
    block: Arc<Block>,
    pages: Vec<Option<Box<Page>>>,
}

impl Access<'_> {
    /// The values of the n-th sector of a run.
    fn of_sector(&self, run: Run, n: usize) -> &[u8] {
        let each = run.mask.count_ones() as usize;
        self.values.get(n * each..(n + 1) * each).unwrap_or_default()
    }
}

impl Page {
    /// The bytes of a sector, as a mask, whose earlier accesses conflict with an access to the
    /// bytes of `mask`. A write conflicts with reads, reductions and writes of other values, and a
    /// reduction with reads, writes and other reductions.
    fn conflicts(&self, at: usize, mask: u32, access: &Access<'_>, values: &[u8]) -> u32 {
        let own = access.does as usize;
        let others = (0..3).filter(|&does| does != own);
        let mut both = others.fold(0, |all, does| all | self.accessed[does][at]);
        let alike = self.accessed[own][at];
        if let Some(fold) = access.fold {
            for word in (0..8).filter(|word| self.folds[at * 8 + word] != fold.code()) {
                both |= alike & 0xf << (4 * word);
            }
        } else if access.does == Does::Writes && alike & mask != 0 {
            let here = &self.bytes[at * SECTOR as usize..];
            for (byte, value) in numbers(mask, 1).zip(values) {
                both |= alike & u32::from(here[byte as usize] != *value) << byte;
            }
        }
        both & mask
    }

    /// Adds an access to the bytes `mask` of sector `at`. `initial` returns a number in the sector,
    /// by its offset and size, as it was before the launch.
    fn add(
        &mut self,
        at: usize,
        mask: u32,
        (access, values): (&Access<'_>, &[u8]),
        initial: impl Fn(u64, u8) -> u64,
    ) {
        self.accessed[access.does as usize][at] |= mask;
        let here = at * SECTOR as usize;
        let Some(fold) = access.fold else {
            for (byte, value) in numbers(mask, 1).zip(values) {
                self.bytes[here + byte as usize] = *value;
            }
            return;
        };
        let size = fold.size() as usize;
        for (byte, own) in numbers(mask, size).zip(values.chunks_exact(size)) {
            let number = |bytes: &[u8]| {
                let mut all = [0; 8];
                all[..size].copy_from_slice(&bytes[..size]);
                u64::from_le_bytes(all)
            };
            let initial = initial(byte, size as u8);
            let here = here + byte as usize;
            let value = fold.apply(initial, number(&self.bytes[here..]), number(own));
            self.bytes[here..here + size].copy_from_slice(&value.to_le_bytes()[..size]);
            let word = at * 8 + byte as usize / 4;
            self.folds[word..word + size / 4].fill(fold.code());
        }
    }
}

impl Pages {
    pub(super) fn new(block: &Arc<Block>) -> Self {
        let count = (block.size() as u64).div_ceil(PAGE);
        Self { block: Arc::clone(block), pages: (0..count).map(|_| None).collect() }
    }

    pub(super) fn size(&self) -> u64 {
        self.block.size() as u64
    }

    /// The first byte of a run at which an access conflicts with those of earlier ranges.
    pub(super) fn conflict(&self, run: Run, access: &Access<'_>) -> Option<u64> {
        run.sectors().enumerate().find_map(|(n, sector)| {
            let page = self.pages.get(sector as usize / SECTORS)?.as_deref()?;
            let values = access.of_sector(run, n);
            let both = page.conflicts(sector as usize % SECTORS, run.mask, access, values);
            (both != 0).then(|| sector * SECTOR + u64::from(both.trailing_zeros()))
        })
    }

    /// Adds an access to the bytes of a run of sectors.
    pub(super) fn add(&mut self, run: Run, access: &Access<'_>) {
        for (n, sector) in run.sectors().enumerate() {
            let (number, at) = (sector as usize / SECTORS, sector as usize % SECTORS);
            let page = self.pages[number].get_or_insert_with(|| {
                let (accessed, folds) = ([[0; SECTORS]; 3], [0; SECTORS * 8]);
                Box::new(Page { accessed, folds, bytes: Vec::new() })
            });
            if access.does != Does::Reads && page.bytes.is_empty() {
                let first = number as u64 * PAGE;
                page.bytes.resize(PAGE as usize, 0);
                let len = (self.block.size() as u64 - first).min(PAGE) as usize;
                self.block.read(first, &mut page.bytes[..len]).expect("inside of the block");
            }
            let initial = |byte, size| self.block.load(sector * SECTOR + byte, size).unwrap_or(0);
            page.add(at, run.mask, (access, access.of_sector(run, n)), initial);
        }
    }

    /// Writes all changed bytes into the object's memory block; returns their number.
    pub(super) fn commit(&self) -> u64 {
        let mut count = 0;
        let pages = (0..).zip(&self.pages).filter_map(|(n, page)| Some((n, page.as_deref()?)));
        for (n, page) in pages {
            let [_, written, reduced] = &page.accessed;
            for (sector, (w, r)) in (0..).zip(written.iter().zip(reduced)) {
                let mut rest = w | r;
                count += u64::from(rest.count_ones());
                // Consecutive bytes are copied at once.
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

/// Byte offsets in a sector of numbers of `size` bytes that a mask has bits for.
fn numbers(mask: u32, size: usize) -> impl Iterator<Item = u64> {
    (0..SECTOR).step_by(size).filter(move |i| mask >> i & 1 == 1)
}
