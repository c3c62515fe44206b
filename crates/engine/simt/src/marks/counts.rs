//! Execution counts of basic blocks and branches, for
//! [`Events::COUNTS`](crate::code::Events::COUNTS).
//!
//! Counting every block of every loop by callbacks would be slow. Instead, operations in the marked
//! code add active lanes to counters of the worker, and probes receive the totals
//! ([`Probe::counted`](crate::observe::Probe::counted)). The counted items are edges of the
//! control-flow graph, each at its source: lanes that reach a branch and lanes that take it, lanes
//! that fall through into a block, and lanes that enter a function. The count of a block is the sum
//! over its incoming edges, so that a loop iteration costs one increment.

use crate::code::{Code, Inst, Op, Slot};
use crate::flow::FunctionCode;
use std::collections::HashMap;
use std::ops::Range;

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

    /// Inserts the counting operation `counts` before operation `op`, for the lanes where `guard`
    /// holds.
    pub(super) fn count_before(&mut self, op: u32, inst: &Inst, counts: Op, guard: Slot) {
        let counts = Inst { op: counts, guard, count: 0, span: inst.span };
        self.before.entry(op).or_default().push(counts);
    }

    /// Inserts the counting operation `counts` after operation `op`.
    pub(super) fn count_after(&mut self, op: u32, inst: &Inst, counts: Op) {
        let counts = Inst { op: counts, guard: Slot::TRUE, count: 0, span: inst.span };
        self.after.entry(op).or_default().push(counts);
    }

    /// The counting operations before and after an operation.
    pub(super) fn beside(&self, op: u32) -> [&[Inst]; 2] {
        [&self.before, &self.after].map(|all| all.get(&op).map_or(&[][..], |insts| insts))
    }
}

/// The counters of a program's code, and the blocks and branches that are computed from them.
#[derive(Clone, Debug, Default)]
pub struct BlockCounters {
    pub(super) counters: Counters,
    blocks: Vec<CountedBlock>,
    branches: Vec<CountedBranch>,
}

/// A sum of counters, with signs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LaneCount {
    plus: Vec<u32>,
    minus: Vec<u32>,
}

/// A basic block ([`Listing::blocks`](crate::observe::Listing::blocks)) and its count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountedBlock {
    /// The block's operations.
    pub operations: Range<u32>,
    /// Number of lanes that entered the block.
    pub lanes: LaneCount,
}

/// A `bra`, a `brx`, or a guarded exit or return, and the counts of its edges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountedBranch {
    /// Number of the operation.
    pub op: u32,
    /// Lanes for each outgoing edge: first those that take the branch, then those that fall
    /// through. For a `brx`: lanes for each distinct target, in the order of the target list.
    pub edges: Vec<LaneCount>,
}

impl LaneCount {
    /// The empty sum, for a block without incoming edges.
    pub const NONE: Self = Self { plus: Vec::new(), minus: Vec::new() };

    /// The value of the sum for given counters.
    pub fn of(&self, counts: &[u64]) -> u64 {
        let sum = |counters: &[u32]| {
            let counts = counters.iter().filter_map(|&i| counts.get(i as usize));
            counts.fold(0_u64, |sum, &n| sum.wrapping_add(n))
        };
        sum(&self.plus).wrapping_sub(sum(&self.minus))
    }

    /// The added counters and the subtracted ones.
    pub fn counters(&self) -> (&[u32], &[u32]) {
        (&self.plus, &self.minus)
    }

    fn counter(counter: u32) -> Self {
        Self { plus: vec![counter], minus: Vec::new() }
    }

    /// Lanes that reach a guarded operation and for which the guard does not hold.
    fn unless_guard(counter: u32) -> Self {
        Self { plus: vec![counter], minus: vec![counter + 1] }
    }

    fn add(&mut self, other: &LaneCount) {
        self.plus.extend_from_slice(&other.plus);
        self.minus.extend_from_slice(&other.minus);
    }
}

impl BlockCounters {
    /// Number of counters.
    pub fn counters(&self) -> usize {
        self.counters.len
    }

    /// All blocks, in code order.
    pub fn blocks(&self) -> &[CountedBlock] {
        &self.blocks
    }

    /// All conditional branches of the PTX, in code order.
    pub fn branches(&self) -> &[CountedBranch] {
        &self.branches
    }

    /// Assigns the counters of a program's code. The first counters are those of the function
    /// entries, in order.
    pub(crate) fn of(code: &Code) -> Self {
        let mut counting = Self::default();
        counting.counters.add(code.funcs.len());
        for (number, function) in FunctionCode::all(code) {
            counting.function(&function, number as u32);
        }
        counting
    }

    fn function(&mut self, code: &FunctionCode<'_>, number: u32) {
        let (ops, blocks) = (code.range(), code.blocks());
        let mut lanes = vec![LaneCount::NONE; blocks.len()];
        // A branch target outside the function is not a block of it.
        let block = |op: u32| blocks.binary_search_by_key(&op, |block| block.start).ok();
        let lead = |lanes: &mut Vec<LaneCount>, to: u32, sum: &LaneCount| {
            block(to).into_iter().for_each(|i| lanes[i].add(sum));
        };
        lead(&mut lanes, code.first, &LaneCount::counter(number));
        for (op, inst) in ops.zip(code.insts) {
            let guarded = inst.guard != Slot::TRUE;
            let mut edges = Vec::new();
            let (counters, others) = (&mut self.counters, usize::from(guarded));
            // The first counter has the lanes that reach the operation; if it is guarded, the next
            // one has those for which the guard holds.
            let first = match &inst.op {
                Op::Branch { target, .. } => {
                    let first = counters.add(1 + others);
                    let taken = LaneCount::counter(first + others as u32);
                    lead(&mut lanes, *target, &taken);
                    edges.extend(guarded.then_some(taken));
                    first
                }
                Op::Exit | Op::Return if guarded => {
                    let first = counters.add(2);
                    edges.push(LaneCount::counter(first + 1));
                    first
                }
                Op::Exit | Op::Return => continue,
                Op::Trap if !guarded => continue,
                Op::BranchIndexed { targets, .. } => {
                    let first = counters.add(targets.len() + 2 * others);
                    let mut named: Vec<u32> = Vec::new();
                    for (counter, &target) in (first + 2 * others as u32..).zip(targets) {
                        let taken = LaneCount::counter(counter);
                        lead(&mut lanes, target, &taken);
                        match named.iter().position(|&t| t == target) {
                            Some(way) => edges[way].add(&taken),
                            None => (named.push(target), edges.push(taken)).0,
                        }
                    }
                    first
                }
                _ if block(op + 1).is_some() => {
                    // The lanes that fall through into the next block have a counter of their own.
                    let counter = counters.add(1);
                    lead(&mut lanes, op + 1, &LaneCount::counter(counter));
                    counters.count_after(op, inst, Op::Count { counter, of: Slot::TRUE });
                    continue;
                }
                _ => continue,
            };
            let indices = match &inst.op {
                Op::BranchIndexed { index, targets, .. } => Some((*index, targets.len() as u32)),
                _ => None,
            };
            if guarded || indices.is_none() {
                let counts = Op::Count { counter: first, of: inst.guard };
                counters.count_before(op, inst, counts, Slot::TRUE);
            }
            if let Some((index, targets)) = indices {
                let counter = first + 2 * others as u32;
                let counts = Op::CountIndexed { counter, index, targets };
                counters.count_before(op, inst, counts, inst.guard);
            }
            if guarded {
                lead(&mut lanes, op + 1, &LaneCount::unless_guard(first));
                edges.push(LaneCount::unless_guard(first));
            }
            if inst.count != 0 && !edges.is_empty() {
                self.branches.push(CountedBranch { op, edges });
            }
        }
        let counted = |(operations, lanes)| CountedBlock { operations, lanes };
        self.blocks.extend(blocks.into_iter().zip(lanes).map(counted));
    }
}
