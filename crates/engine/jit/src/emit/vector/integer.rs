//! Integer operations, bit operations and copies of 32 bits.

use super::V;
use crate::emit::Emitter;
use crate::emit::backend::Backend;
use crate::emit::register_cache::Reg;
use crate::op::Op;
use crate::operand::Source;

/// The shift count that replaces a multiplication by a literal, if the literal is a power of two.
pub(in crate::emit) fn power_of_two(source: Source) -> Option<u32> {
    match source {
        Source::Literal(number) if number.is_power_of_two() => Some(number.trailing_zeros()),
        _ => None,
    }
}

impl<B: Backend> Emitter<'_, B> {
    /// Emits a 32-bit operation on integers. Returns the temporary register of the result.
    pub(super) fn integer_op(&mut self, op: Op, from: [Source; 3], part: u8) -> Option<Reg> {
        let code = match op {
            Op::Low => return self.low(from[0], part),
            Op::Bits(table) => {
                let mut sources = [self.narrow_operand(from[0], part)?; 3];
                for (i, to) in sources.iter_mut().enumerate().take(op.sources()).skip(1) {
                    *to = self.narrow_operand(from[i], part)?;
                }
                return Some(B::bits(self, table, sources, false));
            }
            Op::Abs => {
                let a = self.narrow_operand(from[0], part)?;
                return Some(self.unary(V::Abs32, a));
            }
            Op::LeadingZeros => {
                let a = self.narrow(from[0], part)?;
                return Some(B::leading_zeros(self, a));
            }
            Op::Select(p) => return self.select(p, false, from, part),
            Op::FunnelLeft | Op::FunnelRight => {
                return self.funnel(op == Op::FunnelLeft, from, part);
            }
            Op::MulHighU | Op::MulHighS => {
                let (a, b) = (self.narrow(from[0], part)?, self.narrow(from[1], part)?);
                return Some(self.high(op == Op::MulHighS, a, b));
            }
            Op::Mul | Op::MulAdd => return self.multiply(op, from, part),
            Op::ShiftLeft | Op::ShiftRightU | Op::ShiftRightS => return self.shift(op, from, part),
            Op::Add => V::Add32,
            Op::Sub => V::Sub32,
            Op::MulShort => V::MulShort,
            Op::MinS => V::MinS32,
            Op::MaxS => V::MaxS32,
            Op::MinU => V::MinU32,
            Op::MaxU => V::MaxU32,
            _ => return None,
        };
        let a = self.narrow(from[0], part)?;
        let b = match op {
            // The instruction broadcasts no memory operand.
            Op::MulShort if B::IS_512 => self.narrow(from[1], part)?.into(),
            _ => self.narrow_operand(from[1], part)?,
        };
        Some(self.binary(code, a, b))
    }

    fn multiply(&mut self, op: Op, [a, b, c]: [Source; 3], part: u8) -> Option<Reg> {
        let (a, b) = if power_of_two(a).is_some() { (b, a) } else { (a, b) };
        let a = self.narrow(a, part)?;
        let d = match power_of_two(b).filter(|&count| count < 32) {
            Some(count) => self.unary_with(V::Left32, a, count),
            None => {
                let b = self.narrow_operand(b, part)?;
                self.binary(V::Mul32, a, b)
            }
        };
        if op == Op::MulAdd {
            let c = self.narrow_operand(c, part)?;
            self.three(V::Add32, d, d, c);
        }
        Some(d)
    }

    /// Emits a shift. Vector shifts by a register give what PTX defines for counts of 32 and more;
    /// immediate counts are handled here.
    fn shift(&mut self, op: Op, [a, b, _]: [Source; 3], part: u8) -> Option<Reg> {
        let (by_number, by_lane) = match op {
            Op::ShiftLeft => (V::Left32, V::LeftBy32),
            Op::ShiftRightU => (V::RightU32, V::RightUBy32),
            _ => (V::RightS32, V::RightSBy32),
        };
        let a = self.narrow(a, part)?;
        if let Source::Literal(count) = b
            && (count as u32) < 32
        {
            return Some(self.unary_with(by_number, a, count as u32));
        }
        let b = self.narrow_operand(b, part)?;
        Some(self.binary(by_lane, a, b))
    }

    /// Computes upper halves of products: those of even lanes and of odd lanes, which are then
    /// combined.
    fn high(&mut self, signed: bool, a: Reg, b: Reg) -> Reg {
        let product = if signed { V::ProductS } else { V::ProductU };
        let even = self.binary(product, a, b);
        let odd = self.unary_with(V::RightU64, a, 32);
        self.two_with(V::RightU64, B::SPARE, b, 32);
        self.three(product, odd, odd, B::SPARE);
        self.two_with(V::RightU64, even, even, 32);
        B::take_odd(self, even, odd);
        even
    }

    /// Emits a funnel shift: `(b << s) | (a >> 1 >> (31 - s))` to the left,
    /// `(a >> s) | (b << 1 << (31 - s))` to the right.
    fn funnel(&mut self, left: bool, from: [Source; 3], part: u8) -> Option<Reg> {
        let [shl, shr] = [(V::LeftBy32, V::Left32), (V::RightUBy32, V::RightU32)];
        let (a, b) = (self.narrow(from[0], part)?, self.narrow(from[1], part)?);
        let (whole, rest, (main, main_by), (other, other_by)) =
            if left { (b, a, shl, shr) } else { (a, b, shr, shl) };
        let (d, t) = (self.temporary(), self.temporary());
        if let Source::Literal(count) = from[2] {
            // A shift by an immediate of 32 gives zero.
            let count = count as u32 % 32;
            self.two_with(main_by, d, whole, count);
            self.two_with(other_by, t, rest, 32 - count);
        } else {
            let count = self.narrow(from[2], part)?;
            let most = self.number(31);
            self.three(V::And32, B::SPARE, count, most);
            self.three(main, d, whole, B::SPARE);
            self.three(V::Xor32, B::SPARE, B::SPARE, most);
            self.two_with(other_by, t, rest, 1);
            self.three(other, t, t, B::SPARE);
        }
        self.three(V::Or32, d, d, t);
        Some(d)
    }

    /// A temporary register with the low halves of the lanes of a 64-bit source.
    pub(in crate::emit) fn low(&mut self, source: Source, part: u8) -> Option<Reg> {
        let (a, b) = (self.wide(source, 2 * part)?, self.wide(source, 2 * part + 1)?);
        let d = self.temporary();
        B::low_halves(self, d, [a, b]);
        Some(d)
    }
}
