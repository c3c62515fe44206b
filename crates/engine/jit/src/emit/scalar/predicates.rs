//! Steps that compare, and predicates, for a lane alone: one where a predicate holds, and zero.

use super::compute::{AND, CMP, FLOAT, OR, OTHER_FLOAT, Operand, Steps, XOR};
use super::kinds::{self, Kind};
use super::places::{Home, Value, low};
use super::state::{FIRST, SECOND};
use crate::emit::asm::Label;
use crate::operand::{Combine, Place, Predicate, Relation, Source, Test};
use iced_x86::{Code as C, Instruction as I, MemoryOperand, Register as R};

/// Jumps where a comparison holds and where it does not, and how a register becomes one where it holds.
#[derive(Clone, Copy)]
pub(super) struct Flags {
    holds: C,
    fails: C,
    set: C,
}

impl Flags {
    const fn new(holds: C, fails: C, set: C) -> Self {
        Self { holds, fails, set }
    }

    const EQUAL: Self = Self::new(C::Je_rel32_64, C::Jne_rel32_64, C::Sete_rm8);
    pub(super) const DIFFERS: Self = Self::new(C::Jne_rel32_64, C::Je_rel32_64, C::Setne_rm8);
    const BELOW: Self = Self::new(C::Jb_rel32_64, C::Jae_rel32_64, C::Setb_rm8);
    const UP_TO: Self = Self::new(C::Jbe_rel32_64, C::Ja_rel32_64, C::Setbe_rm8);
    const ABOVE: Self = Self::new(C::Ja_rel32_64, C::Jbe_rel32_64, C::Seta_rm8);
    const FROM: Self = Self::new(C::Jae_rel32_64, C::Jb_rel32_64, C::Setae_rm8);

    /// The jump by whether it holds.
    pub(super) fn jump(self, holds: bool) -> C {
        if holds { self.holds } else { self.fails }
    }

    fn signed(relation: Relation) -> Self {
        match relation {
            Relation::Eq => Self::EQUAL,
            Relation::Ne => Self::DIFFERS,
            Relation::Lt => Self::new(C::Jl_rel32_64, C::Jge_rel32_64, C::Setl_rm8),
            Relation::Le => Self::new(C::Jle_rel32_64, C::Jg_rel32_64, C::Setle_rm8),
            Relation::Gt => Self::new(C::Jg_rel32_64, C::Jle_rel32_64, C::Setg_rm8),
            Relation::Ge => Self::new(C::Jge_rel32_64, C::Jl_rel32_64, C::Setge_rm8),
        }
    }

    fn unsigned(relation: Relation) -> Self {
        match relation {
            Relation::Eq => Self::EQUAL,
            Relation::Ne => Self::DIFFERS,
            Relation::Lt => Self::BELOW,
            Relation::Le => Self::UP_TO,
            Relation::Gt => Self::ABOVE,
            Relation::Ge => Self::FROM,
        }
    }
}

impl Steps<'_> {
    /// Compares two sources: flags say what holds. None: of floats that are equal, or not, and that may be NaNs, no flag alone
    /// says it, but `al`.
    pub(super) fn compares(&mut self, test: Test, [a, b]: [Source; 2]) -> Option<Flags> {
        let kind = kinds::of_test(test);
        let (wide, number) = (kind.is_wide(), matches!(kind, Kind::Bits32 | Kind::Bits64));
        if number {
            let a = self.bits_in(a, wide, FIRST);
            let b = self.bits(b, wide);
            self.alu(&CMP, wide, a, b);
        }
        match test {
            Test::Signed(relation) | Test::SignedWide(relation) => Some(Flags::signed(relation)),
            Test::Unsigned(relation) | Test::UnsignedWide(relation) => {
                Some(Flags::unsigned(relation))
            }
            Test::Float { relation, unordered } | Test::Double { relation, unordered } => {
                self.compare_floats(wide, (relation, unordered), [a, b])
            }
        }
    }

    fn compare_floats(
        &mut self,
        wide: bool,
        (relation, unordered): (Relation, bool),
        [a, b]: [Source; 2],
    ) -> Option<Flags> {
        // Where one is a NaN, flags are those of what is below and equal.
        let (flags, turned) = match (relation, unordered) {
            (Relation::Lt, false) => (Flags::ABOVE, true),
            (Relation::Le, false) => (Flags::FROM, true),
            (Relation::Gt, false) => (Flags::ABOVE, false),
            (Relation::Ge, false) => (Flags::FROM, false),
            (Relation::Lt, true) => (Flags::BELOW, false),
            (Relation::Le, true) => (Flags::UP_TO, false),
            (Relation::Gt, true) => (Flags::BELOW, true),
            (Relation::Ge, true) => (Flags::UP_TO, true),
            (Relation::Eq, true) => (Flags::EQUAL, false),
            (Relation::Ne, false) => (Flags::DIFFERS, false),
            (Relation::Eq, false) => (Flags::EQUAL, false),
            (Relation::Ne, true) => (Flags::DIFFERS, false),
        };
        let (a, b) = if turned { (b, a) } else { (a, b) };
        let a = self.float_in(a, wide, FLOAT);
        let b = self.float_in(b, wide, OTHER_FLOAT);
        let code = if wide { C::VEX_Vucomisd_xmm_xmmm64 } else { C::VEX_Vucomiss_xmm_xmmm32 };
        self.asm.put(I::with2(code, a, b));
        let (with, combine) = match (relation, unordered) {
            (Relation::Eq, false) => (C::Setnp_rm8, C::And_r8_rm8),
            (Relation::Ne, true) => (C::Setp_rm8, C::Or_r8_rm8),
            _ => return Some(flags),
        };
        self.asm.put(I::with1(flags.set, R::AL));
        self.asm.put(I::with1(with, R::BL));
        self.asm.put(I::with2(combine, R::AL, R::BL));
        None
    }

    /// Computes predicates of a comparison.
    pub(super) fn tests(
        &mut self,
        test: Test,
        from: [Source; 2],
        to: [Option<u32>; 2],
        (combine, with): (Combine, Predicate),
    ) {
        if let Some(flags) = self.compares(test, from) {
            self.asm.put(I::with1(flags.set, R::AL));
        }
        self.asm.put(I::with2(C::Movzx_r32_rm8, R::EAX, R::AL));
        if let (([Some(to), None], Combine::And), Predicate::Always) = ((to, combine), with) {
            return self.settle(Place::Predicate(to), FIRST);
        }
        // The second one is of what does not hold, and what both are combined with may be the first one.
        let [first, second] = to;
        self.predicate_in(with, SECOND);
        let gate = match combine {
            Combine::And => &AND,
            Combine::Or => &OR,
            Combine::Xor => &XOR,
        };
        let both = Operand::Register(SECOND);
        if second.is_some() && first.is_some() {
            self.asm.put(I::with2(C::Mov_rm64_r64, self.lane.moment(), FIRST));
        }
        if let Some(to) = first {
            self.alu(gate, false, FIRST, both);
            self.settle(Place::Predicate(to), FIRST);
        }
        if let Some(to) = second {
            if first.is_some() {
                self.asm.put(I::with2(C::Mov_r64_rm64, FIRST, self.lane.moment()));
            }
            self.alu(&XOR, false, FIRST, Operand::Number(1));
            self.alu(gate, false, FIRST, both);
            self.settle(Place::Predicate(to), FIRST);
        }
    }

    /// A general register becomes one where a predicate holds, else zero.
    pub(super) fn predicate_in(&mut self, predicate: Predicate, to: R) {
        match predicate {
            Predicate::Always => self.bring(false, to, Operand::Number(1)),
            Predicate::Never => self.bring(false, to, Operand::Number(0)),
            Predicate::If(i) | Predicate::Unless(i) => {
                let from = self.predicate(i);
                self.bring(false, to, from);
                if let Predicate::Unless(_) = predicate {
                    self.alu(&XOR, false, to, Operand::Number(1));
                }
            }
        }
    }

    fn predicate(&self, i: u32) -> Operand {
        match self.lane.places.get(Value::Of(Place::Predicate(i))) {
            Some(Home::General(register)) => Operand::Register(register),
            Some(Home::Stack(word)) => Operand::Memory(self.lane.word(word)),
            Some(Home::Float(_)) | None => Operand::Number(0),
        }
    }

    /// Looks at a predicate: equal where it does not hold.
    pub(super) fn look_at(&mut self, i: u32) {
        match self.predicate(i) {
            Operand::Register(of) => self.asm.put(I::with2(C::Test_rm32_r32, low(of), low(of))),
            Operand::Memory(of) => self.asm.put(I::with2(C::Cmp_rm32_imm8, of, 0)),
            Operand::Number(_) => {}
        }
    }

    /// Jumps where a predicate does not hold.
    pub(super) fn unless(&mut self, predicate: Predicate, to: Label) {
        match predicate {
            Predicate::Always => {}
            Predicate::Never => self.asm.jump(C::Jmp_rel32_64, to),
            Predicate::If(i) => {
                self.look_at(i);
                self.asm.jump(C::Je_rel32_64, to);
            }
            Predicate::Unless(i) => {
                self.look_at(i);
                self.asm.jump(C::Jne_rel32_64, to);
            }
        }
    }

    /// Bit `2a + b` of a table.
    pub(super) fn looks_up(&mut self, table: u8, to: u32, [a, b]: [Predicate; 2]) {
        self.predicate_in(a, FIRST);
        self.predicate_in(b, SECOND);
        let sum = MemoryOperand::with_base_index_scale(SECOND, FIRST, 2);
        self.asm.put(I::with2(C::Lea_r32_m, low(SECOND), sum));
        self.asm.put(I::with2(C::Mov_r32_imm32, low(FIRST), i32::from(table)));
        self.asm.put(I::with2(C::Bt_rm32_r32, low(FIRST), low(SECOND)));
        self.asm.put(I::with1(C::Setb_rm8, R::AL));
        self.asm.put(I::with2(C::Movzx_r32_rm8, R::EAX, R::AL));
        self.settle(Place::Predicate(to), FIRST);
    }
}
