//! Operations on 64 bits. A vector register has 4 lanes, so that two registers make up a part of 8
//! lanes.

use super::integer::power_of_two;
use super::operand::register_file;
use super::{Avx2Emitter, MOVE, Operand, SCRATCH, Vector};
use crate::emit::register_cache::{Key, Reg};
use crate::op::{Op, Rounding};
use crate::operand::Source;
use iced_x86::{Code as C, Instruction as I, MemoryOperand};

const PRODUCT: C = C::VEX_Vpmuludq_ymm_ymm_ymmm256;

/// The memory operand `bytes` bytes after another.
fn displaced(mut memory: MemoryOperand, bytes: usize) -> MemoryOperand {
    memory.displacement += bytes as i64;
    memory
}

impl Avx2Emitter<'_> {
    /// A part of a 32-bit source, extended to 64 bits, in a temporary.
    pub(super) fn extended(&mut self, source: Source, part: u8, signed: bool) -> Option<Reg> {
        let code = if signed { C::VEX_Vpmovsxdq_ymm_xmmm128 } else { C::VEX_Vpmovzxdq_ymm_xmmm128 };
        let d = self.temporary();
        if let Source::Literal(number) = source {
            let low = number as u32;
            let number = if signed { low as i32 as u64 } else { low.into() };
            let number = self.wide_number(number);
            self.two(MOVE, d, number);
            return Some(d);
        }
        if let Source::B32(i) = source
            && self.is_stored(Key::B32(i, part / 2))
        {
            // A value in the register file is loaded and extended by one instruction.
            let from = displaced(register_file(Key::B32(i, part / 2)), 16 * usize::from(part % 2));
            self.asm.put(I::with2(code, d.ymm(), from));
            return Some(d);
        }
        let mut from = self.narrow(source, part / 2)?;
        if part % 2 == 1 {
            let code = C::VEX_Vextracti128_xmmm128_ymm_imm8;
            self.asm.put(I::with3(code, d.xmm(), from.ymm(), 1_u32));
            from = d;
        }
        self.asm.put(I::with2(code, d.ymm(), from.xmm()));
        Some(d)
    }

    /// Emits a part of a 64-bit operation. The result is in a temporary.
    pub(super) fn wide_op(&mut self, op: Op, from: [Source; 3], part: u8) -> Option<Reg> {
        let code = match op {
            Op::CopyWide => {
                let a = self.wide_operand(from[0], part)?;
                return Some(self.unary(MOVE, a));
            }
            Op::ExtendU | Op::ExtendS => return self.extended(from[0], part, op == Op::ExtendS),
            Op::ProductU | Op::ProductAddU | Op::ProductS | Op::ProductAddS => {
                return self.product(op, from, part);
            }
            Op::ShiftLeftWide | Op::ShiftRightWideU | Op::ShiftRightWideS => {
                return self.shift_wide(op, from, part);
            }
            Op::BitsWide(table) => {
                let mut sources = [self.wide_operand(from[0], part)?; 3];
                for (i, to) in sources.iter_mut().enumerate().take(op.sources()).skip(1) {
                    *to = self.wide_operand(from[i], part)?;
                }
                return Some(self.bits(table, sources));
            }
            Op::SelectWide(p) => {
                let mask = self.predicate(p, part / 2);
                let (first, second) = if mask.not { (0, 1) } else { (1, 0) };
                let a = self.wide(from[first], part)?;
                let b = self.wide_operand(from[second], part)?;
                let d = self.temporary();
                self.spread(SCRATCH, mask.reg, part % 2);
                self.blend(d, a, b, SCRATCH);
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
            Op::MulWide => return self.multiply_wide(from, part),
            Op::AddWide => C::VEX_Vpaddq_ymm_ymm_ymmm256,
            Op::SubWide => C::VEX_Vpsubq_ymm_ymm_ymmm256,
            _ => return None,
        };
        let (a, b) = (self.wide(from[0], part)?, self.wide_operand(from[1], part)?);
        Some(self.binary(code, a, b))
    }

    /// Emits a 64-bit product. AVX2 only multiplies 32-bit halves.
    fn multiply_wide(&mut self, [a, b, _]: [Source; 3], part: u8) -> Option<Reg> {
        let (a, b) = if matches!(a, Source::Literal(_)) { (b, a) } else { (a, b) };
        let a = self.wide(a, part)?;
        let d = self.temporary();
        if let Some(count) = power_of_two(b) {
            self.two_with(C::VEX_Vpsllq_ymm_ymm_imm8, d, a, count);
            return Some(d);
        }
        if let Source::Literal(number) = b
            && let Ok(number) = u32::try_from(number)
        {
            // high(a) * b << 32 + low(a) * b
            let b = self.wide_number(number.into());
            self.two_with(C::VEX_Vpsrlq_ymm_ymm_imm8, d, a, 32);
            self.three(PRODUCT, d, d, b);
            self.three(PRODUCT, SCRATCH, a, b);
        } else {
            // The products of a low and a high half are 32-bit products with the halves of b
            // swapped.
            let b = self.wide(b, part)?;
            self.two_with(C::VEX_Vpshufd_ymm_ymmm256_imm8, d, b, 0b1011_0001);
            self.three(C::VEX_Vpmulld_ymm_ymm_ymmm256, d, d, a);
            self.two_with(C::VEX_Vpsrlq_ymm_ymm_imm8, SCRATCH, d, 32);
            self.three(C::VEX_Vpaddd_ymm_ymm_ymmm256, d, d, SCRATCH);
            self.three(PRODUCT, SCRATCH, a, b);
        }
        self.two_with(C::VEX_Vpsllq_ymm_ymm_imm8, d, d, 32);
        self.three(C::VEX_Vpaddq_ymm_ymm_ymmm256, d, d, SCRATCH);
        Some(d)
    }

    fn shift_wide(&mut self, op: Op, from: [Source; 3], part: u8) -> Option<Reg> {
        let a = self.wide(from[0], part)?;
        let (by_number, by_lane) = match op {
            Op::ShiftLeftWide => (C::VEX_Vpsllq_ymm_ymm_imm8, C::VEX_Vpsllvq_ymm_ymm_ymmm256),
            _ => (C::VEX_Vpsrlq_ymm_ymm_imm8, C::VEX_Vpsrlvq_ymm_ymm_ymmm256),
        };
        let is_signed = op == Op::ShiftRightWideS;
        let (sign, xor) = (self.temporary(), C::VEX_Vpxor_ymm_ymm_ymmm256);
        let mut shifted = a;
        if is_signed {
            // Negative numbers are complemented before and after the shift, so that zeros are
            // shifted in.
            self.three(xor, sign, sign, sign);
            self.three(C::VEX_Vpcmpgtq_ymm_ymm_ymmm256, sign, sign, a);
            shifted = self.binary(xor, a, sign);
        }
        let d = match from[1] {
            Source::Literal(count) if (count as u32) < 64 => {
                let d = self.temporary();
                self.two_with(by_number, d, shifted, count as u32);
                d
            }
            count => {
                let count = self.extended(count, part, false)?;
                self.three(by_lane, count, shifted, count);
                count
            }
        };
        if is_signed {
            self.three(xor, d, d, sign);
        }
        Some(d)
    }

    /// Computes the upper half of a product from four products of halves.
    fn high_wide(&mut self, a: Reg, b: Reg) -> Reg {
        const ADD: C = C::VEX_Vpaddq_ymm_ymm_ymmm256;
        const SHIFT: C = C::VEX_Vpsrlq_ymm_ymm_imm8;
        let mask = self.wide_number(0xffff_ffff);
        let (left, right, d) = (self.temporary(), self.temporary(), self.temporary());
        self.two_with(SHIFT, left, a, 32);
        self.two_with(SHIFT, right, b, 32);
        self.three(PRODUCT, d, left, right);
        self.three(PRODUCT, left, left, b);
        self.three(PRODUCT, right, right, a);
        self.three(PRODUCT, SCRATCH, a, b);
        // Neither sum overflows, because a product is at most (2^32 - 1)^2.
        self.two_with(SHIFT, SCRATCH, SCRATCH, 32);
        self.three(ADD, left, left, SCRATCH);
        self.three(C::VEX_Vpand_ymm_ymm_ymmm256, SCRATCH, left, mask);
        self.three(ADD, right, right, SCRATCH);
        for part in [left, right] {
            self.two_with(SHIFT, part, part, 32);
            self.three(ADD, d, d, part);
            self.release(part);
        }
        d
    }

    fn product(&mut self, op: Op, from: [Source; 3], part: u8) -> Option<Reg> {
        let signed = matches!(op, Op::ProductS | Op::ProductAddS);
        let code = if signed { C::VEX_Vpmuldq_ymm_ymm_ymmm256 } else { PRODUCT };
        // The instruction reads only low halves, so that it does not matter how they are extended.
        let (a, b) = match from {
            [literal @ Source::Literal(_), other, _] => (other, literal),
            [a, b, _] => (a, b),
        };
        let d = self.extended(a, part, false)?;
        let b = match b {
            Source::Literal(number) => self.wide_number((number as u32).into()),
            b => Operand::Register(self.extended(b, part, false)?),
        };
        self.three(code, d, d, b);
        if matches!(op, Op::ProductAddU | Op::ProductAddS) {
            let c = self.wide_operand(from[2], part)?;
            self.three(C::VEX_Vpaddq_ymm_ymm_ymmm256, d, d, c);
        }
        Some(d)
    }
}
