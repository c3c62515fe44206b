//! What lanes do together.

use crate::operand::Source;

/// How a lane is found by `shfl`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shuffling {
    /// Below.
    Up,
    /// Above.
    Down,
    /// By exclusive or.
    Butterfly,
    /// By its number in the segment.
    Index,
}

/// shfl: PTX ISA 9.7.9.6; a lane that is not active gives 0.
#[derive(Clone, Debug)]
pub struct Shuffle {
    /// How.
    pub mode: Shuffling,
    /// The number of 32 bits.
    pub a: Source,
    /// Which lane.
    pub b: Source,
    /// Clamp and segment.
    pub c: Source,
    /// The membermask; none: without `.sync`.
    pub members: Option<Source>,
    /// The narrow register that is written.
    pub to: Option<u32>,
    /// The predicate that says whether the lane was inside.
    pub valid: Option<u32>,
}

/// What a vote gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vote {
    /// The lanes where it holds.
    Ballot,
    /// Whether it holds in all.
    All,
    /// Whether it does in one.
    Any,
    /// Whether it is the same in all.
    Uniform,
}

/// match: of each active lane, the active lanes with the same number.
#[derive(Clone, Debug)]
pub struct Match {
    /// Whether all must have the same: then all active lanes, else 0, and the predicate says which.
    pub all: bool,
    /// The number, of 32 or 64 bits.
    pub of: Source,
    /// The membermask.
    pub members: Source,
    /// The narrow register that is written.
    pub to: Option<u32>,
    /// The predicate that `all` writes.
    pub same: Option<u32>,
}

/// How `redux` makes one number of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduce {
    /// a + b
    Add,
    /// The lesser signed number.
    MinS,
    /// The greater signed number.
    MaxS,
    /// The lesser unsigned number.
    MinU,
    /// The greater unsigned number.
    MaxU,
    /// a and b
    And,
    /// a or b
    Or,
    /// a exclusive-or b
    Xor,
}
