//! Operations on f32 and conversions from and to it.

use super::values::{Key, Kind, SCRATCH, Width, is_normal};
use super::{Emitter, Operand, Ymm};
use crate::block::Source;
use crate::op::{Float, Op, Rounding};
use iced_x86::Code as C;

/// The immediate of a rounding that raises no exception.
fn of_rounding(rounding: Rounding) -> u32 {
    match rounding {
        Rounding::Near => 8,
        Rounding::Floor => 9,
        Rounding::Ceil => 10,
        Rounding::Trunc => 11,
    }
}

/// Comparisons of floats.
const UNORDERED: u32 = 3;
const ORDERED: u32 = 7;
const EQUAL: u32 = 0;
const GREATER_OR_EQUAL: u32 = 0x1d;
const COMPARE: C = C::VEX_Vcmpps_ymm_ymm_ymmm256_imm8;

const NAN: u32 = 0x7fff_ffff;
/// 2^31, 2^32 and 2^16 as floats.
const TWO_31: u32 = 0x4f00_0000;
const TWO_32: u32 = 0x4f80_0000;
const TWO_16: u32 = 0x4780_0000;

const MOVE: C = C::VEX_Vmovdqu_ymm_ymmm256;
const AND: C = C::VEX_Vpand_ymm_ymm_ymmm256;

impl Emitter<'_> {
    /// Makes all NaNs the canonical one.
    pub(super) fn fix_nans(&mut self, y: Ymm) {
        let nan = self.number(NAN);
        self.three_with(COMPARE, SCRATCH, y, y, UNORDERED);
        self.blend(y, y, nan, SCRATCH);
    }

    /// Makes subnormals of a value zeros of their sign.
    fn flush(&mut self, to: Ymm, y: Ymm) {
        let (exponent, zero) = (self.number(0x7f80_0000), self.number(0));
        self.three(AND, SCRATCH, y, exponent);
        self.three(C::VEX_Vpcmpeqd_ymm_ymm_ymmm256, SCRATCH, SCRATCH, zero);
        // All but the sign.
        self.two_with(C::VEX_Vpsrld_ymm_ymm_imm8, SCRATCH, SCRATCH, 1);
        self.three(C::VEX_Vpandn_ymm_ymm_ymmm256, to, SCRATCH, y);
    }

    /// A source of an operation on floats, in a register.
    fn source(&mut self, source: Source, flush: bool) -> Option<Ymm> {
        let y = self.float(source)?;
        if !flush || self.values.kind(y).normal {
            return Some(y);
        }
        let copy = self.temporary();
        self.flush(copy, y);
        Some(copy)
    }

    /// The same, in memory if that is as good.
    fn operand(&mut self, source: Source, flush: bool) -> Option<Operand> {
        match source {
            Source::Literal(number) if !flush || is_normal(number as u32) => {
                self.in_memory(Key::Other(source, Width::Narrow))
            }
            _ if !flush => self.float_operand(source),
            _ => Some(self.source(source, flush)?.into()),
        }
    }

    /// Copies, and operations that give or take f32: the value and what is known of it.
    pub(super) fn float_op(&mut self, op: Op, from: [Source; 3]) -> Option<(Ymm, Kind)> {
        const NUMBER: Kind = Kind { any_nan: false, normal: true };
        Some(match op {
            Op::Float { op, flush, saturate } => {
                let value = self.arithmetic(op, from, flush)?;
                if saturate {
                    self.saturate(value);
                }
                if flush {
                    self.flush(value, value);
                }
                (value, Kind { any_nan: !saturate, normal: flush })
            }
            Op::Copy => {
                let a = self.float_operand(from[0])?;
                let kind = match a {
                    Operand::Register(y) => self.values.kind(y),
                    Operand::Memory(_) => Kind::BITS,
                };
                (self.unary(MOVE, a), kind)
            }
            Op::FromU(bits) => (self.of_unsigned(from[0], bits)?, NUMBER),
            Op::FromS => {
                let a = self.narrow_operand(from[0])?;
                (self.unary(C::VEX_Vcvtdq2ps_ymm_ymmm256, a), NUMBER)
            }
            Op::ToU(rounding) => (self.unsigned_from(from[0], rounding)?, Kind::BITS),
            Op::ToS(rounding) => (self.signed_from(from[0], rounding)?, Kind::BITS),
            _ => return None,
        })
    }

    /// There is a conversion of signed numbers alone: half by half, which an fma rounds once.
    fn of_unsigned(&mut self, source: Source, bits: u32) -> Option<Ymm> {
        const CONVERT: C = C::VEX_Vcvtdq2ps_ymm_ymmm256;
        let a = self.narrow(source)?;
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
        // d * scale + scratch
        self.three(C::VEX_Vfmadd132ps_ymm_ymm_ymmm256, d, SCRATCH, scale);
        Some(d)
    }

    fn rounded(&mut self, source: Source, rounding: Rounding) -> Option<Ymm> {
        let a = self.float(source)?;
        Some(if rounding == Rounding::Trunc { a } else { self.round(a, rounding) })
    }

    fn round(&mut self, a: impl Into<Operand>, rounding: Rounding) -> Ymm {
        let d = self.temporary();
        self.two_with(C::VEX_Vroundps_ymm_ymmm256_imm8, d, a, of_rounding(rounding));
        d
    }

    /// Out of range the processor gives the lowest number, whose bits are those of 2^31: below 2^31 it is the
    /// number, and from there on that bit with the others of what is left.
    fn unsigned_from(&mut self, source: Source, rounding: Rounding) -> Option<Ymm> {
        const CONVERT: C = C::VEX_Vcvttps2dq_ymm_ymmm256;
        let a = self.rounded(source, rounding)?;
        let (zero, half, end) = (self.number(0), self.number(TWO_31), self.number(TWO_32));
        let (x, rest) = (self.temporary(), self.temporary());
        // The second one where one is a NaN.
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

    fn signed_from(&mut self, source: Source, rounding: Rounding) -> Option<Ymm> {
        // No float between is rounded up to 2^31.
        let (a, code) = if rounding == Rounding::Near {
            (self.float(source)?, C::VEX_Vcvtps2dq_ymm_ymmm256)
        } else {
            (self.rounded(source, rounding)?, C::VEX_Vcvttps2dq_ymm_ymmm256)
        };
        let end = self.number(TWO_31);
        let d = self.unary(code, a);
        self.three_with(COMPARE, SCRATCH, a, end, GREATER_OR_EQUAL);
        self.three(C::VEX_Vpxor_ymm_ymm_ymmm256, d, d, SCRATCH);
        self.three_with(COMPARE, SCRATCH, a, a, ORDERED);
        self.three(AND, d, d, SCRATCH);
        Some(d)
    }

    fn saturate(&mut self, y: Ymm) {
        let (zero, one) = (self.number(0), self.number(0x3f80_0000));
        // The second one where one is a NaN, or both are zeros.
        self.three(C::VEX_Vmaxps_ymm_ymm_ymmm256, y, y, zero);
        self.three(C::VEX_Vminps_ymm_ymm_ymmm256, y, y, one);
    }

    /// The value before limits, in a temporary.
    fn arithmetic(&mut self, op: Float, from: [Source; 3], flush: bool) -> Option<Ymm> {
        let code = match op {
            Float::Add => C::VEX_Vaddps_ymm_ymm_ymmm256,
            Float::Sub => C::VEX_Vsubps_ymm_ymm_ymmm256,
            Float::Mul => C::VEX_Vmulps_ymm_ymm_ymmm256,
            Float::Div => C::VEX_Vdivps_ymm_ymm_ymmm256,
            Float::Fma => return self.fma(from, flush),
            Float::Min | Float::Max => return self.extreme(op, from, flush),
            Float::Sqrt => {
                let a = self.operand(from[0], flush)?;
                return Some(self.unary(C::VEX_Vsqrtps_ymm_ymmm256, a));
            }
            Float::Neg | Float::Abs => {
                let a = self.source(from[0], flush)?;
                let (code, number) = match op {
                    Float::Neg => (C::VEX_Vpxor_ymm_ymm_ymmm256, 0x8000_0000),
                    _ => (AND, 0x7fff_ffff),
                };
                let number = self.number(number);
                return Some(self.binary(code, a, number));
            }
            Float::Round(rounding) => {
                let a = self.operand(from[0], flush)?;
                return Some(self.round(a, rounding));
            }
            Float::Copy => {
                let a = self.operand(from[0], flush)?;
                return Some(self.unary(MOVE, a));
            }
        };
        let a = self.source(from[0], flush)?;
        let b = self.operand(from[1], flush)?;
        Some(self.binary(code, a, b))
    }

    fn fma(&mut self, from: [Source; 3], flush: bool) -> Option<Ymm> {
        let (a, b) = (self.operand(from[0], flush)?, self.source(from[1], flush)?);
        let c = self.operand(from[2], flush)?;
        let d = self.unary(MOVE, a);
        self.three(C::VEX_Vfmadd213ps_ymm_ymm_ymmm256, d, b, c);
        Some(d)
    }

    /// The processor gives the second source where one is a NaN or both are zeros.
    fn extreme(&mut self, op: Float, from: [Source; 3], flush: bool) -> Option<Ymm> {
        let is_min = op == Float::Min;
        let code =
            if is_min { C::VEX_Vminps_ymm_ymm_ymmm256 } else { C::VEX_Vmaxps_ymm_ymm_ymmm256 };
        let a = self.source(from[0], flush)?;
        if let Source::Literal(number) = from[1] {
            let number = f32::from_bits(number as u32);
            if number.is_normal() || number.is_infinite() {
                let b = self.number(number.to_bits());
                return Some(self.binary(code, a, b));
            }
        }
        let b = self.source(from[1], flush)?;
        // Whatever needs a register comes before the scratch one is used.
        let (d, t) = (self.binary(code, a, b), self.temporary());
        self.three_with(COMPARE, SCRATCH, a, b, EQUAL);
        if is_min {
            // One sign is enough.
            self.three(AND, SCRATCH, SCRATCH, a);
            self.three(C::VEX_Vpor_ymm_ymm_ymmm256, d, d, SCRATCH);
        } else {
            // Bits that a has not.
            self.three(C::VEX_Vpandn_ymm_ymm_ymmm256, t, a, SCRATCH);
            self.three(C::VEX_Vpandn_ymm_ymm_ymmm256, d, t, d);
        }
        self.three_with(COMPARE, SCRATCH, b, b, UNORDERED);
        self.blend(d, d, a, SCRATCH);
        Some(d)
    }
}
