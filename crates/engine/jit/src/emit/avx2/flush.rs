//! `.ftz`: replaces subnormal sources, and tiny results ([`tiny`]), by zeros of their sign.

use super::float::{AND, COMPARE, MUL};
use super::{Avx2Emitter, MOVE, Operand, SCRATCH, Vector};
use crate::emit::register_cache::Reg;
use crate::op::{Rounding, tiny};
use iced_x86::{Code as C, Instruction as I, Register as R};

/// The comparison predicate "less".
const LESS: u32 = 0x11;

/// A product or quotient of two operands, or a product plus an addend, which `flush_tiny` repeats
/// with scaled operands.
pub(super) struct Scaled {
    pub(super) code: C,
    pub(super) rounding: Rounding,
    pub(super) from: (Operand, Operand),
    pub(super) addend: Option<Operand>,
}

impl Avx2Emitter<'_> {
    /// Replaces subnormals by zeros of their sign.
    pub(super) fn flush(&mut self, to: Reg, y: Reg) {
        let (exponent, zero) = (self.number(0x7f80_0000), self.number(0));
        self.three(AND, SCRATCH, y, exponent);
        self.three(C::VEX_Vpcmpeqd_ymm_ymm_ymmm256, SCRATCH, SCRATCH, zero);
        // Makes a mask of all bits except the sign bit.
        self.two_with(C::VEX_Vpsrld_ymm_ymm_imm8, SCRATCH, SCRATCH, 1);
        self.three(C::VEX_Vpandn_ymm_ymm_ymmm256, to, SCRATCH, y);
    }

    /// Replaces tiny results of an operation by zeros of their sign ([`tiny`]).
    pub(super) fn flush_tiny(&mut self, y: Reg, of: Scaled) {
        const DOUBLE: C = C::VEX_Vpaddd_ymm_ymm_ymmm256;
        // Registers are allocated before constants are loaded, because constants may be in
        // registers that are free.
        let x = self.temporary();
        // Vector comparisons of integers are signed, so the sign bit is not part of the operands.
        let less = self.number(i32::MAX as u32);
        let twice = self.number(0x0100_0000 ^ 1 << 31);
        let (by, least) = (self.number(tiny::LARGER), self.number(tiny::LEAST));
        let rest = self.number(0x7fff_ffff);
        // The magnitude (shifted left by one, without the sign) minus one, so that zero does not
        // count as small.
        self.three(DOUBLE, x, y, y);
        self.three(DOUBLE, x, x, less);
        self.two(MOVE, SCRATCH, twice);
        self.three(C::VEX_Vpcmpgtd_ymm_ymm_ymmm256, SCRATCH, SCRATCH, x);
        self.asm.put(I::with2(C::VEX_Vmovmskps_r32_ymm, R::EAX, SCRATCH.ymm()));
        self.asm.put(I::with2(C::Test_rm32_r32, R::EAX, R::EAX));
        self.out_of_line(C::Jne_rel32_64, move |e| {
            let Scaled { code, rounding, from: (a, b), addend } = of;
            e.two(MOVE, x, a);
            e.three(MUL, x, x, by);
            match (addend, b) {
                (Some(c), Operand::Register(b)) => {
                    e.two(MOVE, SCRATCH, c);
                    e.three(MUL, SCRATCH, SCRATCH, by);
                    e.rounded_by(rounding, |e| e.three(code, x, b, SCRATCH));
                }
                _ => e.rounded_by(rounding, |e| e.three(code, x, x, b)),
            }
            e.three(AND, x, x, rest);
            e.three_with(COMPARE, SCRATCH, x, least, LESS);
            // Makes a mask of all bits except the sign bit.
            e.two_with(C::VEX_Vpsrld_ymm_ymm_imm8, SCRATCH, SCRATCH, 1);
            e.three(C::VEX_Vpandn_ymm_ymm_ymmm256, y, SCRATCH, y);
        });
    }
}
