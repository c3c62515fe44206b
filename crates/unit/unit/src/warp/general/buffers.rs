//! What stages hand on as arrays, and the sum of f32 over it.

use super::class::{F32, Float};
use super::words::TexelLanes;
use crate::request::Lanes;

/// What kernels write between their loops, so that they need not clear it: up to two levels of
/// two slices of four texels. Those of a slice are a group, and groups of fewer texels leave room.
#[derive(Clone, Debug)]
pub(in crate::warp) struct Buffers {
    pub(in crate::warp) texels: [TexelLanes; 16],
    pub(in crate::warp) weights: [[i32; 32]; 16],
}

impl Buffers {
    pub(in crate::warp) const ZERO: Self =
        Self { texels: [[[0; 32]; 4]; 16], weights: [[0; 32]; 16] };
}

/// One channel: groups of `PER` texels, each group in its four places (docs/numerics.md 2, "Sum").
///
/// All in f64, and exactly: a texel is cut to 28 bits, its weight has 9, a group's sum at most 37;
/// other groups add two bits. Scalings are by powers of two well inside the range.
/// Sums start from -0, which adds nothing and leaves a sum of -0s what it is.
#[inline(always)]
pub(super) fn float_channel<const GROUPS: usize, const PER: usize>(
    buffers: &Buffers,
    channel: usize,
    out: &mut Lanes,
) {
    let mut largest = [0; 32];
    for lane in 0..32 {
        let value = |k: usize| F32::widen(buffers.texels[k][channel][lane]);
        let mut exponents = [0; GROUPS];
        for group in 0..GROUPS {
            for k in 4 * group..4 * group + PER {
                let field = (value(k).to_bits() >> 23 & 0xff) as i32;
                let field = if buffers.weights[k][lane] == 0 { 0 } else { field };
                let exponent = &mut exponents[group];
                *exponent = if field > *exponent { field } else { *exponent };
            }
        }
        let mut top = exponents[0];
        for &exponent in &exponents {
            top = if exponent > top { exponent } else { top };
        }
        let mut total = -0.0;
        for group in 0..GROUPS {
            let exponent = exponents[group];
            let scale = power_of_two(F32::TEXEL_BITS + 127 - exponent);
            let mut sum = -0.0;
            for k in 4 * group..4 * group + PER {
                let weight = buffers.weights[k][lane];
                let part = (f64::from(value(k)) * scale).trunc() * f64::from(weight);
                sum += if weight == 0 { -0.0 } else { part };
            }
            // Now in units of the sum: a bit below those of the largest group's texels.
            total += (sum * power_of_two(exponent - top + 1)).floor();
        }
        largest[lane] = top;
        out[lane] = F32::round(total * power_of_two(top - 127 - F32::TEXEL_BITS - 1 - 8)).to_bits();
    }
    for lane in 0..32 {
        if largest[lane] == 255 {
            out[lane] = not_finite::<F32, GROUPS, PER>(buffers, channel, lane);
        }
    }
}

/// An infinity or a NaN among the texels: plain arithmetic.
#[cold]
pub(super) fn not_finite<C: Float, const GROUPS: usize, const PER: usize>(
    buffers: &Buffers,
    channel: usize,
    lane: usize,
) -> u32 {
    let mut sum = 0.0;
    for k in (0..GROUPS).flat_map(|group| 4 * group..4 * group + PER) {
        let weight = buffers.weights[k][lane];
        if weight != 0 {
            let value = C::widen(buffers.texels[k][channel][lane]);
            sum += f64::from(value) * f64::from(weight);
        }
    }
    if sum.is_nan() { C::NAN } else { (sum as f32).to_bits() }
}

/// 2^exponent, for exponents of normal f64 numbers.
#[inline(always)]
pub(super) fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}
