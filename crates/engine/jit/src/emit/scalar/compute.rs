//! Steps that compute, for a lane alone.

use super::kinds;
use super::places::{Home, Value, immediate, low, value_of};
use super::state::{FIRST, Lane, SECOND};
use crate::emit::asm::Assembler;
use crate::op::Op;
use crate::operand::{Place, Source};
use iced_x86::{Code as C, Instruction as I, MemoryOperand, Register as R};

/// What an instruction reads last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operand {
    Register(R),
    Memory(MemoryOperand),
    Number(i32),
}

/// An instruction on general registers, of 32 and of 64 bits: with an operand, and with a number.
pub(super) struct Alu([C; 2], [C; 2]);

pub(super) const ADD: Alu =
    Alu([C::Add_r32_rm32, C::Add_r64_rm64], [C::Add_rm32_imm32, C::Add_rm64_imm32]);
pub(super) const SUB: Alu =
    Alu([C::Sub_r32_rm32, C::Sub_r64_rm64], [C::Sub_rm32_imm32, C::Sub_rm64_imm32]);
pub(super) const AND: Alu =
    Alu([C::And_r32_rm32, C::And_r64_rm64], [C::And_rm32_imm32, C::And_rm64_imm32]);
pub(super) const OR: Alu =
    Alu([C::Or_r32_rm32, C::Or_r64_rm64], [C::Or_rm32_imm32, C::Or_rm64_imm32]);
pub(super) const XOR: Alu =
    Alu([C::Xor_r32_rm32, C::Xor_r64_rm64], [C::Xor_rm32_imm32, C::Xor_rm64_imm32]);
pub(super) const CMP: Alu =
    Alu([C::Cmp_r32_rm32, C::Cmp_r64_rm64], [C::Cmp_rm32_imm32, C::Cmp_rm64_imm32]);
const MOV: Alu = Alu([C::Mov_r32_rm32, C::Mov_r64_rm64], [C::Mov_rm32_imm32, C::Mov_rm64_imm32]);

/// Registers for moments.
pub(super) const FLOAT: R = R::XMM0;
pub(super) const OTHER_FLOAT: R = R::XMM1;
pub(super) const THIRD_FLOAT: R = R::XMM2;

/// What makes the code of the steps of a lane.
pub(super) struct Steps<'c> {
    pub(super) asm: &'c mut Assembler,
    pub(super) lane: &'c Lane,
}

impl Steps<'_> {
    /// An instruction on a general register.
    pub(super) fn alu(&mut self, alu: &Alu, wide: bool, to: R, from: Operand) {
        let Alu(with, number) = alu;
        let size = |register: R| if wide { register } else { low(register) };
        let at = usize::from(wide);
        self.asm.put(match from {
            Operand::Register(from) => I::with2(with[at], size(to), size(from)),
            Operand::Memory(from) => I::with2(with[at], size(to), from),
            Operand::Number(n) => I::with2(number[at], size(to), n),
        });
    }

    /// A number goes to a general register; one of 32 bits with zeros above.
    pub(super) fn bring(&mut self, wide: bool, to: R, from: Operand) {
        match from {
            Operand::Register(register) if register == to => {}
            Operand::Number(0) => self.asm.put(I::with2(C::Xor_r32_rm32, low(to), low(to))),
            from => self.alu(&MOV, wide, to, from),
        }
    }

    /// A source as a number.
    pub(super) fn bits(&self, source: Source, wide: bool) -> Operand {
        match (value_of(source, wide, false), source) {
            (None, Source::Literal(number)) => {
                Operand::Number(immediate(number, wide).unwrap_or(0))
            }
            (value, _) => match value.and_then(|value| self.lane.places.get(value)) {
                Some(Home::General(register) | Home::Float(register)) => {
                    Operand::Register(register)
                }
                Some(Home::Stack(word)) => Operand::Memory(self.lane.word(word)),
                None => Operand::Number(0),
            },
        }
    }

    /// A source as a number in a general register: its own, or the one given.
    pub(super) fn bits_in(&mut self, source: Source, wide: bool, or: R) -> R {
        match self.bits(source, wide) {
            Operand::Register(register) => register,
            from => {
                self.bring(wide, or, from);
                or
            }
        }
    }

    /// Where what is computed for a register, of these operands behind the first one, can be made.
    fn work(&self, to: Place, behind: &[Operand]) -> R {
        match self.lane.places.get(Value::Of(to)) {
            Some(Home::General(register)) if !behind.contains(&Operand::Register(register)) => {
                register
            }
            _ => FIRST,
        }
    }

    /// A general register becomes a register of the lane.
    pub(super) fn settle(&mut self, to: Place, from: R) {
        match self.lane.places.get(Value::Of(to)) {
            Some(Home::General(register)) => self.bring(true, register, Operand::Register(from)),
            Some(Home::Stack(word)) => {
                self.asm.put(I::with2(C::Mov_rm64_r64, self.lane.word(word), from))
            }
            Some(Home::Float(_)) | None => {}
        }
    }

    /// Computes a register.
    pub(super) fn computes(&mut self, op: Op, to: Place, from: [Source; 3]) {
        let Some((kind, kinds)) = kinds::of(op, &from) else { return };
        if self.lane.of.is_float(kind, to) {
            return self.computes_float(op, to, from);
        }
        let wide = kind.is_wide();
        let [a, b, c] = [0, 1, 2].map(|i| {
            if i < op.sources() {
                self.bits(from[i], kinds[i].is_wide())
            } else {
                Operand::Number(0)
            }
        });
        let two = |alu: &Alu, e: &mut Self| {
            let work = e.work(to, &[b]);
            e.bring(wide, work, a);
            e.alu(alu, wide, work, b);
            work
        };
        let work = match op {
            Op::Copy | Op::CopyWide => {
                let work = self.work(to, &[]);
                self.bring(wide, work, a);
                work
            }
            Op::ExtendU | Op::Low => {
                let work = self.work(to, &[]);
                // It is a number of 32 bits in another register, too: above are zeros then.
                match a {
                    Operand::Register(from) => {
                        self.asm.put(I::with2(C::Mov_r32_rm32, low(work), low(from)))
                    }
                    from => self.bring(false, work, from),
                }
                work
            }
            Op::ExtendS => {
                let work = self.work(to, &[]);
                self.extend_signed(work, a);
                work
            }
            Op::Add | Op::AddWide => two(&ADD, self),
            Op::Sub | Op::SubWide => two(&SUB, self),
            Op::Mul | Op::MulWide => {
                let work = self.work(to, &[b]);
                self.bring(wide, work, a);
                self.multiply(wide, work, b);
                work
            }
            Op::MulAdd => {
                let work = self.work(to, &[b, c]);
                self.bring(false, work, a);
                self.multiply(false, work, b);
                self.alu(&ADD, false, work, c);
                work
            }
            Op::ProductU | Op::ProductS | Op::ProductAddU | Op::ProductAddS => {
                self.product(matches!(op, Op::ProductS | Op::ProductAddS), a, b);
                if matches!(op, Op::ProductAddU | Op::ProductAddS) {
                    self.alu(&ADD, true, FIRST, c);
                }
                FIRST
            }
            Op::MinS | Op::MaxS | Op::MinU | Op::MaxU => {
                self.bring(false, FIRST, a);
                self.bring(false, SECOND, b);
                self.alu(&CMP, false, FIRST, Operand::Register(SECOND));
                let code = match op {
                    Op::MinS => C::Cmovg_r32_rm32,
                    Op::MaxS => C::Cmovl_r32_rm32,
                    Op::MinU => C::Cmova_r32_rm32,
                    _ => C::Cmovb_r32_rm32,
                };
                self.asm.put(I::with2(code, low(FIRST), low(SECOND)));
                FIRST
            }
            Op::Bits(table) | Op::BitsWide(table) => self.gate(to, (table, wide), [a, b]),
            Op::ShiftLeft | Op::ShiftRightU | Op::ShiftRightS => {
                let codes = [C::Shl_rm32_imm8, C::Shr_rm32_imm8, C::Sar_rm32_imm8];
                self.shift((op, to), a, b, (codes, 32))
            }
            Op::ShiftLeftWide | Op::ShiftRightWideU | Op::ShiftRightWideS => {
                let codes = [C::Shl_rm64_imm8, C::Shr_rm64_imm8, C::Sar_rm64_imm8];
                self.shift((op, to), a, b, (codes, 64))
            }
            Op::Select(predicate) | Op::SelectWide(predicate) => {
                let (other, done) = (self.asm.label(), self.asm.label());
                self.unless(predicate, other);
                self.bring(wide, FIRST, a);
                self.asm.jump(C::Jmp_rel32_64, done);
                self.asm.bind(other);
                self.bring(wide, FIRST, b);
                self.asm.bind(done);
                FIRST
            }
            _ => return self.asm.out_of_registers(),
        };
        self.settle(to, work);
    }

    /// A number of 32 bits becomes one of 64 by its sign.
    fn extend_signed(&mut self, to: R, from: Operand) {
        self.asm.put(match from {
            Operand::Register(from) => I::with2(C::Movsxd_r64_rm32, to, low(from)),
            Operand::Memory(from) => I::with2(C::Movsxd_r64_rm32, to, from),
            Operand::Number(n) => I::with2(C::Mov_rm64_imm32, to, n),
        });
    }

    fn multiply(&mut self, wide: bool, to: R, by: Operand) {
        let size = |register: R| if wide { register } else { low(register) };
        let [code, number] = match wide {
            true => [C::Imul_r64_rm64, C::Imul_r64_rm64_imm32],
            false => [C::Imul_r32_rm32, C::Imul_r32_rm32_imm32],
        };
        self.asm.put(match by {
            Operand::Register(by) => I::with2(code, size(to), size(by)),
            Operand::Memory(by) => I::with2(code, size(to), by),
            Operand::Number(n) => I::with3(number, size(to), size(to), n),
        });
    }

    /// The first register becomes the product of two numbers of 32 bits.
    fn product(&mut self, signed: bool, a: Operand, b: Operand) {
        let extend = |e: &mut Self, to: R, from: Operand| match (signed, from) {
            (true, from) => e.extend_signed(to, from),
            (false, Operand::Register(from)) => {
                e.asm.put(I::with2(C::Mov_r32_rm32, low(to), low(from)))
            }
            (false, Operand::Number(n)) => e.asm.put(I::with2(C::Mov_r32_imm32, low(to), n)),
            (false, from) => e.bring(false, to, from),
        };
        extend(self, FIRST, a);
        match b {
            Operand::Number(n) if n > 0 && n.count_ones() == 1 => {
                self.asm.put(I::with2(C::Shl_rm64_imm8, FIRST, n.trailing_zeros()));
            }
            Operand::Number(n) if n >= 0 || signed => self.multiply(true, FIRST, b),
            _ => {
                extend(self, SECOND, b);
                self.multiply(true, FIRST, Operand::Register(SECOND));
            }
        }
    }

    /// Bits of two numbers by a table that does not look at a third one.
    fn gate(&mut self, to: Place, (table, wide): (u8, bool), [a, b]: [Operand; 2]) -> R {
        // What it gives for ones in both, in the first alone, in the second alone, and in none.
        let gives = [6, 4, 2, 0].map(|at| table >> at & 1);
        let is_inverted = gives[3] != 0;
        let work = self.work(to, &[b]);
        match gives.map(|bit| bit ^ u8::from(is_inverted)) {
            [0, 0, 0, _] => self.bring(wide, work, Operand::Number(0)),
            [1, 1, 0, _] => self.bring(wide, work, a),
            [1, 0, 1, _] => self.bring(wide, work, b),
            [0, 1, 0, _] => {
                self.bring(wide, FIRST, b);
                self.invert(wide, FIRST);
                self.alu(&AND, wide, FIRST, a);
                self.bring(wide, work, Operand::Register(FIRST));
            }
            [0, 0, 1, _] => {
                self.bring(wide, work, a);
                self.invert(wide, work);
                self.alu(&AND, wide, work, b);
            }
            of => {
                self.bring(wide, work, a);
                let gate = match of {
                    [1, 0, 0, _] => &AND,
                    [0, 1, 1, _] => &XOR,
                    _ => &OR,
                };
                self.alu(gate, wide, work, b);
            }
        }
        if is_inverted {
            self.invert(wide, work);
        }
        work
    }

    fn invert(&mut self, wide: bool, of: R) {
        self.asm.put(match wide {
            true => I::with1(C::Not_rm64, of),
            false => I::with1(C::Not_rm32, low(of)),
        });
    }

    /// Shifts by a number: left, right, and right with signs.
    fn shift(
        &mut self,
        (op, to): (Op, Place),
        a: Operand,
        by: Operand,
        (codes, bits): ([C; 3], u32),
    ) -> R {
        let Operand::Number(by) = by else {
            self.asm.out_of_registers();
            return FIRST;
        };
        let (by, wide) = (by as u32, bits == 64);
        let work = self.work(to, &[]);
        let code = match op {
            Op::ShiftLeft | Op::ShiftLeftWide => codes[0],
            Op::ShiftRightU | Op::ShiftRightWideU => codes[1],
            _ => codes[2],
        };
        if by >= bits && code != codes[2] {
            self.bring(wide, work, Operand::Number(0));
            return work;
        }
        self.bring(wide, work, a);
        let by = by.min(bits - 1);
        if by != 0 {
            self.asm.put(I::with2(code, if wide { work } else { low(work) }, by));
        }
        work
    }
}
