//! The sets of a range of CTAs: plain data about the range's memory accesses, made from the
//! recorder's shadow memory. A set of bytes is stored as runs of 32-byte sectors with the same mask
//! of bytes.

use crate::fold::Fold;
use crate::record::{Operations, Recorder, Refused};
use crate::shadow::{MIXED, Marks, PAGE, Page, SECTOR, SECTORS, WORDS};
use std::collections::BTreeMap;
use std::sync::OnceLock;
use texunit_device::{CtaRange, LaunchStats};
use texunit_memory::Block;
use texunit_syntax::Span;

/// A run: consecutive 32-byte sectors of an object, of each of which the same bytes are in a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// Number of the first sector in its object.
    pub first: u64,
    /// Number of sectors in the run.
    pub count: u64,
    /// A mask of the bytes of each sector that belong to the set, bit 0 for the first byte.
    pub mask: u32,
}

impl Run {
    /// Number of bytes in the set.
    pub fn bytes(self) -> u64 {
        self.count.saturating_mul(self.mask.count_ones().into())
    }

    /// The numbers of the run's sectors.
    pub(crate) fn sectors(self) -> std::ops::Range<u64> {
        self.first..self.first + self.count
    }

    /// Whether the set contains a byte of the object.
    pub(crate) fn has(self, byte: u64) -> bool {
        self.sectors().contains(&(byte / SECTOR)) && self.mask >> (byte % SECTOR) & 1 == 1
    }
}

/// The bytes of an object that one instruction was the first to read, write or reduce.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessedBytes {
    /// The instruction that accessed the bytes.
    pub span: Span,
    /// The operation, if it is a reduction.
    pub fold: Option<Fold>,
    /// The accessed bytes as runs of sectors, sorted by address.
    pub runs: Vec<Run>,
    /// Final values of the bytes, in order; empty for reads.
    pub values: Vec<u8>,
}

/// The memory accesses and output of a range of CTAs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sets {
    /// Identity of the launch ([`crate::identity`]).
    pub identity: [u8; 32],
    /// Grid size in CTAs along x, y, z.
    pub grid: [u32; 3],
    /// The range of CTA numbers: the first, and the number behind the last.
    pub ctas: (u64, u64),
    /// Counters and output of the range. Only counters of the kernel itself are included.
    pub stats: LaunchStats,
    /// The accessed objects, by ascending numbers.
    pub objects: Vec<ObjectSets>,
}

/// The accesses to one object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObjectSets {
    /// The object's number among the objects of the device.
    pub number: u32,
    /// The object's size in bytes.
    pub size: u64,
    /// Bytes that were read, by instruction.
    pub reads: Vec<AccessedBytes>,
    /// Bytes that were written, by instruction.
    pub writes: Vec<AccessedBytes>,
    /// Bytes that a single operation reduced and nothing else accessed, by instruction.
    pub folds: Vec<AccessedBytes>,
}

impl Sets {
    /// The range of CTAs.
    pub fn range(&self) -> CtaRange {
        CtaRange { begin: self.ctas.0, end: self.ctas.1 }
    }

    /// Number of bytes that were written or reduced.
    pub fn written(&self) -> u64 {
        let parts = self.objects.iter().flat_map(|o| o.writes.iter().chain(&o.folds));
        parts.map(|part| part.values.len() as u64).sum()
    }

    /// Number of bytes that were read.
    pub fn read(&self) -> u64 {
        let parts = self.objects.iter().flat_map(|object| &object.reads);
        parts.flat_map(|part| &part.runs).map(|run| run.bytes()).sum()
    }
}

/// Adds bytes of a sector to the runs. The sector must lie behind all sectors that the runs have.
pub(crate) fn push(runs: &mut Vec<Run>, sector: u64, mask: u32) {
    match runs.last_mut() {
        Some(last) if last.first + last.count == sector && last.mask == mask => last.count += 1,
        _ => runs.push(Run { first: sector, count: 1, mask }),
    }
}

/// Runs of sectors under construction, by the accessing operation and its reduction code.
#[derive(Default)]
struct RunBuilders(BTreeMap<(u32, u8), Vec<Run>>);

impl RunBuilders {
    /// Adds bytes of a sector; `code` returns the operation and the reduction code of each word.
    fn push(&mut self, sector: u64, mask: u32, code: impl Fn(usize) -> (u32, u8)) {
        let mut rest = mask;
        while rest != 0 {
            let of = code(rest.trailing_zeros() as usize / 4);
            let words = (0..WORDS).filter(|&word| rest >> (4 * word) & 0xf != 0);
            let same = words.filter(|&word| code(word) == of).fold(0, |m, w| m | 0xf << (4 * w));
            push(self.0.entry(of).or_default(), sector, rest & same);
            rest &= !same;
        }
    }

    fn into_parts(self, known: &Operations, values: Option<&Block>) -> Vec<AccessedBytes> {
        let part = |((op, code), runs): ((u32, u8), Vec<Run>)| {
            let span = known.spans.get(op as usize).copied().unwrap_or_default();
            let values = values.map_or_else(Vec::new, |block| bytes_of(block, &runs));
            AccessedBytes { span, fold: Fold::from_code(code), runs, values }
        };
        self.0.into_iter().map(part).collect()
    }
}

/// The values of the bytes of a memory block that the runs contain.
fn bytes_of(block: &Block, runs: &[Run]) -> Vec<u8> {
    let mut values = Vec::new();
    let mut sector_bytes = [0; SECTOR as usize];
    for run in runs {
        for sector in run.sectors() {
            let at = sector * SECTOR;
            let len = (block.size() as u64 - at).min(SECTOR) as usize;
            block.read(at, &mut sector_bytes[..len]).expect("the sector begins in the block");
            if run.mask == u32::MAX {
                values.extend_from_slice(&sector_bytes);
            } else {
                let meant = (0..32).filter(|i| run.mask >> i & 1 == 1);
                values.extend(meant.map(|i| sector_bytes[i]));
            }
        }
    }
    values
}

/// The words of a sector that belong to numbers which a single operation reduced, and which were
/// not accessed otherwise.
fn folded(page: &Page, sector: usize, touched: u32) -> u32 {
    let Some(folds) = page.reduced.get() else { return 0 };
    let reduced = folds.marks.mask(sector);
    let is_own = |word: usize, code: u8| {
        let own = reduced >> (4 * word) & 0xf == 0xf && touched >> (4 * word) & 0xf == 0;
        own && code != MIXED && folds.code(sector, word) == code
    };
    let mut words = 0;
    for word in (0..WORDS).filter(|&word| reduced >> (4 * word) & 0xf != 0) {
        let code = folds.code(sector, word);
        let Some(fold) = Fold::from_code(code) else { continue };
        let other = if fold.is_wide() { word ^ 1 } else { word };
        if is_own(word, code) && is_own(other, code) {
            words |= 0xf << (4 * word);
        }
    }
    words
}

/// Adds the accesses that a page of the shadow memory records to the runs of reads, writes and
/// reductions. `first` is the number of the page's first sector.
fn add_page(first: u64, page: &Page, [reads, writes, folds]: &mut [RunBuilders; 3]) {
    for sector in 0..SECTORS {
        let mask = |marks: &OnceLock<Box<Marks>>| marks.get().map_or(0, |marks| marks.mask(sector));
        let (read, written) = (mask(&page.read), mask(&page.written));
        let reduced = page.reduced.get().map_or(0, |folds| folds.marks.mask(sector));
        if read | written | reduced == 0 {
            continue;
        }
        let number = first + sector as u64;
        let folded = folded(page, sector, read | written);
        if let Some(all) = page.reduced.get() {
            folds.push(number, folded, |w| (all.marks.op(sector, w), all.code(sector, w)));
            // Words that were also accessed in another way count as read and written, because their
            // value depends on the order.
            let both = reduced & !folded;
            reads.push(number, both & !read, |w| (all.marks.op(sector, w), 0));
            writes.push(number, both & !written, |w| (all.marks.op(sector, w), 0));
        }
        if let Some(marks) = page.read.get() {
            reads.push(number, read, |w| (marks.op(sector, w), 0));
        }
        if let Some(marks) = page.written.get() {
            writes.push(number, written, |w| (marks.op(sector, w), 0));
        }
    }
}

/// The runs that cover a range of bytes: whole sectors, and partial ones at its ends.
fn runs_of(first: u64, end: u64) -> Vec<Run> {
    let (mut runs, mut at) = (Vec::new(), first);
    while at < end {
        let (sector, skip) = (at / SECTOR, at % SECTOR);
        if skip == 0 && end - at >= SECTOR {
            let count = (end - at) / SECTOR;
            runs.push(Run { first: sector, count, mask: u32::MAX });
            at += count * SECTOR;
            continue;
        }
        let count = (end - at).min(SECTOR - skip);
        push(&mut runs, sector, (((1_u64 << count) - 1) << skip) as u32);
        at += count;
    }
    runs
}

impl Recorder {
    /// Makes the sets after a successful launch; `Err` if the launch was refused.
    pub fn sets(
        &self,
        identity: [u8; 32],
        (grid, ctas): ([u32; 3], CtaRange),
        stats: &LaunchStats,
    ) -> Result<Sets, Vec<Refused>> {
        let refused = self.refused();
        if !refused.is_empty() {
            return Err(refused);
        }
        let mut sets = Sets { identity, grid, ctas: (ctas.begin, ctas.end), ..Sets::default() };
        sets.stats = LaunchStats {
            warp_instructions: stats.warp_instructions,
            thread_instructions: stats.thread_instructions,
            fetches: stats.fetches,
            surface_accesses: stats.surface_accesses,
            divisions_by_zero: stats.divisions_by_zero,
            fusion: stats.fusion,
            printf: stats.printf.clone(),
            ..LaunchStats::default()
        };
        // The launch has executed no CTA, so that the sets are empty.
        let Some(known) = self.known.get() else { return Ok(sets) };
        let fetched = self.fetched();
        for (number, (object, shadow)) in (0..).zip(self.objects.list().iter().zip(&self.shadows)) {
            let mut makers: [RunBuilders; 3] = Default::default();
            for (page, marks) in shadow.get().into_iter().flat_map(|s| s.pages()) {
                add_page(page * (PAGE / SECTOR), marks, &mut makers);
            }
            let [reads, writes, folds] = makers;
            let block = &*object.block;
            let mut reads = reads.into_parts(known, None);
            // The fetched ranges are sorted by first byte; bytes in several ranges count for the
            // first range only.
            let mut behind = 0;
            for &((_, first, end), op) in fetched.iter().filter(|((of, ..), _)| *of == number) {
                let first = behind.max(first);
                if first >= end {
                    continue;
                }
                behind = end;
                let span = known.spans.get(op as usize).copied().unwrap_or_default();
                let runs = runs_of(first, end);
                reads.push(AccessedBytes { span, fold: None, runs, values: Vec::new() });
            }
            let writes = writes.into_parts(known, Some(block));
            let folds = folds.into_parts(known, Some(block));
            if !(reads.is_empty() && writes.is_empty() && folds.is_empty()) {
                let size = object.size();
                sets.objects.push(ObjectSets { number, size, reads, writes, folds });
            }
        }
        Ok(sets)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_have_the_bytes_of_a_range() {
        for (first, end) in [(0, 0), (0, 32), (3, 7), (5, 100), (32, 96), (31, 33), (64, 65)] {
            let runs = runs_of(first, end);
            for byte in 0..160 {
                let has = runs.iter().any(|run| run.has(byte));
                assert_eq!(has, (first..end).contains(&byte), "{byte} of {first}..{end}: {runs:?}");
            }
        }
    }
}
