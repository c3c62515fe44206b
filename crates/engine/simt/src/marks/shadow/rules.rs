//! Generates the shadow operations of an instruction.
//!
//! [`ShadowBuilder`] is given an instruction, the possible states of registers before it, and the
//! tracked registers; it returns the operations to be inserted before the instruction.

mod memory;
mod values;

use super::SCRATCH;
use super::arithmetic::{self, Rule};
use super::sinks::sinks;
use super::state::{self, COMPUTED, State, is_constant_load};
use crate::code::{
    Access, Atomic, Call, Check, CompareTo, Constants, Fetch, FetchShadow, Inst, Located, Matrix,
    MatrixAction, MbarrierAction, MemSpace, Mma, Op, Rare, Shadow, Sink, Slot, SurfaceAccess,
    SurfaceShadow, Value,
};
use crate::flow::{Registers, writes};
use texunit_alu::{Alu, Kind, L64, Row};
use texunit_isa::{AtomOp, BoolOp};

/// Constants used by shadow operations.
#[derive(Clone, Copy, Debug)]
pub(super) struct Common {
    zero: [Slot; 2],
    ones: [Slot; 2],
}

impl Common {
    pub(super) fn add_to(constants: &mut Constants) -> Self {
        let (narrow, wide) = (constants.narrow.len() as u32, constants.wide.len() as u32);
        constants.narrow.extend([[0; 32], [u32::MAX; 32]]);
        constants.wide.extend([[0; 32], [u64::MAX; 32]]);
        let both = |i| [Slot::narrow_constant(narrow + i), Slot::wide_constant(wide + i)];
        Self { zero: both(0), ones: both(1) }
    }
}

/// Truth-table columns of the three sources of `lop3`.
const A: u8 = 0xf0;
const B: u8 = 0xcc;
const C: u8 = 0xaa;

/// Truth tables of Boolean operations on predicates.
const AND: u8 = 0b1000;
const OR: u8 = 0b1110;
const AND_NOT: u8 = 0b0100;

/// Builds the operations to insert before an instruction.
pub(super) struct ShadowBuilder<'a> {
    registers: Registers,
    tracked: &'a [bool],
    common: &'a Common,
    /// Number of the instruction.
    op: u32,
    inst: &'a Inst,
    state: &'a [State],
    pub(super) out: Vec<Inst>,
}

/// Whether a function depends on the carry flag: true for `addc`, false for `add.cc`.
fn reads_carry(f: fn(&mut L64, &L64, &L64, &L64, u32) -> u32) -> bool {
    let zeros = [0; 32];
    let [mut with, mut without] = [zeros; 2];
    f(&mut without, &zeros, &zeros, &zeros, 0);
    f(&mut with, &zeros, &zeros, &zeros, u32::MAX);
    with != without
}

fn is_wide(slot: Slot) -> bool {
    slot.is_wide() && !slot.is_predicate()
}

impl<'a> ShadowBuilder<'a> {
    pub(super) fn new(
        registers: Registers,
        tracked: &'a [bool],
        common: &'a Common,
        (op, inst, state): (u32, &'a Inst, &'a [State]),
    ) -> Self {
        Self { registers, tracked, common, op, inst, state, out: Vec::new() }
    }

    fn push(&mut self, op: Op) {
        let Inst { guard, span, .. } = *self.inst;
        self.out.push(Inst { op, guard, count: 0, span });
    }

    fn zero(&self, like: Slot) -> Slot {
        if like.is_predicate() {
            Slot::FALSE
        } else {
            self.common.zero[usize::from(like.is_wide())]
        }
    }

    fn ones(&self, like: Slot) -> Slot {
        if like.is_predicate() { Slot::TRUE } else { self.common.ones[usize::from(like.is_wide())] }
    }

    /// The possible states of a register.
    fn state(&self, slot: Slot) -> State {
        state::of(self.registers, self.state, slot)
    }

    /// The shadow of a destination register; `None` if the register is not tracked.
    fn destination_shadow(&self, slot: Slot) -> Option<Slot> {
        let number = self.registers.number(slot)?;
        self.tracked[number].then(|| self.register(number))
    }

    /// The shadow of a register by its number.
    fn register(&self, number: usize) -> Slot {
        let Registers { narrow, wide, .. } = self.registers;
        if number < narrow {
            Slot::narrow((narrow + number) as u32)
        } else if number < narrow + wide {
            Slot::wide((wide + (number - narrow)) as u32)
        } else {
            Slot::predicate((self.registers.predicates + (number - narrow - wide)) as u32)
        }
    }

    /// The shadow of an operand: zero if it is certainly initialised. A negated predicate has the
    /// predicate's shadow.
    fn shadow(&self, slot: Slot) -> Slot {
        match self.registers.number(slot) {
            Some(number) if self.state(slot) != 0 => self.register(number),
            _ => self.zero(slot),
        }
    }

    fn shadows<T: FromIterator<Slot>>(&self, slots: &[Slot]) -> T {
        slots.iter().map(|&slot| self.shadow(slot)).collect()
    }

    /// The shadows of destination registers; [`Slot::NONE`] for those that are not tracked.
    fn destination_shadows<T: FromIterator<Slot>>(&self, slots: &[Slot]) -> T {
        slots.iter().map(|&slot| self.destination_shadow(slot).unwrap_or(Slot::NONE)).collect()
    }

    /// A temporary register of the same width as another register.
    fn scratch(&self, like: Slot, number: u32) -> Slot {
        debug_assert!(number < SCRATCH);
        let Registers { narrow, wide, predicates } = self.registers;
        if like.is_predicate() {
            Slot::predicate(2 * predicates as u32 + number)
        } else if like.is_wide() {
            Slot::wide(2 * wide as u32 + number)
        } else {
            Slot::narrow(2 * narrow as u32 + number)
        }
    }

    fn some_predicate(&self, number: u32) -> Slot {
        self.scratch(Slot::TRUE, number)
    }

    fn set(&mut self, d: Slot, a: Slot) {
        if d == a {
            return;
        }
        self.push(if d.is_predicate() {
            Op::Logic { table: OR, d, a, b: Slot::FALSE }
        } else {
            Op::Mov { d, a }
        });
    }

    fn logic(&mut self, table: u8, d: Slot, a: Slot, b: Slot) {
        self.push(Op::Logic { table, d, a, b });
    }

    fn row(&mut self, kind: Kind, d: Slot, a: Slot, b: Slot) {
        self.push(Op::inner(kind, d, &[a, b]));
    }

    /// A bitwise operation on 32-bit registers, given by its truth table.
    fn bits(&mut self, table: u8, d: Slot, s: [Slot; 3]) {
        self.push(Op::Lop3 { d, s, table });
    }

    /// The union of two shadows of the same width as `d`.
    fn either(&mut self, d: Slot, a: Slot, b: Slot) {
        let kind = if d.is_wide() { Kind::Or64 } else { Kind::Or };
        self.row(kind, d, a, b);
    }

    /// The union of the shadows of all sources that are as wide as `like`; `None` if it is
    /// certainly empty.
    fn union(&mut self, like: Slot, sources: &[Slot], number: u32) -> Option<Slot> {
        let same = |slot: &Slot| slot.is_wide() == like.is_wide() && !slot.is_predicate();
        let all = sources.iter().filter(|slot| self.state(**slot) != 0 && same(slot));
        let mut all: Vec<Slot> = all.map(|&slot| self.shadow(slot)).collect();
        all.dedup();
        let to = self.scratch(like, number);
        let mut sum = all.pop()?;
        while let Some(next) = all.pop() {
            match (is_wide(like), all.last().copied()) {
                (false, Some(third)) => {
                    all.pop();
                    self.bits(A | B | C, to, [sum, next, third]);
                }
                _ => self.either(to, sum, next),
            }
            sum = to;
        }
        Some(sum)
    }

    /// A predicate that tells whether any source has an uninitialised bit; `None` if certainly not.
    fn any(&mut self, sources: &[Slot]) -> Option<Slot> {
        let q = self.some_predicate(0);
        let mut found = None;
        for like in self.common.zero {
            let Some(bits) = self.union(like, sources, 0) else { continue };
            let row = Row::inner(if is_wide(like) { Kind::Ne64 } else { Kind::Ne });
            let (op, c) = match found {
                None => (BoolOp::And, Slot::TRUE),
                Some(q) => (BoolOp::Or, q),
            };
            let to = CompareTo { p: q, q: Slot::NONE, op, c };
            self.push(Op::Compare { row, a: bits, b: like, to });
            found = Some(q);
        }
        for &slot in sources.iter().filter(|slot| slot.is_predicate() && !slot.is_none()) {
            if self.state(slot) != 0 {
                let shadow = self.shadow(slot);
                match found {
                    None => self.set(q, shadow),
                    Some(_) => self.logic(OR, q, q, shadow),
                }
                found = Some(q);
            }
        }
        found
    }

    /// Marks the whole result as uninitialised where a predicate holds.
    fn all(&mut self, d: Slot, of: Option<Slot>) {
        let Some(destination_shadow) = self.destination_shadow(d) else { return };
        let (ones, zero) = (self.ones(d), self.zero(d));
        match of {
            None => self.set(destination_shadow, zero),
            Some(p) if d.is_predicate() => self.set(destination_shadow, p),
            Some(p) => self.push(Op::Select { d: destination_shadow, a: ones, b: zero, p }),
        }
    }

    /// Marks the whole result as uninitialised where a bit of a source is.
    fn all_of_any(&mut self, d: Slot, sources: &[Slot]) {
        if self.destination_shadow(d).is_some() {
            let any = self.any(sources);
            self.all(d, any);
        }
    }

    /// Marks a register as uninitialised at the start of a function.
    pub(super) fn undefine(&mut self, number: usize) {
        let d = self.register(number);
        let ones = self.ones(d);
        self.set(d, ones);
    }

    /// Generates the operations before the instruction. Returns a replacement for the instruction
    /// if it is a call that passes shadows.
    pub(super) fn instruction(&mut self) -> Option<Op> {
        let inst = self.inst;
        self.checks();
        match &inst.op {
            Op::Call(call) => return Some(self.call(call)),
            op => self.operation(op),
        }
        None
    }

    /// Generates checks for all operands that must be initialised.
    fn checks(&mut self) {
        let mut all: Vec<(Sink, Vec<Slot>)> = Vec::new();
        sinks(self.inst, |sink, slot| {
            let slot = if slot.is_none() { slot } else { slot.plain() };
            if self.state(slot) == 0 {
                return;
            }
            match all.iter_mut().find(|(of, _)| *of == sink) {
                Some((_, slots)) if slots.contains(&slot) => {}
                Some((_, slots)) => slots.push(slot),
                None => all.push((sink, vec![slot])),
            }
        });
        for (sink, slots) in all {
            // An uninitialised guard concerns all active lanes, so that the check of the guard has
            // no guard itself.
            let is_guard = slots == [self.inst.guard.plain()];
            self.check(sink, slots, None);
            if let (true, Some(check)) = (is_guard, self.out.last_mut()) {
                check.guard = Slot::TRUE;
            }
        }
    }

    fn check(&mut self, sink: Sink, slots: Vec<Slot>, access: Option<Access>) {
        if !slots.is_empty() {
            let shadows = self.shadows(&slots);
            self.check_shadows(sink, [slots, shadows], access);
        }
    }

    fn check_shadows(
        &mut self,
        sink: Sink,
        [slots, shadows]: [Vec<Slot>; 2],
        access: Option<Access>,
    ) {
        let (registers, shadows) = (slots.into(), shadows.into());
        self.shadow_op(Shadow::Check(Check { sink, op: self.op, registers, shadows, access }));
    }

    fn shadow_op(&mut self, shadow: Shadow) {
        self.push(Op::Shadow(Box::new(shadow)));
    }

    fn operation(&mut self, op: &Op) {
        match op {
            Op::Compute { row, d, s } => self.compute(row, *d, s),
            Op::Lop3 { d, s, table } => self.table(*d, s, *table),
            Op::Compare { a, b, to, .. } | Op::ComparePair { a, b, to, .. } => {
                self.compare(&[*a, *b], to);
            }
            Op::Mov { d, a } | Op::Cvta { d, a, .. } => self.copy(*d, *a),
            Op::Logic { table, d, a, b } => self.predicates(*table, *d, *a, *b),
            Op::Select { d, a, b, p } => self.select(*d, [*a, *b], *p),
            Op::Load(access) | Op::LoadQuad(access) if !is_constant_load(op) => self.load(access),
            Op::Store(access) | Op::StoreQuad(access) => self.store(access),
            Op::Atomic(atomic) => self.atomic(atomic),
            Op::Rare(rare) => self.rare(rare),
            Op::Shuffle(shuffle) => {
                if let Some(d) = self.destination_shadow(shuffle.d) {
                    let a = self.shadow(shuffle.a);
                    if self.state(shuffle.a) == 0 {
                        self.set(d, a);
                    } else {
                        let of =
                            crate::code::Shuffle { d, a, p: Slot::NONE, ..(**shuffle).clone() };
                        self.push(Op::Shuffle(Box::new(of)));
                    }
                }
                self.all(shuffle.p, None);
            }
            Op::Matrix(matrix) => self.matrix(matrix),
            Op::Mma(mma) => self.mma(mma),
            Op::AsyncCopy(copy) => self.shadow_op(Shadow::AsyncCopy((**copy).clone())),
            Op::MapShared { d, a, rank, .. } => self.all_of_any(*d, &[*a, *rank]),
            Op::SharedRank { d, a, .. } | Op::IsSpace { d, a, .. } => self.all_of_any(*d, &[*a]),
            Op::Mbarrier(of) => {
                if matches!(of.action, MbarrierAction::Init { .. }) {
                    self.shadow_op(Shadow::Define { at: of.at, size: 8 });
                }
                self.defined();
            }
            Op::Builtin(call) => self.defines(call.result, call.function.function.result()),
            Op::Fetch(fetch) => self.fetch(fetch),
            Op::SurfaceLoad(access) => {
                let shadows: Box<[Slot]> = self.destination_shadows(&access.parts);
                if shadows.iter().any(|shadow| !shadow.is_none()) {
                    self.surface(access, shadows);
                }
            }
            Op::SurfaceStore(access) => {
                // The operands of reductions have already been checked as sinks.
                if !access.is_reduction() {
                    self.computed(&access.parts, None);
                }
                let shadows = self.shadows(&access.parts);
                self.surface(access, shadows);
            }
            _ => self.defined(),
        }
    }
}
