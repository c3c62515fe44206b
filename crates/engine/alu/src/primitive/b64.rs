//! Primitives on 64-bit values.

use super::{A, B, C, Literal, primitives};
use crate::convert;
use crate::float;
use crate::lane::{Constant, Constants, Lane, Lanes, ResultLanes, SourceLanes, Value};
use crate::round::Format;
use crate::soft;
use crate::term::{Computation, Term};
use texunit_jit::Rounding::Near;
use texunit_jit::{Float, Op as J, Relation as R, Rounding, Test};

#[inline(always)]
fn d(bits: u64) -> f64 {
    f64::from_bits(bits)
}

/// Rounds an f64 to an integral value.
#[inline(always)]
fn rounded(x: f64, rounding: Rounding) -> f64 {
    match rounding {
        Rounding::Near => x.round_ties_even(),
        Rounding::Floor => x.floor(),
        Rounding::Ceil => x.ceil(),
        Rounding::Trunc => x.trunc(),
    }
}

const fn double_test(relation: R, unordered: bool) -> Test {
    Test::Double { relation, unordered }
}

primitives! {
    /// Primitives on values of 64 bits.
    B64 for u64, 64 {
        -> Self {
            /// a + b
            add(a, b: Self) = a.wrapping_add(b) => J::AddWide;
            /// a - b
            sub(a, b: Self) = a.wrapping_sub(b) => J::SubWide;
            /// The low half of a * b.
            mul_lo(a, b: Self) = a.wrapping_mul(b) => J::MulWide;
            /// The high half of the product of unsigned numbers.
            mul_hi_u(a, b: Self) = ((u128::from(a) * u128::from(b)) >> 64) as u64 => J::MulHighWide;
            /// a & b
            and(a, b: Self) = a & b => J::BitsWide(A & B);
            /// a | b
            or(a, b: Self) = a | b => J::BitsWide(A | B);
            /// a ^ b
            xor(a, b: Self) = a ^ b => J::BitsWide(A ^ B);
            /// !a
            not(a) = !a => J::BitsWide(!A);
            /// a if the predicate is true, else b.
            when(a, p: Self::Holds, b: Self) = if p { a } else { b } => Computation::Select;
            /// Selects the bits of a where the bits of c are set, and the bits of b elsewhere.
            pick(a, b: Self, c: Self) = (a & c) | (b & !c) => J::BitsWide((A & C) | (B & !C));
            /// Shifts a to the left by b; 0 if b ≥ 64.
            shl(a, b: Self::Narrow) = if b < 64 { a << (b & 63) } else { 0 } => J::ShiftLeftWide;
            /// Shifts a to the right by b, filling with zeros; 0 if b ≥ 64.
            shr_u(a, b: Self::Narrow) = if b < 64 { a >> (b & 63) } else { 0 } => J::ShiftRightWideU;
            /// The sum a + b of f64. In the table sections `f64` and `ratio`, NaN results of this
            /// and the following primitives are replaced by those of [`nan64`](crate::nan64).
            f_add(a, b: Self) = (d(a) + d(b)).to_bits() => J::Double(Float::Add, Near);
            /// a - b of f64.
            f_sub(a, b: Self) = (d(a) - d(b)).to_bits() => J::Double(Float::Sub, Near);
            /// a * b of f64.
            f_mul(a, b: Self) = (d(a) * d(b)).to_bits() => J::Double(Float::Mul, Near);
            /// a * b + c of f64, rounded once.
            f_fma(a, b: Self, c: Self) = d(a).mul_add(d(b), d(c)).to_bits() => J::Double(Float::Fma, Near);
            /// a / b of f64.
            f_div(a, b: Self) = (d(a) / d(b)).to_bits() => J::Double(Float::Div, Near);
            /// √a of f64.
            f_sqrt(a) = d(a).sqrt().to_bits() => J::Double(Float::Sqrt, Near);
            /// -a of f64.
            f_neg(a) = (-d(a)).to_bits() => J::Double(Float::Neg, Near);
            /// |a| of f64.
            f_abs(a) = d(a).abs().to_bits() => J::Double(Float::Abs, Near);
            /// The smaller f64; -0 is less than +0. If one source is a NaN, the result is the other
            /// source; if both are NaNs, the result is b, made quiet.
            f_min(a, b: Self) = float::extreme64(float::min64(d(a), d(b)), b) => J::Double(Float::Min, Near);
            /// The larger f64; +0 is greater than -0. If sources are NaNs, the result is that of
            /// `f_min`.
            f_max(a, b: Self) = float::extreme64(float::max64(d(a), d(b)), b) => J::Double(Float::Max, Near);
            /// An f64 rounded to an integral value.
            f_round(a; r: Rounding) = rounded(d(a), r).to_bits() => J::Double(Float::Round(r), Near);
            /// a + b of f64 with a directed rounding.
            f_add_in(a, b: Self; r: Rounding) = soft::add(Format::F64, float::mode_of(r), a, b) => J::Double(Float::Add, r);
            /// a - b of f64 with a directed rounding.
            f_sub_in(a, b: Self; r: Rounding) = soft::add(Format::F64, float::mode_of(r), a, b ^ 1 << 63) => J::Double(Float::Sub, r);
            /// a * b of f64 with a directed rounding.
            f_mul_in(a, b: Self; r: Rounding) = soft::mul(Format::F64, float::mode_of(r), a, b) => J::Double(Float::Mul, r);
            /// a * b + c of f64, rounded once with a directed rounding.
            f_fma_in(a, b: Self, c: Self; r: Rounding) = soft::fma(Format::F64, float::mode_of(r), a, b, c) => J::Double(Float::Fma, r);
            /// a / b of f64 with a directed rounding.
            f_div_in(a, b: Self; r: Rounding) = soft::div(Format::F64, float::mode_of(r), a, b) => J::Double(Float::Div, r);
            /// √a of f64 with a directed rounding.
            f_sqrt_in(a; r: Rounding) = soft::sqrt(Format::F64, float::mode_of(r), a) => J::Double(Float::Sqrt, r);
            /// Converts an f64 to a signed number, toward zero and limited to its range; a NaN
            /// becomes the lowest number.
            d_to_ws(a) = if d(a).is_nan() { 1 << 63 } else { d(a) as i64 as u64 } => J::DoubleToWideS;
            /// Converts an f64 to an unsigned number, toward zero and limited to its range; a NaN
            /// becomes 1 << 63.
            d_to_wu(a) = if d(a).is_nan() { 1 << 63 } else { d(a) as u64 } => J::DoubleToWideU;
            /// Converts an unsigned number to f64, rounded to nearest.
            d_from_u(a) = (a as f64).to_bits() => J::DoubleFromWideU;
            /// Converts a signed number to f64, rounded to nearest.
            d_from_s(a) = (a as i64 as f64).to_bits() => J::DoubleFromWideS;
            /// Shifts a to the right by b, filling with the sign; all sign bits if b ≥ 64.
            shr_s(a, b: Self::Narrow) = (a as i64 >> b.min(63)) as u64 => J::ShiftRightWideS;
        }
        -> Self::Narrow {
            /// The low half.
            low(a) = a as u32 => J::Low;
            /// Converts an f64 to f32; a NaN keeps its sign and the top of its payload, and becomes
            /// quiet.
            d_to_f(a; r: Rounding) = convert::narrowed(r, a) => J::FromDouble(r);
            /// Converts an f64 to a signed 32-bit number, toward zero and limited to its range; a
            /// NaN becomes the lowest number.
            d_to_s(a) = if d(a).is_nan() { 0x8000_0000 } else { d(a) as i32 as u32 } => J::DoubleToS;
            /// Converts an f64 to an unsigned 32-bit number, toward zero and limited to its range;
            /// a NaN becomes 0x80000000.
            d_to_u(a) = if d(a).is_nan() { 0x8000_0000 } else { d(a) as u32 } => J::DoubleToU;
        }
        -> Self::Holds {
            /// a = b
            eq(a, b: Self) = a == b => Test::SignedWide(R::Eq);
            /// a ≠ b
            ne(a, b: Self) = a != b => Test::SignedWide(R::Ne);
            /// a < b, signed
            lt_s(a, b: Self) = (a as i64) < b as i64 => Test::SignedWide(R::Lt);
            /// a ≤ b, signed
            le_s(a, b: Self) = a as i64 <= b as i64 => Test::SignedWide(R::Le);
            /// a > b, signed
            gt_s(a, b: Self) = a as i64 > b as i64 => Test::SignedWide(R::Gt);
            /// a ≥ b, signed
            ge_s(a, b: Self) = a as i64 >= b as i64 => Test::SignedWide(R::Ge);
            /// a < b, unsigned
            lt_u(a, b: Self) = a < b => Test::UnsignedWide(R::Lt);
            /// a ≤ b, unsigned
            le_u(a, b: Self) = a <= b => Test::UnsignedWide(R::Le);
            /// a > b, unsigned
            gt_u(a, b: Self) = a > b => Test::UnsignedWide(R::Gt);
            /// a ≥ b, unsigned
            ge_u(a, b: Self) = a >= b => Test::UnsignedWide(R::Ge);
            /// a = b of f64
            f_eq(a, b: Self) = d(a) == d(b) => double_test(R::Eq, false);
            /// a ≠ b of f64
            f_ne(a, b: Self) = (d(a) < d(b)) | (d(a) > d(b)) => double_test(R::Ne, false);
            /// a = b of f64, or one is a NaN
            f_equ(a, b: Self) = !((d(a) < d(b)) | (d(a) > d(b))) => double_test(R::Eq, true);
            /// a ≠ b of f64, or one is a NaN
            f_neu(a, b: Self) = d(a) != d(b) => double_test(R::Ne, true);
            /// a < b of f64
            f_lt(a, b: Self) = d(a) < d(b) => double_test(R::Lt, false);
            /// a ≤ b of f64
            f_le(a, b: Self) = d(a) <= d(b) => double_test(R::Le, false);
            /// a > b of f64
            f_gt(a, b: Self) = d(a) > d(b) => double_test(R::Gt, false);
            /// a ≥ b of f64
            f_ge(a, b: Self) = d(a) >= d(b) => double_test(R::Ge, false);
            /// a < b of f64, or one is a NaN
            f_ltu(a, b: Self) = !(d(a) >= d(b)) => double_test(R::Lt, true);
            /// a ≤ b of f64, or one is a NaN
            f_leu(a, b: Self) = !(d(a) > d(b)) => double_test(R::Le, true);
            /// a > b of f64, or one is a NaN
            f_gtu(a, b: Self) = !(d(a) <= d(b)) => double_test(R::Gt, true);
            /// a ≥ b of f64, or one is a NaN
            f_geu(a, b: Self) = !(d(a) < d(b)) => double_test(R::Ge, true);
        }
    }
    Narrow = u32, 32; Holds = bool, 1
}
