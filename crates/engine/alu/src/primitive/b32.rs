//! Values of 32 bits.

use super::{A, B, C, Literal, primitives};
use crate::convert;
use crate::float;
use crate::half::f16_to_f32;
use crate::lane::{Gathered, Given, Known, Lanes, Value, View};
use crate::mode::{IEEE, Mode};
use crate::round::{Format, narrow};
use crate::term::{Compiles, Scalar, Select, Term};
use texunit_jit::{Float, Op as J, Relation as R, Rounding, Test};
use texunit_sfu::lanes::Words;

#[inline(always)]
fn f(bits: u32) -> f32 {
    f32::from_bits(bits)
}

/// To an integral number.
#[inline(always)]
fn rounded(x: f32, rounding: Rounding) -> f32 {
    match rounding {
        Rounding::Near => x.round_ties_even(),
        Rounding::Floor => x.floor(),
        Rounding::Ceil => x.ceil(),
        Rounding::Trunc => x.trunc(),
    }
}

/// The same before a cast, which cuts toward zero by itself.
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
    /// Values of 32 bits.
    B32 for u32, 32 {
        -> Self {
            /// The sum.
            add(a, b: Self) = a.wrapping_add(b) => J::Add;
            /// The difference.
            sub(a, b: Self) = a.wrapping_sub(b) => J::Sub;
            /// The low half of the product.
            mul_lo(a, b: Self) = a.wrapping_mul(b) => J::Mul;
            /// The product of numbers below 2^15.
            mul_short(a, b: Self) = a.wrapping_mul(b) => J::MulShort;
            /// The low half of the product and an addend.
            mad_lo(a, b: Self, c: Self) = a.wrapping_mul(b).wrapping_add(c) => J::MulAdd;
            /// The high half of the product of unsigned numbers.
            mul_hi_u(a, b: Self) = ((u64::from(a) * u64::from(b)) >> 32) as u32 => J::MulHighU;
            /// The high half of the product of signed numbers.
            mul_hi_s(a, b: Self) = ((i64::from(a as i32) * i64::from(b as i32)) >> 32) as u32 => J::MulHighS;
            /// The number without its sign; the lowest one stays.
            abs_s(a) = (a as i32).wrapping_abs() as u32 => J::Abs;
            /// The lesser signed number.
            min_s(a, b: Self) = (a as i32).min(b as i32) as u32 => J::MinS;
            /// The greater signed number.
            max_s(a, b: Self) = (a as i32).max(b as i32) as u32 => J::MaxS;
            /// The lesser unsigned number.
            min_u(a, b: Self) = a.min(b) => J::MinU;
            /// The greater unsigned number.
            max_u(a, b: Self) = a.max(b) => J::MaxU;
            /// Bits of both.
            and(a, b: Self) = a & b => J::Bits(A & B);
            /// Bits of either.
            or(a, b: Self) = a | b => J::Bits(A | B);
            /// Bits of one alone.
            xor(a, b: Self) = a ^ b => J::Bits(A ^ B);
            /// The other bits.
            not(a) = !a => J::Bits(!A);
            /// a where the predicate holds, else b.
            when(a, p: Self::Holds, b: Self) = if p { a } else { b } => Select;
            /// The bits of a where those of c are set, else those of b.
            pick(a, b: Self, c: Self) = (a & c) | (b & !c) => J::Bits((A & C) | (B & !C));
            /// Upwards; 0 from 32 on.
            shl(a, b: Self) = if b < 32 { a << (b & 31) } else { 0 } => J::ShiftLeft;
            /// Downwards, zeros from above.
            shr_u(a, b: Self) = if b < 32 { a >> (b & 31) } else { 0 } => J::ShiftRightU;
            /// Downwards, signs from above.
            shr_s(a, b: Self) = (a as i32 >> b.min(31)) as u32 => J::ShiftRightS;
            /// The upper half of (b, a) << (c mod 32).
            shf_l(a, b: Self, c: Self) = (b << (c & 31)) | (a >> 1 >> (!c & 31)) => J::FunnelLeft;
            /// The lower half of (b, a) >> (c mod 32).
            shf_r(a, b: Self, c: Self) = (a >> (c & 31)) | (b << 1 << (!c & 31)) => J::FunnelRight;

            /// The bits in the other order.
            reverse(a) = a.reverse_bits() => J::Reverse;
            /// Bytes of a: each is the one that two bits of the same byte of b name, or zero where its highest bit
            /// is set.
            bytes(a, b: Self) = bytes(a, b) => J::Bytes;
            /// The number of zeros above the highest bit that is set.
            zeros_above(a) = a.leading_zeros() => J::LeadingZeros;

            /// The sum of f32.
            f_add(a, b: Self; m: Mode) = m.put(m.get(a) + m.get(b)) => m.op(Float::Add);
            /// The difference.
            f_sub(a, b: Self; m: Mode) = m.put(m.get(a) - m.get(b)) => m.op(Float::Sub);
            /// The product.
            f_mul(a, b: Self; m: Mode) = m.put_tiny(m.get(a) * m.get(b), || m.larger(a) * m.get(b)) => m.op(Float::Mul);
            /// The product and an addend, rounded once.
            f_fma(a, b: Self, c: Self; m: Mode) = m.put_tiny(m.get(a).mul_add(m.get(b), m.get(c)), || m.larger(a).mul_add(m.get(b), m.larger(c))) => m.op(Float::Fma);
            /// The quotient.
            f_div(a, b: Self; m: Mode) = m.put_tiny(m.get(a) / m.get(b), || m.larger(a) / m.get(b)) => m.op(Float::Div);
            /// The root.
            f_sqrt(a; m: Mode) = m.put(m.get(a).sqrt()) => m.op(Float::Sqrt);
            /// The lesser one: -0 is less than +0, one NaN gives the other source.
            f_min(a, b: Self; m: Mode) = m.put(float::min(m.get(a), m.get(b))) => m.op(Float::Min);
            /// The greater one.
            f_max(a, b: Self; m: Mode) = m.put(float::max(m.get(a), m.get(b))) => m.op(Float::Max);
            /// The other sign.
            f_neg(a; m: Mode) = m.put(-m.get(a)) => m.op(Float::Neg);
            /// Without sign.
            f_abs(a; m: Mode) = m.put(m.get(a).abs()) => m.op(Float::Abs);
            /// An integral value.
            f_round(a; r: Rounding, m: Mode) = m.put(rounded(m.get(a), r)) => m.op(Float::Round(r));
            /// The value as a result of arithmetic: one NaN, subnormals as the mode says.
            f_copy(a; m: Mode) = m.put(m.get(a)) => m.op(Float::Copy);
            /// The sum of f32 in a rounding.
            f_add_in(a, b: Self; r: Rounding, m: Mode) = m.put(float::add_in(r, m.get(a), m.get(b))) => m.directed(Float::Add, r);
            /// The difference.
            f_sub_in(a, b: Self; r: Rounding, m: Mode) = m.put(float::add_in(r, m.get(a), -m.get(b))) => m.directed(Float::Sub, r);
            /// The product.
            f_mul_in(a, b: Self; r: Rounding, m: Mode) = m.put_tiny(float::mul_in(r, m.get(a), m.get(b)), || float::mul_in(r, m.larger(a), m.get(b))) => m.directed(Float::Mul, r);
            /// The product and an addend, rounded once.
            f_fma_in(a, b: Self, c: Self; r: Rounding, m: Mode) = m.put_tiny(float::fma_in(r, m.get(a), m.get(b), m.get(c)), || float::fma_in(r, m.larger(a), m.get(b), m.larger(c))) => m.directed(Float::Fma, r);
            /// The quotient.
            f_div_in(a, b: Self; r: Rounding, m: Mode) = m.put_tiny(float::div_in(r, m.get(a), m.get(b)), || float::div_in(r, m.larger(a), m.get(b))) => m.directed(Float::Div, r);
            /// The root.
            f_sqrt_in(a; r: Rounding, m: Mode) = m.put(float::sqrt_in(r, m.get(a))) => m.directed(Float::Sqrt, r);
            /// The word of a table at this index, of which the low bits count.
            look_up(a; words: Words) = words.at(a) => J::LookUp(words);
            /// The square of 17 bits as the special function unit has it.
            folded_square(a) = texunit_sfu::square(a) => J::Square;
            /// The low half, an f16, as f32, with one NaN. Exact.
            f_from_half(a) = IEEE.put(f16_to_f32(a)) => J::FromHalf;
            /// f32 as an f16 in the low half, with one NaN.
            f_to_half(a; r: Rounding) = narrow(Format::F16, float::mode_of(r), f(a).into()) as u32 => J::ToHalf(r);
            /// An unsigned number, of which these low bits count, as f32.
            f_from_u(a; bits: u32) = ((a & bits) as f32).to_bits() => J::FromU(bits);
            /// A signed number as f32.
            f_from_s(a) = (a as i32 as f32).to_bits() => J::FromS;
            /// f32 as an unsigned number: limited, 0 of a NaN.
            f_to_u(a; r: Rounding) = uncut(f(a), r) as u32 => J::ToU(r);
            /// f32 as a signed number: limited, 0 of a NaN.
            f_to_s(a; r: Rounding) = uncut(f(a), r) as i32 as u32 => J::ToS(r);
        }
        -> Self::Wide {
            /// The product of unsigned numbers.
            mul_wide_u(a, b: Self) = u64::from(a) * u64::from(b) => J::ProductU;
            /// The product of signed numbers.
            mul_wide_s(a, b: Self) = (i64::from(a as i32) * i64::from(b as i32)) as u64 => J::ProductS;
            /// The product of unsigned numbers and an addend.
            mad_wide_u(a, b: Self, c: Self::Wide) = (u64::from(a) * u64::from(b)).wrapping_add(c) => J::ProductAddU;
            /// The product of signed numbers and an addend.
            mad_wide_s(a, b: Self, c: Self::Wide) = ((i64::from(a as i32) * i64::from(b as i32)) as u64).wrapping_add(c) => J::ProductAddS;
            /// Zeros above.
            extend_u(a) = u64::from(a) => J::ExtendU;
            /// Signs above.
            extend_s(a) = a as i32 as u64 => J::ExtendS;
            /// An unsigned number as f64.
            d_from_u(a) = f64::from(a).to_bits() => J::DoubleFromU;
            /// A signed number as f64.
            d_from_s(a) = f64::from(a as i32).to_bits() => J::DoubleFromS;
            /// f32 as f64; of a NaN sign and payload, quiet.
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
            /// a ≠ b
            f_ne(a, b: Self) = (f(a) < f(b)) | (f(a) > f(b)) => float_test(R::Ne, false);
            /// a = b, or a NaN
            f_equ(a, b: Self) = !((f(a) < f(b)) | (f(a) > f(b))) => float_test(R::Eq, true);
            /// a ≠ b, or a NaN
            f_neu(a, b: Self) = f(a) != f(b) => float_test(R::Ne, true);
            /// a < b
            f_lt(a, b: Self) = f(a) < f(b) => float_test(R::Lt, false);
            /// a ≤ b
            f_le(a, b: Self) = f(a) <= f(b) => float_test(R::Le, false);
            /// a > b
            f_gt(a, b: Self) = f(a) > f(b) => float_test(R::Gt, false);
            /// a ≥ b
            f_ge(a, b: Self) = f(a) >= f(b) => float_test(R::Ge, false);
            /// a < b, or a NaN
            f_ltu(a, b: Self) = !(f(a) >= f(b)) => float_test(R::Lt, true);
            /// a ≤ b, or a NaN
            f_leu(a, b: Self) = !(f(a) > f(b)) => float_test(R::Le, true);
            /// a > b, or a NaN
            f_gtu(a, b: Self) = !(f(a) <= f(b)) => float_test(R::Gt, true);
            /// a ≥ b, or a NaN
            f_geu(a, b: Self) = !(f(a) < f(b)) => float_test(R::Ge, true);
        }
    }
    Wide = u64, 64; Holds = bool, 1
}
