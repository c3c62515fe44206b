//! Groups of loads and stores with equal memory cost, and counters of those costs, for
//! [`Events::COSTS`](crate::code::Events::COSTS). The counters are numbered after those of
//! [`Issues`].
//!
//! Accesses of a basic block through the same base register have equal cost if their offsets differ
//! by whole sectors (by whole words in shared and local memory) and the active mask does not change
//! between them. The first of them is the *leader*; an observer is notified of the leader alone.
//! Compiled code adds up a leader's cost where that has a closed form
//! ([`texunit_jit::region::Cost`]), and notifies the observer otherwise.

use super::Issues;
use crate::code::{Access, Code, Inst, MemSpace, Op, Order, Slot, words};
use crate::flow::{FunctionCode, writes};
use std::collections::BTreeMap;
use texunit_memory::SpaceKind;
use texunit_syntax::SourceFile;

/// The weak loads and stores of a program, grouped by equal cost.
#[derive(Clone, Debug, Default)]
pub struct Costs {
    counters: usize,
    all: BTreeMap<u32, AccessCost>,
}

/// A load or store whose cost is known from its leader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccessCost {
    /// The operation whose cost equals this one's; for a leader itself.
    pub leader: u32,
    /// The first of the leader's three counters: accesses of 32 lanes, their total cost, and the
    /// minimum cost of accesses to as many distinct bytes. Accesses of which an observer is
    /// notified are not included.
    pub counter: u32,
    /// Bytes accessed by a lane.
    pub bytes: u32,
    /// Whether the access is a store.
    pub stores: bool,
    /// State space of the accesses that are counted.
    pub space: SpaceKind,
}

/// A leader whose base register has not changed so far in the block.
struct Open<'a> {
    op: u32,
    guard: Slot,
    access: &'a Access,
    counter: u32,
}

impl Costs {
    /// Number of counters, including those of [`Issues`].
    pub fn counters(&self) -> usize {
        self.counters
    }

    /// All grouped accesses, by operation.
    pub fn all(&self) -> impl Iterator<Item = (u32, &AccessCost)> {
        self.all.iter().map(|(&op, costed)| (op, costed))
    }

    /// The group of an operation.
    pub(super) fn of(&self, op: u32) -> Option<AccessCost> {
        self.all.get(&op).copied()
    }

    /// Groups the accesses of a program's code.
    pub(crate) fn new(source: &SourceFile, code: &Code, issues: &Issues) -> Self {
        let mut costs = Self { counters: issues.counters(), ..Self::default() };
        FunctionCode::all(code).for_each(|(_, function)| costs.function(source, &function));
        costs
    }

    fn function(&mut self, source: &SourceFile, code: &FunctionCode<'_>) {
        let starts = code.starts();
        let mut open: Vec<Open<'_>> = Vec::new();
        for (op, inst) in (code.first..).zip(code.insts) {
            if starts.binary_search(&op).is_ok() || parts(&inst.op) {
                open.clear();
            }
            if let Some((access, stores)) = costed(source, inst) {
                let like = open.iter().find(|o| o.guard == inst.guard && alike(o.access, access));
                let (leader, counter) =
                    like.map_or((op, self.counters as u32), |o| (o.op, o.counter));
                if leader == op {
                    self.counters += 3;
                    open.push(Open { op, guard: inst.guard, access, counter });
                }
                let (bytes, space) = (access.total(), space(access.at.mem_space));
                self.all.insert(op, AccessCost { leader, counter, bytes, stores, space });
            }
            writes(&inst.op, &mut |to| {
                open.retain(|of| {
                    to.is_none() || of.access.at.base != to && of.guard.plain() != to.plain()
                });
            });
        }
    }
}

/// Whether the active mask may change at an operation, or other threads of the CTA may run.
fn parts(op: &Op) -> bool {
    matches!(op, Op::Call(_) | Op::Barrier(_) | Op::Trap | Op::Exit | Op::Return)
        || op.members().is_some()
}

fn space(mem_space: MemSpace) -> SpaceKind {
    match mem_space {
        MemSpace::Shared => SpaceKind::Shared,
        MemSpace::Local => SpaceKind::Local,
        _ => SpaceKind::Global,
    }
}

/// A load or store that can be a member of a group, and whether it is a store.
fn costed<'a>(source: &SourceFile, inst: &'a Inst) -> Option<(&'a Access, bool)> {
    let (access, stores) = match &inst.op {
        Op::Load(access) => (access, false),
        Op::Store(access) => (access, true),
        _ => return None,
    };
    let is_plain =
        !matches!(access.at.mem_space, MemSpace::Param | MemSpace::KernelParam | MemSpace::Frame)
            && Order::of(words(source, inst.span)) == Order::default();
    is_plain.then_some((access, stores))
}

/// Whether two accesses have equal cost for the same active mask and the same value of the base
/// register.
fn alike(a: &Access, b: &Access) -> bool {
    let whole = if matches!(a.at.mem_space, MemSpace::Shared | MemSpace::Local) { 4 } else { 32 };
    (a.at.mem_space, a.at.base, a.constant, a.total())
        == (b.at.mem_space, b.at.base, b.constant, b.total())
        && b.at.offset.wrapping_sub(a.at.offset).is_multiple_of(whole)
}
