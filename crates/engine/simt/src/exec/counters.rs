//! Counters of a worker. The instructions of warps and threads are counted here, whether the
//! interpreter executes them one by one, or the inner loop and compiled regions many at a time.

use super::warp::{Warp, count};
use crate::code::Slot;
use crate::stats::LaunchStats;
use std::cell::Cell;

/// Counters of a worker that become part of the launch statistics.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counters {
    pub(crate) executed: Done,
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

    /// The statistics of a launch, as far as they are counters.
    pub(crate) fn stats(&self) -> LaunchStats {
        let &Self { executed, fetches, surface_accesses, divisions_by_zero, past_end } = self;
        let Done { warp_instructions, thread_instructions } = executed;
        LaunchStats {
            warp_instructions,
            thread_instructions,
            fetches,
            surface_accesses,
            divisions_by_zero,
            past_end,
            ..LaunchStats::default()
        }
    }
}

/// Numbers of executed instructions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Done {
    pub(crate) warp_instructions: u64,
    pub(crate) thread_instructions: u64,
}

impl Done {
    pub(super) fn of(warp_instructions: u64, thread_instructions: u64) -> Self {
        Self { warp_instructions, thread_instructions }
    }

    /// Counts `steps` instructions of a warp, which are `threads` instructions of its threads.
    #[inline(always)]
    pub(super) fn count(&mut self, warp: &mut Warp, steps: u64, threads: u64) {
        warp.steps += steps;
        self.warp_instructions += steps;
        self.thread_instructions += threads;
    }

    /// Counts `steps` instructions of a warp with the same active mask.
    #[inline(always)]
    pub(super) fn count_lanes(&mut self, warp: &mut Warp, steps: u64, lanes: u32) {
        self.count(warp, steps, steps * count(lanes));
    }

    #[inline(always)]
    pub(super) fn add(&mut self, other: Self) {
        self.warp_instructions += other.warp_instructions;
        self.thread_instructions += other.thread_instructions;
    }
}

/// A worker's counters of blocks and branches (`marks::counts`); empty if no observer wants them.
#[derive(Debug, Default)]
pub(crate) struct Counts(Vec<Cell<u64>>);

impl Counts {
    pub(super) fn new(count: usize) -> Self {
        Self(vec![Cell::new(0); count])
    }

    /// The counters for compiled regions, which increment them directly.
    #[inline(always)]
    pub(super) fn cells(&self) -> &[Cell<u64>] {
        &self.0
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds the active lanes to a counter and, unless the predicate is always true, the lanes where
    /// it holds to the next counter.
    #[inline(always)]
    pub(super) fn add(&self, (counter, of): (u32, Slot), lanes: u32, those: u32) {
        let all = count(lanes);
        self.enter(counter, all);
        if of != Slot::TRUE {
            let those = lanes & those;
            self.enter(counter + 1, if those == lanes { all } else { count(those) });
        }
    }

    /// Counts a warp and, unless the predicate is always true, at the next counter whether the
    /// predicate diverges.
    #[inline(always)]
    pub(super) fn issue(&self, (counter, of): (u32, Slot), lanes: u32, those: u32) {
        self.enter(counter, u64::from(lanes != 0));
        if of != Slot::TRUE {
            let those = lanes & those;
            self.enter(counter + 1, u64::from(those != 0 && those != lanes));
        }
    }

    /// Adds lanes to a counter. The first counters are those of function entries.
    #[inline(always)]
    pub(super) fn enter(&self, counter: u32, lanes: u64) {
        if let Some(count) = self.0.get(counter as usize) {
            count.set(count.get() + lanes);
        }
    }

    /// Returns all counters and resets them.
    pub(super) fn take(&mut self) -> Vec<u64> {
        self.0.iter().map(Cell::take).collect()
    }
}
