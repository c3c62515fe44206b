//! Conversions between f64, f32, f16 and integers that change the width of a lane.

use super::double::{COMPARE, TWO_52, UNORDERED};
use super::{Avx2Emitter, MOVE, Operand, SCRATCH, Vector};
use crate::emit::asm::{of_quiet_rounding, of_rounding};
use crate::emit::register_cache::{Kind, Nans, Reg};
use crate::op::{Op, Rounding};
use crate::operand::Source;
use iced_x86::{Code as C, Instruction as I};

const GREATER_OR_EQUAL: u32 = 0x1d;
/// The comparison predicate "less, or unordered".
const NOT_GREATER_OR_EQUAL: u32 = 0x19;
const MAX: C = C::VEX_Vmaxpd_ymm_ymm_ymmm256;
const MIN: C = C::VEX_Vminpd_ymm_ymm_ymmm256;
const MULTIPLY: C = C::VEX_Vmulpd_ymm_ymm_ymmm256;
const ADD: C = C::VEX_Vaddpd_ymm_ymm_ymmm256;
const ROUND: C = C::VEX_Vroundpd_ymm_ymmm256_imm8;
/// Converts f32 in half of a register to f64, and f64 to f32.
const WIDEN: C = C::VEX_Vcvtps2pd_ymm_xmmm128;
const CUT: C = C::VEX_Vcvtpd2ps_xmm_ymmm256;
/// 2^32, 2^63 and 2^64 as f64.
const TWO_32: u64 = 0x41f0_0000_0000_0000;
const TWO_63: u64 = 0x43e0_0000_0000_0000;
const TWO_64: u64 = 0x43f0_0000_0000_0000;

impl Avx2Emitter<'_> {
    /// Emits a conversion to 32-bit lanes. Returns the temporary with the result, and what is known
    /// of it.
    pub(super) fn convert(&mut self, op: Op, source: Source, part: u8) -> Option<(Reg, Kind)> {
        const FLOAT: Kind = Kind::normal(Nans::Any);
        Some(match op {
            Op::FromHalf => (self.float_of_half(source, part)?, FLOAT),
            Op::ToHalf(rounding) => (self.half_of(source, part, rounding)?, Kind::BITS),
            Op::DoubleToU => {
                let low = self.low_of_double(source, 2 * part)?;
                let high = self.low_of_double(source, 2 * part + 1)?;
                self.low_halves(low, low, high);
                self.release(high);
                (low, Kind::BITS)
            }
            _ => {
                let low = self.half_from_double(op, source, 2 * part)?;
                let high = self.half_from_double(op, source, 2 * part + 1)?;
                self.join_halves(low, high);
                (low, Kind::BITS)
            }
        })
    }

    /// Makes the second register the upper half of the first.
    fn join_halves(&mut self, low: Reg, high: Reg) {
        let code = C::VEX_Vinserti128_ymm_ymm_xmmm128_imm8;
        self.asm.put(I::with4(code, low.ymm(), low.ymm(), high.xmm(), 1_u32));
        self.release(high);
    }

    fn float_of_half(&mut self, source: Source, part: u8) -> Option<Reg> {
        let a = self.narrow(source, part)?;
        let zeros = 0x8080_8080_8080_8080;
        let words = self.pool_vector([0x0d0c_0908_0504_0100, zeros, 0x0d0c_0908_0504_0100, zeros]);
        let d = self.temporary();
        self.three(C::VEX_Vpshufb_ymm_ymm_ymmm256, d, a, words);
        self.two_with(C::VEX_Vpermq_ymm_ymmm256_imm8, d, d, 0b1000);
        self.asm.put(I::with2(C::VEX_Vcvtph2ps_ymm_xmmm128, d.ymm(), d.xmm()));
        Some(d)
    }

    fn half_of(&mut self, source: Source, part: u8, rounding: Rounding) -> Option<Reg> {
        let (a, nan) = (self.float(source, part)?, self.number(0x7fff));
        let d = self.temporary();
        self.asm.put(I::with3(
            C::VEX_Vcvtps2ph_xmmm128_ymm_imm8,
            d.xmm(),
            a.ymm(),
            of_rounding(rounding),
        ));
        self.asm.put(I::with2(C::VEX_Vpmovzxwd_ymm_xmmm128, d.ymm(), d.xmm()));
        self.three_with(super::float::COMPARE, SCRATCH, a, a, super::float::UNORDERED);
        self.blend(d, d, nan, SCRATCH);
        Some(d)
    }

    /// Converts a part of f64 to 32-bit lanes in the lower half of a temporary.
    fn half_from_double(&mut self, op: Op, source: Source, part: u8) -> Option<Reg> {
        let d = self.temporary();
        match op {
            Op::FromDouble(rounding) => {
                let a = self.wide_operand(source, part)?;
                self.rounded_by(rounding, |e| {
                    e.asm.put(match a {
                        Operand::Register(a) => I::with2(CUT, d.xmm(), a.ymm()),
                        Operand::Memory(a) => I::with2(CUT, d.xmm(), a),
                    });
                });
            }
            Op::DoubleToS => {
                let a = self.wide_operand(source, part)?;
                let most = self.wide_number(f64::from(i32::MAX).to_bits());
                // `min` returns its second source if one is a NaN. The conversion returns the
                // lowest number for NaNs and for values below it.
                self.two(MOVE, d, most);
                self.three(MIN, d, d, a);
                self.asm.put(I::with2(C::VEX_Vcvttpd2dq_xmm_ymmm256, d.xmm(), d.ymm()));
            }
            _ => return None,
        }
        Some(d)
    }

    /// Converts a part of f64 to unsigned 32-bit numbers, in the low halves of the lanes of a
    /// temporary.
    fn low_of_double(&mut self, source: Source, part: u8) -> Option<Reg> {
        let a = self.wide(source, part)?;
        let (most, shift_in) =
            (self.wide_number(f64::from(u32::MAX).to_bits()), self.wide_number(TWO_52));
        let (d, lowest) = (self.temporary(), self.wide_number(1 << 31));
        self.three(C::VEX_Vpxor_ymm_ymm_ymmm256, d, d, d);
        // `max` returns its second source if one is a NaN.
        self.three(MAX, d, d, a);
        self.three(MIN, d, d, most);
        self.two_with(ROUND, d, d, of_quiet_rounding(Rounding::Trunc));
        self.three(ADD, d, d, shift_in);
        self.three_with(COMPARE, SCRATCH, a, a, UNORDERED);
        self.blend(d, d, lowest, SCRATCH);
        Some(d)
    }

    /// Converts a part of f64 to 64-bit integers. The high and the low half of the integral number
    /// are converted separately, by adding a power of two that moves their bits to the low end of
    /// the significand exactly.
    pub(super) fn wide_of_double(&mut self, signed: bool, source: Source, part: u8) -> Option<Reg> {
        let a = self.wide(source, part)?;
        let (down, up) = (self.wide_number((2_f64.powi(-32)).to_bits()), self.wide_number(TWO_32));
        let shift_in = self.wide_number(TWO_52);
        // Adding 2^52 + 2^51 keeps the sum positive for negative numbers.
        let upper_shift_in = if signed { self.wide_number(TWO_52 | 1 << 51) } else { shift_in };
        let (d, high) = (self.temporary(), self.temporary());
        if signed {
            self.two_with(ROUND, d, a, of_quiet_rounding(Rounding::Trunc));
        } else {
            self.three(C::VEX_Vpxor_ymm_ymm_ymmm256, d, d, d);
            self.three(MAX, d, d, a);
            self.two_with(ROUND, d, d, of_quiet_rounding(Rounding::Trunc));
        }
        self.three(MULTIPLY, high, d, down);
        self.two_with(ROUND, high, high, of_quiet_rounding(Rounding::Floor));
        // Computes the low half of the result: d - high * 2^32.
        self.two(MOVE, SCRATCH, up);
        self.three(C::VEX_Vfnmadd231pd_ymm_ymm_ymmm256, d, high, SCRATCH);
        self.three(ADD, d, d, shift_in);
        self.three(ADD, high, high, upper_shift_in);
        self.two_with(C::VEX_Vpsllq_ymm_ymm_imm8, high, high, 32);
        // Combines the low halves of `d` with the high halves of `high`.
        self.three_with(C::VEX_Vpblendd_ymm_ymm_ymmm256_imm8, d, d, high, 0xaa);
        self.release(high);
        let (end, most) = if signed { (TWO_63, i64::MAX as u64) } else { (TWO_64, u64::MAX) };
        let (end, most) = (self.wide_number(end), self.wide_number(most));
        self.three_with(COMPARE, SCRATCH, a, end, GREATER_OR_EQUAL);
        self.blend(d, d, most, SCRATCH);
        let lowest = self.wide_number(1 << 63);
        if signed {
            let below = self.wide_number(TWO_63 | 1 << 63);
            self.three_with(COMPARE, SCRATCH, a, below, NOT_GREATER_OR_EQUAL);
        } else {
            self.three_with(COMPARE, SCRATCH, a, a, UNORDERED);
        }
        self.blend(d, d, lowest, SCRATCH);
        Some(d)
    }

    /// Converts a part of f32 to f64.
    pub(super) fn double_of_float(&mut self, source: Source, part: u8) -> Option<Reg> {
        let a = self.narrow(source, part / 2)?;
        Some(self.widened(a, part))
    }

    fn widened(&mut self, a: Reg, part: u8) -> Reg {
        let d = self.temporary();
        let mut from = a.xmm();
        if part % 2 == 1 {
            let code = C::VEX_Vextracti128_xmmm128_ymm_imm8;
            self.asm.put(I::with3(code, d.xmm(), a.ymm(), 1_u32));
            from = d.xmm();
        }
        self.asm.put(I::with2(WIDEN, d.ymm(), from));
        d
    }
}
