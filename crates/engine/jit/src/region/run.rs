//! The budget with which a region is entered, and the record with which it exits.

use crate::machine::Entry;
use crate::{B32, B64};

/// Why a region exited. `at` is [`Exit::at`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitReason {
    /// The instruction at `at` is not compiled, or not for these operands.
    Instruction,
    /// The access at `at` missed the allocation of its site; [`crate::region::Function::fill`] changes the site.
    Site(u32),
    /// The branch at `at` diverges in a way that the function has no code or no room for.
    Diverges,
    /// The lanes have arrived at `at`, where the caller's group reconverges.
    Reconverges,
    /// The budget of steps is used up; `at` is the target of a backward jump.
    Limit,
    /// Control left the region; it continues at `at`.
    Outside,
    /// The warp waits at the yield point `at` ([`crate::region::End::Yield`]) and can resume after it. To continue in another
    /// way it must exit first ([`Resume::Exit`]).
    Yield,
}

/// The codes by which compiled code stores a reason: three bits, and the site above them.
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

/// How a warp exited from a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exit {
    /// The next instruction: no part of it has been executed or counted.
    pub at: u32,
    /// Why it exited.
    pub why: ExitReason,
    /// Executed instructions.
    pub steps: u64,
    /// Sum over these instructions of the lanes that executed each.
    pub threads: u64,
    /// Atomics among the executed instructions.
    pub atomics: u32,
    /// The value of `steps` directly after the last atomic.
    pub last_atomic: u64,
    /// Active lanes at `at`.
    pub mask: u32,
    /// Whether others stand or wait elsewhere ([`crate::region::Running::diverged_lanes`]).
    pub diverged: bool,
    /// The step count at which the turn of the active lanes ends: [`Budget::steps`], or less after a divergence.
    pub limit: u64,
}

/// How long diverged lanes run before another side gets its turn, in counts of steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DivergenceLimits {
    /// No turn of any lanes goes beyond this count.
    pub end: u64,
    /// Length of a turn of diverged lanes.
    pub turn: u64,
    /// How long a group may wait for its lanes before the caller chooses who runs next.
    pub wait_limit: u64,
    /// The count from which on the caller chooses who runs next in any case.
    pub patience: u64,
}

/// How far a region may run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// The step count from which on the region exits at a backward jump.
    pub steps: u64,
    /// The instruction at which the caller's group reconverges; [`u32::MAX`]: none.
    pub reconverge_at: u32,
    /// How many atomics may execute; the region exits before one more.
    pub atomics: u32,
    /// Turns of diverged lanes.
    pub divergence: DivergenceLimits,
}

/// Memory of a warp.
#[derive(Debug)]
pub struct Memory<'a> {
    /// Shared memory of the CTA. No other thread uses it during the run.
    pub shared: &'a mut [u8],
    /// Local memory, interleaved: a register of 32 lanes for every 4 bytes.
    pub local: &'a mut [B32],
    /// The byte range of the running function's frame in local memory.
    pub frame: std::ops::Range<u64>,
}

/// A warp as it enters a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Start {
    /// The number that listeners are told.
    pub index: u32,
    /// Active lanes.
    pub mask: u32,
    /// Live lanes.
    pub live: u32,
    /// The step count from which on the warp exits at a backward jump.
    pub limit: u64,
    /// The step count from which on the warp exits so once its lanes have diverged and reconverged.
    pub end: u64,
    /// How many atomics may execute; the warp exits before one more.
    pub atomics: u32,
}

/// Where the warps of a table resume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resume {
    /// At an entry of the function, which has the mode of the table.
    Entry(Entry),
    /// Where the warps before them in the table have resumed.
    There,
    /// Nowhere: warps that yielded at this instruction ([`crate::region::End::Yield`]) exit before it.
    Exit(u32),
}

/// Slots of a [`crate::region::WarpTable`].
pub const MAX_WARPS: usize = 32;

/// The register files of a warp in a table, for the runtime to read and write at a yield point.
#[derive(Debug)]
pub struct RegisterFiles<'a> {
    /// Registers of 32-bit lanes.
    pub narrow: &'a mut [B32],
    /// Registers of 64-bit lanes.
    pub wide: &'a mut [B64],
    /// Predicate registers: one bit for each lane.
    pub predicates: &'a mut [u32],
}
