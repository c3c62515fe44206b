//! Operations on f64. An invalid operation gives the NaN 0xfff8000000000000, and otherwise the
//! result is a NaN only if a source is. If several sources are NaNs, sums and products give the NaN
//! of the second source, `fma` the first NaN among b, c, a, and quotients that of the first source.
//! The processor takes the NaN of an instruction's first operand, and in fused operations prefers
//! factors to the addend; the order of operands is chosen accordingly.

use super::{Avx2Emitter, MOVE, Operand, SCRATCH};
use crate::emit::asm::{at, of_quiet_rounding};
use crate::emit::register_cache::Reg;
use crate::machine::Mode;
use crate::op::{Float, Op, Rounding};
use crate::operand::Source;
use iced_x86::{Code as C, Instruction as I, Register as R};

pub(super) const COMPARE: C = C::VEX_Vcmppd_ymm_ymm_ymmm256_imm8;
const AND: C = C::VEX_Vpand_ymm_ymm_ymmm256;
const OR: C = C::VEX_Vpor_ymm_ymm_ymmm256;
const XOR: C = C::VEX_Vpxor_ymm_ymm_ymmm256;
const ADD: C = C::VEX_Vaddpd_ymm_ymm_ymmm256;
const SUB: C = C::VEX_Vsubpd_ymm_ymm_ymmm256;
pub(super) const UNORDERED: u32 = 3;
/// 2^52, 2^84, and 2^84 + 2^52 as f64. Setting the low 32 bits of the first two to a number n gives
/// 2^52 + n and 2^84 + 2^32 n exactly.
pub(super) const TWO_52: u64 = 0x4330_0000_0000_0000;
const TWO_84: u64 = 0x4530_0000_0000_0000;
const TWO_84_52: u64 = 0x4530_0000_0010_0000;

impl Avx2Emitter<'_> {
    /// Emits a part of an operation on f64. The result is in a temporary.
    pub(super) fn double(
        &mut self,
        op: Float,
        rounding: Rounding,
        from: [Source; 3],
        part: u8,
    ) -> Option<Reg> {
        let code = match op {
            Float::Add => ADD,
            Float::Sub if !from[1].is_number64() => {
                let one = self.wide(Source::Literal(1f64.to_bits()), part)?;
                let a = self.zeroed_wide_operand(from[0], part)?;
                let b = self.zeroed_wide_operand(from[1], part)?;
                let d = self.unary(MOVE, b);
                let code = C::VEX_Vfnmadd213pd_ymm_ymm_ymmm256;
                self.rounded_by(rounding, |e| e.three(code, d, one, a));
                return Some(d);
            }
            Float::Sub => SUB,
            Float::Mul => C::VEX_Vmulpd_ymm_ymm_ymmm256,
            Float::Div => C::VEX_Vdivpd_ymm_ymm_ymmm256,
            Float::Sqrt => {
                let (a, d) = (self.zeroed_wide_operand(from[0], part)?, self.temporary());
                self.rounded_by(rounding, |e| e.two(C::VEX_Vsqrtpd_ymm_ymmm256, d, a));
                return Some(d);
            }
            Float::Fma => {
                let a = self.zeroed_wide_operand(from[0], part)?;
                let b = self.zeroed_wide(from[1], part)?;
                // The processor prefers a NaN of the second operand to that of the first, and the
                // first's to the third's. So a is replaced by 0 where c is a NaN.
                let (d, c) = if from[0].is_number64() || from[2].is_number64() {
                    (self.unary(MOVE, a), self.zeroed_wide_operand(from[2], part)?)
                } else {
                    let c = self.zeroed_wide(from[2], part)?;
                    let d = self.temporary();
                    self.three_with(COMPARE, SCRATCH, c, c, UNORDERED);
                    self.three(C::VEX_Vpandn_ymm_ymm_ymmm256, d, SCRATCH, a);
                    (d, c.into())
                };
                let code = C::VEX_Vfmadd213pd_ymm_ymm_ymmm256;
                self.rounded_by(rounding, |e| e.three(code, d, b, c));
                return Some(d);
            }
            Float::Min | Float::Max => return self.double_extreme(op, from, part),
            Float::Neg | Float::Abs => {
                let a = self.wide(from[0], part)?;
                return Some(self.double_sign(op, a));
            }
            Float::Copy => {
                let a = self.wide_operand(from[0], part)?;
                return Some(self.unary(MOVE, a));
            }
            Float::Round(how) => {
                let (a, d) = (self.wide_operand(from[0], part)?, self.temporary());
                self.two_with(C::VEX_Vroundpd_ymm_ymmm256_imm8, d, a, of_quiet_rounding(how));
                return Some(d);
            }
        };
        // An immediate that is not a NaN can be the second operand, which may be in memory.
        let swaps = matches!(op, Float::Add | Float::Mul) && !from[1].is_number64();
        let [first, second] = if swaps { [from[1], from[0]] } else { [from[0], from[1]] };
        let (a, b) = if let Float::Mul | Float::Div = op {
            (self.zeroed_wide(first, part)?, self.zeroed_wide_operand(second, part)?)
        } else {
            (self.wide(first, part)?, self.wide_operand(second, part)?)
        };
        let d = self.temporary();
        self.rounded_by(rounding, |e| e.three(code, d, a, b));
        Some(d)
    }

    /// Loads a source to a register, with zeros in inactive lanes ([`Self::zero_inactive`]).
    fn zeroed_wide(&mut self, source: Source, part: u8) -> Option<Reg> {
        let y = self.wide(source, part)?;
        self.zero_inactive(y, (part / 2, Some(part % 2)));
        Some(y)
    }

    /// As [`Self::zeroed_wide`], but returns a memory operand where that is as good.
    fn zeroed_wide_operand(&mut self, source: Source, part: u8) -> Option<Operand> {
        if self.mode == Mode::Live || matches!(source, Source::Literal(_)) {
            return self.wide_operand(source, part);
        }
        Some(self.zeroed_wide(source, part)?.into())
    }

    /// Emits an instruction with a rounding mode.
    pub(super) fn rounded_by(&mut self, rounding: Rounding, instruction: impl FnOnce(&mut Self)) {
        if rounding == Rounding::Near {
            return instruction(self);
        }
        self.rounding(rounding);
        instruction(self);
        self.rounding(Rounding::Near);
    }

    /// Sets the processor's rounding mode. The rest of the code relies on rounding to nearest.
    pub(super) fn rounding(&mut self, rounding: Rounding) {
        let control = match rounding {
            Rounding::Near => 0,
            Rounding::Floor => 1,
            Rounding::Ceil => 2,
            Rounding::Trunc => 3,
        };
        // All exceptions are masked, and no exception flag is set.
        let control = at(R::R9, self.pooled(&[0x1f80 | control << 13]));
        self.asm.put(I::with1(C::VEX_Vldmxcsr_m32, control));
    }

    pub(super) fn double_blend(&mut self, d: Reg, a: Reg, mask: Reg) {
        // A mask has all bits of a lane set or cleared.
        self.blend(d, d, a, mask);
    }

    /// Emits `neg` or `abs`. A signalling NaN becomes quiet and keeps its sign.
    fn double_sign(&mut self, op: Float, a: Reg) -> Reg {
        let (code, bits) = if op == Float::Neg { (XOR, 1 << 63) } else { (AND, u64::MAX >> 1) };
        let (bits, quiet) = (self.wide_number(bits), self.wide_number(1 << 51));
        let (d, nan) = (self.binary(code, a, bits), self.binary(OR, a, quiet));
        self.three_with(COMPARE, SCRATCH, a, a, UNORDERED);
        self.double_blend(d, nan, SCRATCH);
        self.release(nan);
        d
    }

    /// Emits `min` or `max`. If one source is a NaN, the result is the other source; if both are,
    /// it is b, made quiet. -0 is less than +0. The processor's instruction returns the second
    /// source if one is a NaN or both are zeros.
    fn double_extreme(&mut self, op: Float, from: [Source; 3], part: u8) -> Option<Reg> {
        let (a, b) = (self.wide(from[0], part)?, self.wide(from[1], part)?);
        let is_min = op == Float::Min;
        let code =
            if is_min { C::VEX_Vminpd_ymm_ymm_ymmm256 } else { C::VEX_Vmaxpd_ymm_ymm_ymmm256 };
        let (d, t) = (self.binary(code, b, a), self.temporary());
        self.three_with(COMPARE, SCRATCH, a, b, 0);
        if is_min {
            self.three(AND, SCRATCH, SCRATCH, b);
            self.three(OR, d, d, SCRATCH);
        } else {
            self.three(C::VEX_Vpandn_ymm_ymm_ymmm256, t, b, SCRATCH);
            self.three(C::VEX_Vpandn_ymm_ymm_ymmm256, d, t, d);
        }
        self.three_with(COMPARE, SCRATCH, a, a, UNORDERED);
        self.double_blend(d, b, SCRATCH);
        let quiet = self.wide_number(1 << 51);
        self.three_with(COMPARE, SCRATCH, d, d, UNORDERED);
        self.three(AND, SCRATCH, SCRATCH, quiet);
        self.three(OR, d, d, SCRATCH);
        self.release(t);
        Some(d)
    }

    /// Converts a part of integers to f64. Halves of 32 bits are converted exactly, and their sum
    /// is rounded once.
    pub(super) fn double_of(&mut self, op: Op, source: Source, part: u8) -> Option<Reg> {
        let (small, large) = (self.wide_number(TWO_52), self.wide_number(TWO_84));
        match op {
            Op::DoubleFromU => {
                let d = self.extended(source, part, false)?;
                self.three(OR, d, d, small);
                self.three(SUB, d, d, small);
                Some(d)
            }
            Op::DoubleFromS => {
                let d = self.extended(source, part, true)?;
                // Adding 2^52 + 2^51 keeps the sum positive for negative numbers.
                let middle = self.wide_number(TWO_52 | 1 << 51);
                self.three(C::VEX_Vpaddq_ymm_ymm_ymmm256, d, d, middle);
                self.three(SUB, d, d, middle);
                Some(d)
            }
            Op::DoubleFromWideU | Op::DoubleFromWideS => {
                let a = self.wide(source, part)?;
                let (high, low) = (self.temporary(), self.temporary());
                self.two_with(C::VEX_Vpsrlq_ymm_ymm_imm8, high, a, 32);
                let mut offset = TWO_84_52;
                if op == Op::DoubleFromWideS {
                    // The upper half is signed: flipping its sign bit adds 2^31 to it, and 2^63 is
                    // subtracted from the sum.
                    let sign = self.wide_number(1 << 31);
                    self.three(XOR, high, high, sign);
                    offset = 0x4530_0000_8010_0000;
                }
                self.three(OR, high, high, large);
                let offset = self.wide_number(offset);
                self.three(SUB, high, high, offset);
                // Combines the low halves of `a` with the high halves of 2^52.
                self.three_with(C::VEX_Vpblendd_ymm_ymm_ymmm256_imm8, low, a, small, 0xaa);
                self.three(ADD, high, high, low);
                self.release(low);
                Some(high)
            }
            _ => None,
        }
    }
}
