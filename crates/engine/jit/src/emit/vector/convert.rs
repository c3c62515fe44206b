//! Conversions between f64, f32, f16 and integers that change the width of a lane.

use super::float::UNORDERED;
use super::{Opcode, V};
use crate::emit::Emitter;
use crate::emit::asm::of_rounding;
use crate::emit::backend::Backend;
use crate::emit::register_cache::{Kind, Nans, Reg};
use crate::op::{Op, Rounding};
use crate::operand::Source;
use iced_x86::Instruction as I;

impl<B: Backend> Emitter<'_, B> {
    /// Emits a conversion to 32-bit lanes. Returns the temporary with the result, and what is known
    /// of it.
    pub(super) fn convert(&mut self, op: Op, source: Source, part: u8) -> Option<(Reg, Kind)> {
        Some(match op {
            Op::FromHalf => {
                let a = self.narrow(source, part)?;
                let d = self.temporary();
                B::low_words(self, d, a);
                self.widen(V::FFromHalf, d, d);
                (d, Kind::normal(Nans::Any))
            }
            Op::ToHalf(rounding) => (self.half_of(source, part, rounding)?, Kind::BITS),
            Op::DoubleToU => {
                let halves = [2 * part, 2 * part + 1].map(|part| self.wide(source, part));
                let [Some(low), Some(high)] = halves else { return None };
                (B::unsigned_of_double(self, [low, high]), Kind::BITS)
            }
            Op::FromDouble(rounding) => {
                let (low, high) = (self.wide(source, 2 * part)?, self.wide(source, 2 * part + 1)?);
                let [d, spare] = [(); 2].map(|()| self.temporary());
                // Both halves are converted under one change of the rounding mode.
                B::rounded_by(self, rounding, |e| {
                    e.shrink(V::FFromD, d, low);
                    e.shrink(V::FFromD, spare, high);
                });
                self.join_halves(d, spare);
                (d, Kind::BITS)
            }
            Op::DoubleToS => {
                let low = self.half_to_signed(source, 2 * part)?;
                let high = self.half_to_signed(source, 2 * part + 1)?;
                self.join_halves(low, high);
                (low, Kind::BITS)
            }
            _ => return None,
        })
    }

    fn half_of(&mut self, source: Source, part: u8, rounding: Rounding) -> Option<Reg> {
        let (a, nan) = (self.float(source, part)?, self.number(0x7fff));
        let d = self.temporary();
        let (code, to) = (V::HalfFromF.code::<B>(), B::half(d));
        self.asm.put(I::with3(code, to, B::name(a), of_rounding(rounding)));
        self.widen(V::ExtendWords, d, d);
        self.three_with(V::CompareF, B::SPARE_MASK, a, a, UNORDERED);
        B::blend(self, false, (d, d), nan, B::SPARE_MASK);
        Some(d)
    }

    /// Converts a lane group of f64 to signed integers in the lower half of a temporary.
    fn half_to_signed(&mut self, source: Source, part: u8) -> Option<Reg> {
        let a = self.wide(source, part)?;
        let d = self.temporary();
        let most = self.wide_number(f64::from(i32::MAX).to_bits());
        // `min` returns its second source if one is a NaN. The conversion returns the lowest number
        // for NaNs and for values below it.
        self.set(true, d, most);
        self.three(V::MinD, d, d, a);
        self.shrink(V::TruncatedS32FromD, d, d);
        Some(d)
    }

    /// Converts a lane group of f32 to f64.
    pub(super) fn double_of_float(&mut self, source: Source, part: u8) -> Option<Reg> {
        let (a, d) = (self.narrow(source, part / 2)?, self.temporary());
        self.widen_half(V::DFromF, d, a, part % 2);
        Some(d)
    }
}
