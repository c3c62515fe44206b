//! The results of running an instruction, a split, a turn of a warp or of a CTA, and a region.

use super::warp::{Split, State};
use crate::fault::FaultKind;

/// A fault on its way up: the kind, and the lane if it is not the first active one.
#[derive(Debug)]
pub(crate) struct PendingFault {
    pub(crate) kind: FaultKind,
    pub(crate) lane: Option<usize>,
}

pub(crate) type Executed = Result<(), Box<PendingFault>>;

/// A fault of a lane.
pub(crate) fn fault_at<T>(lane: usize, kind: FaultKind) -> Result<T, Box<PendingFault>> {
    Err(Box::new(PendingFault { kind, lane: Some(lane) }))
}

/// A fault of all active lanes.
pub(crate) fn fault_of_all<T>(kind: FaultKind) -> Result<T, Box<PendingFault>> {
    Err(Box::new(PendingFault { kind, lane: None }))
}

/// Where a fault happened.
pub(crate) struct At {
    pub(crate) split: Split,
    pub(crate) pending: Box<PendingFault>,
}

/// Why a split does not go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    /// It continues at its program counter.
    Continues,
    /// It continues too, but its lanes may have diverged, and others may run first.
    Diverges,
    /// Its turn is over.
    Pauses,
    /// It waits before a fetch or a surface access for the other warps of its CTA.
    AtUnit,
    /// Its turn is over, and it cannot continue before other lanes or warps have done something.
    Yields,
    /// Its lanes have exited, wait in a group or belong to another split.
    Retired,
    /// It waits.
    Waits(State),
    /// A debugger stops it before an instruction.
    Stops,
}

/// What came of a turn of a warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// The budget is used up, or all splits that can run have yielded.
    Over,
    /// All lanes have exited.
    Executed,
    /// All lanes wait for something outside the warp, or a barrier is complete.
    Blocked,
    /// It waits before a fetch or a surface access ([`Flow::AtUnit`]).
    AtUnit,
    /// A debugger has stopped it in the middle of its turn.
    Stopped,
}

/// Why a split has stopped in the inner loop, in a region, or in the loop around both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// Before an instruction that has to be executed elsewhere.
    Instruction,
    /// At an instruction that may be an entry of a region: outside a region, or the target of a backward jump.
    Elsewhere,
    /// The turn is over.
    Over,
}

/// Where a warp goes on in the middle of its turn: with the first of its splits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Resume {
    /// Steps at which the turn of the split ends.
    pub(super) limit: u64,
    /// Whether it has ended.
    pub(super) over: bool,
    /// Lanes that have let others go first in this turn.
    pub(super) yielded: u32,
}

/// What came of a turn of a CTA.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CtaTurn {
    /// A debugger has stopped it in the middle.
    Stopped,
    /// All warps have had their turns.
    Over,
    /// All threads have exited, or the launch is over anyway.
    Ended,
}
