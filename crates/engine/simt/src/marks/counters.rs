//! Counters of marked code, and the operations that count in them.

use crate::code::{Inst, Op, Slot};
use std::collections::HashMap;

/// Operations to insert beside operations of the program, by number.
type Inserted = HashMap<u32, Vec<Inst>>;

/// Number of counters, and the counting operations before and after each operation of the program.
/// Branches to an operation skip those after the preceding one.
#[derive(Clone, Debug, Default)]
pub(super) struct Counters {
    pub(super) len: usize,
    before: Inserted,
    after: Inserted,
}

impl Counters {
    /// Adds counters; returns the first one.
    pub(super) fn add(&mut self, count: usize) -> u32 {
        let first = self.len as u32;
        self.len += count;
        first
    }

    /// Counts before operation `op`, in the lanes where `guard` holds.
    pub(super) fn count_before(&mut self, op: u32, inst: &Inst, counts: Op, guard: Slot) {
        let counts = Inst { op: counts, guard, count: 0, span: inst.span };
        self.before.entry(op).or_default().push(counts);
    }

    /// Counts after operation `op`.
    pub(super) fn count_after(&mut self, op: u32, inst: &Inst, counts: Op) {
        let counts = Inst { op: counts, guard: Slot::TRUE, count: 0, span: inst.span };
        self.after.entry(op).or_default().push(counts);
    }

    /// The counting operations before and after an operation.
    pub(super) fn beside(&self, op: u32) -> [&[Inst]; 2] {
        [&self.before, &self.after].map(|all| all.get(&op).map_or(&[][..], |insts| insts))
    }
}
