//! How often warps issue instructions: counters behind those of [`Counting`], for [`Events::ISSUES`](super::Events::ISSUES).
//!
//! Lanes alone do not say how often a warp has come by, as lanes that have parted come more than once, and lanes that meet
//! again come together. So each *stretch* of code, in which lanes neither part nor meet, has a counter of the warps that
//! reach its end. A block is a stretch, but for calls (lanes may return apart from each other) and for instructions that
//! lanes wait for each other at, which end one. Where a branch has a guard, a second counter has how often it divides the
//! lanes. Every other instruction with a guard has counters of the lanes that come and of those that it lets through.

use super::Counting;
use crate::code::{Code, Inst, Op, Slot};
use crate::flow::FunctionCode;
use std::collections::BTreeMap;
use std::ops::Range;

/// What the counters behind those of blocks and branches are.
#[derive(Clone, Debug, Default)]
pub struct Issues {
    len: usize,
    stretches: Vec<Stretch>,
    guards: BTreeMap<u32, u32>,
    divided: BTreeMap<u32, u32>,
    /// Operations that are put before, and behind, another one.
    before: BTreeMap<u32, Vec<Inst>>,
    behind: BTreeMap<u32, Inst>,
}

/// Operations that a warp comes to together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// The operations.
    pub operations: Range<u32>,
    /// The counter of the warps that reach its end.
    pub counter: u32,
}

impl Issues {
    /// How many counters there are, those of [`Counting`] included.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// All stretches, in the order of the code.
    pub fn stretches(&self) -> &[Stretch] {
        &self.stretches
    }

    /// The counter of the lanes that come to an instruction with a guard that is not a branch; the next one has those that take
    /// part in it.
    pub fn guard(&self, op: u32) -> Option<u32> {
        self.guards.get(&op).copied()
    }

    /// The counter of how often a branch has divided a warp.
    pub fn divided(&self, op: u32) -> Option<u32> {
        self.divided.get(&op).copied()
    }

    /// What counts before an operation.
    pub(super) fn before(&self, op: u32) -> impl Iterator<Item = Inst> {
        self.before.get(&op).into_iter().flatten().cloned()
    }

    /// What counts behind it.
    pub(super) fn behind(&self, op: u32) -> Option<Inst> {
        self.behind.get(&op).cloned()
    }

    /// The counters of a code, behind these.
    pub(crate) fn of(code: &Code, counting: &Counting) -> Self {
        let mut issues = Self { len: counting.len(), ..Self::default() };
        for number in 0..code.funcs.len() {
            let function = FunctionCode::new(code, number);
            if let Some(function) = function.filter(|function| !function.insts.is_empty()) {
                issues.function(&function, counting);
            }
        }
        issues
    }

    fn counters(&mut self, count: usize) -> u32 {
        let first = self.len as u32;
        self.len += count;
        first
    }

    fn function(&mut self, code: &FunctionCode<'_>, counting: &Counting) {
        let end = code.first + code.insts.len() as u32;
        let starts = code.starts();
        let mut begin = code.first;
        for (op, inst) in (code.first..end).zip(code.insts) {
            let is_guarded = inst.guard != Slot::TRUE;
            if is_guarded && counting.at(op).is_none_or(|counted| counted.is_behind()) {
                let counter = self.counters(2);
                self.guards.insert(op, counter);
                self.put_before(op, inst, Op::Count { counter, of: inst.guard });
            }
            if op > begin && waits(&inst.op) {
                self.ends(&mut begin, op, inst, Slot::TRUE);
            }
            let is_last = starts.binary_search(&(op + 1)).is_ok() || op + 1 == end;
            match &inst.op {
                Op::Branch { .. } => {
                    let counter = self.ends(&mut begin, op + 1, inst, inst.guard);
                    if is_guarded {
                        self.divided.insert(op, counter + 1);
                    }
                }
                Op::BranchIndexed { index, targets, .. } => {
                    self.ends(&mut begin, op + 1, inst, Slot::TRUE);
                    let counter = self.counters(1);
                    let (of, targets) = (inst.guard, targets.clone());
                    let counts = Op::IssueIndexed { counter, of, index: *index, targets };
                    self.put_before(op, inst, counts);
                    self.divided.insert(op, counter);
                }
                Op::Exit | Op::Return => {
                    let counter = self.ends(&mut begin, op + 1, inst, inst.guard);
                    if is_guarded {
                        self.divided.insert(op, counter + 1);
                    }
                }
                Op::Trap | Op::Call(_) => drop(self.ends(&mut begin, op + 1, inst, Slot::TRUE)),
                _ if is_last => {
                    let counter = self.counters(1);
                    self.stretches.push(Stretch { operations: begin..op + 1, counter });
                    self.behind.insert(op, helper(inst, Op::Issue { counter, of: Slot::TRUE }));
                    begin = op + 1;
                }
                _ => {}
            }
        }
    }

    /// A stretch ends before an operation, or with it if `to` is the next one, whose warps are counted before it.
    fn ends(&mut self, begin: &mut u32, to: u32, inst: &Inst, of: Slot) -> u32 {
        let counter = self.counters(1 + usize::from(of != Slot::TRUE));
        self.stretches.push(Stretch { operations: *begin..to, counter });
        let at = if waits(&inst.op) { to } else { to - 1 };
        self.put_before(at, inst, Op::Issue { counter, of });
        *begin = to;
        counter
    }

    fn put_before(&mut self, op: u32, inst: &Inst, counts: Op) {
        self.before.entry(op).or_default().push(helper(inst, counts));
    }
}

/// Whether lanes that have parted may meet at it.
fn waits(op: &Op) -> bool {
    matches!(op, Op::Barrier(_)) || op.members().is_some()
}

/// An operation beside another one that does not count as an instruction.
fn helper(inst: &Inst, op: Op) -> Inst {
    Inst { op, guard: Slot::TRUE, count: 0, span: inst.span }
}
