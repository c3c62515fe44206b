//! Point-sampled values (docs/numerics.md 2) for a vector's lanes: the conversion of a single
//! texel.

use super::Plain;
use crate::warp::simd::{Int, Simd, float, int};

/// The conversion of a channel in a point fetch.
pub(in crate::warp) trait Point {
    /// Converts a code.
    fn value<S: Simd>(simd: S, code: Int<S>) -> Int<S>;
}

/// A channel of unsigned integers, or of any type of 32 bits.
pub(in crate::warp) struct Unsigned<const SIZE: usize>;
/// A channel of signed integers.
pub(in crate::warp) struct Signed<const SIZE: usize>;
/// A channel of unsigned normalized numbers.
pub(in crate::warp) struct Unorm<const SIZE: usize>;
/// A channel of signed normalized numbers.
pub(in crate::warp) struct Snorm<const SIZE: usize>;
/// A channel of unsigned normalized numbers with `BITS` bits, at most 24.
pub(in crate::warp) struct Fraction<const BITS: u32>;
/// A channel of f16.
pub(in crate::warp) struct Half;

macro_rules! plain {
    ($($channel:ident)*) => {
        $(impl<const SIZE: usize> Plain for $channel<SIZE> {
            const SIZE: usize = SIZE;
        })*
    };
}

plain!(Unsigned Signed Unorm Snorm);

impl Plain for Half {
    const SIZE: usize = 2;
}

impl<const SIZE: usize> Point for Unsigned<SIZE> {
    #[inline(always)]
    fn value<S: Simd>(_: S, code: Int<S>) -> Int<S> {
        code
    }
}

impl<const SIZE: usize> Point for Signed<SIZE> {
    #[inline(always)]
    fn value<S: Simd>(_: S, code: Int<S>) -> Int<S> {
        signed::<S, SIZE>(code)
    }
}

impl<const SIZE: usize> Point for Unorm<SIZE> {
    #[inline(always)]
    fn value<S: Simd>(_: S, code: Int<S>) -> Int<S> {
        let most = if SIZE == 1 { 255.0 } else { 65_535.0 };
        code.to_float().ratio(most).as_int()
    }
}

impl<const SIZE: usize> Point for Snorm<SIZE> {
    #[inline(always)]
    fn value<S: Simd>(simd: S, code: Int<S>) -> Int<S> {
        let most = if SIZE == 1 { 127 } else { 32_767 };
        let number = signed::<S, SIZE>(code).max(int(simd, -most));
        number.to_float().ratio(most as f32).as_int()
    }
}

impl<const BITS: u32> Point for Fraction<BITS> {
    #[inline(always)]
    fn value<S: Simd>(simd: S, code: Int<S>) -> Int<S> {
        (code.to_float() / float(simd, ((1_u32 << BITS) - 1) as f32)).as_int()
    }
}

impl Point for Half {
    #[inline(always)]
    fn value<S: Simd>(simd: S, code: Int<S>) -> Int<S> {
        // A NaN keeps its payload, whether it is signalling or quiet.
        let exponent = int(simd, 0x7c00);
        let special = ((code & int(simd, 0x7fff)) << 13) | int(simd, 0x7f80_0000);
        let special = special | ((code & int(simd, 0x8000)) << 16);
        (code & exponent).is(exponent).select(special, code.half().as_int())
    }
}

/// Sign-extends a code of `SIZE` bytes.
#[inline(always)]
pub(super) fn signed<S: Simd, const SIZE: usize>(code: Int<S>) -> Int<S> {
    let unused = 32 - 8 * SIZE as u32;
    (code << unused) >> unused
}
