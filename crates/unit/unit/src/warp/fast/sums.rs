//! Filtered values (docs/numerics.md 2, "Sums"), one function of weights and codes for each kind of
//! channel; here those of integers.

use super::ahead::Ahead;
use super::point::signed;
use crate::warp::simd::{Float, Int, Simd, float, int};

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
        ahead: impl Ahead,
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
        _: impl Ahead,
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
