//! Values of 64 bits.

use super::{A, B, C, Literal, primitives};
use crate::convert;
use crate::float;
use crate::lane::{Gathered, Given, Known, Lanes, Value, View};
use crate::round::Format;
use crate::soft;
use crate::term::{Compiles, Scalar, Select, Term};
use texunit_jit::{Float, Op as J, Relation as R, Rounding, Test};

#[inline(always)]
fn d(bits: u64) -> f64 {
    f64::from_bits(bits)
}

/// To an integral number.
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
    /// Values of 64 bits.
    B64 for u64, 64 {
        -> Self {
            /// The sum.
            add(a, b: Self) = a.wrapping_add(b) => J::AddWide;
            /// The difference.
            sub(a, b: Self) = a.wrapping_sub(b) => J::SubWide;
            /// The low half of the product.
            mul_lo(a, b: Self) = a.wrapping_mul(b) => J::MulWide;
            /// The high half of the product of unsigned numbers.
            mul_hi_u(a, b: Self) = ((u128::from(a) * u128::from(b)) >> 64) as u64 => J::MulHighWide;
            /// Bits of both.
            and(a, b: Self) = a & b => J::BitsWide(A & B);
            /// Bits of either.
            or(a, b: Self) = a | b => J::BitsWide(A | B);
            /// Bits of one alone.
            xor(a, b: Self) = a ^ b => J::BitsWide(A ^ B);
            /// The other bits.
            not(a) = !a => J::BitsWide(!A);
            /// a where the predicate holds, else b.
            when(a, p: Self::Holds, b: Self) = if p { a } else { b } => Select;
            /// The bits of a where those of c are set, else those of b.
            pick(a, b: Self, c: Self) = (a & c) | (b & !c) => J::BitsWide((A & C) | (B & !C));
            /// Upwards; 0 from 64 on.
            shl(a, b: Self::Narrow) = if b < 64 { a << (b & 63) } else { 0 } => J::ShiftLeftWide;
            /// Downwards, zeros from above.
            shr_u(a, b: Self::Narrow) = if b < 64 { a >> (b & 63) } else { 0 } => J::ShiftRightWideU;
            /// The sum of f64. Here and below, of NaNs among results [`nan64`](crate::nan64) is said where a
            /// table's section is `f64` or `ratio`.
            f_add(a, b: Self) = (d(a) + d(b)).to_bits() => J::Double(Float::Add);
            /// The difference.
            f_sub(a, b: Self) = (d(a) - d(b)).to_bits() => J::Double(Float::Sub);
            /// The product.
            f_mul(a, b: Self) = (d(a) * d(b)).to_bits() => J::Double(Float::Mul);
            /// The product and an addend, rounded once.
            f_fma(a, b: Self, c: Self) = d(a).mul_add(d(b), d(c)).to_bits() => J::Double(Float::Fma);
            /// The quotient.
            f_div(a, b: Self) = (d(a) / d(b)).to_bits() => J::Double(Float::Div);
            /// The root.
            f_sqrt(a) = d(a).sqrt().to_bits() => J::Double(Float::Sqrt);
            /// The other sign.
            f_neg(a) = (-d(a)).to_bits() => J::Double(Float::Neg);
            /// Without sign.
            f_abs(a) = d(a).abs().to_bits() => J::Double(Float::Abs);
            /// The lesser one: -0 is less than +0, one NaN gives the other source, two that of b, quiet.
            f_min(a, b: Self) = float::extreme64(float::min64(d(a), d(b)), b) => J::Double(Float::Min);
            /// The greater one.
            f_max(a, b: Self) = float::extreme64(float::max64(d(a), d(b)), b) => J::Double(Float::Max);
            /// An integral value.
            f_round(a; r: Rounding) = rounded(d(a), r).to_bits() => J::Double(Float::Round(r));
            /// The sum of f64 in a rounding.
            f_add_in(a, b: Self; r: Rounding) = soft::add(Format::F64, float::mode_of(r), a, b) => J::DoubleDirected(Float::Add, r);
            /// The difference.
            f_sub_in(a, b: Self; r: Rounding) = soft::add(Format::F64, float::mode_of(r), a, b ^ 1 << 63) => J::DoubleDirected(Float::Sub, r);
            /// The product.
            f_mul_in(a, b: Self; r: Rounding) = soft::mul(Format::F64, float::mode_of(r), a, b) => J::DoubleDirected(Float::Mul, r);
            /// The product and an addend, rounded once.
            f_fma_in(a, b: Self, c: Self; r: Rounding) = soft::fma(Format::F64, float::mode_of(r), a, b, c) => J::DoubleDirected(Float::Fma, r);
            /// The quotient.
            f_div_in(a, b: Self; r: Rounding) = soft::div(Format::F64, float::mode_of(r), a, b) => J::DoubleDirected(Float::Div, r);
            /// The root.
            f_sqrt_in(a; r: Rounding) = soft::sqrt(Format::F64, float::mode_of(r), a) => J::DoubleDirected(Float::Sqrt, r);
            /// f64 as a signed number, toward zero: limited, the lowest one of a NaN.
            d_to_ws(a) = if d(a).is_nan() { 1 << 63 } else { d(a) as i64 as u64 } => J::DoubleToWideS;
            /// f64 as an unsigned number, toward zero: limited, 1 << 63 of a NaN.
            d_to_wu(a) = if d(a).is_nan() { 1 << 63 } else { d(a) as u64 } => J::DoubleToWideU;
            /// An unsigned number as f64, to the nearest.
            d_from_u(a) = (a as f64).to_bits() => J::DoubleFromWideU;
            /// A signed number as f64, to the nearest.
            d_from_s(a) = (a as i64 as f64).to_bits() => J::DoubleFromWideS;
            /// Downwards, signs from above.
            shr_s(a, b: Self::Narrow) = (a as i64 >> b.min(63)) as u64 => J::ShiftRightWideS;
        }
        -> Self::Narrow {
            /// The low half.
            low(a) = a as u32 => J::Low;
            /// f64 as f32; of a NaN sign and the top of the payload, quiet.
            d_to_f(a; r: Rounding) = convert::narrowed(r, a) => J::FromDouble(r);
            /// f64 as a signed number, toward zero: limited, the lowest one of a NaN.
            d_to_s(a) = if d(a).is_nan() { 0x8000_0000 } else { d(a) as i32 as u32 } => J::DoubleToS;
            /// f64 as an unsigned number, toward zero: limited, 0x80000000 of a NaN.
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
            /// a ≠ b
            f_ne(a, b: Self) = (d(a) < d(b)) | (d(a) > d(b)) => double_test(R::Ne, false);
            /// a = b, or a NaN
            f_equ(a, b: Self) = !((d(a) < d(b)) | (d(a) > d(b))) => double_test(R::Eq, true);
            /// a ≠ b, or a NaN
            f_neu(a, b: Self) = d(a) != d(b) => double_test(R::Ne, true);
            /// a < b
            f_lt(a, b: Self) = d(a) < d(b) => double_test(R::Lt, false);
            /// a ≤ b
            f_le(a, b: Self) = d(a) <= d(b) => double_test(R::Le, false);
            /// a > b
            f_gt(a, b: Self) = d(a) > d(b) => double_test(R::Gt, false);
            /// a ≥ b
            f_ge(a, b: Self) = d(a) >= d(b) => double_test(R::Ge, false);
            /// a < b, or a NaN
            f_ltu(a, b: Self) = !(d(a) >= d(b)) => double_test(R::Lt, true);
            /// a ≤ b, or a NaN
            f_leu(a, b: Self) = !(d(a) > d(b)) => double_test(R::Le, true);
            /// a > b, or a NaN
            f_gtu(a, b: Self) = !(d(a) <= d(b)) => double_test(R::Gt, true);
            /// a ≥ b, or a NaN
            f_geu(a, b: Self) = !(d(a) < d(b)) => double_test(R::Ge, true);
        }
    }
    Narrow = u32, 32; Holds = bool, 1
}
