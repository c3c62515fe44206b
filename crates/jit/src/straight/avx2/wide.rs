//! Values of 64 bits, of which a vector register has 4 lanes: a part of a warp is two halves.

use super::integer::power_of_two;
use super::values::{Key, SCRATCH};
use super::{Emitter, Operand, Ymm};
use crate::block::Source;
use crate::op::Op;
use iced_x86::{Code as C, Instruction as I, MemoryOperand};

const MOVE: C = C::VEX_Vmovdqu_ymm_ymmm256;
const PRODUCT: C = C::VEX_Vpmuludq_ymm_ymm_ymmm256;

/// Memory some bytes behind.
fn behind(mut memory: MemoryOperand, bytes: usize) -> MemoryOperand {
    memory.displacement += bytes as i64;
    memory
}

impl Emitter<'_> {
    /// A half of a narrow source, extended to 64 bits, in a temporary.
    fn extended(&mut self, source: Source, half: usize, signed: bool) -> Option<Ymm> {
        let code = if signed { C::VEX_Vpmovsxdq_ymm_xmmm128 } else { C::VEX_Vpmovzxdq_ymm_xmmm128 };
        let d = self.temporary();
        if let Source::Literal(number) = source {
            let low = number as u32;
            let number = if signed { low as i32 as u64 } else { low.into() };
            let number = self.wide_number(number);
            self.two(MOVE, d, number);
            return Some(d);
        }
        if let Source::Narrow(i) = source
            && self.values.look(Key::Narrow(i)).is_none_or(|held| !held.dirty)
        {
            // What the file has can be loaded and extended at once.
            let from = behind(self.home(Key::Narrow(i)), 16 * half);
            self.asm.put(I::with2(code, d.y(), from));
            return Some(d);
        }
        let mut from = self.narrow(source)?;
        if half == 1 {
            let code = C::VEX_Vextracti128_xmmm128_ymm_imm8;
            self.asm.put(I::with3(code, d.x(), from.y(), 1_u32));
            from = d;
        }
        self.asm.put(I::with2(code, d.y(), from.x()));
        Some(d)
    }

    /// A half of the value of an operation of 64 bits, in a temporary.
    pub(super) fn wide_op(&mut self, op: Op, from: [Source; 3], half: usize) -> Option<Ymm> {
        let code = match op {
            Op::CopyWide => {
                let a = self.wide_operand(from[0], half)?;
                return Some(self.unary(MOVE, a));
            }
            Op::ExtendU | Op::ExtendS => return self.extended(from[0], half, op == Op::ExtendS),
            Op::ProductU | Op::ProductAddU | Op::ProductS | Op::ProductAddS => {
                return self.product(op, from, half);
            }
            Op::ShiftLeftWide | Op::ShiftRightWideU | Op::ShiftRightWideS => {
                return self.shift_wide(op, from, half);
            }
            Op::BitsWide(table) => {
                let mut sources = [self.wide_operand(from[0], half)?; 3];
                for (i, to) in sources.iter_mut().enumerate().take(op.sources()).skip(1) {
                    *to = self.wide_operand(from[i], half)?;
                }
                return Some(self.bits(table, sources));
            }
            Op::SelectWide(p) => {
                let mask = self.predicate(p);
                let (first, second) = if mask.not { (0, 1) } else { (1, 0) };
                let a = self.wide(from[first], half)?;
                let b = self.wide_operand(from[second], half)?;
                let d = self.temporary();
                self.spread(SCRATCH, mask.y, half);
                self.blend(d, a, b, SCRATCH);
                return Some(d);
            }
            Op::MulWide => return self.multiply_wide(from, half),
            Op::AddWide => C::VEX_Vpaddq_ymm_ymm_ymmm256,
            Op::SubWide => C::VEX_Vpsubq_ymm_ymm_ymmm256,
            _ => return None,
        };
        let (a, b) = (self.wide(from[0], half)?, self.wide_operand(from[1], half)?);
        Some(self.binary(code, a, b))
    }

    /// There is a product of low halves alone.
    fn multiply_wide(&mut self, [a, b, _]: [Source; 3], half: usize) -> Option<Ymm> {
        let (a, b) = if matches!(a, Source::Literal(_)) { (b, a) } else { (a, b) };
        let a = self.wide(a, half)?;
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
            // The products of a low and a high half are those of 32-bit lanes, with the halves of b swapped.
            let b = self.wide(b, half)?;
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

    fn shift_wide(&mut self, op: Op, from: [Source; 3], half: usize) -> Option<Ymm> {
        let a = self.wide(from[0], half)?;
        let (by_number, by_lane) = match op {
            Op::ShiftLeftWide => (C::VEX_Vpsllq_ymm_ymm_imm8, C::VEX_Vpsllvq_ymm_ymm_ymmm256),
            _ => (C::VEX_Vpsrlq_ymm_ymm_imm8, C::VEX_Vpsrlvq_ymm_ymm_ymmm256),
        };
        let is_signed = op == Op::ShiftRightWideS;
        let (sign, xor) = (self.temporary(), C::VEX_Vpxor_ymm_ymm_ymmm256);
        let mut shifted = a;
        if is_signed {
            // Of the complement where it is negative: what comes in is zeros.
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
                let count = self.extended(count, half, false)?;
                self.three(by_lane, count, shifted, count);
                count
            }
        };
        if is_signed {
            self.three(xor, d, d, sign);
        }
        Some(d)
    }

    fn product(&mut self, op: Op, from: [Source; 3], half: usize) -> Option<Ymm> {
        let signed = matches!(op, Op::ProductS | Op::ProductAddS);
        let code = if signed { C::VEX_Vpmuldq_ymm_ymm_ymmm256 } else { PRODUCT };
        // It looks at low halves alone: it does not matter how they are extended.
        let (a, b) = match from {
            [literal @ Source::Literal(_), other, _] => (other, literal),
            [a, b, _] => (a, b),
        };
        let d = self.extended(a, half, false)?;
        let b = match b {
            Source::Literal(number) => self.wide_number((number as u32).into()),
            b => Operand::Register(self.extended(b, half, false)?),
        };
        self.three(code, d, d, b);
        if matches!(op, Op::ProductAddU | Op::ProductAddS) {
            let c = self.wide_operand(from[2], half)?;
            self.three(C::VEX_Vpaddq_ymm_ymm_ymmm256, d, d, c);
        }
        Some(d)
    }
}
