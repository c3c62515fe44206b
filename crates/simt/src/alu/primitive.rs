//! What the rows of operations are written in.
//!
//! A primitive is a method of [`B32`] or [`B64`], of which there are two kinds of values: a lane's number
//! (`u32`, `u64`), for which it computes, and a [`Term`], for which it notes the operation of compiled
//! code that gives the same. So one expression of primitives is a lane function, an arm of the
//! interpreter's inner loop and a list of compiled steps.

use super::convert;
use super::float;
use super::half::f16_to_f32;
use super::mode::Mode;
use super::term::{Compiles, Select, Term};
use texunit_jit::{Float, Op as J, Relation as R, Rounding, Test};

/// Bits of three sources, as tables of bits have them.
const A: u8 = 0xf0;
const B: u8 = 0xcc;
const C: u8 = 0xaa;

/// The same number in all lanes.
pub(crate) trait Literal {
    /// The value of these low bits.
    fn literal(bits: u64) -> Self;
}

impl Literal for u32 {
    #[inline(always)]
    fn literal(bits: u64) -> Self {
        bits as u32
    }
}

impl Literal for u64 {
    #[inline(always)]
    fn literal(bits: u64) -> Self {
        bits
    }
}

impl<const BITS: u32> Literal for Term<'_, BITS> {
    fn literal(bits: u64) -> Self {
        Term::number(bits)
    }
}

/// The same number in all lanes.
#[inline(always)]
pub(crate) fn lit<V: Literal>(bits: u64) -> V {
    V::literal(bits)
}

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

const fn float_test(relation: R, unordered: bool) -> Test {
    Test::Float { relation, unordered }
}

#[inline(always)]
fn d(bits: u64) -> f64 {
    f64::from_bits(bits)
}

/// What compiled code does not have: rows with it are calls there.
const NOT_COMPILED: Option<J> = None;

/// Rows of the traits: a primitive of some values (and, behind a semicolon, what is known when the row is
/// written) = what it gives in a lane => the operation of compiled code.
macro_rules! primitives {
    ($(#[$of:meta])* $trait:ident for $scalar:ty, $bits:literal {
        $(-> $out:ty {
            $($(#[$doc:meta])* $name:ident($a:ident $(, $arg:ident: $ty:ty)* $(; $($p:ident: $known:ty),*)?)
                = $meaning:expr => $op:expr;)*
        })*
    } $($other:ident = $number:ty, $width:literal);*) => {
        $(#[$of])*
        pub(crate) trait $trait: Literal + Copy {
            $(
                /// Values of another width, or of comparisons.
                type $other: Copy;
            )*
            $($($(#[$doc])* fn $name(self $(, $arg: $ty)* $($(, $p: $known)*)?) -> $out;)*)*
        }

        impl $trait for $scalar {
            $(type $other = $number;)*
            $($(
                #[inline(always)]
                fn $name(self $(, $arg: $ty)* $($(, $p: $known)*)?) -> $out {
                    let $a = self;
                    $meaning
                }
            )*)*
        }

        impl<'r> $trait for Term<'r, $bits> {
            $(type $other = Term<'r, $width>;)*
            $($(
                fn $name(self $(, $arg: $ty)* $($(, $p: $known)*)?) -> $out {
                    Term::of($op.does(), &[self.any() $(, $arg.any())*])
                }
            )*)*
        }
    };
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

            /// The sum of f32.
            f_add(a, b: Self; m: Mode) = m.put(m.get(a) + m.get(b)) => m.op(Float::Add);
            /// The difference.
            f_sub(a, b: Self; m: Mode) = m.put(m.get(a) - m.get(b)) => m.op(Float::Sub);
            /// The product.
            f_mul(a, b: Self; m: Mode) = m.put(m.get(a) * m.get(b)) => m.op(Float::Mul);
            /// The product and an addend, rounded once.
            f_fma(a, b: Self, c: Self; m: Mode) = m.put(m.get(a).mul_add(m.get(b), m.get(c))) => m.op(Float::Fma);
            /// The quotient.
            f_div(a, b: Self; m: Mode) = m.put(m.get(a) / m.get(b)) => m.op(Float::Div);
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
            /// An unsigned number, of which these low bits count, as f32.
            f_from_u(a; bits: u32) = ((a & bits) as f32).to_bits() => J::FromU(bits);
            /// f16 of the low half as f32. Exact; a NaN keeps its payload.
            f_from_f16(a) = f16_to_f32(a).to_bits() => NOT_COMPILED;
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
            d_from_u(a) = f64::from(a).to_bits() => NOT_COMPILED;
            /// A signed number as f64.
            d_from_s(a) = f64::from(a as i32).to_bits() => NOT_COMPILED;
            /// f32 as f64; of a NaN sign and payload, quiet.
            d_from_f(a) = convert::widened(a) => NOT_COMPILED;
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
            /// None is a NaN.
            f_num(a, b: Self) = !f(a).is_nan() & !f(b).is_nan() => NOT_COMPILED;
            /// One is a NaN.
            f_nan(a, b: Self) = f(a).is_nan() | f(b).is_nan() => NOT_COMPILED;
        }
    }
    Wide = u64, 64; Holds = bool, 1
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
            /// The sum of f64. Here and below, of NaNs among results [`nan64`](super::float::nan64) is said where a
            /// table's section is `f64`.
            f_add(a, b: Self) = (d(a) + d(b)).to_bits() => NOT_COMPILED;
            /// The difference.
            f_sub(a, b: Self) = (d(a) - d(b)).to_bits() => NOT_COMPILED;
            /// The product.
            f_mul(a, b: Self) = (d(a) * d(b)).to_bits() => NOT_COMPILED;
            /// The product and an addend, rounded once.
            f_fma(a, b: Self, c: Self) = d(a).mul_add(d(b), d(c)).to_bits() => NOT_COMPILED;
            /// The quotient.
            f_div(a, b: Self) = (d(a) / d(b)).to_bits() => NOT_COMPILED;
            /// The root.
            f_sqrt(a) = d(a).sqrt().to_bits() => NOT_COMPILED;
            /// The other sign.
            f_neg(a) = (-d(a)).to_bits() => NOT_COMPILED;
            /// Without sign.
            f_abs(a) = d(a).abs().to_bits() => NOT_COMPILED;
            /// The lesser one: -0 is less than +0, one NaN gives the other source, two the one of arithmetic.
            f_min(a, b: Self) = float::result64(float::min64(d(a), d(b))) => NOT_COMPILED;
            /// The greater one.
            f_max(a, b: Self) = float::result64(float::max64(d(a), d(b))) => NOT_COMPILED;
            /// Downwards, signs from above.
            shr_s(a, b: Self::Narrow) = (a as i64 >> b.min(63)) as u64 => J::ShiftRightWideS;
        }
        -> Self::Narrow {
            /// The low half.
            low(a) = a as u32 => J::Low;
            /// f64 as f32, to the nearest; of a NaN sign and the top of the payload, quiet.
            d_to_f(a) = convert::narrowed(a) => NOT_COMPILED;
            /// f64 as a signed number, toward zero: limited, the lowest one of a NaN.
            d_to_s(a) = if d(a).is_nan() { 0x8000_0000 } else { d(a) as i32 as u32 } => NOT_COMPILED;
            /// f64 as an unsigned number, toward zero: limited, 0x80000000 of a NaN.
            d_to_u(a) = if d(a).is_nan() { 0x8000_0000 } else { d(a) as u32 } => NOT_COMPILED;
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
            f_eq(a, b: Self) = d(a) == d(b) => NOT_COMPILED;
            /// a ≠ b
            f_ne(a, b: Self) = (d(a) < d(b)) | (d(a) > d(b)) => NOT_COMPILED;
            /// a = b, or a NaN
            f_equ(a, b: Self) = !((d(a) < d(b)) | (d(a) > d(b))) => NOT_COMPILED;
            /// a ≠ b, or a NaN
            f_neu(a, b: Self) = d(a) != d(b) => NOT_COMPILED;
            /// a < b
            f_lt(a, b: Self) = d(a) < d(b) => NOT_COMPILED;
            /// a ≤ b
            f_le(a, b: Self) = d(a) <= d(b) => NOT_COMPILED;
            /// a > b
            f_gt(a, b: Self) = d(a) > d(b) => NOT_COMPILED;
            /// a ≥ b
            f_ge(a, b: Self) = d(a) >= d(b) => NOT_COMPILED;
            /// a < b, or a NaN
            f_ltu(a, b: Self) = !(d(a) >= d(b)) => NOT_COMPILED;
            /// a ≤ b, or a NaN
            f_leu(a, b: Self) = !(d(a) > d(b)) => NOT_COMPILED;
            /// a > b, or a NaN
            f_gtu(a, b: Self) = !(d(a) <= d(b)) => NOT_COMPILED;
            /// a ≥ b, or a NaN
            f_geu(a, b: Self) = !(d(a) < d(b)) => NOT_COMPILED;
            /// None is a NaN.
            f_num(a, b: Self) = !d(a).is_nan() & !d(b).is_nan() => NOT_COMPILED;
            /// One is a NaN.
            f_nan(a, b: Self) = d(a).is_nan() | d(b).is_nan() => NOT_COMPILED;
        }
    }
    Narrow = u32, 32; Holds = bool, 1
}
