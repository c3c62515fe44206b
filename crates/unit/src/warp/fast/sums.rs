//! Filtered values (docs/numerics.md 2, "Sums"), one function of weights and codes for each kind of
//! channel.

use super::point::signed;
use crate::warp::simd::{Double, Float, Int, Simd, double, float, int};

/// A channel that is filtered: `GROUPS` footprints of `PER` texels.
pub(super) trait Channel {
    /// Bytes of a channel.
    const SIZE: usize;
    /// What is made of the weights, once for all channels.
    type Weight<S: Simd>: Copy;
    fn weight<S: Simd>(weight: Int<S>) -> Self::Weight<S>;
    /// The result for codes and weights.
    fn sum<S: Simd, const GROUPS: usize, const PER: usize>(
        simd: S,
        codes: &[[Int<S>; PER]; GROUPS],
        weights: &[[Int<S>; PER]; GROUPS],
        made: &[[Self::Weight<S>; PER]; GROUPS],
    ) -> Int<S>;
}

/// A channel of integers read as normalized floats. Sums have 24 bits at most, so that they are exact
/// in f32.
pub(super) trait Normalized {
    const SIZE: usize;
    /// The number that is summed.
    fn widen<S: Simd>(code: Int<S>) -> Int<S>;
    /// The result for a sum over weights of 256 in all.
    fn finish<S: Simd>(simd: S, sum: Int<S>) -> Int<S>;
}

pub(super) struct Unorm8;
pub(super) struct Snorm8;
pub(super) struct Unorm16;
pub(super) struct Snorm16;

impl Normalized for Unorm8 {
    const SIZE: usize = 1;
    #[inline(always)]
    fn widen<S: Simd>(code: Int<S>) -> Int<S> {
        code
    }
    #[inline(always)]
    fn finish<S: Simd>(simd: S, sum: Int<S>) -> Int<S> {
        // (257 * sum + 128) >> 8: widening after summing instead of before is the same integer.
        let k = sum + (sum + int(simd, 128)).shr(8);
        k.to_float().ratio(65_535.0).as_int()
    }
}

impl Normalized for Unorm16 {
    const SIZE: usize = 2;
    #[inline(always)]
    fn widen<S: Simd>(code: Int<S>) -> Int<S> {
        code
    }
    #[inline(always)]
    fn finish<S: Simd>(simd: S, sum: Int<S>) -> Int<S> {
        (sum + int(simd, 128)).shr(8).to_float().ratio(65_535.0).as_int()
    }
}

impl Normalized for Snorm8 {
    const SIZE: usize = 1;
    #[inline(always)]
    fn widen<S: Simd>(code: Int<S>) -> Int<S> {
        signed::<S, 1>(code)
    }
    #[inline(always)]
    fn finish<S: Simd>(simd: S, sum: Int<S>) -> Int<S> {
        let part = sum >> 4;
        let k = sum + (((part << 8) + part + int(simd, 1024)) >> 11);
        k.max(int(simd, -32_767)).to_float().ratio(32_767.0).as_int()
    }
}

impl Normalized for Snorm16 {
    const SIZE: usize = 2;
    #[inline(always)]
    fn widen<S: Simd>(code: Int<S>) -> Int<S> {
        signed::<S, 2>(code)
    }
    #[inline(always)]
    fn finish<S: Simd>(simd: S, sum: Int<S>) -> Int<S> {
        let k = ((sum + int(simd, 128)) >> 8).max(int(simd, -32_767));
        k.to_float().ratio(32_767.0).as_int()
    }
}

/// Integers.
pub(super) struct Whole<C>(std::marker::PhantomData<C>);

impl<C: Normalized> Channel for Whole<C> {
    const SIZE: usize = C::SIZE;
    type Weight<S: Simd> = Float<S>;

    #[inline(always)]
    fn weight<S: Simd>(weight: Int<S>) -> Float<S> {
        weight.to_float()
    }

    #[inline(always)]
    fn sum<S: Simd, const GROUPS: usize, const PER: usize>(
        simd: S,
        codes: &[[Int<S>; PER]; GROUPS],
        _: &[[Int<S>; PER]; GROUPS],
        made: &[[Float<S>; PER]; GROUPS],
    ) -> Int<S> {
        let mut sum = float(simd, 0.0);
        for g in 0..GROUPS {
            for k in 0..PER {
                sum = sum + C::widen(codes[g][k]).to_float() * made[g][k];
            }
        }
        C::finish(simd, sum.to_int())
    }
}

/// A channel of floats.
pub(super) trait Kind {
    const SIZE: usize;
    /// Bits below the largest exponent that a texel keeps; a footprint's sum keeps one more.
    const TEXEL_BITS: i32;
    /// What a NaN comes out as.
    const NAN: u32;
    /// The bits of the code's value as f32. An infinity stays one, and a NaN becomes any.
    fn widen<S: Simd>(code: Int<S>) -> Int<S>;
    /// The nearest number of the format, ties away from zero, as bits of an f32. `x` has at most 40
    /// significant bits.
    fn round<S: Simd>(simd: S, x: Double<S>) -> Int<S>;
}

pub(super) struct F16;
pub(super) struct F32;

impl Kind for F32 {
    const SIZE: usize = 4;
    const TEXEL_BITS: i32 = 27;
    const NAN: u32 = 0x7fff_ffff;
    #[inline(always)]
    fn widen<S: Simd>(code: Int<S>) -> Int<S> {
        code
    }
    #[inline(always)]
    fn round<S: Simd>(simd: S, x: Double<S>) -> Int<S> {
        // A factor a little above 1 takes ties away from zero. Other numbers are further from the
        // next tie than it moves them.
        let nearest = (x * double(simd, 1.0 + 1.0 / 35_184_372_088_832.0)).narrow().as_int();
        let sign = nearest & int(simd, i32::MIN);
        // Rule 2.2.
        (nearest & int(simd, 0x7f80_0000)).is(int(simd, 0)).select(sign, nearest)
    }
}

impl Kind for F16 {
    const SIZE: usize = 2;
    const TEXEL_BITS: i32 = 14;
    const NAN: u32 = 0x7fff_e000;
    #[inline(always)]
    fn widen<S: Simd>(code: Int<S>) -> Int<S> {
        code.half().as_int()
    }
    #[inline(always)]
    fn round<S: Simd>(simd: S, x: Double<S>) -> Int<S> {
        let magnitude = x.abs();
        // Adding half of what is dropped and clearing it; a carry goes into the exponent by itself.
        let normal = magnitude.bump(1 << 41, 42).narrow().as_int();
        // Rule 2.5: below 2^-14 halves are multiples of 2^-24.
        let steps = (magnitude * double(simd, 16_777_216.0) + double(simd, 0.5)).floor();
        let subnormal = (steps * double(simd, 1.0 / 16_777_216.0)).narrow().as_int();
        let small = normal.lt(int(simd, 0x3880_0000));
        let rounded = small.select(subnormal, normal);
        // The sign of x: that of its nearest f32, which has it even if it is 0.
        rounded | (x.narrow().as_int() & int(simd, i32::MIN))
    }
}

/// Floats. All in f64, and exactly: a texel is cut to 28 bits (f16: 15), its weight has 9, a group's
/// sum at most 39; other groups add two bits.
pub(super) struct Real<C>(std::marker::PhantomData<C>);

impl<C: Kind> Channel for Real<C> {
    const SIZE: usize = C::SIZE;
    type Weight<S: Simd> = Double<S>;

    #[inline(always)]
    fn weight<S: Simd>(weight: Int<S>) -> Double<S> {
        weight.to_double()
    }

    #[inline(always)]
    fn sum<S: Simd, const GROUPS: usize, const PER: usize>(
        simd: S,
        codes: &[[Int<S>; PER]; GROUPS],
        weights: &[[Int<S>; PER]; GROUPS],
        made: &[[Double<S>; PER]; GROUPS],
    ) -> Int<S> {
        let zero = int(simd, 0);
        let sign = int(simd, i32::MIN);
        let field = int(simd, 0xff);
        let mut values = *codes;
        let mut exponents = [[zero; PER]; GROUPS];
        let mut largest = [zero; GROUPS];
        for group in 0..GROUPS {
            for k in 0..PER {
                // A texel without weight is as good as -0, which adds nothing, and leaves a sum of -0s
                // what it is (rule 2.3).
                let none = weights[group][k].is(zero);
                let value = none.select(sign, C::widen(codes[group][k]));
                let exponent = value.shr(23) & field;
                largest[group] = largest[group].max(exponent);
                (values[group][k], exponents[group][k]) = (value, exponent);
            }
        }
        let mut top = largest[0];
        for g in 1..GROUPS {
            top = top.max(largest[g]);
        }
        let mut total = double(simd, -0.0);
        for group in 0..GROUPS {
            let mut sum = double(simd, -0.0);
            for k in 0..PER {
                let (value, exponent) = (values[group][k], exponents[group][k]);
                // Bits of the significand below the last that is kept.
                let below = largest[group] - exponent + int(simd, 23 - C::TEXEL_BITS);
                let kept = value & int(simd, -1).shl_each(below.max(zero));
                // What has nothing left, and rule 2.1.
                let nothing = int(simd, 23).lt(below) | exponent.is(zero);
                let cut = nothing.select(value & sign, kept);
                sum = sum + cut.as_float().widen() * made[group][k];
            }
            if GROUPS > 1 {
                // Floored to a unit of the largest group: 2^(Emax - 28), of f16 2^(Emax - 15); the
                // weights are 256 times what they count.
                let unit = top - int(simd, 127 + C::TEXEL_BITS + 1);
                sum = (sum * (zero - unit).power_of_two()).floor();
            }
            total = total + sum;
        }
        let total = if GROUPS > 1 {
            let unit = top - int(simd, 127 + C::TEXEL_BITS + 1 + 8);
            total * unit.power_of_two()
        } else {
            total * double(simd, 1.0 / 256.0)
        };
        let result = C::round(simd, total);
        let special = top.is(field);
        if special.bits() != 0 {
            return special.select(not_finite::<S, C, GROUPS, PER>(simd, &values), result);
        }
        result
    }
}

/// Rule 2.4, an infinity or a NaN among the texels: plain arithmetic, in which finite texels change
/// nothing. Texels without weight are -0.
#[inline(always)]
fn not_finite<S: Simd, C: Kind, const GROUPS: usize, const PER: usize>(
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
