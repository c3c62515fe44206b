//! The operations that compute shadows.

use super::arithmetic::{self, Rule};
use super::sinks::sinks;
use super::state::{self, COMPUTED, State, is_constant_load};
use super::{SCRATCH, Sink};
use crate::code::{
    Access, Atomic, Call, Check, CompareTo, Constants, Fetch, FetchShadow, HeapAction, Inst,
    Located, Matrix, MatrixAction, MbarrierAction, Mma, Op, Place, Rare, Shadow, Slot,
    SurfaceAccess, SurfaceShadow, Value,
};
use crate::flow::{Registers, writes};
use texunit_alu::{Alu, Kind, L64, Row, lop3};
use texunit_isa::{AtomOp, BoolOp, ScalarType};

/// Numbers that shadows are made with.
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

/// Bits of three sources, as tables have them.
const A: u8 = 0xf0;
const B: u8 = 0xcc;
const C: u8 = 0xaa;

/// What stands before an instruction, in the making.
pub(super) struct Making<'a> {
    registers: Registers,
    tracked: &'a [bool],
    common: &'a Common,
    /// Its number.
    op: u32,
    inst: &'a Inst,
    state: &'a [State],
    pub(super) out: Vec<Inst>,
}

/// Whether a function looks at the carry that goes in: `addc`, and not `add.cc`.
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

impl<'a> Making<'a> {
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

    /// What a register may be.
    fn state(&self, slot: Slot) -> State {
        state::of(self.registers, self.state, slot)
    }

    /// The shadow of a register that is written; `None`: nobody reads it where it may be undefined.
    fn home(&self, slot: Slot) -> Option<Slot> {
        let number = self.registers.number(slot)?;
        self.tracked[number].then(|| self.register(number))
    }

    /// The shadow of the register of a number.
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

    /// The shadow of an operand: zero if it is defined in any case. Of a negated predicate that of the predicate.
    fn shadow(&self, slot: Slot) -> Slot {
        match self.registers.number(slot) {
            Some(number) if self.state(slot) != 0 => self.register(number),
            _ => self.zero(slot),
        }
    }

    /// A register for moments, as wide as another.
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
            Op::Logic { f: |a, b| a | b, d, a, b: Slot::FALSE }
        } else if d.is_wide() {
            Op::MovWide { d, a }
        } else {
            Op::MovNarrow { d, a }
        });
    }

    fn logic(&mut self, f: fn(u32, u32) -> u32, d: Slot, a: Slot, b: Slot) {
        self.push(Op::Logic { f, d, a, b });
    }

    fn row(&mut self, kind: Kind, d: Slot, a: Slot, b: Slot) {
        let row = Row::inner(kind);
        // Sources that a row lacks are zero.
        let s = [a, b, Slot::NONE, Slot::NONE];
        self.push(Op::Compute { row, d, s });
    }

    /// Of narrow registers.
    fn bits(&mut self, table: u8, d: Slot, s: [Slot; 3]) {
        self.push(Op::Lop3 { f: lop3, d, s, table });
    }

    /// Bits of either, of registers that are as wide as the first.
    fn either(&mut self, d: Slot, a: Slot, b: Slot) {
        let kind = if d.is_wide() { Kind::Or64 } else { Kind::Or };
        self.row(kind, d, a, b);
    }

    /// The bits that are undefined in one of some registers, all of which are as wide as `like`: `None`: in none.
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

    /// A predicate that says whether one of some registers has an undefined bit; `None`: none has.
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
                    Some(_) => self.logic(|a, b| a | b, q, q, shadow),
                }
                found = Some(q);
            }
        }
        found
    }

    /// All of a result is undefined where a predicate holds.
    fn all(&mut self, d: Slot, of: Option<Slot>) {
        let Some(home) = self.home(d) else { return };
        let (ones, zero) = (self.ones(d), self.zero(d));
        match of {
            None => self.set(home, zero),
            Some(p) if d.is_predicate() => self.set(home, p),
            Some(p) if d.is_wide() => self.push(Op::SelectWide { d: home, a: ones, b: zero, p }),
            Some(p) => self.push(Op::SelectNarrow { d: home, a: ones, b: zero, p }),
        }
    }

    /// What a function begins with: nobody has written this register.
    pub(super) fn undefine(&mut self, number: usize) {
        let d = self.register(number);
        let ones = self.ones(d);
        self.set(d, ones);
    }

    /// All that stands before the instruction. What there is in its place, if it hands shadows over.
    pub(super) fn instruction(&mut self) -> Option<Op> {
        let inst = self.inst;
        self.checks();
        match &inst.op {
            Op::Call(call) => return Some(self.call(call)),
            op => self.operation(op),
        }
        None
    }

    /// Looks at what matters.
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
            let shadows: Vec<Slot> = slots.iter().map(|&slot| self.shadow(slot)).collect();
            // The guard itself matters to all lanes.
            let is_guard = slots == [self.inst.guard.plain()];
            self.check(sink, slots, shadows, None);
            if let (true, Some(check)) = (is_guard, self.out.last_mut()) {
                check.guard = Slot::TRUE;
            }
        }
    }

    fn check(&mut self, sink: Sink, slots: Vec<Slot>, shadows: Vec<Slot>, access: Option<Access>) {
        let (registers, shadows) = (slots.into(), shadows.into());
        self.shadow_op(Shadow::Check(Check { sink, op: self.op, registers, shadows, access }));
    }

    fn shadow_op(&mut self, shadow: Shadow) {
        self.push(Op::Shadow(Box::new(shadow)));
    }

    fn operation(&mut self, op: &Op) {
        match op {
            Op::Compute { row, d, s } => self.compute(row, *d, s),
            Op::Lop3 { d, s, table, .. } => self.table(*d, s, *table),
            Op::Compare { a, b, to, .. } => self.compare(&[*a, *b], to),
            Op::ComparePair { a, b, to, .. } => self.compare(&[*a, *b], to),
            Op::MovNarrow { d, a } | Op::MovWide { d, a } | Op::Cvta { d, a, .. } => {
                self.copy(*d, *a)
            }
            Op::Logic { f, d, a, b } => self.predicates(*f, *d, *a, *b),
            Op::SelectNarrow { d, a, b, p } | Op::SelectWide { d, a, b, p } => {
                self.select(*d, [*a, *b], *p);
            }
            Op::Convert { d, a, mask } => self.convert(*d, *a, *mask),
            Op::Pack { d, parts, bits } => {
                if let Some(d) = self.home(*d) {
                    let parts = parts.iter().map(|&part| self.shadow(part)).collect();
                    self.push(Op::Pack { d, parts, bits: *bits });
                }
            }
            Op::Unpack { parts, a, bits } => {
                let home = |part: &Slot| self.home(*part).unwrap_or(Slot::NONE);
                let parts: Box<[Slot]> = parts.iter().map(home).collect();
                if parts.iter().any(|part| !part.is_none()) {
                    let a = self.shadow(*a);
                    self.push(Op::Unpack { parts, a, bits: *bits });
                }
            }
            Op::Load(access) | Op::LoadQuad(access) if !is_constant_load(op) => self.load(access),
            Op::Store(access) | Op::StoreQuad(access) => self.store(access),
            Op::Atomic(atomic) => self.atomic(atomic),
            Op::Rare(rare) => self.rare(rare),
            Op::Shuffle(shuffle) => {
                if let Some(d) = self.home(shuffle.d) {
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
            Op::BulkCopy(copy) => self.shadow_op(Shadow::BulkCopy((**copy).clone())),
            Op::MapShared { d, a, rank, .. } => {
                if self.home(*d).is_some() {
                    let any = self.any(&[*a, *rank]);
                    self.all(*d, any);
                }
            }
            Op::SharedRank { d, a, .. } => {
                if self.home(*d).is_some() {
                    let any = self.any(&[*a]);
                    self.all(*d, any);
                }
            }
            Op::Mbarrier(of) => {
                if of.action == MbarrierAction::Init {
                    self.shadow_op(Shadow::Define { at: of.at, size: 8 });
                }
                self.defined();
            }
            Op::HeapCall(call) => {
                let size = 8 * u8::from(matches!(call.action, HeapAction::Allocate { .. }));
                self.defines(call.result, size);
            }
            Op::Runtime(call) => self.defines(call.result, call.function.result()),
            Op::Printf(printf) => self.defines(printf.result, 4),
            Op::IsSpace { d, a, .. } | Op::IsType { d, a, .. } => {
                if self.home(*d).is_some() {
                    let any = self.any(&[*a]);
                    self.all(*d, any);
                }
            }
            Op::Fetch(fetch) => self.fetch(fetch),
            Op::SurfaceLoad(access) => {
                let homes = access.parts.iter().map(|&part| self.home(part));
                let shadows: Box<[Slot]> = homes.map(|home| home.unwrap_or(Slot::NONE)).collect();
                if shadows.iter().any(|shadow| !shadow.is_none()) {
                    self.surface(access, shadows);
                }
            }
            Op::SurfaceStore(access) => {
                // Operands of reductions have been looked at.
                if !access.is_reduction() {
                    self.computed(&access.parts, None);
                }
                let shadows = access.parts.iter().map(|&part| self.shadow(part)).collect();
                self.surface(access, shadows);
            }
            _ => self.defined(),
        }
    }

    /// What the instruction writes is defined.
    fn defined(&mut self) {
        let inst = self.inst;
        writes(&inst.op, |slot| self.all(slot, None));
    }

    /// A call that is built in gives a result.
    fn defines(&mut self, result: Option<Value>, size: u8) {
        match result {
            Some(Value::Frame(offset)) if size != 0 => {
                let at = Located { place: Place::Frame, base: Slot::NONE, offset: offset.into() };
                self.shadow_op(Shadow::Define { at, size });
            }
            _ => self.defined(),
        }
    }

    fn copy(&mut self, d: Slot, a: Slot) {
        if let Some(d) = self.home(d) {
            let a = self.shadow(a);
            if a.is_wide() == d.is_wide() {
                self.set(d, a);
            } else {
                self.push(Op::Convert { d, a, mask: u64::MAX });
            }
        }
    }

    fn convert(&mut self, d: Slot, a: Slot, mask: u64) {
        let Some(home) = self.home(d) else { return };
        if self.state(a) == 0 {
            let zero = self.zero(d);
            self.set(home, zero);
        } else if d.is_predicate() {
            let any = self.any(&[a]);
            self.all(d, any);
        } else {
            let a = self.shadow(a);
            self.push(Op::Convert { d: home, a, mask });
        }
    }

    fn select(&mut self, d: Slot, [a, b]: [Slot; 2], p: Slot) {
        let Some(home) = self.home(d) else { return };
        let [a, b] = [a, b].map(|slot| self.shadow(slot));
        let select = |d, a, b, p| match is_wide(d) {
            true => Op::SelectWide { d, a, b, p },
            false => Op::SelectNarrow { d, a, b, p },
        };
        if a == b {
            self.set(home, a);
        } else {
            self.push(select(home, a, b, p));
        }
        if self.state(p) != 0 {
            let (ones, p) = (self.ones(d), self.shadow(p));
            self.push(select(home, ones, home, p));
        }
    }

    fn compute(&mut self, row: &'static Row, d: Slot, s: &[Slot; 4]) {
        let Some(home) = self.home(d) else { return };
        let tracked = |slot: Slot| self.state(slot) != 0;
        if !s.iter().any(|&slot| tracked(slot)) {
            let zero = self.zero(d);
            return self.set(home, zero);
        }
        let rule = arithmetic::rule(row);
        match rule {
            Rule::Moves(data) if (0..4).all(|i| data.contains(&i) || !tracked(s[i])) => {
                let of = |i: usize| if data.contains(&i) { self.shadow(s[i]) } else { s[i] };
                let s = [of(0), of(1), of(2), of(3)];
                self.push(Op::Compute { row, d: home, s });
            }
            Rule::Each => {
                if let Some(bits) = self.union(d, s, 0) {
                    self.set(home, bits);
                }
            }
            Rule::And | Rule::Or => self.masked(home, [s[0], s[1]], rule == Rule::And),
            Rule::Upwards => {
                let Some(bits) = self.union(d, s, 0) else { return };
                let (other, zero) = (self.scratch(d, 1), self.zero(d));
                let kind = if is_wide(d) { Kind::Sub64 } else { Kind::Sub };
                self.row(kind, other, zero, bits);
                self.either(home, other, bits);
            }
            _ => {
                let any = self.any(s);
                self.all(d, any);
            }
        }
    }

    /// Bits of `and` and `or`: a defined 0 or 1 of one side decides.
    fn masked(&mut self, home: Slot, [a, b]: [Slot; 2], is_and: bool) {
        let both = self.state(a) != 0 && self.state(b) != 0;
        // The one that may be undefined comes first.
        let (a, b) = if self.state(a) == 0 { (b, a) } else { (a, b) };
        let (x, y) = (self.shadow(a), self.shadow(b));
        if is_wide(home) {
            match (both, is_and) {
                (true, _) => self.either(home, x, y),
                (false, true) => self.row(Kind::And64, home, x, b),
                (false, false) => self.set(home, x),
            }
            return;
        }
        let decides = if is_and { B } else { !B };
        if !both {
            let zero = self.zero(home);
            return self.bits(A & decides, home, [x, b, zero]);
        }
        let part = self.scratch(home, 0);
        self.bits(A | (decides & C), part, [x, a, y]);
        self.bits(A & (decides | C), home, [part, b, y]);
    }

    fn table(&mut self, d: Slot, s: &[Slot; 3], table: u8) {
        let Some(home) = self.home(d) else { return };
        // Those on which something depends.
        let masks = [4_u8, 2, 1];
        let matters = |mask: u8, k: u8| (table >> (k & !mask) ^ table >> (k | mask)) & 1 == 1;
        let tracked: Vec<usize> = (0..3)
            .filter(|&i| self.state(s[i]) != 0 && (0..8).any(|k| matters(masks[i], k)))
            .collect();
        let zero = self.zero(d);
        match tracked[..] {
            [] => self.set(home, zero),
            [i] => {
                let is = |k: &u8| k & masks[i] != 0 && matters(masks[i], *k);
                let table = (0..8).filter(is).fold(0, |table, k| table | 1 << k);
                let mut from = *s;
                from[i] = self.shadow(s[i]);
                self.bits(table, home, from);
            }
            _ => {
                let all: Vec<Slot> = tracked.iter().map(|&i| s[i]).collect();
                if let Some(bits) = self.union(d, &all, 0) {
                    self.set(home, bits);
                }
            }
        }
    }

    fn compare(&mut self, sources: &[Slot], to: &CompareTo) {
        if self.home(to.p).is_none() && self.home(to.q).is_none() {
            return;
        }
        let mut found = self.any(sources);
        let (q, c) = (self.some_predicate(0), self.shadow(to.c));
        let c_tracked = self.state(to.c) != 0;
        if let (Some(_), true) = (found, to.c != Slot::TRUE) {
            // A defined predicate may decide.
            let undecided = match to.op {
                BoolOp::And => Some(to.c),
                BoolOp::Or => Some(to.c.negated()),
                BoolOp::Xor => None,
            };
            if let Some(undecided) = undecided {
                let other = self.some_predicate(1);
                self.logic(|a, b| a | b, other, undecided, c);
                self.logic(|a, b| a & b, q, q, other);
            }
        }
        if c_tracked {
            match found {
                None => self.set(q, c),
                Some(_) => self.logic(|a, b| a | b, q, q, c),
            }
            found = Some(q);
        }
        self.all(to.p, found);
        self.all(to.q, found);
    }

    /// Logic of predicates: a bit of one matters where the other lets it.
    fn predicates(&mut self, f: fn(u32, u32) -> u32, d: Slot, a: Slot, b: Slot) {
        let Some(home) = self.home(d) else { return };
        let all = f(0b1100, 0b1010) & 0xf;
        let bit = |a: u32, b: u32| all >> (2 * a + b) & 1;
        // Where the other one is 0, where it is 1.
        let a_matters = [0, 1].map(|b| bit(0, b) != bit(1, b));
        let b_matters = [0, 1].map(|a| bit(a, 0) != bit(a, 1));
        let (x, y) = (self.shadow(a), self.shadow(b));
        let part =
            |making: &mut Self, d: Slot, x: Slot, matters: [bool; 2], other: Slot| match matters {
                [false, false] => making.set(d, Slot::FALSE),
                [true, true] => making.set(d, x),
                [false, true] => making.logic(|x, o| x & o, d, x, other),
                [true, false] => making.logic(|x, o| x & !o, d, x, other),
            };
        let [first, second] = [0, 1].map(|i| self.some_predicate(i));
        match (self.state(a) != 0, self.state(b) != 0) {
            (false, false) => self.set(home, Slot::FALSE),
            (true, false) => part(self, home, x, a_matters, b),
            (false, true) => part(self, home, y, b_matters, a),
            (true, true) => {
                part(self, first, x, a_matters, b);
                part(self, second, y, b_matters, a);
                self.logic(|a, b| a | b, first, first, second);
                self.logic(|a, b| a & b, second, x, y);
                self.logic(|a, b| a | b, home, first, second);
            }
        }
    }

    /// Arithmetic with data of its own. Whether the carry depends on something undefined is kept in a predicate.
    fn rare(&mut self, rare: &Rare) {
        let mut found = self.any(&rare.s);
        if let Alu::Carry(f) = rare.alu {
            let (carry, q) = (self.some_predicate(SCRATCH - 1), self.some_predicate(0));
            match (reads_carry(f), found) {
                (true, Some(p)) => self.logic(|a, b| a | b, carry, carry, p),
                (true, None) => {}
                (false, p) => self.set(carry, p.unwrap_or(Slot::FALSE)),
            }
            self.set(q, carry);
            found = Some(q);
        }
        self.all(rare.d, found);
    }

    fn load(&mut self, access: &Access) {
        let parts: Vec<Slot> =
            access.parts.iter().map(|&part| self.home(part).unwrap_or(Slot::NONE)).collect();
        if parts.iter().all(|part| part.is_none()) {
            return;
        }
        let wanted =
            |(part, shadow): (&Slot, &Slot)| (!shadow.is_none()).then_some((*part, *shadow));
        let loaded = access.parts.iter().zip(&parts).filter_map(wanted);
        let (registers, shadows): (Vec<Slot>, Vec<Slot>) = loaded.unzip();
        let from = Access { parts, ..access.clone() };
        self.shadow_op(Shadow::Load(from));
        self.check(Sink::Origin, registers, shadows, Some(access.clone()));
    }

    /// Looks at values that are stored, as far as they were computed.
    fn computed(&mut self, parts: &[Slot], access: Option<Access>) {
        let computed = parts.iter().filter(|&&part| self.state(part) & COMPUTED != 0);
        let mut slots: Vec<Slot> = computed.copied().collect();
        slots.dedup();
        if !slots.is_empty() {
            let shadows = slots.iter().map(|&slot| self.shadow(slot)).collect();
            self.check(Sink::Store, slots, shadows, access);
        }
    }

    fn store(&mut self, access: &Access) {
        let is_global = matches!(access.place, Place::Global | Place::Generic);
        if is_global {
            self.computed(&access.parts, Some(access.clone()));
        }
        // What stays undefined is told, so that it can be said where it came from.
        let (mut copied, mut kept) = (Vec::new(), Vec::new());
        for &part in &access.parts {
            match self.state(part) {
                0 => {}
                state if state & COMPUTED == 0 => copied.push(part),
                _ if !is_global => kept.push(part),
                _ => {}
            }
        }
        for (sink, slots) in [(Sink::Copy, copied), (Sink::Keep, kept)] {
            if !slots.is_empty() {
                let shadows = slots.iter().map(|&slot| self.shadow(slot)).collect();
                self.check(sink, slots, shadows, Some(access.clone()));
            }
        }
        let parts = access.parts.iter().map(|&part| self.shadow(part)).collect();
        self.shadow_op(Shadow::Store(Access { parts, ..access.clone() }));
    }

    /// What is in memory matters to an atomic that computes; an exchange takes it along.
    fn atomic(&mut self, atomic: &Atomic) {
        let quad = atomic.ty == ScalarType::B128;
        let size = if quad { 8 } else { atomic.ty.bytes() as u8 };
        for (i, &b) in atomic.b.iter().enumerate() {
            let d = atomic.d.get(i).copied().unwrap_or(Slot::NONE);
            let like = if size == 8 { self.common.zero[1] } else { self.common.zero[0] };
            let old = self.scratch(like, 2);
            let offset = atomic.offset.wrapping_add(i as u64 * u64::from(size));
            let access = |part: Slot| Access {
                place: atomic.place,
                size,
                signed: false,
                parts: vec![part],
                mask: u64::MAX,
                base: atomic.base,
                offset,
                constant: false,
                row: false,
                seen: atomic.seen.clone(),
            };
            self.shadow_op(Shadow::Load(access(old)));
            if atomic.op == AtomOp::Exch {
                let new = self.shadow(b);
                self.shadow_op(Shadow::Store(access(new)));
                if let Some(d) = self.home(d) {
                    self.set(d, old);
                }
            } else {
                self.check(Sink::Atomic, vec![d], vec![old], Some(access(old)));
                self.all(d, None);
            }
        }
    }

    fn fetch(&mut self, fetch: &Fetch) {
        let shadows = fetch.parts.map(|part| self.home(part).unwrap_or(Slot::NONE));
        if shadows.iter().any(|shadow| !shadow.is_none()) {
            let (fetch, op) = (fetch.clone(), self.op);
            self.shadow_op(Shadow::Fetch(FetchShadow { fetch, op, shadows }));
        }
        self.all(fetch.resident, None);
    }

    fn surface(&mut self, access: &SurfaceAccess, shadows: Box<[Slot]>) {
        let (access, op) = (access.clone(), self.op);
        self.shadow_op(Shadow::Surface(SurfaceShadow { access, op, shadows }));
    }

    fn matrix(&mut self, matrix: &Matrix) {
        let shadows = |making: &Self| matrix.parts.iter().map(|&p| making.shadow(p)).collect();
        let home = |slot: Slot| self.home(slot).unwrap_or(self.scratch(self.common.zero[0], 3));
        let of = match matrix.action {
            MatrixAction::Load => {
                Matrix { parts: matrix.parts.iter().map(|&p| home(p)).collect(), ..matrix.clone() }
            }
            MatrixAction::Store => Matrix { parts: shadows(self), ..matrix.clone() },
            MatrixAction::Transpose => {
                Matrix { parts: shadows(self), d: home(matrix.d), ..matrix.clone() }
            }
        };
        self.shadow_op(Shadow::Matrix(of));
    }

    fn mma(&mut self, mma: &Mma) {
        let shadows = |slots: &Vec<Slot>| slots.iter().map(|&slot| self.shadow(slot)).collect();
        let sources = mma.sources.each_ref().map(shadows);
        let d = mma.d.iter().map(|&slot| self.home(slot).unwrap_or(Slot::NONE)).collect();
        let of = Mma { sources, d, metadata: Slot::NONE, ..mma.clone() };
        self.shadow_op(Shadow::Mma(of));
    }

    /// A call whose arguments and results take their shadows along.
    fn call(&mut self, call: &Call) -> Op {
        let mut call = call.clone();
        for argument in &mut call.arguments {
            if let Value::Register(slot) = argument.value {
                argument.shadow = self.shadow(slot);
            }
        }
        for result in &mut call.results {
            if let Value::Register(slot) = result.value {
                result.shadow = self.home(slot).unwrap_or(Slot::NONE);
            }
        }
        Op::Call(Box::new(call))
    }
}
