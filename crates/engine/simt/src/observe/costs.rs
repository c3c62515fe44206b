//! Which loads and stores cost the same, and counters of what they cost, behind those of [`Issues`]: for
//! [`Events::COSTS`](super::Events::COSTS).
//!
//! Of accesses of a block by one register, whose offsets differ by whole sectors (of shared and local memory, words), each costs
//! what the first one does, which *leads* them: an observer hears of that one alone. Between them lanes neither part nor meet.
//! Compiled code counts what a leader costs where that has a closed form ([`texunit_jit::region::Cost`]), and tells the others.

use super::{Issues, Order};
use crate::code::{Access, Code, Inst, Op, Place, Slot};
use crate::flow::{FunctionCode, writes};
use crate::lower::Program;
use std::collections::BTreeMap;
use texunit_memory::SpaceKind;

/// Weak loads and stores.
#[derive(Clone, Debug, Default)]
pub struct Costs {
    len: usize,
    all: BTreeMap<u32, Costed>,
}

/// A load or a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Costed {
    /// The operation whose costs it shares; itself, if it leads.
    pub leader: u32,
    /// The first of three counters of the leader: accesses of 32 lanes, their costs, and the least costs of as many different
    /// bytes. Accesses that are told are not among them.
    pub counter: u32,
    /// Bytes of a lane.
    pub bytes: u32,
    /// Whether it stores.
    pub stores: bool,
    /// The space that counted accesses are of.
    pub space: SpaceKind,
}

/// A leader whose register has not changed yet.
struct Open<'a> {
    op: u32,
    guard: Slot,
    access: &'a Access,
    counter: u32,
}

impl Costs {
    /// How many counters there are, those before these included.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// All of them, by operation.
    pub fn all(&self) -> impl Iterator<Item = (u32, &Costed)> {
        self.all.iter().map(|(&op, costed)| (op, costed))
    }

    /// That of an operation.
    pub(super) fn of(&self, op: u32) -> Option<Costed> {
        self.all.get(&op).copied()
    }

    /// Those of a code.
    pub(crate) fn new(program: &Program, code: &Code, issues: &Issues) -> Self {
        let mut costs = Self { len: issues.len(), ..Self::default() };
        for number in 0..code.funcs.len() {
            let function = FunctionCode::new(code, number);
            if let Some(function) = function.filter(|function| !function.insts.is_empty()) {
                costs.function(program, &function);
            }
        }
        costs
    }

    fn function(&mut self, program: &Program, code: &FunctionCode<'_>) {
        let starts = code.starts();
        let mut open: Vec<Open<'_>> = Vec::new();
        for (op, inst) in (code.first..).zip(code.insts) {
            if starts.binary_search(&op).is_ok() || parts(&inst.op) {
                open.clear();
            }
            if let Some((access, stores)) = costed(program, inst) {
                let like =
                    open.iter().find(|of| of.guard == inst.guard && alike(of.access, access));
                let (leader, counter) =
                    like.map_or((op, self.len as u32), |of| (of.op, of.counter));
                if leader == op {
                    self.len += 3;
                    open.push(Open { op, guard: inst.guard, access, counter });
                }
                let (bytes, space) = (bytes(access), space(access.place));
                self.all.insert(op, Costed { leader, counter, bytes, stores, space });
            }
            writes(&inst.op, |to| {
                open.retain(|of| {
                    to.is_none() || of.access.base != to && of.guard.plain() != to.plain()
                });
            });
        }
    }
}

/// Whether lanes may part or meet at it, or something else of the warp may happen in between.
fn parts(op: &Op) -> bool {
    matches!(op, Op::Call(_) | Op::Barrier(_) | Op::Trap | Op::Exit | Op::Return)
        || op.members().is_some()
}

fn bytes(access: &Access) -> u32 {
    u32::from(access.size) * access.parts.len() as u32
}

fn space(place: Place) -> SpaceKind {
    match place {
        Place::Shared => SpaceKind::Shared,
        Place::Local => SpaceKind::Local,
        _ => SpaceKind::Global,
    }
}

/// A load or store that leads others or is led, and whether it stores.
fn costed<'a>(program: &Program, inst: &'a Inst) -> Option<(&'a Access, bool)> {
    let (access, stores) = match &inst.op {
        Op::Load(access) => (access, false),
        Op::Store(access) => (access, true),
        _ => return None,
    };
    let is_plain =
        matches!(access.place, Place::Global | Place::Generic | Place::Shared | Place::Local)
            && Order::of(super::order::words(&program.source, inst.span)) == Order::default();
    is_plain.then_some((access, stores))
}

/// Whether two accesses with the same lanes cost the same, as long as their register has the same.
fn alike(a: &Access, b: &Access) -> bool {
    let whole = if matches!(a.place, Place::Shared | Place::Local) { 4 } else { 32 };
    (a.place, a.base, a.constant, bytes(a)) == (b.place, b.base, b.constant, bytes(b))
        && b.offset.wrapping_sub(a.offset).is_multiple_of(whole)
}
