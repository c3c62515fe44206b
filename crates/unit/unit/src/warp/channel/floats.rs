//! Filtered values of float channels (docs/numerics.md 2, "Sums"), for the lanes of a vector.

use super::{Channel, Plain, Reads};
use crate::warp::prefetch::Prefetcher;
use crate::warp::simd::{Float, Int, Simd, float, int};

/// A float channel. If E is the exponent of a group's largest texel, the texels of the group are
/// truncated to multiples of 2^(E - 27) (f16: 2^(E - 14)), so that the sum of a group is an integer
/// in this unit. Groups are added in units of 2^(4 ceil(E/4) - 30) (f16: -17) of the largest group.
/// Because exponent fields have a bias of 127, 4 ceil(E/4) is the exponent field without its lowest
/// two bits.
pub(in crate::warp) trait FloatChannel {
    /// The bits of the NaN that a sum returns.
    const NAN: u32;
    /// Converts a code to the bits of an f32. A NaN may become any other NaN.
    fn widen<S: Simd>(code: Int<S>) -> Int<S>;
    /// Computes the result faster, if the exponents of all groups' largest texels allow it;
    /// otherwise returns `None`.
    #[inline(always)]
    fn in_reach<S: Simd, const GROUPS: usize, const PER: usize>(
        _: S,
        _: &[[Int<S>; PER]; GROUPS],
        _: &[[Int<S>; PER]; GROUPS],
        _: impl Prefetcher,
    ) -> Option<Int<S>> {
        None
    }
    /// Computes the result as bits of an f32. The result is arbitrary for lanes with infinities,
    /// NaNs or only zeros, which are handled separately. Of four groups, the first two are added
    /// before the others.
    fn blend<S: Simd, const GROUPS: usize, const PER: usize>(
        simd: S,
        texels: &Texels<S, GROUPS, PER>,
        weights: &[[Int<S>; PER]; GROUPS],
    ) -> Int<S>;
}

/// The texels of several groups as bits of f32. Texels without a weight are zeros.
pub(in crate::warp) struct Texels<S: Simd, const GROUPS: usize, const PER: usize> {
    pub(super) values: [[Int<S>; PER]; GROUPS],
    /// Exponent field of the largest texel of each group, at the position that it has in an f32.
    pub(super) largest: [Int<S>; GROUPS],
}

/// The exponent field of the accumulator's unit, from the exponent fields of the largest texel of
/// each group.
#[inline(always)]
pub(super) fn unit<S: Simd>(simd: S, largest: Int<S>) -> Int<S> {
    largest & int(simd, EXPONENT & !(3 << 23))
}

/// A number times two to the power of the difference between two exponent fields, floored.
#[inline(always)]
fn scaled<S: Simd>(simd: S, x: Int<S>, from: Int<S>, to: Int<S>) -> Int<S> {
    let up = (from - to) >> 23;
    let zero = int(simd, 0);
    x.shl_each(up.max(zero)).sar_each((zero - up).max(zero))
}

pub(in crate::warp) struct F16;

plain!(F16: 2);

pub(super) const SIGN: i32 = i32::MIN;
pub(super) const EXPONENT: i32 = 0x7f80_0000;

/// A texel as an integer in the unit of its group, truncated: the significand, shifted left by
/// `LEFT` bits (right if negative), and right by the difference between the texel's exponent and
/// the largest.
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
    // Rule 2.1 of docs/numerics.md: a subnormal texel counts as zero.
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
        let mut sums = [int(simd, 0); GROUPS];
        for g in 0..GROUPS {
            for k in 0..PER {
                // A texel that is truncated to the unit of its group has 15 bits.
                let texel = cut::<S, -9>(simd, texels.values[g][k], texels.largest[g]);
                sums[g] = sums[g] + texel.times(weights[g][k]);
            }
        }
        if GROUPS == 1 {
            // The sum is at most 2^23, and therefore exact.
            let unit = texels.largest[0] - int(simd, (14 + 8) << 23);
            return nearest_half(simd, sums[0].to_float() * unit.as_float());
        }
        let (mut total, mut now) = (int(simd, 0), int(simd, 0));
        for step in 0..GROUPS / 2 {
            let (first, second) = (2 * step, 2 * step + 1);
            let largest = texels.largest[first].max(texels.largest[second]);
            let next = now.max(unit(simd, largest));
            total = scaled(simd, total, now, next)
                + scaled(simd, sums[first], texels.largest[first], next)
                + scaled(simd, sums[second], texels.largest[second], next);
            now = next;
        }
        // The sum has 26 bits. The bits below the 24th cannot change the rounding to 11 bits.
        let sign = total >> 31;
        let magnitude = (total ^ sign) - sign;
        let large = int(simd, (1 << 24) - 1).lt(magnitude);
        let magnitude = large.select(magnitude & int(simd, !3), magnitude);
        let value = magnitude.to_float() * (now - int(simd, (14 + 8) << 23)).as_float();
        nearest_half(simd, (value.as_int() | (sign & int(simd, SIGN))).as_float())
    }
}

/// Rounds to the nearest f16, ties away from zero. The result is encoded as an f32.
#[inline(always)]
pub(super) fn nearest_half<S: Simd>(simd: S, x: Float<S>) -> Int<S> {
    let magnitude = x.as_int() & int(simd, i32::MAX);
    // A carry of the rounding propagates into the exponent.
    let normal = (magnitude + int(simd, 0x1000)) & int(simd, !0x1fff);
    // Rule 2.5 of docs/numerics.md: below 2^-14, f16 numbers are multiples of 2^-24.
    let steps = (magnitude.as_float() * float(simd, 16_777_216.0) + float(simd, 0.5)).floor();
    let subnormal = (steps.to_float() * float(simd, 1.0 / 16_777_216.0)).as_int();
    let small = magnitude.lt(int(simd, 0x3880_0000));
    small.select(subnormal, normal) | (x.as_int() & int(simd, SIGN))
}

/// Makes a [`Channel`] of a type of float channels.
pub(in crate::warp) struct FloatFilter<C>(std::marker::PhantomData<C>);

impl<C: Plain> Plain for FloatFilter<C> {
    const SIZE: usize = C::SIZE;
}

impl<C: FloatChannel> Channel for FloatFilter<C> {
    type Weight<S: Simd> = ();

    #[inline(always)]
    fn weight<S: Simd>(_: Int<S>) {}

    #[inline(always)]
    fn sum<S: Simd, const GROUPS: usize, const PER: usize>(
        simd: S,
        codes: &[[Int<S>; PER]; GROUPS],
        weights: &[[Int<S>; PER]; GROUPS],
        _: &[[(); PER]; GROUPS],
        reads: &impl Reads<S>,
        ahead: impl Prefetcher,
    ) -> Int<S> {
        if let Some(result) = C::in_reach(simd, codes, weights, ahead) {
            return result;
        }
        let (zero, sign, exponent) = (int(simd, 0), int(simd, SIGN), int(simd, EXPONENT));
        let mut all = *codes;
        let mut values = *codes;
        let mut largest = [zero; GROUPS];
        let (mut signs, mut highest) = (sign, zero);
        for g in 0..GROUPS {
            for k in 0..PER {
                let value = C::widen(codes[g][k]);
                let is_unweighted = weights[g][k].is(zero);
                all[g][k] = value;
                highest = highest.max(value & exponent);
                values[g][k] = is_unweighted.select(zero, value);
                largest[g] = largest[g].max(values[g][k] & exponent);
                signs = signs & is_unweighted.select(sign, value);
            }
        }
        let mut top = largest[0];
        for g in 1..GROUPS {
            top = top.max(largest[g]);
        }
        let result = C::blend(simd, &Texels { values, largest }, weights);
        let result = top.is(zero).select(zero, result);
        // Rules 2.3 and 2.4 of docs/numerics.md: infinities, NaNs and zeros of all texels that are
        // read determine the result.
        let odd = highest.is(exponent) | (top.is(zero) & signs.lt(zero));
        if odd.bits() != 0 {
            let special = exceptional::<S, C, GROUPS, PER>(simd, &all, reads, result);
            return odd.select(special, result);
        }
        result
    }
}

/// Replaces the results of exceptional lanes; other lanes keep their results. If an infinity or NaN
/// is among the texels that are read, the result is the sum of the infinities and NaNs (rule 2.4 of
/// docs/numerics.md). The result is -0 only if all texels that are read are -0 (rule 2.3).
#[inline(always)]
fn exceptional<S: Simd, C: FloatChannel, const GROUPS: usize, const PER: usize>(
    simd: S,
    values: &[[Int<S>; PER]; GROUPS],
    reads: &impl Reads<S>,
    result: Int<S>,
) -> Int<S> {
    let (zero, sign, exponent) = (int(simd, 0), int(simd, SIGN), int(simd, EXPONENT));
    let mut sum = float(simd, 0.0);
    let (mut highest, mut minus) = (zero, int(simd, -1));
    for g in 0..GROUPS {
        for k in 0..PER {
            let read = reads.read(simd, g, k);
            let value = read.select(values[g][k], sign);
            let field = value & exponent;
            highest = highest.max(field);
            minus = field.is(zero).select(value, zero) & minus;
            sum = sum + field.is(exponent).select(value, zero).as_float();
        }
    }
    let bits = sum.as_int();
    let is_nan = exponent.lt(bits & int(simd, i32::MAX));
    let special = is_nan.select(int(simd, C::NAN as i32), bits);
    let finite = minus.lt(zero).select(sign, result);
    highest.is(exponent).select(special, finite)
}
