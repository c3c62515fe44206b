//! Sets of bytes: runs of sectors of 32 bytes in which the same bytes are meant.

use crate::fold::Fold;
use texunit_syntax::Span;

/// Bytes of a sector.
pub const SECTOR: u64 = 32;

/// Sectors one behind the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// Number of the first in its object.
    pub first: u64,
    /// How many.
    pub count: u64,
    /// The bytes of each that are meant, bit 0 for the first.
    pub mask: u32,
}

impl Run {
    /// How many bytes are meant.
    pub fn bytes(self) -> u64 {
        self.count.saturating_mul(self.mask.count_ones().into())
    }

    /// The sectors.
    pub(crate) fn sectors(self) -> std::ops::Range<u64> {
        self.first..self.first + self.count
    }

    /// Whether it means a byte of its object.
    pub(crate) fn has(self, byte: u64) -> bool {
        self.sectors().contains(&(byte / SECTOR)) && self.mask >> (byte % SECTOR) & 1 == 1
    }
}

/// The bytes of an object that one instruction was the first to read, write or reduce.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The instruction.
    pub span: Span,
    /// What it does, if it is a reduction.
    pub fold: Option<Fold>,
    /// In the order of their addresses.
    pub runs: Vec<Run>,
    /// What the bytes hold at the end, in their order; empty of what was only read.
    pub values: Vec<u8>,
}

/// Makes runs of sectors that come in order.
#[derive(Debug, Default)]
pub(crate) struct Maker(Vec<Run>);

impl Maker {
    pub(crate) fn push(&mut self, sector: u64, mask: u32) {
        match self.0.last_mut() {
            Some(last) if last.first + last.count == sector && last.mask == mask => last.count += 1,
            _ => self.0.push(Run { first: sector, count: 1, mask }),
        }
    }

    /// Whole sectors.
    pub(crate) fn push_many(&mut self, first: u64, count: u64) {
        self.0.push(Run { first, count, mask: u32::MAX });
    }

    pub(crate) fn into_runs(self) -> Vec<Run> {
        self.0
    }
}
