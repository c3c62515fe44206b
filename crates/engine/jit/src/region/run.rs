//! How far a region runs, and how it was left.

use crate::machine::Entry;
use crate::{Narrow, Wide};

/// Why a region was left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// `at` is an instruction that is not compiled, or one that it cannot do with these numbers.
    Instruction,
    /// `at` is an access and its site has another allocation, or none: see [`crate::region::Function::fill`].
    Site(u32),
    /// `at` is a branch that some lanes take.
    Divides,
    /// The lanes are to meet at `at`.
    Meets,
    /// So many steps are done; it goes on at `at`.
    Limit,
    /// It goes on outside, at `at`.
    Outside,
}

/// Where a region has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Left {
    /// The instruction that comes next: nothing of it has been done or counted.
    pub at: u32,
    /// Why.
    pub why: Why,
    /// Instructions that have counted.
    pub steps: u64,
    /// Lanes that have taken them, in all.
    pub threads: u64,
    /// Atomics among them.
    pub atomics: u32,
    /// Steps when the last one was done, which is counted.
    pub last_atomic: u64,
    /// What [`crate::region::Action::CountZeros`] has counted.
    pub zeros: u64,
    /// The lanes that stand before the instruction.
    pub mask: u32,
    /// Whether others stand or wait elsewhere ([`crate::region::Running::parted`]).
    pub parted: bool,
    /// The steps up to which the turn of these goes ([`Until::steps`], or less where lanes have parted).
    pub limit: u64,
}

/// How long lanes run that part in a region.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Apart {
    /// Steps from which on no turn goes, of whatever lanes.
    pub end: u64,
    /// Steps of a turn of divided lanes.
    pub turn: u64,
    /// Steps that the groups of the region may wait for lanes, before somebody else says who goes next.
    pub waits: u64,
    /// Steps from which on somebody else says in any case who goes next.
    pub patience: u64,
}

/// How far a region may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Until {
    /// Steps from which on it leaves at a backward jump.
    pub steps: u64,
    /// Where the lanes are to meet others; [`u32::MAX`]: nowhere.
    pub meets: u32,
    /// Atomics that may be done; before one more it leaves.
    pub atomics: u32,
    /// What lanes do that part.
    pub apart: Apart,
}

/// Memory of a warp.
#[derive(Debug)]
pub struct Memory<'a> {
    /// Shared memory of the CTA, which nobody else uses meanwhile.
    pub shared: &'a mut [u8],
    /// Local memory by words of 4 bytes.
    pub local: &'a mut [Narrow],
    /// The first byte of the running frame in local memory, and the first one behind it.
    pub frame: std::ops::Range<u64>,
}

/// Warps that have come to the end of the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Warps {
    /// How many.
    pub ended: u32,
    /// Their steps.
    pub steps: u64,
    /// Lanes that have taken these, in all.
    pub threads: u64,
    /// Where the one behind them stands that has not.
    pub left: Option<u32>,
}

/// Where warps that run together go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// At an entry.
    On(Entry),
    /// Those that wait at an instruction ([`crate::region::End::Pause`]) leave before it.
    Out(u32),
}

/// Warps that can run together ([`crate::region::Links`]).
pub const MOST: usize = 32;

/// The registers of one of them.
#[derive(Debug)]
pub struct Files<'a> {
    /// Registers of 32-bit lanes.
    pub narrow: &'a mut [Narrow],
    /// Registers of 64-bit lanes.
    pub wide: &'a mut [Wide],
    /// A bit for each lane.
    pub predicates: &'a mut [u32],
}

/// How one of them stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stands {
    /// The instruction before which all its live lanes stand.
    pub at: u32,
    /// Whether it waits there ([`crate::region::End::Pause`]); else it has come to its end.
    pub waits: bool,
    /// Instructions that have counted.
    pub steps: u64,
    /// Lanes that have taken them, in all.
    pub threads: u64,
    /// The steps up to which its turn goes.
    pub limit: u64,
}
