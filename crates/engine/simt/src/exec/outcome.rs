//! Results of executing an instruction, a split, a turn of a warp or CTA, and a region.

use super::warp::{Split, State};
use crate::fault::FaultKind;

/// A fault without location: its kind, and the lane if it is not the first active one.
#[derive(Debug)]
pub(crate) struct PendingFault {
    pub(crate) kind: FaultKind,
    pub(crate) lane: Option<usize>,
}

/// The result of a step of an instruction's execution, which may have a fault.
pub(crate) type Done<T = ()> = Result<T, Box<PendingFault>>;

/// How a split continues after an instruction, which may have a fault.
pub(super) type Next = Done<Flow>;

/// A fault of a lane.
pub(crate) fn fault_at<T>(lane: usize, kind: FaultKind) -> Done<T> {
    Err(Box::new(PendingFault { kind, lane: Some(lane) }))
}

/// The fault of a lane whose operand is not valid.
pub(crate) fn bad_operand<T>(lane: usize, what: impl Into<String>) -> Done<T> {
    fault_at(lane, FaultKind::BadOperand(what.into()))
}

/// A fault of all active lanes.
pub(crate) fn fault_of_all<T>(kind: FaultKind) -> Done<T> {
    Err(Box::new(PendingFault { kind, lane: None }))
}

/// A fault and the split in which it occurred.
pub(crate) struct At {
    pub(crate) split: Split,
    pub(crate) pending: Box<PendingFault>,
}

/// How a split continues after an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    /// The split continues at its program counter.
    Continues,
    /// The split continues, but its lanes may have diverged, and others may run first.
    Diverges,
    /// The split has executed the instructions of its turn (its time slice). It can continue after
    /// the other splits of the warp have had a turn.
    Pauses,
    /// The split waits before a fetch or surface access for the other warps of its CTA.
    AtUnit,
    /// The turn of the split is over, and the split can continue only after other lanes or warps
    /// have run.
    Yields,
    /// The lanes have exited, wait at a reconvergence point, or belong to another split.
    Retired,
    /// The split waits for a condition.
    Waits(State),
    /// A debugger stops the split before an instruction.
    Stops,
}

/// Result of a turn of a warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// The budget is used up, or all splits that can run have yielded.
    Over,
    /// All lanes have exited.
    Done,
    /// All lanes wait for something outside the warp, or a barrier is complete.
    Blocked,
    /// The warp waits before a fetch or surface access ([`Flow::AtUnit`]).
    AtUnit,
    /// A debugger has stopped the warp within its turn.
    Stopped,
}

/// Why a split has stopped in the inner loop, in a region, or in the middle loop around both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// Before an instruction that the outer loop has to execute.
    Instruction,
    /// At an instruction that may be an entry of a region: after leaving a region, or at the target
    /// of a backward jump.
    Elsewhere,
    /// The turn of the split is over, because its limit of steps has been reached.
    Over,
}

/// State of an interrupted turn of a warp, which continues with the first of its splits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Resume {
    /// Step at which the turn of the split ends.
    pub(super) limit: u64,
    /// Whether the turn of the split has ended.
    pub(super) over: bool,
    /// Mask of the lanes that have yielded in this turn.
    pub(super) yielded: u32,
}

/// Result of a turn of a CTA.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CtaTurn {
    /// A debugger has stopped the CTA within its turn.
    Stopped,
    /// All warps have had their turns.
    Over,
    /// All threads have exited, or the launch was ended by another CTA.
    Ended,
}
