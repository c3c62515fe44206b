//! Point-sampled values (docs/numerics.md 2): the texel that was picked, without arithmetic.

use super::footprint::{Spots, Task, code, texels};
use super::kernel::Kernel;
use crate::warp::simd::{Int, Simd, int};

/// A channel as a point fetch reads it.
pub(super) trait Point {
    /// Bytes of a channel.
    const SIZE: usize;
    /// The value of a code.
    fn value<S: Simd>(simd: S, code: Int<S>) -> Int<S>;
}

/// Unsigned integers, and 32 bits of any kind.
pub(super) struct Unsigned<const SIZE: usize>;
/// Signed integers.
pub(super) struct Signed<const SIZE: usize>;
/// Unsigned normalized.
pub(super) struct Unorm<const SIZE: usize>;
/// Signed normalized.
pub(super) struct Snorm<const SIZE: usize>;
/// f16.
pub(super) struct Half;

impl<const SIZE: usize> Point for Unsigned<SIZE> {
    const SIZE: usize = SIZE;
    #[inline(always)]
    fn value<S: Simd>(_: S, code: Int<S>) -> Int<S> {
        code
    }
}

impl<const SIZE: usize> Point for Signed<SIZE> {
    const SIZE: usize = SIZE;
    #[inline(always)]
    fn value<S: Simd>(_: S, code: Int<S>) -> Int<S> {
        signed::<S, SIZE>(code)
    }
}

impl<const SIZE: usize> Point for Unorm<SIZE> {
    const SIZE: usize = SIZE;
    #[inline(always)]
    fn value<S: Simd>(_: S, code: Int<S>) -> Int<S> {
        let most = if SIZE == 1 { 255.0 } else { 65_535.0 };
        code.to_float().ratio(most).as_int()
    }
}

impl<const SIZE: usize> Point for Snorm<SIZE> {
    const SIZE: usize = SIZE;
    #[inline(always)]
    fn value<S: Simd>(simd: S, code: Int<S>) -> Int<S> {
        let most = if SIZE == 1 { 127 } else { 32_767 };
        let number = signed::<S, SIZE>(code).max(int(simd, -most));
        number.to_float().ratio(most as f32).as_int()
    }
}

impl Point for Half {
    const SIZE: usize = 2;
    #[inline(always)]
    fn value<S: Simd>(simd: S, code: Int<S>) -> Int<S> {
        // The payload of a NaN stays, signalling or not.
        let exponent = int(simd, 0x7c00);
        let special = ((code & int(simd, 0x7fff)) << 13) | int(simd, 0x7f80_0000);
        let special = special | ((code & int(simd, 0x8000)) << 16);
        (code & exponent).is(exponent).select(special, code.half().as_int())
    }
}

/// A code of so many bytes as a number of two's complement.
#[inline(always)]
pub(super) fn signed<S: Simd, const SIZE: usize>(code: Int<S>) -> Int<S> {
    let unused = 32 - 8 * SIZE as u32;
    (code << unused) >> unused
}

/// A single channel, or as many as there are.
pub(super) struct Picked<C, const ONE: bool>(std::marker::PhantomData<C>);

impl<C: Point, const ONE: bool> Kernel for Picked<C, ONE> {
    const POINT: bool = true;
    #[inline(always)]
    fn values<S: Simd>(simd: S, task: &mut Task<'_>, spots: &impl Spots<S>, chunk: usize) {
        let channels = if ONE { 1 } else { task.channels };
        let [texel] = texels::<S, 1>(simd, task, &spots.spot(simd, 0), C::SIZE * channels);
        for c in 0..channels {
            if let Some(out) = &mut task.out[c] {
                C::value(simd, code(simd, &texel, C::SIZE, c)).store(out, chunk);
            }
        }
    }
}
