//! What a worker counts. Steps of warps, and instructions of their threads, are counted here and nowhere else, whoever
//! executes them: the interpreter one by one, its inner loop and compiled regions many at a time.

use super::warp::{self, Warp};
use crate::code::Slot;
use std::cell::Cell;

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

/// Counters of blocks and branches (`observe::counts`), of a worker: none, where nobody wants them.
#[derive(Debug, Default)]
pub(crate) struct Counts(Vec<Cell<u64>>);

impl Counts {
    pub(super) fn new(count: usize) -> Self {
        Self(vec![Cell::new(0); count])
    }

    /// For compiled regions, which count by themselves.
    #[inline(always)]
    pub(super) fn cells(&self) -> &[Cell<u64>] {
        &self.0
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Counts lanes at a counter, and those of a predicate at the next unless it is always true.
    #[inline(always)]
    pub(super) fn add(&self, (counter, of): (u32, Slot), lanes: u32, those: u32) {
        let all = number(lanes);
        self.enter(counter, all);
        if of != Slot::TRUE {
            let those = lanes & those;
            self.enter(counter + 1, if those == lanes { all } else { number(those) });
        }
    }

    /// Counts a warp that comes by, and at the next counter whether a predicate divides its lanes.
    #[inline(always)]
    pub(super) fn issue(&self, (counter, of): (u32, Slot), lanes: u32, those: u32) {
        self.enter(counter, u64::from(lanes != 0));
        if of != Slot::TRUE {
            let those = lanes & those;
            self.enter(counter + 1, u64::from(those != 0 && those != lanes));
        }
    }

    /// Counts so many lanes; the first counters are those of functions that begin.
    #[inline(always)]
    pub(super) fn enter(&self, counter: u32, lanes: u64) {
        if let Some(count) = self.0.get(counter as usize) {
            count.set(count.get() + lanes);
        }
    }

    /// All of them, which begin anew.
    pub(super) fn take(&mut self) -> Vec<u64> {
        self.0.iter().map(Cell::take).collect()
    }
}

/// How many lanes there are. Most often there are all or none, and counting bits is slow where no instruction does it.
#[inline(always)]
fn number(lanes: u32) -> u64 {
    match lanes {
        0 => 0,
        u32::MAX => 32,
        _ => lanes.count_ones().into(),
    }
}
