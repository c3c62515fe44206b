//! The sum of halves (docs/numerics.md 2, "Sum") for a channel of 32 lanes, in 32-bit integers: a texel
//! is cut to 15 bits, its weight has 9, and so a sum of half units has 25 at most, a sign among them.

use super::buffers::{Buffers, not_finite};
use super::class::{F16, widen_f16};
use crate::request::Lanes;

const SIGN: i32 = i32::MIN;
const EXPONENT: i32 = 0x7f80_0000;

/// One channel: groups of `PER` texels, each group in its four places.
#[inline(always)]
pub(super) fn half_channel<const GROUPS: usize, const PER: usize>(
    buffers: &Buffers,
    channel: usize,
    out: &mut Lanes,
) {
    let Buffers { texels, weights } = buffers;
    let mut special = 0;
    for lane in 0..32 {
        // The largest exponents, in the place that they have in an f32.
        let (mut largest, mut signs) = ([0; GROUPS], SIGN);
        for group in 0..GROUPS {
            for k in 4 * group..4 * group + PER {
                let value = value(texels[k][channel][lane], weights[k][lane]);
                let exponent = value & EXPONENT;
                largest[group] = if exponent > largest[group] { exponent } else { largest[group] };
                signs &= value;
            }
        }
        let mut top = largest[0];
        for group in 1..GROUPS {
            top = if largest[group] > top { largest[group] } else { top };
        }
        let mut total = 0;
        for group in 0..GROUPS {
            let mut sum = 0;
            for k in 4 * group..4 * group + PER {
                let weight = weights[k][lane];
                sum += cut(value(texels[k][channel][lane], weight), largest[group]) * weight;
            }
            // In half units of the largest group; others are floored to it.
            total += (2 * sum) >> limited((top - largest[group]) >> 23);
        }
        // Rule 2.3: -0 only if all texels with a weight are.
        out[lane] = if top == 0 { signs as u32 } else { rounded(total, top) };
        special |= if top == EXPONENT { 1 } else { 0 };
    }
    if special != 0 {
        for lane in 0..32 {
            if out[lane] == SPECIAL {
                out[lane] = not_finite::<F16, GROUPS, PER>(buffers, channel, lane);
            }
        }
    }
}

/// The bits of a half's f32; those of -0 if it has no weight.
#[inline(always)]
fn value(code: u32, weight: i32) -> i32 {
    if weight == 0 { SIGN } else { widen_f16(code) as i32 }
}

/// A number of bits to shift by, of which 31 are as good as more.
#[inline(always)]
fn limited(bits: i32) -> i32 {
    if bits > 31 { 31 } else { bits }
}

/// The integer of a texel, in units of 2^-14 of the largest exponent.
#[inline(always)]
fn cut(value: i32, largest: i32) -> i32 {
    let exponent = value & EXPONENT;
    let significand = value & 0x007f_ffff | 0x0080_0000;
    let magnitude = significand >> limited(9 + ((largest - exponent) >> 23));
    let magnitude = if exponent == 0 { 0 } else { magnitude };
    let sign = value >> 31;
    (magnitude ^ sign) - sign
}

/// What no half has as its f32: where a texel is infinite or not a number.
const SPECIAL: u32 = 0x7fff_ffff;

/// The nearest half, ties away from zero, of half units of 2^-14 of the largest exponent and 1/256.
#[inline(always)]
fn rounded(total: i32, top: i32) -> u32 {
    let unit = f32::from_bits((top - ((14 + 1 + 8) << 23)) as u32);
    let x = total as f32 * unit;
    // A carry goes into the exponent by itself.
    let normal = (x.abs().to_bits() + 0x1000) & !0x1fff;
    // Rule 2.5: below 2^-14 halves are multiples of 2^-24.
    let steps = (x.abs() * 16_777_216.0 + 0.5).floor();
    let subnormal = (steps * (1.0 / 16_777_216.0)).to_bits();
    let magnitude = if x.abs() < 1.0 / 16_384.0 { subnormal } else { normal };
    let bits = magnitude | x.to_bits() & 0x8000_0000;
    if top == EXPONENT { SPECIAL } else { bits }
}
