//! How often lanes come to blocks and take branches, counted by the executor itself.
//!
//! Counting is the one thing that observers want of every block of every loop, so nobody is called for it: operations
//! of their own in the marked code add lanes to the counters of a worker, and probes get the sums
//! ([`Probe::counted`](super::Probe::counted)). Counted are the ways between blocks, each once, where one ends: the
//! lanes that come to a branch and those that take it, those that go on into a block from the one above it, and those
//! that begin a function. What blocks have is the sum of the ways that lead to them, so that a loop pays once a turn.

use crate::code::{Code, Op, Slot};
use crate::flow::FunctionCode;
use std::collections::BTreeMap;
use std::ops::Range;

/// What the counters of a program's code are.
#[derive(Clone, Debug, Default)]
pub struct Counting {
    len: usize,
    blocks: Vec<CountedBlock>,
    branches: Vec<CountedBranch>,
    /// What is counted at each operation, if something is.
    places: BTreeMap<u32, Counted>,
}

/// A sum of counters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sum {
    plus: Vec<u32>,
    minus: Vec<u32>,
}

/// A block, as of [`Listing::blocks`](super::Listing::blocks).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountedBlock {
    /// Its operations.
    pub operations: Range<u32>,
    /// Lanes that come to it.
    pub lanes: Sum,
}

/// A `bra`, `brx`, or an exit or return with a guard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountedBranch {
    /// The operation.
    pub op: u32,
    /// Lanes of each of its ways: those that take it, then those that do not; of a `brx` those of each of its targets,
    /// in the order in which its list names them first.
    pub ways: Vec<Sum>,
}

/// What is counted at an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Counted {
    /// Before it: lanes that come, at this counter; with a guard also lanes that it lets through, at the next.
    Before(u32),
    /// Before a `brx`: lanes by index, from this counter on; with a guard from the next but one, behind those of
    /// [`Self::Before`].
    Indexed(u32),
    /// Behind it: lanes that go on into the next block.
    Behind(u32),
}

impl Counted {
    /// Whether it counts behind the operation.
    pub(crate) fn is_behind(self) -> bool {
        matches!(self, Self::Behind(_))
    }
}

impl Sum {
    /// A sum without counters: nothing leads there.
    pub const NONE: Self = Self { plus: Vec::new(), minus: Vec::new() };

    /// Its value.
    pub fn of(&self, counts: &[u64]) -> u64 {
        let sum = |counters: &[u32]| {
            let counts = counters.iter().filter_map(|&i| counts.get(i as usize));
            counts.fold(0_u64, |sum, &n| sum.wrapping_add(n))
        };
        sum(&self.plus).wrapping_sub(sum(&self.minus))
    }

    /// The counters that are added, and those that are subtracted.
    pub fn counters(&self) -> (&[u32], &[u32]) {
        (&self.plus, &self.minus)
    }

    fn counter(counter: u32) -> Self {
        Self { plus: vec![counter], minus: Vec::new() }
    }

    /// What has come to a guard, but for what it has let through.
    fn others(counter: u32) -> Self {
        Self { plus: vec![counter], minus: vec![counter + 1] }
    }

    fn add(&mut self, other: &Sum) {
        self.plus.extend_from_slice(&other.plus);
        self.minus.extend_from_slice(&other.minus);
    }
}

impl Counting {
    /// How many counters there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none: the code has no functions.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// All blocks, in the order of the code.
    pub fn blocks(&self) -> &[CountedBlock] {
        &self.blocks
    }

    /// All branches of the PTX that lanes may take or not, in the order of the code.
    pub fn branches(&self) -> &[CountedBranch] {
        &self.branches
    }

    /// What is counted at an operation.
    pub(crate) fn at(&self, op: u32) -> Option<Counted> {
        self.places.get(&op).copied()
    }

    /// The counters of a code. The first ones are the beginnings of its functions, in their order.
    pub(crate) fn of(code: &Code) -> Self {
        let mut counting = Self { len: code.funcs.len(), ..Self::default() };
        for number in 0..code.funcs.len() {
            let function = FunctionCode::new(code, number);
            if let Some(function) = function.filter(|function| !function.insts.is_empty()) {
                counting.function(&function, number as u32);
            }
        }
        counting
    }

    fn counters(&mut self, count: usize) -> u32 {
        let first = self.len as u32;
        self.len += count;
        first
    }

    fn function(&mut self, code: &FunctionCode<'_>, number: u32) {
        let ops = code.first..code.first + code.insts.len() as u32;
        let starts = code.starts();
        let mut lanes = vec![Sum::NONE; starts.len()];
        // A jump out of the function leads to no block of it.
        let block = |op: u32| starts.binary_search(&op).ok();
        let lead = |lanes: &mut Vec<Sum>, to: u32, sum: &Sum| {
            block(to).into_iter().for_each(|i| lanes[i].add(sum));
        };
        lead(&mut lanes, ops.start, &Sum::counter(number));
        for (op, inst) in ops.clone().zip(code.insts) {
            let guarded = inst.guard != Slot::TRUE;
            let mut ways = Vec::new();
            let counted = match &inst.op {
                Op::Branch { target, .. } => {
                    let first = self.counters(1 + usize::from(guarded));
                    let taken = Sum::counter(first + u32::from(guarded));
                    lead(&mut lanes, *target, &taken);
                    ways.extend(guarded.then_some(taken));
                    Counted::Before(first)
                }
                Op::Exit | Op::Return if guarded => {
                    let first = self.counters(2);
                    ways.push(Sum::counter(first + 1));
                    Counted::Before(first)
                }
                Op::Exit | Op::Return => continue,
                Op::Trap if !guarded => continue,
                Op::BranchIndexed { targets, .. } => {
                    let first = self.counters(targets.len() + 2 * usize::from(guarded));
                    let indexed = first + 2 * u32::from(guarded);
                    let mut named: Vec<u32> = Vec::new();
                    for (counter, &target) in (indexed..).zip(targets) {
                        let taken = Sum::counter(counter);
                        lead(&mut lanes, target, &taken);
                        match named.iter().position(|&t| t == target) {
                            Some(way) => ways[way].add(&taken),
                            None => (named.push(target), ways.push(taken)).0,
                        }
                    }
                    Counted::Indexed(first)
                }
                _ if block(op + 1).is_some() => {
                    let counter = self.counters(1);
                    lead(&mut lanes, op + 1, &Sum::counter(counter));
                    Counted::Behind(counter)
                }
                _ => continue,
            };
            if let (true, Counted::Before(first) | Counted::Indexed(first)) = (guarded, counted) {
                lead(&mut lanes, op + 1, &Sum::others(first));
                ways.push(Sum::others(first));
            }
            if inst.count != 0 && !ways.is_empty() {
                self.branches.push(CountedBranch { op, ways });
            }
            self.places.insert(op, counted);
        }
        let ends = starts.iter().skip(1).copied().chain([ops.end]);
        let blocks = starts.iter().copied().zip(ends).zip(lanes);
        self.blocks.extend(
            blocks.map(|((start, end), lanes)| CountedBlock { operations: start..end, lanes }),
        );
    }
}
