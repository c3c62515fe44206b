//! Operations on 64-bit lanes, of which a vector register holds half as many as 32-bit lanes.

use super::{Operand, V};
use crate::emit::Emitter;
use crate::emit::asm::at;
use crate::emit::backend::Backend;
use crate::emit::register_cache::{Key, Reg};
use crate::op::Op;
use crate::operand::Source;
use iced_x86::Register as R;

impl<B: Backend> Emitter<'_, B> {
    /// A temporary register with a lane group of a 32-bit source, extended to 64 bits.
    pub(in crate::emit) fn extended(
        &mut self,
        source: Source,
        part: u8,
        signed: bool,
    ) -> Option<Reg> {
        if let Source::Literal(number) = source {
            let low = number as u32;
            let number = self.wide_number(if signed { low as i32 as u64 } else { low.into() });
            return Some(self.copied(true, number));
        }
        if let Source::B32(i) = source
            && !B::IS_512
            && self.is_stored(Key::B32(i, part / 2))
        {
            // With few registers, a value in the register file is loaded and extended by one
            // instruction.
            let half = at(R::RSI, i as usize * 128 + usize::from(part) * 2 * B::LANES);
            let code = if signed { V::ExtendS } else { V::ExtendU };
            return Some(self.unary(code, Operand::Memory(half)));
        }
        let a = self.narrow(source, part / 2)?;
        Some(self.extended_half(a, part % 2, signed))
    }

    /// A temporary register with half a lane group of 32-bit numbers, extended to 64 bits.
    pub(in crate::emit) fn extended_half(&mut self, a: Reg, half: u8, signed: bool) -> Reg {
        let d = self.temporary();
        self.widen_half(if signed { V::ExtendS } else { V::ExtendU }, d, a, half);
        d
    }

    /// Emits a 64-bit operation for one lane group. Returns the temporary register of the result.
    pub(in crate::emit) fn wide_op(&mut self, op: Op, from: [Source; 3], part: u8) -> Option<Reg> {
        let code = match op {
            Op::CopyWide => {
                let a = self.wide_operand(from[0], part)?;
                return Some(self.copied(true, a));
            }
            Op::ExtendU | Op::ExtendS => return self.extended(from[0], part, op == Op::ExtendS),
            Op::ProductU | Op::ProductAddU | Op::ProductS | Op::ProductAddS => {
                return self.product(op, from, part);
            }
            Op::ShiftLeftWide | Op::ShiftRightWideU => {
                let a = self.wide(from[0], part)?;
                return self.shift_wide(op == Op::ShiftLeftWide, a, from[1], part);
            }
            Op::ShiftRightWideS => {
                let a = self.wide(from[0], part)?;
                return B::shift_right_s(self, a, from[1], part);
            }
            Op::BitsWide(table) => {
                let mut sources = [self.wide_operand(from[0], part)?; 3];
                for (i, to) in sources.iter_mut().enumerate().take(op.sources()).skip(1) {
                    *to = self.wide_operand(from[i], part)?;
                }
                return Some(B::bits(self, table, sources, true));
            }
            Op::SelectWide(p) => return self.select(p, true, from, part),
            Op::Double(op, rounding) => return self.double(op, rounding, from, part),
            Op::DoubleFromF => return self.double_of_float(from[0], part),
            Op::DoubleToWideS | Op::DoubleToWideU => {
                let a = self.wide(from[0], part)?;
                return Some(B::wide_of_double(self, op == Op::DoubleToWideS, a));
            }
            Op::MulHighWide => {
                let (a, b) = (self.wide(from[0], part)?, self.wide(from[1], part)?);
                return Some(self.high_wide(a, b));
            }
            Op::DoubleFromU | Op::DoubleFromS => {
                let a = self.extended(from[0], part, op == Op::DoubleFromS)?;
                return Some(B::double_of(self, op, a));
            }
            Op::DoubleFromWideU | Op::DoubleFromWideS => {
                let a = self.wide(from[0], part)?;
                return Some(B::double_of(self, op, a));
            }
            Op::MulWide => return B::multiply_wide(self, [from[0], from[1]], part),
            Op::AddWide => V::Add64,
            Op::SubWide => V::Sub64,
            _ => return None,
        };
        let (a, b) = (self.wide(from[0], part)?, self.wide_operand(from[1], part)?);
        Some(self.binary(code, a, b))
    }

    /// Shifts 64-bit lanes to the left or, as unsigned numbers, to the right.
    pub(in crate::emit) fn shift_wide(
        &mut self,
        left: bool,
        a: Reg,
        count: Source,
        part: u8,
    ) -> Option<Reg> {
        let [by_number, by_lane] =
            if left { [V::Left64, V::LeftBy64] } else { [V::RightU64, V::RightUBy64] };
        if let Source::Literal(count) = count
            && (count as u32) < 64
        {
            return Some(self.unary_with(by_number, a, count as u32));
        }
        let d = self.extended(count, part, false)?;
        self.three(by_lane, d, a, d);
        Some(d)
    }

    /// Computes the upper half of a product from four products of halves.
    fn high_wide(&mut self, a: Reg, b: Reg) -> Reg {
        let mask = self.wide_number(0xffff_ffff);
        let (left, right, d) = (self.temporary(), self.temporary(), self.temporary());
        self.two_with(V::RightU64, left, a, 32);
        self.two_with(V::RightU64, right, b, 32);
        self.three(V::ProductU, d, left, right);
        self.three(V::ProductU, left, left, b);
        self.three(V::ProductU, right, right, a);
        self.three(V::ProductU, B::SPARE, a, b);
        // Neither sum overflows, because a product is at most (2^32 - 1)^2.
        self.two_with(V::RightU64, B::SPARE, B::SPARE, 32);
        self.three(V::Add64, left, left, B::SPARE);
        self.three(V::And64, B::SPARE, left, mask);
        self.three(V::Add64, right, right, B::SPARE);
        for part in [left, right] {
            self.two_with(V::RightU64, part, part, 32);
            self.three(V::Add64, d, d, part);
            self.release(part);
        }
        d
    }

    fn product(&mut self, op: Op, from: [Source; 3], part: u8) -> Option<Reg> {
        let signed = matches!(op, Op::ProductS | Op::ProductAddS);
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
        self.three(if signed { V::ProductS } else { V::ProductU }, d, d, b);
        if matches!(op, Op::ProductAddU | Op::ProductAddS) {
            let c = self.wide_operand(from[2], part)?;
            self.three(V::Add64, d, d, c);
        }
        Some(d)
    }
}
