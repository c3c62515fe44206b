//! Steps that compute floats, for a lane alone.

use super::compute::{FLOAT, OTHER_FLOAT, Operand, Steps, THIRD_FLOAT};
use super::places::{Home, Value, low, value_of};
use super::state::FIRST;
use crate::op::{Float, Op};
use crate::operand::{Place, Source};
use iced_x86::{Code as C, Instruction as I, Register as R};

impl Steps<'_> {
    /// A source as a float, in a register: its own, or the one given.
    pub(super) fn float_in(&mut self, source: Source, wide: bool, or: R) -> R {
        match self.float(source, wide, or) {
            Operand::Register(register) => register,
            Operand::Memory(from) => {
                let code = if wide { C::VEX_Vmovsd_xmm_m64 } else { C::VEX_Vmovss_xmm_m32 };
                self.asm.put(I::with2(code, or, from));
                or
            }
            Operand::Number(_) => or,
        }
    }

    /// A source as a float, in memory or in a register.
    fn float(&mut self, source: Source, wide: bool, or: R) -> Operand {
        let home = value_of(source, wide, true).and_then(|value| self.lane.places.get(value));
        match home {
            Some(Home::Float(register)) => Operand::Register(register),
            Some(Home::Stack(word)) => Operand::Memory(self.lane.word(word)),
            Some(Home::General(register)) => {
                self.asm.put(I::with2(C::VEX_Vmovq_xmm_rm64, or, register));
                Operand::Register(or)
            }
            None => {
                self.asm.out_of_registers();
                Operand::Register(or)
            }
        }
    }

    /// The same of floats.
    pub(super) fn computes_float(&mut self, op: Op, to: Place, from: [Source; 3]) {
        let wide = matches!(to, Place::Wide(_));
        let home = self.lane.places.get(Value::Of(to));
        let work = if let Some(Home::Float(register)) = home { register } else { FLOAT };
        match op {
            Op::Float { op, .. } | Op::Double(op) => self.arithmetic(op, wide, work, from),
            Op::FromS | Op::DoubleFromS => {
                let code = if wide {
                    C::VEX_Vcvtsi2sd_xmm_xmm_rm32
                } else {
                    C::VEX_Vcvtsi2ss_xmm_xmm_rm32
                };
                let from = self.bits_in(from[0], false, FIRST);
                // It waits for nothing that the register has held.
                self.asm.put(I::with3(C::VEX_Vxorps_xmm_xmm_xmmm128, FLOAT, FLOAT, FLOAT));
                self.asm.put(I::with3(code, work, FLOAT, low(from)));
            }
            Op::DoubleFromF => {
                let from = self.float_in(from[0], false, OTHER_FLOAT);
                self.asm.put(I::with3(C::VEX_Vcvtss2sd_xmm_xmm_xmmm32, work, from, from));
            }
            Op::FromDouble(_) => {
                let from = self.float_in(from[0], true, OTHER_FLOAT);
                self.asm.put(I::with3(C::VEX_Vcvtsd2ss_xmm_xmm_xmmm64, work, from, from));
            }
            Op::Select(predicate) | Op::SelectWide(predicate) => {
                let (other, done) = (self.asm.label(), self.asm.label());
                self.unless(predicate, other);
                self.move_float(from[0], wide, work);
                self.asm.jump(C::Jmp_rel32_64, done);
                self.asm.bind(other);
                self.move_float(from[1], wide, work);
                self.asm.bind(done);
            }
            _ => self.move_float(from[0], wide, work),
        }
        if let Some(Home::Stack(word)) = home {
            self.asm.put(I::with2(C::VEX_Vmovq_xmmm64_xmm, self.lane.word(word), work));
        }
    }

    fn move_float(&mut self, from: Source, wide: bool, to: R) {
        let from = self.float_in(from, wide, to);
        self.copy_float(to, from);
    }

    fn copy_float(&mut self, to: R, from: R) {
        if from != to {
            self.asm.put(I::with2(C::VEX_Vmovaps_xmm_xmmm128, to, from));
        }
    }

    fn arithmetic(&mut self, op: Float, wide: bool, to: R, from: [Source; 3]) {
        let code = |single: C, double: C| if wide { double } else { single };
        if let Float::Neg | Float::Abs = op {
            // The sign, or all but it, by a general register.
            let from = self.float_in(from[0], wide, FLOAT);
            self.asm.put(I::with2(C::VEX_Vmovq_rm64_xmm, FIRST, from));
            let bit = if wide { 63_u32 } else { 31 };
            let change = if op == Float::Neg { C::Btc_rm64_imm8 } else { C::Btr_rm64_imm8 };
            self.asm.put(I::with2(change, FIRST, bit));
            self.asm.put(I::with2(C::VEX_Vmovq_xmm_rm64, to, FIRST));
            return;
        }
        let a = self.float_in(from[0], wide, FLOAT);
        if op == Float::Fma {
            let b = self.float_in(from[1], wide, OTHER_FLOAT);
            let c = self.float(from[2], wide, THIRD_FLOAT);
            if c == Operand::Register(to) {
                let code =
                    code(C::VEX_Vfmadd231ss_xmm_xmm_xmmm32, C::VEX_Vfmadd231sd_xmm_xmm_xmmm64);
                self.asm.put(I::with3(code, to, a, b));
                return;
            }
            let work = if b == to { FLOAT } else { to };
            self.copy_float(work, a);
            let code = code(C::VEX_Vfmadd213ss_xmm_xmm_xmmm32, C::VEX_Vfmadd213sd_xmm_xmm_xmmm64);
            self.asm.put(match c {
                Operand::Memory(c) => I::with3(code, work, b, c),
                Operand::Register(c) => I::with3(code, work, b, c),
                Operand::Number(_) => I::with3(code, work, b, b),
            });
            return self.copy_float(to, work);
        }
        let b = self.float(from[1], wide, OTHER_FLOAT);
        let code = match op {
            Float::Add => code(C::VEX_Vaddss_xmm_xmm_xmmm32, C::VEX_Vaddsd_xmm_xmm_xmmm64),
            Float::Sub => code(C::VEX_Vsubss_xmm_xmm_xmmm32, C::VEX_Vsubsd_xmm_xmm_xmmm64),
            _ => code(C::VEX_Vmulss_xmm_xmm_xmmm32, C::VEX_Vmulsd_xmm_xmm_xmmm64),
        };
        self.asm.put(match b {
            Operand::Memory(b) => I::with3(code, to, a, b),
            Operand::Register(b) => I::with3(code, to, a, b),
            Operand::Number(_) => I::with3(code, to, a, a),
        });
    }
}
