//! Sets of bytes, stored as runs of 32-byte sectors with the same mask of bytes.

use crate::fold::Fold;
use texunit_syntax::Span;

/// Bytes of a sector.
pub const SECTOR: u64 = 32;

/// Consecutive sectors with the same mask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// Number of the first sector in its object.
    pub first: u64,
    /// Number of sectors in the run.
    pub count: u64,
    /// The bytes of each sector that belong to the set, bit 0 for the first.
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

/// Adds bytes of a sector behind all others to the runs.
pub(crate) fn push(runs: &mut Vec<Run>, sector: u64, mask: u32) {
    match runs.last_mut() {
        Some(last) if last.first + last.count == sector && last.mask == mask => last.count += 1,
        _ => runs.push(Run { first: sector, count: 1, mask }),
    }
}
