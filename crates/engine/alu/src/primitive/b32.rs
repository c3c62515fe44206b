//! Primitives on 32-bit values.

use super::{A, B, C, Literal, primitives};
use crate::convert;
use crate::float;
use crate::lane::{Constant, Constants, Lane, Lanes, ResultLanes, SourceLanes, Value};
use crate::mode::{IEEE, Mode};
use crate::round::{Format, narrow};
use crate::term::{Computation, Term};
use texunit_jit::{Float, Op as J, Relation as R, Rounding, Test};
use texunit_sfu::lanes::{Curve, Words};

#[inline(always)]
fn f(bits: u32) -> f32 {
    f32::from_bits(bits)
}

/// Rounds an f32 to an integral value.
#[inline(always)]
fn rounded(x: f32, rounding: Rounding) -> f32 {
    match rounding {
        Rounding::Near => x.round_ties_even(),
        Rounding::Floor => x.floor(),
        Rounding::Ceil => x.ceil(),
        Rounding::Trunc => x.trunc(),
    }
}

/// Rounds an f32 to an integral value, so that a cast to an integer, which rounds toward zero,
/// changes nothing.
#[inline(always)]
fn uncut(x: f32, rounding: Rounding) -> f32 {
    if rounding == Rounding::Trunc { x } else { rounded(x, rounding) }
}

#[inline(always)]
fn bytes(a: u32, b: u32) -> u32 {
    let mut result = 0;
    for k in [0, 8, 16, 24] {
        let byte = a >> (8 * (b >> k & 3)) & 0xff;
        result |= if b >> k & 0x80 == 0 { byte << k } else { 0 };
    }
    result
}

const fn float_test(relation: R, unordered: bool) -> Test {
    Test::Float { relation, unordered }
}

primitives! {
    /// Primitives on values of 32 bits.
    B32 for u32, 32 {
        -> Self {
            /// a + b
            add(a, b: Self) = a.wrapping_add(b) => J::Add;
            /// a - b
            sub(a, b: Self) = a.wrapping_sub(b) => J::Sub;
            /// The low half of a * b.
            mul_lo(a, b: Self) = a.wrapping_mul(b) => J::Mul;
            /// a * b of numbers below 2^15.
            mul_short(a, b: Self) = a.wrapping_mul(b) => J::MulShort;
            /// The low half of a * b, plus c.
            mad_lo(a, b: Self, c: Self) = a.wrapping_mul(b).wrapping_add(c) => J::MulAdd;
            /// The high half of the product of unsigned numbers.
            mul_hi_u(a, b: Self) = ((u64::from(a) * u64::from(b)) >> 32) as u32 => J::MulHighU;
            /// The high half of the product of signed numbers.
            mul_hi_s(a, b: Self) = ((i64::from(a as i32) * i64::from(b as i32)) >> 32) as u32 => J::MulHighS;
            /// The magnitude |a| of a signed number; the lowest number stays as it is.
            abs_s(a) = (a as i32).wrapping_abs() as u32 => J::Abs;
            /// The smaller signed number.
            min_s(a, b: Self) = (a as i32).min(b as i32) as u32 => J::MinS;
            /// The larger signed number.
            max_s(a, b: Self) = (a as i32).max(b as i32) as u32 => J::MaxS;
            /// The smaller unsigned number.
            min_u(a, b: Self) = a.min(b) => J::MinU;
            /// The larger unsigned number.
            max_u(a, b: Self) = a.max(b) => J::MaxU;
            /// a & b
            and(a, b: Self) = a & b => J::Bits(A & B);
            /// a | b
            or(a, b: Self) = a | b => J::Bits(A | B);
            /// a ^ b
            xor(a, b: Self) = a ^ b => J::Bits(A ^ B);
            /// !a
            not(a) = !a => J::Bits(!A);
            /// a if the predicate is true, else b.
            when(a, p: Self::Holds, b: Self) = if p { a } else { b } => Computation::Select;
            /// Selects the bits of a where the bits of c are set, and the bits of b elsewhere.
            pick(a, b: Self, c: Self) = (a & c) | (b & !c) => J::Bits((A & C) | (B & !C));
            /// Shifts a to the left by b; 0 if b ≥ 32.
            shl(a, b: Self) = if b < 32 { a << (b & 31) } else { 0 } => J::ShiftLeft;
            /// Shifts a to the right by b, filling with zeros; 0 if b ≥ 32.
            shr_u(a, b: Self) = if b < 32 { a >> (b & 31) } else { 0 } => J::ShiftRightU;
            /// Shifts a to the right by b, filling with the sign; all sign bits if b ≥ 32.
            shr_s(a, b: Self) = (a as i32 >> b.min(31)) as u32 => J::ShiftRightS;
            /// The upper half of the 64-bit number (b, a), shifted to the left by c mod 32.
            shf_l(a, b: Self, c: Self) = (b << (c & 31)) | (a >> 1 >> (!c & 31)) => J::FunnelLeft;
            /// The lower half of the 64-bit number (b, a), shifted to the right by c mod 32.
            shf_r(a, b: Self, c: Self) = (a >> (c & 31)) | (b << 1 << (!c & 31)) => J::FunnelRight;

            /// The bits in reverse order.
            reverse(a) = a.reverse_bits() => J::Reverse;
            /// Selects bytes of a. The two low bits of byte i of b are the number of the byte of a
            /// that becomes byte i of the result. If the highest bit of byte i is set, byte i of
            /// the result is zero.
            bytes(a, b: Self) = bytes(a, b) => J::Bytes;
            /// The number of leading zeros.
            zeros_above(a) = a.leading_zeros() => J::LeadingZeros;

            /// a + b of f32.
            f_add(a, b: Self; m: Mode) = m.put(m.get(a) + m.get(b)) => m.op(Float::Add);
            /// a - b of f32.
            f_sub(a, b: Self; m: Mode) = m.put(m.get(a) - m.get(b)) => m.op(Float::Sub);
            /// a * b of f32.
            f_mul(a, b: Self; m: Mode) = m.put_tiny(m.get(a) * m.get(b), || m.larger(a) * m.get(b)) => m.op(Float::Mul);
            /// a * b + c of f32, rounded once.
            f_fma(a, b: Self, c: Self; m: Mode) = m.put_tiny(m.get(a).mul_add(m.get(b), m.get(c)), || m.larger(a).mul_add(m.get(b), m.larger(c))) => m.op(Float::Fma);
            /// a / b of f32.
            f_div(a, b: Self; m: Mode) = m.put_tiny(m.get(a) / m.get(b), || m.larger(a) / m.get(b)) => m.op(Float::Div);
            /// √a of f32.
            f_sqrt(a; m: Mode) = m.put(m.get(a).sqrt()) => m.op(Float::Sqrt);
            /// The smaller f32; -0 is less than +0, and if one source is a NaN, the result is the
            /// other source.
            f_min(a, b: Self; m: Mode) = m.put(float::min(m.get(a), m.get(b))) => m.op(Float::Min);
            /// The larger f32; -0 is less than +0, and if one source is a NaN, the result is the
            /// other source.
            f_max(a, b: Self; m: Mode) = m.put(float::max(m.get(a), m.get(b))) => m.op(Float::Max);
            /// -a of f32.
            f_neg(a; m: Mode) = m.put(-m.get(a)) => m.op(Float::Neg);
            /// |a| of f32.
            f_abs(a; m: Mode) = m.put(m.get(a).abs()) => m.op(Float::Abs);
            /// An f32 rounded to an integral value.
            f_round(a; r: Rounding, m: Mode) = m.put(rounded(m.get(a), r)) => m.op(Float::Round(r));
            /// Makes an f32 a result of arithmetic: a NaN becomes canonical, and the mode is
            /// applied.
            f_copy(a; m: Mode) = m.put(m.get(a)) => m.op(Float::Copy);
            /// a + b of f32 with a directed rounding.
            f_add_in(a, b: Self; r: Rounding, m: Mode) = m.put(float::add_in(r, m.get(a), m.get(b))) => m.directed(Float::Add, r);
            /// a - b of f32 with a directed rounding.
            f_sub_in(a, b: Self; r: Rounding, m: Mode) = m.put(float::add_in(r, m.get(a), -m.get(b))) => m.directed(Float::Sub, r);
            /// a * b of f32 with a directed rounding.
            f_mul_in(a, b: Self; r: Rounding, m: Mode) = m.put_tiny(float::mul_in(r, m.get(a), m.get(b)), || float::mul_in(r, m.larger(a), m.get(b))) => m.directed(Float::Mul, r);
            /// a * b + c of f32, rounded once with a directed rounding.
            f_fma_in(a, b: Self, c: Self; r: Rounding, m: Mode) = m.put_tiny(float::fma_in(r, m.get(a), m.get(b), m.get(c)), || float::fma_in(r, m.larger(a), m.get(b), m.larger(c))) => m.directed(Float::Fma, r);
            /// a / b of f32 with a directed rounding.
            f_div_in(a, b: Self; r: Rounding, m: Mode) = m.put_tiny(float::div_in(r, m.get(a), m.get(b)), || float::div_in(r, m.larger(a), m.get(b))) => m.directed(Float::Div, r);
            /// √a of f32 with a directed rounding.
            f_sqrt_in(a; r: Rounding, m: Mode) = m.put(float::sqrt_in(r, m.get(a))) => m.directed(Float::Sqrt, r);
            /// Looks up the entry of a table at the index a, whose high bits are ignored.
            look_up(a; words: Words) = words.at(a) => J::LookUp(words);
            /// Evaluates a polynomial of the special function unit ([`Curve`]) for the operand a.
            on_curve(a; curve: &'static Curve) = curve.at(a) => J::Curve(curve);
            /// The square of a 17-bit number as the special function unit computes it.
            folded_square(a) = texunit_sfu::square(a) => J::Square;
            /// Converts the low half, an f16, to f32 exactly. NaNs become canonical.
            f_from_half(a) = IEEE.put(float::f16_to_f32(a)) => J::FromHalf;
            /// Converts an f32 to f16, in the low half. NaNs become canonical.
            f_to_half(a; r: Rounding) = narrow(Format::F16, float::mode_of(r), f(a).into()) as u32 => J::ToHalf(r);
            /// Converts the bits of an unsigned number that the mask `bits` selects to f32.
            f_from_u(a; bits: u32) = ((a & bits) as f32).to_bits() => J::FromU(bits);
            /// A signed number converted to f32.
            f_from_s(a) = (a as i32 as f32).to_bits() => J::FromS;
            /// Converts an f32 to an unsigned number, limited to its range; a NaN becomes 0.
            f_to_u(a; r: Rounding) = uncut(f(a), r) as u32 => J::ToU(r);
            /// Converts an f32 to a signed number, limited to its range; a NaN becomes 0.
            f_to_s(a; r: Rounding) = uncut(f(a), r) as i32 as u32 => J::ToS(r);
        }
        -> Self::Wide {
            /// The 64-bit product of unsigned numbers.
            mul_wide_u(a, b: Self) = u64::from(a) * u64::from(b) => J::ProductU;
            /// The 64-bit product of signed numbers.
            mul_wide_s(a, b: Self) = (i64::from(a as i32) * i64::from(b as i32)) as u64 => J::ProductS;
            /// The 64-bit product of unsigned numbers, plus c.
            mad_wide_u(a, b: Self, c: Self::Wide) = (u64::from(a) * u64::from(b)).wrapping_add(c) => J::ProductAddU;
            /// The 64-bit product of signed numbers, plus c.
            mad_wide_s(a, b: Self, c: Self::Wide) = ((i64::from(a as i32) * i64::from(b as i32)) as u64).wrapping_add(c) => J::ProductAddS;
            /// Zero-extends the value to 64 bits.
            extend_u(a) = u64::from(a) => J::ExtendU;
            /// Sign-extends the value to 64 bits.
            extend_s(a) = a as i32 as u64 => J::ExtendS;
            /// An unsigned number converted to f64.
            d_from_u(a) = f64::from(a).to_bits() => J::DoubleFromU;
            /// A signed number converted to f64.
            d_from_s(a) = f64::from(a as i32).to_bits() => J::DoubleFromS;
            /// Converts an f32 to f64; a NaN keeps its sign and payload, and becomes quiet.
            d_from_f(a) = convert::widened(a) => J::DoubleFromF;
        }
        -> Self::Holds {
            /// a = b
            eq(a, b: Self) = a == b => Test::Signed(R::Eq);
            /// a ≠ b
            ne(a, b: Self) = a != b => Test::Signed(R::Ne);
            /// a < b, signed
            lt_s(a, b: Self) = (a as i32) < b as i32 => Test::Signed(R::Lt);
            /// a ≤ b, signed
            le_s(a, b: Self) = a as i32 <= b as i32 => Test::Signed(R::Le);
            /// a > b, signed
            gt_s(a, b: Self) = a as i32 > b as i32 => Test::Signed(R::Gt);
            /// a ≥ b, signed
            ge_s(a, b: Self) = a as i32 >= b as i32 => Test::Signed(R::Ge);
            /// a < b, unsigned
            lt_u(a, b: Self) = a < b => Test::Unsigned(R::Lt);
            /// a ≤ b, unsigned
            le_u(a, b: Self) = a <= b => Test::Unsigned(R::Le);
            /// a > b, unsigned
            gt_u(a, b: Self) = a > b => Test::Unsigned(R::Gt);
            /// a ≥ b, unsigned
            ge_u(a, b: Self) = a >= b => Test::Unsigned(R::Ge);
            /// a = b of f32
            f_eq(a, b: Self) = f(a) == f(b) => float_test(R::Eq, false);
            /// a ≠ b of f32
            f_ne(a, b: Self) = (f(a) < f(b)) | (f(a) > f(b)) => float_test(R::Ne, false);
            /// a = b of f32, or one is a NaN
            f_equ(a, b: Self) = !((f(a) < f(b)) | (f(a) > f(b))) => float_test(R::Eq, true);
            /// a ≠ b of f32, or one is a NaN
            f_neu(a, b: Self) = f(a) != f(b) => float_test(R::Ne, true);
            /// a < b of f32
            f_lt(a, b: Self) = f(a) < f(b) => float_test(R::Lt, false);
            /// a ≤ b of f32
            f_le(a, b: Self) = f(a) <= f(b) => float_test(R::Le, false);
            /// a > b of f32
            f_gt(a, b: Self) = f(a) > f(b) => float_test(R::Gt, false);
            /// a ≥ b of f32
            f_ge(a, b: Self) = f(a) >= f(b) => float_test(R::Ge, false);
            /// a < b of f32, or one is a NaN
            f_ltu(a, b: Self) = !(f(a) >= f(b)) => float_test(R::Lt, true);
            /// a ≤ b of f32, or one is a NaN
            f_leu(a, b: Self) = !(f(a) > f(b)) => float_test(R::Le, true);
            /// a > b of f32, or one is a NaN
            f_gtu(a, b: Self) = !(f(a) <= f(b)) => float_test(R::Gt, true);
            /// a ≥ b of f32, or one is a NaN
            f_geu(a, b: Self) = !(f(a) < f(b)) => float_test(R::Ge, true);
            /// Whether the f32 a is not a positive normal number.
            f_special(a) = a.wrapping_sub(0x0080_0000) >= 0x7f00_0000 => Test::Special;
        }
    }
    Wide = u64, 64; Holds = bool, 1
}
