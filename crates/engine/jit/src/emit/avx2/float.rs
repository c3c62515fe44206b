//! Operations on f32, and conversions from and to f32.

use super::flush::Scaled;
use super::{Avx2Emitter, MOVE, Operand, SCRATCH};
use crate::emit::asm::of_quiet_rounding;
use crate::emit::register_cache::{Key, Kind, Nans, Reg, Width, kind_of};
use crate::machine::Mode;
use crate::op::{Float, Op, Rounding};
use crate::operand::Source;
use iced_x86::Code as C;

/// Comparison predicates of floats.
pub(super) const UNORDERED: u32 = 3;
const ORDERED: u32 = 7;
const EQUAL: u32 = 0;
const GREATER_OR_EQUAL: u32 = 0x1d;
pub(super) const COMPARE: C = C::VEX_Vcmpps_ymm_ymm_ymmm256_imm8;

pub(super) const NAN: u32 = 0x7fff_ffff;
/// 2^31, 2^32 and 2^16 as f32.
const TWO_31: u32 = 0x4f00_0000;
const TWO_32: u32 = 0x4f80_0000;
const TWO_16: u32 = 0x4780_0000;

pub(super) const MUL: C = C::VEX_Vmulps_ymm_ymm_ymmm256;
pub(super) const AND: C = C::VEX_Vpand_ymm_ymm_ymmm256;

impl Avx2Emitter<'_> {
    /// Replaces all NaNs by the canonical NaN.
    pub(super) fn fix_nans(&mut self, y: Reg) {
        let nan = self.number(NAN);
        self.three_with(COMPARE, SCRATCH, y, y, UNORDERED);
        self.blend(y, y, nan, SCRATCH);
    }

    /// Loads a source of a float operation to a register, with subnormals flushed if `flush` is
    /// true.
    fn source(&mut self, source: Source, flush: bool, part: u8) -> Option<Reg> {
        let y = self.float(source, part)?;
        if !flush || self.cache.kind(y).no_subnormals {
            return Some(y);
        }
        let copy = self.temporary();
        self.flush(copy, y);
        Some(copy)
    }

    /// As [`Self::source`], but returns a memory operand where that is as good.
    fn operand(&mut self, source: Source, flush: bool, part: u8) -> Option<Operand> {
        match source {
            Source::Literal(_)
                if !flush || kind_of(Key::Other(source, Width::B32, 0)).no_subnormals =>
            {
                self.in_memory(Key::Other(source, Width::B32, 0))
            }
            _ if !flush => self.float_operand(source, part),
            _ => Some(self.source(source, flush, part)?.into()),
        }
    }

    /// Loads a factor, divisor or radicand to a register, with zeros in inactive lanes. Inactive
    /// lanes may hold integers that are subnormal as f32, which slow some processors down by a
    /// hundred cycles.
    fn zeroed_source(&mut self, source: Source, flush: bool, part: u8) -> Option<Reg> {
        let y = self.source(source, flush, part)?;
        self.zero_inactive(y, (part, None));
        Some(y)
    }

    /// As [`Self::zeroed_source`], but returns a memory operand where that is as good.
    fn zeroed_operand(&mut self, source: Source, flush: bool, part: u8) -> Option<Operand> {
        if self.mode == Mode::Live || matches!(source, Source::Literal(_)) {
            return self.operand(source, flush, part);
        }
        Some(self.zeroed_source(source, flush, part)?.into())
    }

    /// Sets inactive lanes of a part, or of a half of it, to 0, unless they are known to hold no
    /// subnormals.
    pub(super) fn zero_inactive(&mut self, y: Reg, (part, half): (u8, Option<u8>)) {
        if self.mode == Mode::Some && !self.cache.kind(y).inactive_normal {
            self.inactive_row(SCRATCH, part, half);
            self.three(C::VEX_Vpandn_ymm_ymm_ymmm256, y, SCRATCH, y);
            self.cache.of(y).kind.inactive_normal = true;
        }
    }

    /// Emits an operation that reads or writes f32, or a copy. Returns the value and what is known
    /// of it.
    pub(super) fn float_op(&mut self, op: Op, from: [Source; 3], part: u8) -> Option<(Reg, Kind)> {
        const NUMBER: Kind = Kind::normal(Nans::Canonical);
        Some(match op {
            Op::Float { op, flush, saturate } => {
                let values = self.arithmetic(op, from, flush, part)?;
                let (value, kind) = self.limited(values, flush, saturate);
                // Other operations leave in inactive lanes what their sources have there.
                let made = matches!(op, Float::Mul | Float::Div | Float::Fma | Float::Sqrt);
                let inactive_normal = kind.no_subnormals || made;
                (value, Kind { inactive_normal, ..kind })
            }
            Op::Directed { op, rounding, flush, saturate } => {
                let values = self.directed(op, rounding, from, flush, part)?;
                self.limited(values, flush, saturate)
            }
            Op::Copy => {
                let a = self.float_operand(from[0], part)?;
                let kind = match a {
                    Operand::Register(y) => self.cache.kind(y),
                    Operand::Memory(_) => kind_of(Key::Other(from[0], Width::B32, 0)),
                };
                (self.unary(MOVE, a), kind)
            }
            Op::FromU(bits) => (self.of_unsigned(from[0], bits, part)?, NUMBER),
            Op::FromS => {
                let a = self.narrow_operand(from[0], part)?;
                (self.unary(C::VEX_Vcvtdq2ps_ymm_ymmm256, a), NUMBER)
            }
            Op::ToU(rounding) => (self.unsigned_from(from[0], rounding, part)?, Kind::BITS),
            Op::ToS(rounding) => (self.signed_from(from[0], rounding, part)?, Kind::BITS),
            _ => return None,
        })
    }

    /// Applies `.ftz` and `.sat` to a value. Returns it with what is known of it.
    fn limited(
        &mut self,
        (value, scaled): (Reg, Option<Scaled>),
        flush: bool,
        saturate: bool,
    ) -> (Reg, Kind) {
        if saturate {
            self.saturate(value);
        }
        match scaled {
            Some(scaled) => self.flush_tiny(value, scaled),
            None if flush => self.flush(value, value),
            None => {}
        }
        (value, Kind::of_float(flush, saturate))
    }

    /// Emits arithmetic with a directed rounding, for which the processor's rounding mode is
    /// changed around one instruction.
    fn directed(
        &mut self,
        op: Float,
        rounding: Rounding,
        from: [Source; 3],
        flush: bool,
        part: u8,
    ) -> Option<(Reg, Option<Scaled>)> {
        let code = match op {
            Float::Add => C::VEX_Vaddps_ymm_ymm_ymmm256,
            Float::Sub => C::VEX_Vsubps_ymm_ymm_ymmm256,
            Float::Mul => MUL,
            Float::Div => C::VEX_Vdivps_ymm_ymm_ymmm256,
            Float::Fma => C::VEX_Vfmadd213ps_ymm_ymm_ymmm256,
            Float::Sqrt => C::VEX_Vsqrtps_ymm_ymmm256,
            _ => return None,
        };
        let a = self.zeroed_source(from[0], flush, part)?;
        let others = match op {
            Float::Sqrt => 0,
            Float::Fma => 2,
            _ => 1,
        };
        let mut sources = [a; 3];
        for (to, &from) in sources.iter_mut().zip(&from).skip(1).take(others) {
            *to = self.zeroed_source(from, flush, part)?;
        }
        let [_, b, c] = sources;
        let d = self.temporary();
        self.rounded_by(rounding, |e| match op {
            Float::Sqrt => e.two(code, d, a),
            Float::Fma => {
                e.two(MOVE, d, a);
                e.three(code, d, b, c);
            }
            _ => e.three(code, d, a, b),
        });
        let addend = (op == Float::Fma).then(|| c.into());
        let scaled = Scaled { code, rounding, from: (a.into(), b.into()), addend };
        let tiny = matches!(op, Float::Mul | Float::Div | Float::Fma);
        Some((d, (flush && tiny).then_some(scaled)))
    }

    /// Converts unsigned numbers to f32. AVX2 converts only signed numbers, so the two halves of
    /// the bits are converted, and an fma rounds their sum once.
    fn of_unsigned(&mut self, source: Source, bits: u32, part: u8) -> Option<Reg> {
        const CONVERT: C = C::VEX_Vcvtdq2ps_ymm_ymmm256;
        let a = self.narrow(source, part)?;
        let d = if bits == u32::MAX {
            self.unary(MOVE, a)
        } else {
            let bits = self.number(bits);
            self.binary(AND, a, bits)
        };
        if bits >> 31 == 0 {
            self.two(CONVERT, d, d);
            return Some(d);
        }
        let (low, scale) = (self.number(0xffff), self.number(TWO_16));
        self.three(AND, SCRATCH, d, low);
        self.two(CONVERT, SCRATCH, SCRATCH);
        self.two_with(C::VEX_Vpsrld_ymm_ymm_imm8, d, d, 16);
        self.two(CONVERT, d, d);
        // d * scale + MOMENT
        self.three(C::VEX_Vfmadd132ps_ymm_ymm_ymmm256, d, SCRATCH, scale);
        Some(d)
    }

    fn rounded(&mut self, source: Source, rounding: Rounding, part: u8) -> Option<Reg> {
        let a = self.float(source, part)?;
        Some(if rounding == Rounding::Trunc { a } else { self.round(a, rounding) })
    }

    fn round(&mut self, a: impl Into<Operand>, rounding: Rounding) -> Reg {
        let d = self.temporary();
        self.two_with(C::VEX_Vroundps_ymm_ymmm256_imm8, d, a, of_quiet_rounding(rounding));
        d
    }

    /// Converts f32 to unsigned numbers. Out of range, the processor's signed conversion gives the
    /// lowest number, whose bits are 2^31. So numbers below 2^31 are converted as they are, and for
    /// larger ones 2^31 is combined with the converted difference from 2^31.
    fn unsigned_from(&mut self, source: Source, rounding: Rounding, part: u8) -> Option<Reg> {
        const CONVERT: C = C::VEX_Vcvttps2dq_ymm_ymmm256;
        let a = self.rounded(source, rounding, part)?;
        let (zero, half, end) = (self.number(0), self.number(TWO_31), self.number(TWO_32));
        let (x, rest) = (self.temporary(), self.temporary());
        // `max` returns its second source if one is a NaN.
        self.three(C::VEX_Vmaxps_ymm_ymm_ymmm256, x, a, zero);
        self.three(C::VEX_Vsubps_ymm_ymm_ymmm256, rest, x, half);
        self.two(CONVERT, rest, rest);
        self.two(CONVERT, SCRATCH, x);
        self.three_with(COMPARE, x, x, end, GREATER_OR_EQUAL);
        self.three(C::VEX_Vpor_ymm_ymm_ymmm256, x, x, SCRATCH);
        self.two_with(C::VEX_Vpsrad_ymm_ymm_imm8, SCRATCH, SCRATCH, 31);
        self.three(AND, rest, rest, SCRATCH);
        self.three(C::VEX_Vpor_ymm_ymm_ymmm256, x, x, rest);
        Some(x)
    }

    fn signed_from(&mut self, source: Source, rounding: Rounding, part: u8) -> Option<Reg> {
        // No f32 below 2^31 is rounded up to 2^31.
        let (a, code) = if rounding == Rounding::Near {
            (self.float(source, part)?, C::VEX_Vcvtps2dq_ymm_ymmm256)
        } else {
            (self.rounded(source, rounding, part)?, C::VEX_Vcvttps2dq_ymm_ymmm256)
        };
        let end = self.number(TWO_31);
        let d = self.unary(code, a);
        self.three_with(COMPARE, SCRATCH, a, end, GREATER_OR_EQUAL);
        self.three(C::VEX_Vpxor_ymm_ymm_ymmm256, d, d, SCRATCH);
        self.three_with(COMPARE, SCRATCH, a, a, ORDERED);
        self.three(AND, d, d, SCRATCH);
        Some(d)
    }

    fn saturate(&mut self, y: Reg) {
        let (zero, one) = (self.number(0), self.number(0x3f80_0000));
        // `max` and `min` return their second source if one is a NaN or both are zeros.
        self.three(C::VEX_Vmaxps_ymm_ymm_ymmm256, y, y, zero);
        self.three(C::VEX_Vminps_ymm_ymm_ymmm256, y, y, one);
    }

    /// Emits arithmetic. Returns the result before `.ftz` and `.sat`, in a temporary, and, where
    /// the result may be tiny, the operation that `flush_tiny` repeats with scaled operands.
    fn arithmetic(
        &mut self,
        op: Float,
        from: [Source; 3],
        flush: bool,
        part: u8,
    ) -> Option<(Reg, Option<Scaled>)> {
        let code = match op {
            Float::Add => C::VEX_Vaddps_ymm_ymm_ymmm256,
            Float::Sub => C::VEX_Vsubps_ymm_ymm_ymmm256,
            Float::Mul => MUL,
            Float::Div => C::VEX_Vdivps_ymm_ymm_ymmm256,
            Float::Fma => return self.fma(from, flush, part),
            Float::Min | Float::Max => return Some((self.extreme(op, from, flush, part)?, None)),
            Float::Sqrt => {
                let a = self.zeroed_operand(from[0], flush, part)?;
                return Some((self.unary(C::VEX_Vsqrtps_ymm_ymmm256, a), None));
            }
            Float::Neg | Float::Abs => {
                let a = self.source(from[0], flush, part)?;
                let (code, number) = match op {
                    Float::Neg => (C::VEX_Vpxor_ymm_ymm_ymmm256, 0x8000_0000),
                    _ => (AND, 0x7fff_ffff),
                };
                let number = self.number(number);
                return Some((self.binary(code, a, number), None));
            }
            Float::Round(rounding) => {
                let a = self.operand(from[0], flush, part)?;
                return Some((self.round(a, rounding), None));
            }
            Float::Copy => {
                let a = self.operand(from[0], flush, part)?;
                return Some((self.unary(MOVE, a), None));
            }
        };
        let (a, b) = if let Float::Mul | Float::Div = op {
            (self.zeroed_source(from[0], flush, part)?, self.zeroed_operand(from[1], flush, part)?)
        } else {
            // Sums of subnormals are not slower, so that inactive lanes may have them.
            (self.source(from[0], flush, part)?, self.operand(from[1], flush, part)?)
        };
        let d = self.binary(code, a, b);
        let scaled = Scaled { code, rounding: Rounding::Near, from: (a.into(), b), addend: None };
        Some((d, (flush && matches!(op, Float::Mul | Float::Div)).then_some(scaled)))
    }

    fn fma(&mut self, from: [Source; 3], flush: bool, part: u8) -> Option<(Reg, Option<Scaled>)> {
        let a = self.zeroed_operand(from[0], flush, part)?;
        let b = self.zeroed_source(from[1], flush, part)?;
        let c = self.zeroed_operand(from[2], flush, part)?;
        let d = self.unary(MOVE, a);
        let code = C::VEX_Vfmadd213ps_ymm_ymm_ymmm256;
        self.three(code, d, b, c);
        let scaled =
            Scaled { code, rounding: Rounding::Near, from: (a, b.into()), addend: Some(c) };
        Some((d, flush.then_some(scaled)))
    }

    /// Emits `min` or `max`. The processor's instruction returns the second source if one is a NaN
    /// or both are zeros.
    fn extreme(&mut self, op: Float, from: [Source; 3], flush: bool, part: u8) -> Option<Reg> {
        let is_min = op == Float::Min;
        let code =
            if is_min { C::VEX_Vminps_ymm_ymm_ymmm256 } else { C::VEX_Vmaxps_ymm_ymm_ymmm256 };
        let a = self.source(from[0], flush, part)?;
        if let Source::Literal(number) = from[1] {
            let number = f32::from_bits(number as u32);
            if number.is_normal() || number.is_infinite() {
                let b = self.number(number.to_bits());
                return Some(self.binary(code, a, b));
            }
        }
        let b = self.source(from[1], flush, part)?;
        // Allocating a register may overwrite `SCRATCH`, so that all registers are allocated before
        // it is used.
        let (d, t) = (self.binary(code, a, b), self.temporary());
        self.three_with(COMPARE, SCRATCH, a, b, EQUAL);
        if is_min {
            // If a and b are equal, the result is negative if one of them is.
            self.three(AND, SCRATCH, SCRATCH, a);
            self.three(C::VEX_Vpor_ymm_ymm_ymmm256, d, d, SCRATCH);
        } else {
            // If a and b are equal, clears the bits that are zero in `a`.
            self.three(C::VEX_Vpandn_ymm_ymm_ymmm256, t, a, SCRATCH);
            self.three(C::VEX_Vpandn_ymm_ymm_ymmm256, d, t, d);
        }
        self.three_with(COMPARE, SCRATCH, b, b, UNORDERED);
        self.blend(d, d, a, SCRATCH);
        Some(d)
    }
}
