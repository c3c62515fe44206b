//! The `MUFU` instructions of the special function unit as expressions of primitives, without
//! branches. They give the bits of [`texunit_sfu::mufu`].
//!
//! Functions whose result is the truncated polynomial use a [`Curve`](texunit_sfu::lanes::Curve).
//! Logarithms, sines and tangents keep the low bits of the polynomial when its leading bits cancel.
//! For these three, the polynomial V is a sum in f64, which is exact below 2^53, and the conversion
//! to f32 toward zero is the unit's truncation. In comments, C0, C1 and C2 are the coefficients of
//! a segment, X is the operand bits below the segment, and Q is the square of X
//! ([`square`](texunit_sfu::square)).

use crate::mode::IEEE;
use crate::primitive::{B32, B64, Literal, lit};
use texunit_jit::Rounding::{Floor, Trunc};
use texunit_sfu::NAN;
use texunit_sfu::lanes::{EX2_CURVE, RCP_CURVE, RSQ_CURVE, SQRT_CURVE};
use texunit_sfu::lanes::{LG2_0, LG2_12, SIN_0, SIN_12, TANH_0, TANH_1, TANH_2};

const INFINITY: u32 = 0x7f80_0000;
const ONE: u32 = 0x3f80_0000;
const SIGN: u32 = 0x8000_0000;

/// Values that can be operands of the special function unit: they have primitives, and so have the
/// 64-bit values to which they are widened.
pub(crate) trait Unit: B32<Wide: B64<Narrow = Self>> {}

impl<V: B32<Wide: B64<Narrow = V>>> Unit for V {}

#[inline(always)]
fn n<V: Literal>(bits: u32) -> V {
    lit(bits.into())
}

#[inline(always)]
fn d<D: Literal>(number: f64) -> D {
    lit(number.to_bits())
}

/// The magnitude of an f64 with the sign of another.
#[inline(always)]
fn with_sign<D: B64>(magnitude: D, sign: D) -> D {
    B64::pick(sign, magnitude, lit(1 << 63))
}

/// Returns `NAN` in lanes where the f32 `x` is a NaN, and the given value in all other lanes.
#[inline(always)]
fn or_nan<V: Unit>(x: V, value: V) -> V {
    n::<V>(NAN).when(n::<V>(INFINITY).lt_u(x.and(n(!SIGN))), value)
}

/// Returns the given value in lanes where the f32 `x` is positive and normal. Zeros and subnormals
/// give `zero`, +infinity gives `infinity`, negative numbers and NaNs give `NAN`.
#[inline(always)]
fn of_positive<V: Unit>(x: V, value: V, zero: V, infinity: V) -> V {
    let special = infinity.when(x.eq(n(INFINITY)), n(NAN));
    let special = zero.when(x.and(n(INFINITY)).eq(n(0)), special);
    value.when(x.sub(n(0x0080_0000)).lt_u(n(0x7f00_0000)), special)
}

/// Computes `MUFU.RCP` of an f32 whose magnitude is from 2^-126 to 2^126.
#[inline(always)]
pub(crate) fn rcp_of_normal<V: Unit>(x: V) -> V {
    x.add(x).on_curve(&RCP_CURVE).or(x.and(n(SIGN)))
}

#[inline(always)]
pub(crate) fn rcp<V: Unit>(x: V) -> V {
    let magnitude = x.and(n(!SIGN));
    let result = x.add(x).on_curve(&RCP_CURVE);
    // The reciprocal of an operand beyond 2^126 would be subnormal, so it is a zero.
    let result = n::<V>(0).when(n::<V>(253 << 23).lt_u(magnitude), result);
    let result = n::<V>(INFINITY).when(magnitude.lt_u(n(0x0080_0000)), result);
    or_nan(x, result.or(x.and(n(SIGN))))
}

#[inline(always)]
pub(crate) fn rsq<V: Unit>(x: V) -> V {
    of_positive(x, x.on_curve(&RSQ_CURVE), x.and(n(SIGN)).or(n(INFINITY)), n(0))
}

#[inline(always)]
pub(crate) fn sqrt<V: Unit>(x: V) -> V {
    of_positive(x, x.on_curve(&SQRT_CURVE), x.and(n(SIGN)), n(INFINITY))
}

/// Converts an operand of `MUFU.EX2` to fixed point with 23 fractional bits.
#[inline(always)]
fn fixed<V: Unit>(x: V) -> V {
    let magnitude = x.and(n(!SIGN)).f_mul(n(8_388_608_f32.to_bits()), IEEE).f_to_s(Trunc);
    let negative = x.shr_s(n(31));
    // The unit takes the two's complement of a negative integer, but the ones' complement of any
    // other negative number.
    let is_integral = magnitude.and(n(0x007f_ffff)).eq(n(0));
    magnitude.xor(negative).sub(negative.when(is_integral, n(0)))
}

/// Computes `MUFU.EX2` of a number from -126 to 127.
#[inline(always)]
pub(crate) fn ex2_of_normal<V: Unit>(x: V) -> V {
    fixed(x).on_curve(&EX2_CURVE)
}

#[inline(always)]
pub(crate) fn ex2<V: Unit>(x: V) -> V {
    let (fixed, negative) = (fixed(x), x.shr_s(n(31)));
    let exponent = fixed.shr_s(n(23)).add(n(126));
    let outside = n::<V>(INFINITY).and(negative.xor(n(u32::MAX)));
    let result = fixed.on_curve(&EX2_CURVE).when(exponent.lt_u(n(254)), outside);
    or_nan(x, result)
}

/// Computes `MUFU.LG2` of a positive normal number.
#[inline(always)]
pub(crate) fn lg2_of_normal<V: Unit>(x: V) -> V {
    let (segment, below) = (x.shr_u(n(17)), x.and(n(0x1_ffff)));
    let both = segment.look_up(LG2_12);
    // V / 8 = 2^12 C0 + 837 + C1 X - 2 abs(C2) Q, where V is the polynomial of the logarithm, C0 to
    // C2 are the coefficients of the segment, X the operand bits below it, and Q the truncated
    // square of X.
    let square = both.shr_u(n(16)).mul_short(below.folded_square()).shl(n(1));
    let rest = n::<V>(837).sub(square).d_from_s();
    let value = segment.look_up(LG2_0).d_from_s().f_fma(d(4096.0), rest);
    let value = both.and(n(0xffff)).d_from_s().f_fma(below.d_from_s(), value);
    let exponent = x.shr_u(n(23)).sub(n(127)).d_from_s();
    const UNIT: f64 = 1.0 / (1u64 << 36) as f64;
    let sum = value.f_mul(d(0.25)).f_round(Floor).f_fma(d(UNIT), exponent);
    // The unit takes the ones' complement for the magnitude of a negative sum, which is 2^-36 less
    // than the magnitude. Adding half of 2^-36 to the signed sum, and then subtracting it from the
    // magnitude, has this effect on negative sums and none on others.
    let magnitude = with_sign(sum.f_add(d(UNIT / 2.0)), d(1.0)).f_add(d(-UNIT / 2.0));
    let result = with_sign(magnitude, sum).d_to_f(Trunc);
    n::<V>(0).when(x.eq(n(ONE)), result)
}

#[inline(always)]
pub(crate) fn lg2<V: Unit>(x: V) -> V {
    of_positive(x, lg2_of_normal(x), n(SIGN | INFINITY), n(INFINITY))
}

/// The sine of a phase in units of 2^-25 turns. Bit 31 of `sign` is the sign of the result in the
/// first half turn. The result is a NaN if `x` is not finite.
#[inline(always)]
fn wave<V: Unit>(x: V, phase: V, sign: V) -> V {
    let turned = phase.shl(n(8)).shr_s(n(31));
    let within = phase.xor(turned);
    let (segment, below) = (within.shr_u(n(17)), within.and(n(0x1_ffff)));
    let both = segment.look_up(SIN_12);
    // V / 16 = 2^12 C0 + C1 X - abs(C2) Q, where V is the polynomial of the sine, C0 to C2 are the
    // coefficients of the segment, X the phase bits below it, and Q the truncated square of X.
    let square = n::<V>(0).sub(both.shr_u(n(16)).mul_short(below.folded_square())).d_from_s();
    let value = segment.look_up(SIN_0).d_from_s().f_fma(d(4096.0), square);
    let value = both.and(n(0xffff)).d_from_s().f_fma(below.d_from_s(), value);
    let magnitude = value.f_mul(d(1.0 / (1u64 << 37) as f64)).d_to_f(Trunc);
    let result = magnitude.or(sign.xor(phase.shl(n(7))).and(n(SIGN)));
    n::<V>(NAN).when(x.and(n(INFINITY)).eq(n(INFINITY)), result)
}

/// The magnitude of an angle in turns, in fixed point with 25 fractional bits.
#[inline(always)]
fn turns<V: Unit>(x: V) -> V {
    let significand = x.and(n(0x007f_ffff)).or(n(0x0080_0000));
    let exponent = x.shr_u(n(23)).and(n(0xff));
    // One of the two shift counts is 32 or more, so that one of the shifted numbers is 0.
    let up = significand.shl(exponent.sub(n(125)));
    up.or(significand.shr_u(n::<V>(125).sub(exponent)))
}

#[inline(always)]
pub(crate) fn sin<V: Unit>(x: V) -> V {
    wave(x, turns(x), x)
}

#[inline(always)]
pub(crate) fn cos<V: Unit>(x: V) -> V {
    wave(x, turns(x).add(n(1 << 23)), n(0))
}

#[inline(always)]
pub(crate) fn tanh<V: Unit>(x: V) -> V {
    let segment = x.shr_u(n(19));
    let constant = segment.look_up(TANH_0);
    let below = x.shl(constant.shr_u(n(28))).and(n(0x007f_ffff)).shr_u(n(6));
    // V / 4 = 2^15 C0 + C1 X - 2 abs(C2) Q, where V is the polynomial of the tangent, C0 to C2 are
    // the coefficients of the segment, X the operand bits below it, and Q the truncated square of
    // X.
    let square = segment.look_up(TANH_2).mul_lo(below.folded_square()).d_from_s();
    let value = constant.and(n(0x0fff_ffff)).d_from_s().f_mul(d(32768.0));
    let value = segment.look_up(TANH_1).d_from_s().f_fma(below.d_from_s(), value);
    let value = square.f_fma(d(-2.0), value);
    let cut = value.f_mul(d(1.0 / (1u64 << 39) as f64)).d_to_f(Trunc);
    // For an operand below 1/2, the table has the result times a power of two, so that it lies from
    // 1/2 to 1.
    let magnitude = x.and(n(!SIGN));
    let scale = n::<V>(126 << 23).sub(x.and(n(INFINITY)));
    let scale = scale.and(scale.shr_s(n(31)).xor(n(u32::MAX)));
    let result = cut.sub(scale);
    let result = result.when(magnitude.lt_u(n(130 << 23)), n(ONE));
    let result = result.when(n::<V>((119 << 23) - 1).lt_u(magnitude), magnitude);
    or_nan(x, result.or(x.and(n(SIGN))))
}

#[inline(always)]
pub(crate) fn rcp64h<V: Unit>(x: V) -> V {
    // The operand's significand, as an f32 from 1 to 2. Its reciprocal has the biased exponent 126
    // or 127.
    let mantissa = x.and(n(0x000f_ffff)).shl(n(4)).or(n(254 << 23));
    let value = mantissa.on_curve(&RCP_CURVE).sub(n(125 << 23)).shr_u(n(3));
    let exponent = x.and(n(0x7ff0_0000));
    let result = value.add(n::<V>(2044 << 20).sub(exponent));
    let is_small = result.add(n(SIGN)).lt_u(n(SIGN + 0x0010_0000));
    let result = n::<V>(0).when(is_small, result);
    let result = n::<V>(0x7ff0_0000).when(exponent.eq(n(0)), result);
    let result = result.or(x.and(n(SIGN)));
    n::<V>(NAN).when(n::<V>(0x7ff0_0000).lt_u(x.and(n(!SIGN))), result)
}

#[inline(always)]
pub(crate) fn rsq64h<V: Unit>(x: V) -> V {
    // The operand's significand gets the biased exponent 126 or 127, whichever has the parity of
    // the operand's exponent. Its reciprocal square root then has the biased exponent 126 or 127,
    // too.
    let mantissa = x.and(n(0x001f_ffff)).shl(n(3));
    let value = mantissa.or(n(126 << 23)).on_curve(&RSQ_CURVE).sub(n(126 << 23));
    let value = value.add(mantissa.and(n(0x0080_0000))).shr_u(n(3));
    let half = x.add(n(0x0010_0000)).shr_u(n(1)).and(n(0x7ff0_0000));
    let result = value.add(n(1533 << 20)).sub(half);
    let special = n::<V>(0).when(x.eq(n(0x7ff0_0000)), n(NAN));
    let zero = x.and(n(SIGN)).or(n(0x7ff0_0000));
    let is_nan = n::<V>(0x7ff0_0000).lt_u(x.and(n(!SIGN)));
    let special = zero.when(x.and(n(0x7ff0_0000)).eq(n(0)), special);
    let result = result.when(x.sub(n(0x0010_0000)).lt_u(n(0x7fe0_0000)), special);
    n::<V>(NAN).when(is_nan, result)
}
