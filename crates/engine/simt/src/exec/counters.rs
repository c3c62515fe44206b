//! What a worker counts. Steps of warps, and instructions of their threads, are counted here and nowhere else, whoever
//! executes them: the interpreter one by one, its inner loop and compiled regions many at a time.

use super::warp::{self, Warp};

/// Counters of a worker.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counters {
    pub(crate) executed: Executed,
    pub(crate) fetches: u64,
    pub(crate) surface_accesses: u64,
    pub(crate) divisions_by_zero: u64,
    pub(crate) past_end: u64,
}

impl Counters {
    pub(crate) fn add(&mut self, other: &Counters) {
        self.executed.add(other.executed);
        self.fetches += other.fetches;
        self.surface_accesses += other.surface_accesses;
        self.divisions_by_zero += other.divisions_by_zero;
        self.past_end += other.past_end;
    }
}

/// Instructions that have been executed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Executed {
    pub(crate) warp_instructions: u64,
    pub(crate) thread_instructions: u64,
}

impl Executed {
    pub(super) fn of(warp_instructions: u64, thread_instructions: u64) -> Self {
        Self { warp_instructions, thread_instructions }
    }

    /// A warp has done so many steps, of which its threads have executed so many instructions.
    #[inline(always)]
    pub(super) fn count(&mut self, warp: &mut Warp, steps: u64, threads: u64) {
        warp.steps += steps;
        self.warp_instructions += steps;
        self.thread_instructions += threads;
    }

    /// A warp has done so many steps, each with all of these lanes.
    #[inline(always)]
    pub(super) fn count_lanes(&mut self, warp: &mut Warp, steps: u64, lanes: u32) {
        self.count(warp, steps, steps * warp::count(lanes));
    }

    #[inline(always)]
    pub(super) fn add(&mut self, other: Self) {
        self.warp_instructions += other.warp_instructions;
        self.thread_instructions += other.thread_instructions;
    }
}
