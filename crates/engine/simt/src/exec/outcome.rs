//! What comes of running: of an instruction, of a split, of its turn, of the loop and of a region.

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
    /// It goes on, at its program counter.
    Goes,
    /// It goes on too, but its lanes may have parted, and others may go first.
    Parts,
    /// Its turn is over.
    Pauses,
    /// It stands before a fetch or an access to a surface, for which it waits for the other warps of its CTA.
    AtUnit,
    /// Its turn is over, and it can do nothing until others have done something, of its warp or of another.
    Yields,
    /// Its lanes have exited, wait in a group or belong to another split.
    Gone,
    /// It waits.
    Waits(State),
    /// A debugger stops it before an instruction: as if it had not come there yet.
    Stops,
}

/// What came of a turn of a warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// The budget is used up, or all that can run has let others go first.
    Over,
    /// All lanes have exited.
    Executed,
    /// All lanes wait for something outside the warp, or a barrier is complete.
    Blocked,
    /// It stands before a fetch or an access to a surface ([`Flow::AtUnit`]).
    AtUnit,
    /// A debugger has stopped it in the middle of its turn.
    Stopped,
}

/// Why lanes have stopped that run together: in the inner loop, in a region, or in the loop of both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// Before an instruction that somebody else executes.
    Instruction,
    /// At a place from which other code may go on: outside a region, or where a jump back leads.
    Elsewhere,
    /// Their turn is over.
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
