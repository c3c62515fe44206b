//! Operations on f32, and conversions from and to f32.

use super::source::narrow_key;
use super::{Operand, V};
use crate::emit::Emitter;
use crate::emit::asm::{J, of_quiet_rounding};
use crate::emit::backend::Backend;
use crate::emit::register_cache::{Key, Kind, Nans, Reg, Width, kind_of};
use crate::machine::Mode;
use crate::op::{Float, Op, Rounding, tiny};
use crate::operand::{Relation, Source};

/// Comparison predicates of floats.
pub(in crate::emit) const UNORDERED: u32 = 3;
pub(in crate::emit) const ORDERED: u32 = 7;
pub(super) const EQUAL: u32 = 0;
const LESS: u32 = 0x11;
pub(in crate::emit) const GREATER_OR_EQUAL: u32 = 0x1d;

/// The immediate of a float comparison that raises no exception for quiet NaNs.
pub(in crate::emit) fn of_floats(relation: Relation, unordered: bool) -> u32 {
    match (relation, unordered) {
        (Relation::Eq, false) => 0x00,
        (Relation::Eq, true) => 0x08,
        (Relation::Ne, false) => 0x0c,
        (Relation::Ne, true) => 0x04,
        (Relation::Lt, false) => 0x11,
        // "Not greater or equal" includes unordered, and so on.
        (Relation::Lt, true) => 0x19,
        (Relation::Le, false) => 0x12,
        (Relation::Le, true) => 0x1a,
        (Relation::Gt, false) => 0x1e,
        (Relation::Gt, true) => 0x16,
        (Relation::Ge, false) => 0x1d,
        (Relation::Ge, true) => 0x15,
    }
}

/// 2^31 as f32.
const TWO_31: u32 = 0x4f00_0000;

/// An operation on f32 registers with its rounding, which [`Emitter::flush_tiny`] repeats with
/// scaled operands: a product or quotient of two operands, or a product plus an addend.
struct Scaled {
    code: V,
    rounding: Rounding,
    from: (Operand, Operand),
    addend: Option<Operand>,
}

impl<B: Backend> Emitter<'_, B> {
    /// Loads a source of a float operation to a register, with subnormals flushed if `flush` is
    /// true.
    fn source(&mut self, source: Source, flush: bool, part: u8) -> Option<Reg> {
        let y = self.float(source, part)?;
        if !flush || self.cache.kind(y).no_subnormals {
            return Some(y);
        }
        let copy = self.temporary();
        B::flush(self, copy, y);
        Some(copy)
    }

    /// As [`Self::source`], but returns a memory operand where that is as good. The operand of an
    /// instruction with a static rounding must be a register.
    fn operand(
        &mut self,
        source: Source,
        flush: bool,
        part: u8,
        rounding: Rounding,
    ) -> Option<Operand> {
        match source {
            _ if rounding != Rounding::Near && B::IS_512 => {
                Some(self.source(source, flush, part)?.into())
            }
            Source::Literal(_)
                if !flush || kind_of(Key::Other(source, Width::B32, 0)).no_subnormals =>
            {
                self.in_memory(Key::Other(source, Width::B32, 0))
            }
            _ if !flush => self.float_operand(source, part),
            _ => Some(self.source(source, flush, part)?.into()),
        }
    }

    /// Loads a factor, divisor or radicand to a register, with zeros in inactive lanes
    /// (`Primitives::zero_inactive`).
    fn zeroed_source(&mut self, source: Source, flush: bool, part: u8) -> Option<Reg> {
        let y = self.source(source, flush, part)?;
        B::zero_inactive(self, y, (part, None));
        Some(y)
    }

    /// As [`Self::zeroed_source`], but returns a memory operand where that is as good.
    fn zeroed_operand(
        &mut self,
        source: Source,
        flush: bool,
        part: u8,
        rounding: Rounding,
    ) -> Option<Operand> {
        if self.mode == Mode::Live || matches!(source, Source::Literal(_)) {
            return self.operand(source, flush, part, rounding);
        }
        Some(self.zeroed_source(source, flush, part)?.into())
    }

    /// Emits an operation that reads or writes f32, or a copy. Returns the value and what is known
    /// of it.
    pub(super) fn float_op(&mut self, op: Op, from: [Source; 3], part: u8) -> Option<(Reg, Kind)> {
        const NUMBER: Kind = Kind::normal(Nans::Canonical);
        Some(match op {
            Op::Float { op, rounding, flush, saturate } => {
                let values = self.arithmetic((op, rounding), from, flush, part)?;
                let (value, kind) = self.limited(values, flush, saturate);
                // The sources of these operations have zeros in inactive lanes; those of others may
                // have subnormals there.
                let made = matches!(op, Float::Mul | Float::Div | Float::Fma | Float::Sqrt);
                let inactive_normal = kind.no_subnormals || made;
                (value, Kind { inactive_normal, ..kind })
            }
            Op::Copy => {
                let a = self.float_operand(from[0], part)?;
                let kind = match a {
                    Operand::Register(y) => self.cache.kind(y),
                    Operand::Memory(_) => self.kind_in_memory(narrow_key(from[0], part)?),
                };
                (self.copied(false, a), kind)
            }
            Op::FromU(bits) => {
                let mut a = self.low_of(from[0], part)?;
                if bits != u32::MAX {
                    let bits = self.number(bits);
                    a = self.binary(V::And32, a, bits);
                }
                let d = match bits >> 31 {
                    0 => self.unary(V::FromS32, a),
                    _ => B::float_of_unsigned(self, a),
                };
                self.release(a);
                (d, NUMBER)
            }
            Op::FromS => {
                let a = self.narrow_operand(from[0], part)?;
                (self.unary(V::FromS32, a), NUMBER)
            }
            Op::ToU(rounding) => {
                let a = self.rounded(from[0], rounding, part)?;
                (B::unsigned_of_float(self, a), Kind::BITS)
            }
            Op::ToS(rounding) => (self.signed_of(from[0], rounding, part)?, Kind::BITS),
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
            let (zero, one) = (self.number(0), self.number(0x3f80_0000));
            // `max` and `min` return their second source if one is a NaN or both are zeros.
            self.three(V::MaxF, value, value, zero);
            self.three(V::MinF, value, value, one);
        }
        match scaled {
            Some(scaled) => self.flush_tiny(value, scaled),
            None if flush => B::flush(self, value, value),
            None => {}
        }
        (value, Kind::of_float(flush, saturate))
    }

    /// Replaces tiny results of an operation by zeros of their sign ([`tiny`]).
    fn flush_tiny(&mut self, y: Reg, of: Scaled) {
        // Registers are allocated before constants are loaded, because constants may be in
        // registers that are free.
        let x = self.temporary();
        let [by, least, rest] = [tiny::LARGER, tiny::LEAST, 0x7fff_ffff].map(|n| self.number(n));
        B::test_tiny(self, x, y);
        self.out_of_line(J::NE, move |e| {
            let Scaled { code, rounding, from: (a, b), addend } = of;
            e.set(false, x, a);
            e.three(V::MulF, x, x, by);
            match (addend, b) {
                (Some(c), Operand::Register(b)) => {
                    e.set(false, B::SPARE, c);
                    e.three(V::MulF, B::SPARE, B::SPARE, by);
                    B::rounded_by(e, rounding, |e| e.three(code, x, b, B::SPARE));
                }
                _ => B::rounded_by(e, rounding, |e| e.three(code, x, x, b)),
            }
            e.three(V::And32, x, x, rest);
            e.three_with(V::CompareF, B::SPARE_MASK, x, least, LESS);
            B::zero_where(e, y);
        });
    }

    fn rounded(&mut self, source: Source, rounding: Rounding, part: u8) -> Option<Reg> {
        let a = self.float(source, part)?;
        if rounding == Rounding::Trunc {
            return Some(a);
        }
        Some(self.unary_with(V::RoundF, a, of_quiet_rounding(rounding)))
    }

    /// Converts f32 to signed numbers. Out of range, the processor's conversion gives the lowest
    /// number.
    fn signed_of(&mut self, source: Source, rounding: Rounding, part: u8) -> Option<Reg> {
        // No f32 below 2^31 is rounded up to 2^31.
        let (a, code) = if rounding == Rounding::Near {
            (self.float(source, part)?, V::NearestS32)
        } else {
            (self.rounded(source, rounding, part)?, V::TruncatedS32)
        };
        let (end, most) = (self.number(TWO_31), self.number(i32::MAX as u32));
        let d = self.unary(code, a);
        self.three_with(V::CompareF, B::SPARE_MASK, a, end, GREATER_OR_EQUAL);
        B::blend(self, false, (d, d), most, B::SPARE_MASK);
        self.three_with(V::CompareF, B::SPARE_MASK, a, a, ORDERED);
        B::keep(self, false, d, d);
        Some(d)
    }

    /// Emits f32 arithmetic. Returns the temporary register with the result before `.ftz` and
    /// `.sat` and, where the result may be tiny, the operation that `flush_tiny` repeats with
    /// scaled operands.
    fn arithmetic(
        &mut self,
        (op, rounding): (Float, Rounding),
        from: [Source; 3],
        flush: bool,
        part: u8,
    ) -> Option<(Reg, Option<Scaled>)> {
        let code = match op {
            Float::Add => V::AddF,
            Float::Sub => V::SubF,
            Float::Mul => V::MulF,
            Float::Div => V::DivF,
            Float::Fma => return self.fma(rounding, from, flush, part),
            Float::Min | Float::Max => return Some((self.extreme(op, from, flush, part)?, None)),
            Float::Sqrt => {
                let a = self.zeroed_operand(from[0], flush, part, rounding)?;
                let d = self.temporary();
                B::rounded_by(self, rounding, |e| e.two(V::SqrtF, d, a));
                return Some((d, None));
            }
            Float::Neg | Float::Abs => {
                let a = self.source(from[0], flush, part)?;
                let (code, number) = match op {
                    Float::Neg => (V::Xor32, 0x8000_0000),
                    _ => (V::And32, 0x7fff_ffff),
                };
                let number = self.number(number);
                return Some((self.binary(code, a, number), None));
            }
            Float::Round(rounding) => {
                let a = self.operand(from[0], flush, part, Rounding::Near)?;
                let value = self.unary_with(V::RoundF, a, of_quiet_rounding(rounding));
                return Some((value, None));
            }
            Float::Copy => {
                let a = self.operand(from[0], flush, part, rounding)?;
                return Some((self.copied(false, a), None));
            }
        };
        let scales = matches!(op, Float::Mul | Float::Div);
        let (a, b) = if scales {
            let a = self.zeroed_source(from[0], flush, part)?;
            (a, self.zeroed_operand(from[1], flush, part, rounding)?)
        } else {
            // Sums of subnormals are not slower, so that inactive lanes may have them.
            (self.source(from[0], flush, part)?, self.operand(from[1], flush, part, rounding)?)
        };
        let d = self.temporary();
        B::rounded_by(self, rounding, |e| e.three(code, d, a, b));
        let scaled = Scaled { code, rounding, from: (a.into(), b), addend: None };
        Some((d, (flush && scales).then_some(scaled)))
    }

    fn fma(
        &mut self,
        rounding: Rounding,
        from: [Source; 3],
        flush: bool,
        part: u8,
    ) -> Option<(Reg, Option<Scaled>)> {
        let a = self.zeroed_operand(from[0], flush, part, rounding)?;
        let b = self.zeroed_source(from[1], flush, part)?;
        let c = self.zeroed_operand(from[2], flush, part, rounding)?;
        if !flush && let Some(d) = self.last_use(from[2], c, part) {
            B::rounded_by(self, rounding, |e| e.three(V::FmaAddendF, d, b, a));
            return Some((d, None));
        }
        // A factor that is not read again is overwritten, too.
        if !flush && let Operand::Register(a) = a {
            for (source, factor, other) in [(from[0], a, b), (from[1], b, a)] {
                if let Some(d) = self.last_use(source, factor.into(), part) {
                    B::rounded_by(self, rounding, |e| e.three(V::FmaF, d, other, c));
                    return Some((d, None));
                }
            }
        }
        let (d, code) = (self.copied(false, a), V::FmaF);
        B::rounded_by(self, rounding, |e| e.three(code, d, b, c));
        let scaled = Scaled { code, rounding, from: (a, b.into()), addend: Some(c) };
        Some((d, flush.then_some(scaled)))
    }

    /// Emits `min` or `max`. The processor's instruction returns the second source if one is a NaN
    /// or both are zeros.
    fn extreme(&mut self, op: Float, from: [Source; 3], flush: bool, part: u8) -> Option<Reg> {
        let (code, combine) =
            if op == Float::Min { (V::MinF, V::Or32) } else { (V::MaxF, V::And32) };
        let a = self.source(from[0], flush, part)?;
        if let Source::Literal(number) = from[1] {
            let number = f32::from_bits(number as u32);
            if number.is_normal() || number.is_infinite() {
                let b = self.number(number.to_bits());
                return Some(self.binary(code, a, b));
            }
        }
        let b = self.source(from[1], flush, part)?;
        // Allocating a register may overwrite the condition.
        let (d, t) = (self.binary(code, a, b), self.temporary());
        self.three_with(V::CompareF, B::SPARE_MASK, a, b, EQUAL);
        B::three_where(self, combine, (d, t), a, b);
        self.three_with(V::CompareF, B::SPARE_MASK, b, b, UNORDERED);
        B::blend(self, false, (d, d), a, B::SPARE_MASK);
        self.release(t);
        Some(d)
    }
}
