//! The limits with which a warp enters a region, and the record of its exit.

use crate::machine::Entry;
use crate::{B32, B64};

/// Why a region exited before the instruction `at` ([`Exit::at`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitReason {
    /// The instruction at `at` is not compiled, or not for these operands.
    Instruction,
    /// The access at `at` missed the allocation of its site. [`crate::region::Function::fill`] sets
    /// the site to another allocation.
    Site(u32),
    /// The branch at `at` diverges, and the function has no code for it, or no room for another
    /// group.
    Diverges,
    /// The lanes have arrived at `at`, where the caller's group reconverges.
    Reconverges,
    /// The budget of steps is used up; `at` is the target of a backward jump.
    Limit,
    /// Control left the region; it continues at `at`.
    Outside,
    /// The warp waits at the yield point `at` ([`crate::region::End::Yield`]) and can resume after
    /// it. To continue elsewhere it must exit first ([`Resume::Exit`]).
    Yield,
}

/// Compiled code stores a reason as a number: three bits for the variant, and the site above them.
impl ExitReason {
    pub(crate) fn code(self) -> i32 {
        match self {
            Self::Instruction => 0,
            Self::Site(site) => 1 | (site << 3) as i32,
            Self::Diverges => 2,
            Self::Reconverges => 3,
            Self::Limit => 4,
            Self::Outside => 5,
            Self::Yield => 6,
        }
    }

    #[inline(always)]
    pub(crate) fn of_code(code: u32) -> Self {
        match code & 7 {
            0 => Self::Instruction,
            1 => Self::Site(code >> 3),
            2 => Self::Diverges,
            3 => Self::Reconverges,
            4 => Self::Limit,
            5 => Self::Outside,
            _ => Self::Yield,
        }
    }
}

/// The exit record of a warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exit {
    /// The next instruction, of which no part has been executed or counted.
    pub at: u32,
    /// Why the warp exited.
    pub why: ExitReason,
    /// The number of executed instructions.
    pub steps: u64,
    /// Sum over the executed instructions of the lanes that executed each.
    pub threads: u64,
    /// The number of atomics that the warp may still execute in its turn.
    pub atomics_left: u32,
    /// The number of instructions executed up to and including the last atomic; 0 if none was
    /// executed.
    pub last_atomic: u64,
    /// The active mask at `at`.
    pub mask: u32,
    /// Whether other lanes are pending or wait at a reconvergence point
    /// ([`crate::region::Running::diverged_lanes`]).
    pub diverged: bool,
    /// The step count at which the active lanes' turn ends: [`WarpStart::limit`], or less after a
    /// divergence.
    pub limit: u64,
}

/// The first number of steps in a turn of diverged lanes while other lanes could run: a side of a
/// branch runs to its next backward jump. So lanes that a conditional `break` or `return` in a loop
/// has separated (their immediate post-dominator is behind the loop) meet again at the head of the
/// loop. The number doubles with each turn, until sides meet.
pub const FIRST_TURN: u64 = 1;

/// Limits of the turns of diverged lanes, as step counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DivergenceLimits {
    /// The step count at which every turn ends.
    pub end: u64,
    /// The number of steps in a turn of diverged lanes, if all other lanes of the warp wait for
    /// them.
    pub turn: u64,
    /// The number of steps in a turn of diverged lanes while other lanes could run, from
    /// [`FIRST_TURN`] to `turn`.
    pub shared_turn: u64,
    /// How many steps lanes may wait at a reconvergence point before the caller chooses which lanes
    /// run next.
    pub wait_limit: u64,
    /// The step count from which on the caller chooses which lanes run next in any case.
    pub patience: u64,
}

/// The start state of a warp in a [`crate::region::WarpTable`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WarpStart {
    /// The warp number that is passed to listeners.
    pub index: u32,
    /// The active mask.
    pub mask: u32,
    /// The mask of live lanes.
    pub live: u32,
    /// The step count from which on the warp exits at a backward jump.
    pub limit: u64,
    /// The step count from which on the warp exits at a backward jump after its lanes have diverged
    /// and reconverged.
    pub end: u64,
    /// The number of atomics that may execute in the current turn; the warp exits before the next
    /// atomic.
    pub atomics: u32,
    /// The number of atomics that may execute in each later turn. A turn ends at a barrier that the
    /// code releases, and where [`crate::region::Passed::ends_turns`] says so.
    pub turn_atomics: u32,
}

/// Where the warps of a table start or resume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resume {
    /// The warps start at an entry of the function. The entry must have the mode of the table.
    Entry(Entry),
    /// The warps start at the address where the previous run of the table started.
    Previous,
    /// Warps that wait at the yield point of this instruction ([`crate::region::End::Yield`]) do
    /// not resume, but exit before it.
    Exit(u32),
}

/// The number of slots in a [`crate::region::WarpTable`].
pub const MAX_WARPS: usize = 32;

/// The register files of a warp in a table, which the runtime reads and writes at a yield point.
#[derive(Debug)]
pub struct RegisterFiles<'a> {
    /// Registers of 32-bit lanes.
    pub narrow: &'a mut [B32],
    /// Registers of 64-bit lanes.
    pub wide: &'a mut [B64],
    /// Predicate registers: one bit for each lane.
    pub predicates: &'a mut [u32],
}
