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

macro_rules! sized {
    ($($channel:ident)*) => {
        $(impl<const SIZE: usize> Plain for $channel<SIZE> {
            const SIZE: usize = SIZE;
        })*
    };
}

sized!(Unsigned Signed Unorm Snorm);
plain!(Half: 2);

/// Defines the conversions of kinds of channels, whose parameter is a number of bytes or bits.
macro_rules! point {
    ($($name:ident$(<$size:ident: $t:ty>)?, |$simd:ident, $code:ident| $value:expr;)*) => {
        $(impl$(<const $size: $t>)? Point for $name$(<$size>)? {
            #[inline(always)]
            fn value<S: Simd>($simd: S, $code: Int<S>) -> Int<S> {
                let _ = $simd;
                $value
            }
        })*
    };
}

point! {
    Unsigned<SIZE: usize>, |simd, code| code;
    Signed<SIZE: usize>, |simd, code| signed::<S, SIZE>(code);
    Unorm<SIZE: usize>, |simd, code| {
        code.to_float().ratio(if SIZE == 1 { 255.0 } else { 65_535.0 }).as_int()
    };
    Snorm<SIZE: usize>, |simd, code| {
        let most = if SIZE == 1 { 127 } else { 32_767 };
        let number = signed::<S, SIZE>(code).max(int(simd, -most));
        number.to_float().ratio(most as f32).as_int()
    };
    Fraction<BITS: u32>, |simd, code| {
        (code.to_float() / float(simd, ((1_u32 << BITS) - 1) as f32)).as_int()
    };
    // A NaN keeps its payload, whether it is signalling or quiet.
    Half, |simd, code| {
        let exponent = int(simd, 0x7c00);
        let special = ((code & int(simd, 0x7fff)) << 13) | int(simd, 0x7f80_0000);
        let special = special | ((code & int(simd, 0x8000)) << 16);
        (code & exponent).is(exponent).select(special, code.half().as_int())
    };
}

/// Sign-extends a code of `SIZE` bytes.
#[inline(always)]
pub(super) fn signed<S: Simd, const SIZE: usize>(code: Int<S>) -> Int<S> {
    let unused = 32 - 8 * SIZE as u32;
    (code << unused) >> unused
}
