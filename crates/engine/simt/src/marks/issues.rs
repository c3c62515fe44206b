//! Numbers of instructions that warps issue, for
//! [`Events::ISSUES`](crate::code::Events::ISSUES). The counters are numbered after those of
//! [`BlockCounters`].
//!
//! Lane counts do not determine how often a warp issues an instruction, because diverged lanes
//! issue it several times, and reconverged lanes once. Therefore each *stretch* of code in which
//! the active mask cannot change has a counter of the warps that reach its end. A basic block is a
//! stretch, unless it is split by calls (whose lanes may return separately) or by instructions at
//! which lanes wait for each other. A guarded branch has a second counter of its divergent
//! executions. Every other guarded instruction has counters of the lanes that reach it and of those
//! for which the guard holds.

use super::counts::{BlockCounters, Counters};
use crate::code::{Code, Inst, Op, Slot};
use crate::flow::FunctionCode;
use std::collections::HashMap;
use std::ops::Range;

/// Issue counters of a program's code.
#[derive(Clone, Debug, Default)]
pub struct Issues {
    /// The counters, those of [`BlockCounters`] first.
    pub(super) counters: Counters,
    stretches: Vec<Stretch>,
    guards: HashMap<u32, u32>,
    divided: HashMap<u32, u32>,
}

/// A sequence of operations that a warp executes with the same active mask.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// The operations of the stretch.
    pub operations: Range<u32>,
    /// Counter of the warps that reach the end of the stretch.
    pub counter: u32,
}

impl Issues {
    /// Number of counters, including those of [`BlockCounters`].
    pub fn counters(&self) -> usize {
        self.counters.len
    }

    /// All stretches, in code order.
    pub fn stretches(&self) -> &[Stretch] {
        &self.stretches
    }

    /// Counter of the lanes that reach a guarded instruction other than a branch; the next counter
    /// has the lanes for which the guard holds.
    pub fn guard(&self, op: u32) -> Option<u32> {
        self.guards.get(&op).copied()
    }

    /// Counter of the divergent executions of a branch.
    pub fn divided(&self, op: u32) -> Option<u32> {
        self.divided.get(&op).copied()
    }

    /// Assigns the issue counters of a program's code, numbered after those of `counting`.
    pub(crate) fn of(code: &Code, counting: &BlockCounters) -> Self {
        let mut issues = Self { counters: counting.counters.clone(), ..Self::default() };
        FunctionCode::all(code).for_each(|(_, function)| issues.function(&function, counting));
        issues
    }

    fn function(&mut self, code: &FunctionCode<'_>, counting: &BlockCounters) {
        let Range { start: mut begin, end } = code.range();
        let starts = code.starts();
        for (op, inst) in code.range().zip(code.insts) {
            let is_guarded = inst.guard != Slot::TRUE;
            if is_guarded && counting.counters.beside(op)[0].is_empty() {
                let counter = self.counters.add(2);
                self.guards.insert(op, counter);
                let counts = Op::Count { counter, of: inst.guard };
                self.counters.count_before(op, inst, counts, Slot::TRUE);
            }
            if op > begin && waits(&inst.op) {
                self.ends(&mut begin, op, inst, Slot::TRUE);
            }
            let is_last = starts.binary_search(&(op + 1)).is_ok() || op + 1 == end;
            match &inst.op {
                Op::Branch { .. } | Op::Exit | Op::Return => {
                    let counter = self.ends(&mut begin, op + 1, inst, inst.guard);
                    if is_guarded {
                        self.divided.insert(op, counter + 1);
                    }
                }
                Op::BranchIndexed { index, targets, .. } => {
                    self.ends(&mut begin, op + 1, inst, Slot::TRUE);
                    let counter = self.counters.add(1);
                    let (of, targets) = (inst.guard, targets.clone());
                    let counts = Op::IssueIndexed { counter, of, index: *index, targets };
                    self.counters.count_before(op, inst, counts, Slot::TRUE);
                    self.divided.insert(op, counter);
                }
                Op::Trap | Op::Call(_) => drop(self.ends(&mut begin, op + 1, inst, Slot::TRUE)),
                _ if is_last => {
                    let counter = self.counters.add(1);
                    self.stretches.push(Stretch { operations: begin..op + 1, counter });
                    self.counters.count_after(op, inst, Op::Issue { counter, of: Slot::TRUE });
                    begin = op + 1;
                }
                _ => {}
            }
        }
    }

    /// Ends a stretch before operation `to`, or with the operation before `to`. The warps are
    /// counted before that last operation.
    fn ends(&mut self, begin: &mut u32, to: u32, inst: &Inst, of: Slot) -> u32 {
        let counter = self.counters.add(1 + usize::from(of != Slot::TRUE));
        self.stretches.push(Stretch { operations: *begin..to, counter });
        let at = if waits(&inst.op) { to } else { to - 1 };
        self.counters.count_before(at, inst, Op::Issue { counter, of }, Slot::TRUE);
        *begin = to;
        counter
    }
}

/// Whether diverged lanes may reconverge at an operation.
fn waits(op: &Op) -> bool {
    matches!(op, Op::Barrier(_)) || op.members().is_some()
}
