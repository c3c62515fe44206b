//! Filtered integer channels that are read as normalized floats, for the lanes of a vector.

use super::point::signed;
use super::{Channel, Plain, Reads};
use crate::warp::prefetch::Prefetcher;
use crate::warp::simd::{Float, Int, Simd, float, int};

/// An integer channel that is read as a normalized float. Its weighted sums have at most 24 bits,
/// so that they are exact in f32.
pub(in crate::warp) trait Normalized {
    /// Converts a code to the number that is summed.
    fn widen<S: Simd>(simd: S, code: Int<S>) -> Int<S>;
    /// The result for a weighted sum, whose weights total 256.
    fn finish<S: Simd>(simd: S, sum: Int<S>) -> Int<S>;
}

pub(in crate::warp) struct Unorm8;
pub(in crate::warp) struct Snorm8;
pub(in crate::warp) struct Unorm16;
pub(in crate::warp) struct Snorm16;
/// A channel of unorm with two bits, which are widened to 16.
pub(in crate::warp) struct Unorm2;
/// A channel of unorm with ten bits, which are widened to 16.
pub(in crate::warp) struct Unorm10;

plain!(Unorm8: 1, Snorm8: 1, Unorm16: 2, Snorm16: 2);

/// Defines how codes of a kind of channel are widened, and the result for a sum.
macro_rules! normalized {
    ($($name:ident, |$simd:ident| $code:ident => $wide:expr, $sum:ident => $result:expr;)*) => {
        $(impl Normalized for $name {
            #[inline(always)]
            fn widen<S: Simd>($simd: S, $code: Int<S>) -> Int<S> {
                let _ = $simd;
                $wide
            }
            #[inline(always)]
            fn finish<S: Simd>($simd: S, $sum: Int<S>) -> Int<S> {
                $result
            }
        })*
    };
}

normalized! {
    // K (docs/numerics.md 2) is (257 * sum + 128) >> 8: widening the sum gives the same integer as
    // summing the widened codes.
    Unorm8, |simd| code => code, sum => {
        let k = sum + (sum + int(simd, 128)).shr(8);
        k.to_float().ratio(65_535.0).as_int()
    };
    Unorm16, |simd| code => code,
        sum => (sum + int(simd, 128)).shr(8).to_float().ratio(65_535.0).as_int();
    Snorm8, |simd| code => signed::<S, 1>(code), sum => {
        let part = sum >> 4;
        let k = sum + (((part << 8) + part + int(simd, 1024)) >> 11);
        k.max(int(simd, -32_767)).to_float().ratio(32_767.0).as_int()
    };
    Snorm16, |simd| code => signed::<S, 2>(code), sum => {
        let k = ((sum + int(simd, 128)) >> 8).max(int(simd, -32_767));
        k.to_float().ratio(32_767.0).as_int()
    };
    Unorm2, |simd| code => {
        let four = code | (code << 2);
        let eight = four | (four << 4);
        wide_or(simd, code, eight | (eight << 8))
    }, sum => Unorm16::finish(simd, sum);
    Unorm10, |simd| code => wide_or(simd, code, (code << 6) | code.shr(4)),
        sum => Unorm16::finish(simd, sum);
}

/// Returns the widened code, or the code itself if it is the 16-bit code of a border colour
/// ([`texunit_texel::WIDE`]).
#[inline(always)]
fn wide_or<S: Simd>(simd: S, code: Int<S>, widened: Int<S>) -> Int<S> {
    code.lt(int(simd, 0)).select(code & int(simd, 0xffff), widened)
}

/// The results for the sums of two 8-bit unorm channels, which are in the two halves of a word. A
/// sum is at most 255 * 256, so that it fits 16 bits.
#[inline(always)]
pub(in crate::warp) fn finish_pairs<S: Simd>(simd: S, sum: Int<S>) -> [Int<S>; 2] {
    // K (docs/numerics.md 2) is (257 * sum + 128) >> 8, as for a single channel.
    let k = sum.add16(sum.add16(int(simd, 0x0080_0080)).shr16_8());
    let (low, high) = (k & int(simd, 0xffff), k.shr(16));
    [low.to_float().ratio(65_535.0).as_int(), high.to_float().ratio(65_535.0).as_int()]
}

/// Makes a [`Channel`] of a type of integer channels.
pub(in crate::warp) struct NormalizedFilter<C>(std::marker::PhantomData<C>);

impl<C: Plain> Plain for NormalizedFilter<C> {
    const SIZE: usize = C::SIZE;
}

impl<C: Normalized> Channel for NormalizedFilter<C> {
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
        _: &impl Reads<S>,
        _: impl Prefetcher,
    ) -> Int<S> {
        let mut sum = float(simd, 0.0);
        for g in 0..GROUPS {
            for k in 0..PER {
                sum = sum + C::widen(simd, codes[g][k]).to_float() * made[g][k];
            }
        }
        C::finish(simd, sum.to_int())
    }
}
