//! Integer operations, bit operations and copies of 32 bits.

use super::{Avx2Emitter, MOVE, Operand, SCRATCH};
use crate::emit::register_cache::Reg;
use crate::op::Op;
use crate::operand::Source;
use iced_x86::Code as C;

/// The shift count that replaces a multiplication by a literal, if the literal is a power of two.
pub(super) fn power_of_two(source: Source) -> Option<u32> {
    match source {
        Source::Literal(number) if number.is_power_of_two() => Some(number.trailing_zeros()),
        _ => None,
    }
}

impl Avx2Emitter<'_> {
    /// Emits a 32-bit operation on integers. The result is in a temporary.
    pub(super) fn integer_op(&mut self, op: Op, from: [Source; 3], part: u8) -> Option<Reg> {
        let code = match op {
            Op::Low => return self.low(from[0], part),
            Op::Bits(table) => {
                let mut sources = [self.narrow_operand(from[0], part)?; 3];
                for (i, to) in sources.iter_mut().enumerate().take(op.sources()).skip(1) {
                    *to = self.narrow_operand(from[i], part)?;
                }
                return Some(self.bits(table, sources));
            }
            Op::Abs => {
                let a = self.narrow_operand(from[0], part)?;
                return Some(self.unary(C::VEX_Vpabsd_ymm_ymmm256, a));
            }
            Op::LeadingZeros => {
                let a = self.narrow(from[0], part)?;
                return Some(self.leading_zeros(a));
            }
            Op::Select(p) => {
                let mask = self.predicate(p, part);
                let (first, second) = if mask.not { (0, 1) } else { (1, 0) };
                let (a, b) =
                    (self.narrow(from[first], part)?, self.narrow_operand(from[second], part)?);
                let d = self.temporary();
                self.blend(d, a, b, mask.reg);
                return Some(d);
            }
            Op::FunnelLeft | Op::FunnelRight => {
                return self.funnel(op == Op::FunnelLeft, from, part);
            }
            Op::MulHighU | Op::MulHighS => {
                let (a, b) = (self.narrow(from[0], part)?, self.narrow(from[1], part)?);
                return Some(self.high(op == Op::MulHighS, a, b));
            }
            Op::Mul | Op::MulAdd => return self.multiply(op, from, part),
            Op::ShiftLeft | Op::ShiftRightU | Op::ShiftRightS => return self.shift(op, from, part),
            Op::Add => C::VEX_Vpaddd_ymm_ymm_ymmm256,
            Op::Sub => C::VEX_Vpsubd_ymm_ymm_ymmm256,
            Op::MulShort => C::VEX_Vpmaddwd_ymm_ymm_ymmm256,
            Op::MinS => C::VEX_Vpminsd_ymm_ymm_ymmm256,
            Op::MaxS => C::VEX_Vpmaxsd_ymm_ymm_ymmm256,
            Op::MinU => C::VEX_Vpminud_ymm_ymm_ymmm256,
            Op::MaxU => C::VEX_Vpmaxud_ymm_ymm_ymmm256,
            _ => return None,
        };
        let (a, b) = (self.narrow(from[0], part)?, self.narrow_operand(from[1], part)?);
        Some(self.binary(code, a, b))
    }

    fn multiply(&mut self, op: Op, [a, b, c]: [Source; 3], part: u8) -> Option<Reg> {
        let (a, b) = if power_of_two(a).is_some() { (b, a) } else { (a, b) };
        let a = self.narrow(a, part)?;
        let d = match power_of_two(b).filter(|&count| count < 32) {
            Some(count) => {
                let d = self.temporary();
                self.two_with(C::VEX_Vpslld_ymm_ymm_imm8, d, a, count);
                d
            }
            None => {
                let b = self.narrow_operand(b, part)?;
                self.binary(C::VEX_Vpmulld_ymm_ymm_ymmm256, a, b)
            }
        };
        if op == Op::MulAdd {
            let c = self.narrow_operand(c, part)?;
            self.three(C::VEX_Vpaddd_ymm_ymm_ymmm256, d, d, c);
        }
        Some(d)
    }

    /// Emits a shift. Vector shifts by a register give what PTX defines for counts of 32 and more;
    /// immediate counts are handled here.
    fn shift(&mut self, op: Op, [a, b, _]: [Source; 3], part: u8) -> Option<Reg> {
        let (by_number, by_lane) = match op {
            Op::ShiftLeft => (C::VEX_Vpslld_ymm_ymm_imm8, C::VEX_Vpsllvd_ymm_ymm_ymmm256),
            Op::ShiftRightU => (C::VEX_Vpsrld_ymm_ymm_imm8, C::VEX_Vpsrlvd_ymm_ymm_ymmm256),
            _ => (C::VEX_Vpsrad_ymm_ymm_imm8, C::VEX_Vpsravd_ymm_ymm_ymmm256),
        };
        let a = self.narrow(a, part)?;
        if let Source::Literal(count) = b
            && (count as u32) < 32
        {
            let d = self.temporary();
            self.two_with(by_number, d, a, count as u32);
            return Some(d);
        }
        let b = self.narrow_operand(b, part)?;
        Some(self.binary(by_lane, a, b))
    }

    /// Counts leading zeros by converting the number to a float, whose exponent is the position of
    /// the highest bit. A number whose highest bit is set becomes negative.
    fn leading_zeros(&mut self, a: Reg) -> Reg {
        let (bias, zero, most) = (self.number(127 + 31), self.number(0), self.number(32));
        let d = self.temporary();
        // Clears each bit below a set bit, so that the number is not rounded up to the next power
        // of two.
        self.two_with(C::VEX_Vpsrld_ymm_ymm_imm8, d, a, 1);
        self.three(C::VEX_Vpandn_ymm_ymm_ymmm256, d, d, a);
        self.two(C::VEX_Vcvtdq2ps_ymm_ymmm256, d, d);
        self.two_with(C::VEX_Vpsrld_ymm_ymm_imm8, d, d, 23);
        self.two(MOVE, SCRATCH, bias);
        self.three(C::VEX_Vpsubd_ymm_ymm_ymmm256, d, SCRATCH, d);
        self.three(C::VEX_Vpmaxsd_ymm_ymm_ymmm256, d, d, zero);
        self.three(C::VEX_Vpminsd_ymm_ymm_ymmm256, d, d, most);
        d
    }

    /// Computes upper halves of products: those of even lanes and of odd lanes, which are then
    /// combined.
    fn high(&mut self, signed: bool, a: Reg, b: Reg) -> Reg {
        let product =
            if signed { C::VEX_Vpmuldq_ymm_ymm_ymmm256 } else { C::VEX_Vpmuludq_ymm_ymm_ymmm256 };
        let even = self.binary(product, a, b);
        let odd = self.temporary();
        self.two_with(C::VEX_Vpsrlq_ymm_ymm_imm8, odd, a, 32);
        self.two_with(C::VEX_Vpsrlq_ymm_ymm_imm8, SCRATCH, b, 32);
        self.three(product, odd, odd, SCRATCH);
        self.two_with(C::VEX_Vpsrlq_ymm_ymm_imm8, even, even, 32);
        self.three_with(C::VEX_Vpblendd_ymm_ymm_ymmm256_imm8, even, even, odd, 0b1010_1010);
        even
    }

    /// Emits a funnel shift: `(b << s) | (a >> 1 >> (31 - s))` to the left,
    /// `(a >> s) | (b << 1 << (31 - s))` to the right.
    fn funnel(&mut self, left: bool, from: [Source; 3], part: u8) -> Option<Reg> {
        let (shl, shr) = (C::VEX_Vpsllvd_ymm_ymm_ymmm256, C::VEX_Vpsrlvd_ymm_ymm_ymmm256);
        let (shl_by, shr_by) = (C::VEX_Vpslld_ymm_ymm_imm8, C::VEX_Vpsrld_ymm_ymm_imm8);
        let (a, b) = (self.narrow(from[0], part)?, self.narrow(from[1], part)?);
        let (whole, rest, main, other, main_by, other_by) =
            if left { (b, a, shl, shr, shl_by, shr_by) } else { (a, b, shr, shl, shr_by, shl_by) };
        let (d, t) = (self.temporary(), self.temporary());
        if let Source::Literal(count) = from[2] {
            // A shift by an immediate of 32 gives zero.
            let count = count as u32 % 32;
            self.two_with(main_by, d, whole, count);
            self.two_with(other_by, t, rest, 32 - count);
        } else {
            let count = self.narrow(from[2], part)?;
            let most = self.number(31);
            self.three(C::VEX_Vpand_ymm_ymm_ymmm256, SCRATCH, count, most);
            self.three(main, d, whole, SCRATCH);
            self.three(C::VEX_Vpxor_ymm_ymm_ymmm256, SCRATCH, SCRATCH, most);
            self.two_with(other_by, t, rest, 1);
            self.three(other, t, t, SCRATCH);
        }
        self.three(C::VEX_Vpor_ymm_ymm_ymmm256, d, d, t);
        Some(d)
    }

    /// The low halves of the lanes of a 64-bit source, in a temporary.
    pub(super) fn low(&mut self, source: Source, part: u8) -> Option<Reg> {
        let (a, b) = (self.wide(source, 2 * part)?, self.wide_operand(source, 2 * part + 1)?);
        let d = self.temporary();
        self.low_halves(d, a, b);
        Some(d)
    }

    pub(super) fn low_halves(&mut self, d: Reg, a: Reg, b: impl Into<Operand>) {
        // The shuffle takes low halves from each 128 bits of a and of b alternately; the
        // permutation restores the order of lanes.
        self.three_with(C::VEX_Vshufps_ymm_ymm_ymmm256_imm8, d, a, b, 0b1000_1000);
        self.two_with(C::VEX_Vpermq_ymm_ymmm256_imm8, d, d, 0b1101_1000);
    }
}
