//! Operations on 64 bits. A vector register has 8 lanes, so that two registers make up half a warp.

use super::Avx512Emitter;
use super::float::MOVE;
use super::load::Operand;
use crate::emit::register_cache::Reg;
use crate::op::{Op, Rounding};
use crate::operand::Source;
use iced_x86::{Code as C, Instruction as I};

impl Avx512Emitter<'_> {
    /// A part of a 32-bit source, extended to 64 bits.
    pub(super) fn extended(&mut self, source: Source, part: u8, signed: bool) -> Option<Reg> {
        if let Source::Literal(number) = source {
            let low = number as u32;
            return Some(self.wide_literal(if signed { low as i32 as u64 } else { low.into() }));
        }
        let a = self.narrow(source, part / 2)?;
        Some(self.extended_half(a, part % 2, signed))
    }

    /// Half a part of 32-bit numbers, extended to 64 bits, in a temporary.
    pub(super) fn extended_half(&mut self, a: Reg, half: u8, signed: bool) -> Reg {
        let mut from = a;
        if half == 1 {
            from = self.temporary();
            let code = C::EVEX_Vextracti64x4_ymmm256_k1z_zmm_imm8;
            self.asm.put(I::with3(code, from.y(), a.z(), 1_u32));
        }
        let code = if signed {
            C::EVEX_Vpmovsxdq_zmm_k1z_ymmm256
        } else {
            C::EVEX_Vpmovzxdq_zmm_k1z_ymmm256
        };
        let d = self.temporary();
        self.asm.put(I::with2(code, d.z(), from.y()));
        d
    }

    /// The low halves of two parts of a 64-bit source.
    pub(super) fn low(&mut self, source: Source, part: u8) -> Option<Reg> {
        let (low, high) = (self.wide(source, 2 * part)?, self.wide(source, 2 * part + 1)?);
        let (d, t) = (self.temporary(), self.temporary());
        self.asm.put(I::with2(C::EVEX_Vpmovqd_ymmm256_k1z_zmm, d.y(), low.z()));
        self.asm.put(I::with2(C::EVEX_Vpmovqd_ymmm256_k1z_zmm, t.y(), high.z()));
        let code = C::EVEX_Vinserti64x4_zmm_k1z_zmm_ymmm256_imm8;
        self.asm.put(I::with4(code, d.z(), d.z(), t.y(), 1_u32));
        self.cache.release(t);
        Some(d)
    }

    /// Emits a part of a 64-bit operation. The result is in a temporary.
    pub(super) fn wide_op(&mut self, op: Op, from: [Source; 3], part: u8) -> Option<Reg> {
        let code = match op {
            Op::CopyWide => {
                let a = self.wide(from[0], part)?;
                return Some(self.unary(MOVE, a));
            }
            Op::ExtendU | Op::ExtendS => {
                let a = self.extended(from[0], part, op == Op::ExtendS)?;
                return Some(self.unary(MOVE, a));
            }
            Op::ProductU | Op::ProductAddU | Op::ProductS | Op::ProductAddS => {
                return self.product(op, from, part);
            }
            Op::ShiftLeftWide | Op::ShiftRightWideU | Op::ShiftRightWideS => {
                let (a, b) = (self.wide(from[0], part)?, self.extended(from[1], part, false)?);
                let code = match op {
                    Op::ShiftLeftWide => C::EVEX_Vpsllvq_zmm_k1z_zmm_zmmm512b64,
                    Op::ShiftRightWideU => C::EVEX_Vpsrlvq_zmm_k1z_zmm_zmmm512b64,
                    _ => C::EVEX_Vpsravq_zmm_k1z_zmm_zmmm512b64,
                };
                return Some(self.binary(code, a, b));
            }
            Op::BitsWide(table) => {
                let a = self.wide(from[0], part)?;
                let mut sources = [Operand::Register(a); 3];
                for (i, z) in sources.iter_mut().enumerate().take(op.sources()).skip(1) {
                    *z = match i {
                        1 if op.sources() == 3 => self.wide(from[i], part)?.into(),
                        _ => self.wide_operand(from[i], part)?,
                    };
                }
                return Some(self.bits(table, a, sources[1], sources[2], true));
            }
            Op::SelectWide(p) => {
                let (a, b) = (self.wide(from[0], part)?, self.wide(from[1], part)?);
                let d = self.temporary();
                self.select(d, a, b, p, 8 * part, true);
                return Some(d);
            }
            Op::Double(op) => return self.double(op, Rounding::Near, from, part),
            Op::DoubleDirected(op, rounding) => return self.double(op, rounding, from, part),
            Op::DoubleFromF => return self.double_of_float(from[0], part),
            Op::DoubleToWideS | Op::DoubleToWideU => {
                return self.wide_of_double(op == Op::DoubleToWideS, from[0], part);
            }
            Op::MulHighWide => {
                let (a, b) = (self.wide(from[0], part)?, self.wide(from[1], part)?);
                return Some(self.high_wide(a, b));
            }
            Op::DoubleFromU | Op::DoubleFromS | Op::DoubleFromWideU | Op::DoubleFromWideS => {
                return self.double_of(op, from[0], part);
            }
            Op::AddWide => C::EVEX_Vpaddq_zmm_k1z_zmm_zmmm512b64,
            Op::SubWide => C::EVEX_Vpsubq_zmm_k1z_zmm_zmmm512b64,
            Op::MulWide => C::EVEX_Vpmullq_zmm_k1z_zmm_zmmm512b64,
            _ => return None,
        };
        let (a, b) = (self.wide(from[0], part)?, self.wide_operand(from[1], part)?);
        Some(self.binary(code, a, b))
    }

    /// Computes the upper half of a product from four products of halves.
    fn high_wide(&mut self, a: Reg, b: Reg) -> Reg {
        let (product, add) =
            (C::EVEX_Vpmuludq_zmm_k1z_zmm_zmmm512b64, C::EVEX_Vpaddq_zmm_k1z_zmm_zmmm512b64);
        let (upper_a, upper_b) = (self.upper(a), self.upper(b));
        let d = self.binary(product, upper_a, upper_b);
        let (low, left) = (self.binary(product, a, b), self.binary(product, upper_a, b));
        let right = self.binary(product, a, upper_b);
        // Neither sum overflows, because a product is at most (2^32 - 1)^2.
        let shift = C::EVEX_Vpsrlq_zmm_k1z_zmmm512b64_imm8;
        self.asm.put(I::with3(shift, low.z(), low.z(), 32_u32));
        self.three(add, left.z(), left, low);
        let mask = self.wide_number(0xffff_ffff);
        self.three(C::EVEX_Vpandq_zmm_k1z_zmm_zmmm512b64, low.z(), left, mask);
        self.three(add, right.z(), right, low);
        for part in [left, right] {
            self.asm.put(I::with3(shift, part.z(), part.z(), 32_u32));
            self.three(add, d.z(), d, part);
        }
        for used in [upper_a, upper_b, low, left, right] {
            self.cache.release(used);
        }
        d
    }

    fn product(&mut self, op: Op, from: [Source; 3], part: u8) -> Option<Reg> {
        let signed = matches!(op, Op::ProductS | Op::ProductAddS);
        let code = if signed {
            C::EVEX_Vpmuldq_zmm_k1z_zmm_zmmm512b64
        } else {
            C::EVEX_Vpmuludq_zmm_k1z_zmm_zmmm512b64
        };
        // The instruction reads only low halves, so that it does not matter how they are extended.
        let (a, b) = (self.extended(from[0], part, false)?, self.extended(from[1], part, false)?);
        let d = self.binary(code, a, b);
        if matches!(op, Op::ProductAddU | Op::ProductAddS) {
            let c = self.wide(from[2], part)?;
            self.asm.put(I::with3(C::EVEX_Vpaddq_zmm_k1z_zmm_zmmm512b64, d.z(), d.z(), c.z()));
        }
        Some(d)
    }
}
