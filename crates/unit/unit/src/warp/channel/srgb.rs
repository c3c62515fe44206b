//! Filtered sRGB channels for the lanes of a vector: docs/numerics.md, section 5. Decoded values
//! are in units of 1/65536, weights in units of 1/256.

use super::floats::nearest_half;
use crate::warp::simd::{Int, Simd, float, int};
use texunit_texel::srgb_table;

/// The result for the sum of all footprints. The sum is at most 2^24, and therefore exact in f32.
#[inline(always)]
pub(in crate::warp) fn value<S: Simd>(simd: S, total: Int<S>) -> Int<S> {
    nearest_half(simd, total.to_float() * float(simd, 1.0 / 16_777_216.0))
}

/// The accumulator of the adder for sRGB channels.
pub(in crate::warp) struct Sum<S: Simd> {
    total: Int<S>,
    /// The number of bits of the total that are below the accumulator's unit, and are therefore 0.
    unit: Int<S>,
}

impl<S: Simd> Sum<S> {
    pub(in crate::warp) fn new(simd: S) -> Self {
        Self { total: int(simd, 0), unit: int(simd, 0) }
    }

    pub(in crate::warp) fn total(&self) -> Int<S> {
        self.total
    }

    /// Adds the footprints of one step to the total. A footprint without weight changes nothing.
    #[inline(always)]
    pub(in crate::warp) fn add<const PER: usize, const COUNT: usize>(
        &mut self,
        simd: S,
        codes: &[[Int<S>; PER]; COUNT],
        weights: &[[Int<S>; PER]; COUNT],
    ) {
        let mut sums = [int(simd, 0); COUNT];
        for g in 0..COUNT {
            let (sum, unit) = footprint(simd, &codes[g], &weights[g]);
            sums[g] = sum;
            self.unit = self.unit.max(unit);
        }
        // All numbers are positive, so that a mask floors them to the accumulator's unit.
        let mask = int(simd, -1).shl_each(self.unit);
        self.total = self.total & mask;
        for g in 0..COUNT {
            self.total = self.total + (sums[g] & mask);
        }
    }
}

/// The weighted sum of a footprint, and the number of its bits below the accumulator's unit. Each
/// decoded value is truncated to eight bits below the leading bit of the largest value. Eight
/// consecutive texel codes (a block of the table) use the exponent of the last of them.
#[inline(always)]
fn footprint<S: Simd, const PER: usize>(
    simd: S,
    codes: &[Int<S>; PER],
    weights: &[Int<S>; PER],
) -> (Int<S>, Int<S>) {
    let (table, zero) = (srgb_table(), int(simd, 0));
    // The table of decoded values is increasing, so that the largest code has the largest value.
    let mut largest = zero;
    for k in 0..PER {
        largest = largest.max(weights[k].is(zero).select(zero, codes[k]));
    }
    // Decoded values are 140 to 65536, so that their exponents are 7 to 16.
    let largest = (largest | int(simd, 7)).look_up_byte(simd, table);
    let cut = largest.to_float().as_int().shr(23) - int(simd, 127 + 7);
    let mask = int(simd, -1).shl_each(cut);
    let mut sum = zero;
    for k in 0..PER {
        sum = sum + weights[k] * (codes[k].look_up_byte(simd, table) & mask);
    }
    // The exponent of the accumulator's unit, relative to 2^-16, is 4 ceil(E/4) - 10, where the
    // exponent E of the largest texel is `cut` - 9.
    let unit = (((cut + int(simd, 2)) >> 2) << 2) - int(simd, 2);
    (sum, unit.max(zero))
}
