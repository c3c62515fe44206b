//! Warp-level operations: the operands of `shfl`, `vote`, `match` and `redux`.

use crate::operand::Source;

/// The mode of `shfl`: from which lane a lane reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shuffling {
    /// `.up`: each lane reads from the lane b lanes below it.
    Up,
    /// `.down`: each lane reads from the lane b lanes above it.
    Down,
    /// `.bfly`: lane i reads from lane `i ^ b`.
    Butterfly,
    /// `.idx`: each lane reads from lane b of its segment.
    Index,
}

/// `shfl` (PTX ISA 9.7.9.6). Reading an inactive lane gives 0.
#[derive(Clone, Debug)]
pub struct Shuffle {
    /// From which lane each lane reads.
    pub mode: Shuffling,
    /// The 32-bit value that lanes read from each other.
    pub a: Source,
    /// The lane operand b of `shfl`.
    pub b: Source,
    /// Operand c of `shfl`: the clamp value and the segment mask.
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
    /// `.ballot`: the mask of lanes in which the predicate is true.
    Ballot,
    /// `.all`: whether the predicate is true in all lanes.
    All,
    /// `.any`: whether the predicate is true in some lane.
    Any,
    /// `.uni`: whether the predicate has the same value in all lanes.
    Uniform,
}

/// `match`: for each active lane, the active lanes that have the same value.
#[derive(Clone, Debug)]
pub struct Match {
    /// `match.all`: the result is the mask of active lanes if all of them have the same value, else
    /// 0; the predicate says whether they have.
    pub all: bool,
    /// The value that is compared, of 32 or 64 bits.
    pub of: Source,
    /// The membermask.
    pub members: Source,
    /// Destination, a 32-bit register.
    pub to: Option<u32>,
    /// Destination predicate of `match.all`.
    pub same: Option<u32>,
}

/// The operation of `redux`, or of an atomic.
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
