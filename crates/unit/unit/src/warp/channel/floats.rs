//! Filtered values of floats (docs/numerics.md 2, "Sums").

use super::{Channel, Plain};
use crate::warp::ahead::Ahead;
use crate::warp::simd::{Float, Int, Simd, float, int};

/// A channel of floats. The largest texel of a group has exponent E. In units of 2^(E - 27), of f16
/// 2^(E - 14), texels are cut to integers, and so the sum of a group is one.
pub(in crate::warp) trait FloatChannel {
    /// What a NaN comes out as.
    const NAN: u32;
    /// The bits of the code's value as f32. A NaN becomes any.
    fn widen<S: Simd>(code: Int<S>) -> Int<S>;
    /// The result by fewer operations, where the exponents of all groups' largest texels allow it.
    #[inline(always)]
    fn in_reach<S: Simd, const GROUPS: usize, const PER: usize>(
        _: S,
        _: &[[Int<S>; PER]; GROUPS],
        _: &[[Int<S>; PER]; GROUPS],
        _: impl Ahead,
    ) -> Option<Int<S>> {
        None
    }
    /// The result, as bits of f32. Texels that are special, or all of them zeros, give any number.
    fn blend<S: Simd, const GROUPS: usize, const PER: usize>(
        simd: S,
        texels: &Texels<S, GROUPS, PER>,
        weights: &[[Int<S>; PER]; GROUPS],
    ) -> Int<S>;
}

/// Texels as bits of f32, those without weight as -0.
pub(in crate::warp) struct Texels<S: Simd, const GROUPS: usize, const PER: usize> {
    pub(super) values: [[Int<S>; PER]; GROUPS],
    /// Exponent of the largest one of each group, in the place that it has in an f32.
    pub(super) largest: [Int<S>; GROUPS],
    /// Of the largest one of all.
    pub(super) top: Int<S>,
}

pub(in crate::warp) struct F16;

impl Plain for F16 {
    const SIZE: usize = 2;
}

pub(super) const SIGN: i32 = i32::MIN;
pub(super) const EXPONENT: i32 = 0x7f80_0000;

/// The integer of a texel: its significand, `LEFT` bits to the left (negative: to the right), cut by as
/// many bits as it is below the largest.
#[inline(always)]
pub(super) fn cut<S: Simd, const LEFT: i32>(simd: S, value: Int<S>, largest: Int<S>) -> Int<S> {
    let exponent = value & int(simd, EXPONENT);
    let significand = (value & int(simd, 0x007f_ffff)) | int(simd, 0x0080_0000);
    let below = (largest - exponent).shr(23);
    let magnitude = if LEFT >= 0 {
        (significand << LEFT as u32).shr_each(below)
    } else {
        significand.shr(-LEFT as u32).shr_each(below)
    };
    // Rule 2.1, and zeros.
    let magnitude = exponent.is(int(simd, 0)).select(int(simd, 0), magnitude);
    let sign = value >> 31;
    (magnitude ^ sign) - sign
}

impl FloatChannel for F16 {
    const NAN: u32 = 0x7fff_e000;

    #[inline(always)]
    fn widen<S: Simd>(code: Int<S>) -> Int<S> {
        code.half().as_int()
    }

    #[inline(always)]
    fn blend<S: Simd, const GROUPS: usize, const PER: usize>(
        simd: S,
        texels: &Texels<S, GROUPS, PER>,
        weights: &[[Int<S>; PER]; GROUPS],
    ) -> Int<S> {
        let mut total = int(simd, 0);
        for g in 0..GROUPS {
            let mut sum = int(simd, 0);
            for k in 0..PER {
                // 15 bits.
                let texel = cut::<S, -9>(simd, texels.values[g][k], texels.largest[g]);
                sum = sum + texel.times(weights[g][k]);
            }
            // In half units of the largest group; others are floored to it.
            let below = (texels.top - texels.largest[g]).shr(23);
            total = total + if GROUPS > 1 { (sum << 1).sar_each(below) } else { sum << 1 };
        }
        // At most 2^24, and so exact.
        let unit = texels.top - int(simd, (14 + 1 + 8) << 23);
        nearest_half(simd, total.to_float() * unit.as_float())
    }
}

/// The nearest half, ties away from zero, as bits of f32.
#[inline(always)]
pub(super) fn nearest_half<S: Simd>(simd: S, x: Float<S>) -> Int<S> {
    let magnitude = x.as_int() & int(simd, i32::MAX);
    // A carry goes into the exponent by itself.
    let normal = (magnitude + int(simd, 0x1000)) & int(simd, !0x1fff);
    // Rule 2.5: below 2^-14 halves are multiples of 2^-24.
    let steps = (magnitude.as_float() * float(simd, 16_777_216.0) + float(simd, 0.5)).floor();
    let subnormal = (steps.to_float() * float(simd, 1.0 / 16_777_216.0)).as_int();
    let small = magnitude.lt(int(simd, 0x3880_0000));
    small.select(subnormal, normal) | (x.as_int() & int(simd, SIGN))
}

/// Floats.
pub(in crate::warp) struct Real<C>(std::marker::PhantomData<C>);

impl<C: Plain> Plain for Real<C> {
    const SIZE: usize = C::SIZE;
}

impl<C: FloatChannel> Channel for Real<C> {
    type Weight<S: Simd> = ();

    #[inline(always)]
    fn weight<S: Simd>(_: Int<S>) {}

    #[inline(always)]
    fn sum<S: Simd, const GROUPS: usize, const PER: usize>(
        simd: S,
        codes: &[[Int<S>; PER]; GROUPS],
        weights: &[[Int<S>; PER]; GROUPS],
        _: &[[(); PER]; GROUPS],
        ahead: impl Ahead,
    ) -> Int<S> {
        if let Some(result) = C::in_reach(simd, codes, weights, ahead) {
            return result;
        }
        let (zero, sign, exponent) = (int(simd, 0), int(simd, SIGN), int(simd, EXPONENT));
        let mut values = *codes;
        let mut largest = [zero; GROUPS];
        let mut signs = sign;
        for g in 0..GROUPS {
            for k in 0..PER {
                let value = weights[g][k].is(zero).select(sign, C::widen(codes[g][k]));
                largest[g] = largest[g].max(value & exponent);
                signs = signs & value;
                values[g][k] = value;
            }
        }
        let mut top = largest[0];
        for g in 1..GROUPS {
            top = top.max(largest[g]);
        }
        let texels = Texels { values, largest, top };
        let result = C::blend(simd, &texels, weights);
        // Rule 2.3: -0 only if all texels with a weight are.
        let result = top.is(zero).select(signs, result);
        let special = top.is(exponent);
        if special.bits() != 0 {
            return special.select(not_finite::<S, C, GROUPS, PER>(simd, &texels.values), result);
        }
        result
    }
}

/// Rule 2.4, an infinity or a NaN among the texels: plain arithmetic, in which finite texels change
/// nothing. Texels without weight are -0.
#[inline(always)]
fn not_finite<S: Simd, C: FloatChannel, const GROUPS: usize, const PER: usize>(
    simd: S,
    values: &[[Int<S>; PER]; GROUPS],
) -> Int<S> {
    let exponent = int(simd, 0x7f80_0000);
    let mut sum = float(simd, 0.0);
    for g in 0..GROUPS {
        for k in 0..PER {
            let special = (values[g][k] & exponent).is(exponent);
            sum = sum + special.select(values[g][k], int(simd, 0)).as_float();
        }
    }
    let bits = sum.as_int();
    let nan = exponent.lt(bits & int(simd, i32::MAX));
    nan.select(int(simd, C::NAN as i32), bits)
}
