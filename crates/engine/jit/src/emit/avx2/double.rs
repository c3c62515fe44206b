//! Conversions between f64 and 64-bit integers, which AVX2 has no instructions for.

use super::{Avx2, Avx2Emitter, SCRATCH};
use crate::emit::asm::of_quiet_rounding;
use crate::emit::backend::Primitives;
use crate::emit::register_cache::Reg;
use crate::emit::vector::{GREATER_OR_EQUAL, UNORDERED, V};
use crate::op::{Op, Rounding};
use iced_x86::Code as C;

const BLEND: C = C::VEX_Vpblendd_ymm_ymm_ymmm256_imm8;
/// The comparison predicate "less, or unordered".
const NOT_GREATER_OR_EQUAL: u32 = 0x19;
/// 2^32, 2^63 and 2^64 as f64.
const TWO_32: u64 = 0x41f0_0000_0000_0000;
const TWO_63: u64 = 0x43e0_0000_0000_0000;
const TWO_64: u64 = 0x43f0_0000_0000_0000;
/// 2^52, 2^84, and 2^84 + 2^52 as f64. Setting the low 32 bits of the first two to a number n gives
/// 2^52 + n and 2^84 + 2^32 n exactly.
pub(super) const TWO_52: u64 = 0x4330_0000_0000_0000;
const TWO_84: u64 = 0x4530_0000_0000_0000;
const TWO_84_52: u64 = 0x4530_0000_0010_0000;

impl Avx2Emitter<'_> {
    /// Converts f64 to 64-bit integers. The high and the low half of the integral number are
    /// converted separately, by adding a power of two that moves their bits to the low end of the
    /// significand exactly.
    pub(super) fn wide_of_double(&mut self, signed: bool, a: Reg) -> Reg {
        let (down, up) = (self.wide_number((2_f64.powi(-32)).to_bits()), self.wide_number(TWO_32));
        let shift_in = self.wide_number(TWO_52);
        // Adding 2^52 + 2^51 keeps the sum positive for negative numbers.
        let upper_shift_in = if signed { self.wide_number(TWO_52 | 1 << 51) } else { shift_in };
        let (d, high) = (self.temporary(), self.temporary());
        let mut from = a;
        if !signed {
            self.three(V::Xor32, d, d, d);
            self.three(V::MaxD, d, d, a);
            from = d;
        }
        self.two_with(V::RoundD, d, from, of_quiet_rounding(Rounding::Trunc));
        self.three(V::MulD, high, d, down);
        self.two_with(V::RoundD, high, high, of_quiet_rounding(Rounding::Floor));
        // Computes the low half of the result: d - high * 2^32.
        self.two(V::Move, SCRATCH, up);
        self.three(C::VEX_Vfnmadd231pd_ymm_ymm_ymmm256, d, high, SCRATCH);
        self.three(V::AddD, d, d, shift_in);
        self.three(V::AddD, high, high, upper_shift_in);
        self.two_with(V::Left64, high, high, 32);
        // Combines the low halves of `d` with the high halves of `high`.
        self.three_with(BLEND, d, d, high, 0xaa);
        self.release(high);
        let (end, most) = if signed { (TWO_63, i64::MAX as u64) } else { (TWO_64, u64::MAX) };
        let (end, most) = (self.wide_number(end), self.wide_number(most));
        self.three_with(V::CompareD, SCRATCH, a, end, GREATER_OR_EQUAL);
        Avx2::blend(self, true, (d, d), most, SCRATCH);
        let lowest = self.wide_number(1 << 63);
        if signed {
            let below = self.wide_number(TWO_63 | 1 << 63);
            self.three_with(V::CompareD, SCRATCH, a, below, NOT_GREATER_OR_EQUAL);
        } else {
            self.three_with(V::CompareD, SCRATCH, a, a, UNORDERED);
        }
        Avx2::blend(self, true, (d, d), lowest, SCRATCH);
        d
    }

    /// Converts integers to f64. Halves of 32 bits are converted exactly, and their sum is rounded
    /// once.
    pub(super) fn double_of(&mut self, op: Op, a: Reg) -> Reg {
        let (small, large) = (self.wide_number(TWO_52), self.wide_number(TWO_84));
        match op {
            Op::DoubleFromU => {
                self.three(V::Or64, a, a, small);
                self.three(V::SubD, a, a, small);
                a
            }
            Op::DoubleFromS => {
                // Adding 2^52 + 2^51 keeps the sum positive for negative numbers.
                let middle = self.wide_number(TWO_52 | 1 << 51);
                self.three(V::Add64, a, a, middle);
                self.three(V::SubD, a, a, middle);
                a
            }
            _ => {
                let (high, low) = (self.temporary(), self.temporary());
                self.two_with(V::RightU64, high, a, 32);
                let mut offset = TWO_84_52;
                if op == Op::DoubleFromWideS {
                    // The upper half is signed: flipping its sign bit adds 2^31 to it, and 2^63 is
                    // subtracted from the sum.
                    let sign = self.wide_number(1 << 31);
                    self.three(V::Xor64, high, high, sign);
                    offset = 0x4530_0000_8010_0000;
                }
                self.three(V::Or64, high, high, large);
                let offset = self.wide_number(offset);
                self.three(V::SubD, high, high, offset);
                // Combines the low halves of `a` with the high halves of 2^52.
                self.three_with(BLEND, low, a, small, 0xaa);
                self.three(V::AddD, high, high, low);
                self.release(low);
                high
            }
        }
    }
}
