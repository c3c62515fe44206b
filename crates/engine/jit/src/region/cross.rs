//! Warp-level operations.

use crate::operand::Source;

/// The mode of `shfl`.
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

/// `shfl` (PTX ISA 9.7.9.6). Reading an inactive lane gives 0.
#[derive(Clone, Debug)]
pub struct Shuffle {
    /// The mode.
    pub mode: Shuffling,
    /// The 32-bit value.
    pub a: Source,
    /// The lane operand.
    pub b: Source,
    /// The clamp and segment operand.
    pub c: Source,
    /// The membermask; `None` without `.sync`.
    pub members: Option<Source>,
    /// Destination, a 32-bit register.
    pub to: Option<u32>,
    /// Destination predicate: whether the source lane was in range.
    pub valid: Option<u32>,
}

/// The mode of `vote`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vote {
    /// The mask of lanes in which the predicate is true.
    Ballot,
    /// Whether it is true in all lanes.
    All,
    /// Whether it is true in any lane.
    Any,
    /// Whether it is the same in all lanes.
    Uniform,
}

/// `match`: for each active lane, the active lanes that have the same value.
#[derive(Clone, Debug)]
pub struct Match {
    /// `match.all`: all active lanes if all values are equal, else 0; the predicate has which.
    pub all: bool,
    /// The value, of 32 or 64 bits.
    pub of: Source,
    /// The membermask.
    pub members: Source,
    /// Destination, a 32-bit register.
    pub to: Option<u32>,
    /// Destination predicate of `match.all`.
    pub same: Option<u32>,
}

/// The operation of `redux`.
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
