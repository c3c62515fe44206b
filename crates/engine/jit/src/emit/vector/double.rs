//! Operations on f64. An invalid operation gives the NaN 0xfff8000000000000, and otherwise the
//! result is a NaN only if a source is. If several sources are NaNs, sums and products give the NaN
//! of the second source, `fma` the first NaN among b, c, a, and quotients that of the first source.
//! The processor takes the NaN of an instruction's first operand, and in fused operations prefers
//! factors to the addend; the order of operands is chosen accordingly.

use super::float::{EQUAL, ORDERED, UNORDERED};
use super::{Operand, V};
use crate::emit::Emitter;
use crate::emit::asm::of_quiet_rounding;
use crate::emit::backend::Backend;
use crate::emit::register_cache::Reg;
use crate::machine::Mode;
use crate::op::{Float, Rounding};
use crate::operand::Source;

impl<B: Backend> Emitter<'_, B> {
    /// Emits an f64 operation for one lane group. Returns the temporary register of the result.
    pub(super) fn double(
        &mut self,
        op: Float,
        rounding: Rounding,
        from: [Source; 3],
        part: u8,
    ) -> Option<Reg> {
        let code = match op {
            Float::Add => V::AddD,
            Float::Sub if !from[1].is_number64() => {
                let one = self.wide(Source::Literal(1f64.to_bits()), part)?;
                let a = self.zeroed_wide_operand(from[0], part, rounding)?;
                let b = self.zeroed_wide_operand(from[1], part, Rounding::Near)?;
                let d = self.copied(true, b);
                B::rounded_by(self, rounding, |e| e.three(V::NegatedFmaD, d, one, a));
                return Some(d);
            }
            Float::Sub => V::SubD,
            Float::Mul => V::MulD,
            Float::Div => V::DivD,
            Float::Sqrt => {
                let (a, d) = (self.zeroed_wide_operand(from[0], part, rounding)?, self.temporary());
                B::rounded_by(self, rounding, |e| e.two(V::SqrtD, d, a));
                return Some(d);
            }
            Float::Fma => {
                let b = self.zeroed_wide(from[1], part)?;
                // If several operands are NaNs, the processor returns the NaN of the second, else
                // of the first, else of the third. So a is replaced by 0 where c is a NaN.
                let (d, c) = if from[0].is_number64() || from[2].is_number64() {
                    let a = self.zeroed_wide_operand(from[0], part, Rounding::Near)?;
                    let c = self.zeroed_wide_operand(from[2], part, rounding)?;
                    (self.copied(true, a), c)
                } else {
                    let (a, c) =
                        (self.zeroed_wide(from[0], part)?, self.zeroed_wide(from[2], part)?);
                    let d = self.temporary();
                    self.three_with(V::CompareD, B::SPARE_MASK, c, c, ORDERED);
                    B::keep(self, true, d, a);
                    (d, c.into())
                };
                B::rounded_by(self, rounding, |e| e.three(V::FmaD, d, b, c));
                return Some(d);
            }
            Float::Min | Float::Max => return self.double_extreme(op, from, part),
            Float::Neg | Float::Abs => {
                let a = self.wide(from[0], part)?;
                return Some(self.double_sign(op, a));
            }
            Float::Copy => {
                let a = self.wide_operand(from[0], part)?;
                return Some(self.copied(true, a));
            }
            Float::Round(how) => {
                let a = self.wide_operand(from[0], part)?;
                return Some(self.unary_with(V::RoundD, a, of_quiet_rounding(how)));
            }
        };
        // An immediate that is not a NaN can be the second operand, which may be in memory.
        let swaps = matches!(op, Float::Add | Float::Mul) && !from[1].is_number64();
        let [first, second] = if swaps { [from[1], from[0]] } else { [from[0], from[1]] };
        let (a, b) = if let Float::Mul | Float::Div = op {
            (self.zeroed_wide(first, part)?, self.zeroed_wide_operand(second, part, rounding)?)
        } else {
            (self.wide(first, part)?, self.rounded_operand(second, part, rounding)?)
        };
        let d = self.temporary();
        B::rounded_by(self, rounding, |e| e.three(code, d, a, b));
        Some(d)
    }

    /// Loads a source to a register, with zeros in inactive lanes (`Primitives::zero_inactive`).
    fn zeroed_wide(&mut self, source: Source, part: u8) -> Option<Reg> {
        let y = self.wide(source, part)?;
        B::zero_inactive(self, y, (part / 2, Some(part % 2)));
        Some(y)
    }

    /// As [`Self::zeroed_wide`], but returns a memory operand where that is as good.
    fn zeroed_wide_operand(
        &mut self,
        source: Source,
        part: u8,
        rounding: Rounding,
    ) -> Option<Operand> {
        if self.mode == Mode::Live || matches!(source, Source::Literal(_)) {
            return self.rounded_operand(source, part, rounding);
        }
        Some(self.zeroed_wide(source, part)?.into())
    }

    /// A 64-bit source of an instruction with a rounding mode, which may need a register.
    fn rounded_operand(&mut self, source: Source, part: u8, rounding: Rounding) -> Option<Operand> {
        if rounding == Rounding::Near || !B::IS_512 {
            return self.wide_operand(source, part);
        }
        Some(self.wide(source, part)?.into())
    }

    /// Emits `neg` or `abs`. A signalling NaN becomes quiet and keeps its sign.
    fn double_sign(&mut self, op: Float, a: Reg) -> Reg {
        let (code, bits) =
            if op == Float::Neg { (V::Xor64, 1 << 63) } else { (V::And64, u64::MAX >> 1) };
        let (bits, quiet) = (self.wide_number(bits), self.wide_number(1 << 51));
        let (d, t) = (self.binary(code, a, bits), self.temporary());
        self.three_with(V::CompareD, B::SPARE_MASK, a, a, UNORDERED);
        B::three_where(self, V::Or64, (d, t), a, quiet);
        self.release(t);
        d
    }

    /// Emits `min` or `max`. If one source is a NaN, the result is the other source; if both are
    /// NaNs, the result is b, made quiet. -0 is less than +0. The processor's instruction returns
    /// the second source if one is a NaN or both are zeros.
    fn double_extreme(&mut self, op: Float, from: [Source; 3], part: u8) -> Option<Reg> {
        let (a, b) = (self.wide(from[0], part)?, self.wide(from[1], part)?);
        let (code, combine) =
            if op == Float::Min { (V::MinD, V::Or64) } else { (V::MaxD, V::And64) };
        let (d, t) = (self.binary(code, b, a), self.temporary());
        self.three_with(V::CompareD, B::SPARE_MASK, a, b, EQUAL);
        B::three_where(self, combine, (d, t), a, b);
        self.three_with(V::CompareD, B::SPARE_MASK, a, a, UNORDERED);
        B::blend(self, true, (d, d), b, B::SPARE_MASK);
        let quiet = self.wide_number(1 << 51);
        self.three_with(V::CompareD, B::SPARE_MASK, d, d, UNORDERED);
        B::three_where(self, V::Or64, (d, t), d, quiet);
        self.release(t);
        Some(d)
    }
}
