//! The weighted sum of texels: docs/numerics.md, section 2, "Sum". One function a format.

use super::weights::round_half_up;
use texunit_texel::{Reading, f16_to_f32, sign_extend, srgb_table};

/// A texel's code with its weight, which is not 0.
#[derive(Clone, Copy, Debug)]
pub(super) struct Weighted {
    pub(super) code: u32,
    pub(super) weight: u32,
}

/// The texels of a 2x2 footprint: a slice.
pub(super) type Group = Vec<Weighted>;

/// What the filter returns for a channel of this reading: f32 bits. `None` for integers, which
/// have no filtered form.
pub(super) fn sum(reading: Reading, groups: &[Group]) -> Option<u32> {
    let all = || groups.iter().flatten().copied();
    Some(match reading {
        Reading::Missing | Reading::One => reading.point(0),
        Reading::Unorm { bits: 24 } => unorm(all(), 0x00ff_ffff),
        Reading::Unorm { bits } => {
            unorm(all().map(|t| Weighted { code: widen_unorm(bits, t.code), ..t }), 65_535)
        }
        Reading::Snorm { bits: 8 } => snorm8(all()),
        Reading::Snorm { .. } => snorm16(all()),
        Reading::Srgb => srgb(groups),
        Reading::F16 => float(groups, &HALF),
        Reading::F32 => float(groups, &SINGLE),
        Reading::Uint { .. } | Reading::Sint { .. } => return None,
    })
}

/// 2, 8, 10 or 16 bits widen to sixteen by repetition.
fn widen_unorm(bits: u8, code: u32) -> u32 {
    match bits {
        2 => code * 0x5555,
        8 => code * 0x0101,
        10 => code << 6 | code >> 4,
        _ => code,
    }
}

/// K = rhu(sum/256) over codes of 16 bits, then f32(K/65535). (24 bits: **assumed** alike.)
fn unorm(texels: impl Iterator<Item = Weighted>, max: i128) -> u32 {
    let total: i128 = texels.map(|t| i128::from(t.weight) * i128::from(t.code)).sum();
    quotient(round_half_up(total, 256), max)
}

fn signed_total(bits: u8, texels: impl Iterator<Item = Weighted>) -> i128 {
    texels.map(|t| i128::from(t.weight) * i128::from(sign_extend(bits, t.code))).sum()
}

/// K = max(rhu(sum/256), -32767), then f32(K/32767).
fn snorm16(texels: impl Iterator<Item = Weighted>) -> u32 {
    let total = signed_total(16, texels);
    quotient(round_half_up(total, 256).max(-32_767), 32_767)
}

/// The unit's own way from a sum of 8-bit codes to 15 bits.
fn snorm8(texels: impl Iterator<Item = Weighted>) -> u32 {
    let s = signed_total(8, texels);
    quotient((s + ((257 * (s >> 4) + 1024) >> 11)).max(-32_767), 32_767)
}

/// f32(k/max), rounded once: both are small integers.
fn quotient(k: i128, max: i128) -> u32 {
    (k as f32 / max as f32).to_bits()
}

/// sRGB codes through their table (section 5). Eight codes in a row share the exponent of the
/// last; in a footprint every value is cut to eight bits below the largest.
fn srgb(groups: &[Group]) -> u32 {
    let table = srgb_table();
    let value = |code: u32| table[code as usize & 0xff];
    let mut total = 0;
    for group in groups {
        let exponents = group.iter().map(|t| value(t.code | 7).ilog2());
        let Some(largest) = exponents.max() else { continue };
        let unit = largest.saturating_sub(7);
        let cut = |t: &Weighted| i128::from(value(t.code) >> unit << unit);
        total += group.iter().map(|t| i128::from(t.weight) * cut(t)).sum::<i128>();
    }
    // Values in 1/65536, weights in 1/256.
    round_to_float(total, -24, &HALF)
}

/// The sum's precision for a kind of float texels.
struct FloatRules {
    /// Bits below the largest exponent of a group that its texels keep.
    texel_bits: i32,
    /// Bits below the largest exponent of all groups that a group's sum keeps.
    group_bits: i32,
    /// Significant bits of the result.
    precision: u32,
    /// Exponent of the result's lowest bit, at the least.
    min_exponent: i32,
    /// Whether subnormal texels and results count as zero.
    flush: bool,
    /// What a NaN comes out as.
    nan: u32,
    widen: fn(u32) -> u32,
}

#[rustfmt::skip]
const SINGLE: FloatRules = FloatRules { texel_bits: 27, group_bits: 28, precision: 24, min_exponent: -149, flush: true,  nan: 0x7fff_ffff, widen: |code| code };
#[rustfmt::skip]
const HALF: FloatRules =   FloatRules { texel_bits: 14, group_bits: 15, precision: 11, min_exponent: -24,  flush: false, nan: 0x7fff_e000, widen: |code| f16_to_f32(code as u16) };

/// f32 and f16 texels.
fn float(groups: &[Group], rules: &FloatRules) -> u32 {
    let values: Vec<Vec<(f32, u32)>> = groups
        .iter()
        .map(|group| group.iter().map(|t| (texel_value(t.code, rules), t.weight)).collect())
        .collect();
    let all = || values.iter().flatten();
    if all().any(|(x, _)| !x.is_finite()) {
        return plain_sum(all().copied(), rules);
    }
    if all().all(|(x, _)| x.to_bits() == 0x8000_0000) {
        return 0x8000_0000;
    }
    let exponents: Vec<Option<i32>> = values.iter().map(|group| largest_exponent(group)).collect();
    // All texels are zeros: so is the sum.
    let Some(largest) = exponents.iter().flatten().copied().max() else {
        return 0;
    };
    let mut total = 0;
    for (group, exponent) in values.iter().zip(exponents) {
        // A group of zeros adds nothing.
        let Some(exponent) = exponent else { continue };
        let unit = exponent - rules.texel_bits;
        let sum = group.iter().map(|&(x, w)| truncate(x, unit) * i128::from(w)).sum();
        total += floor_to(sum, unit, largest - rules.group_bits);
    }
    // The weights are in 1/256.
    round_to_float(total, largest - rules.group_bits - 8, rules)
}

/// A texel as the filter sees it: a subnormal f32 reads as a zero of its sign.
fn texel_value(code: u32, rules: &FloatRules) -> f32 {
    let x = f32::from_bits((rules.widen)(code));
    if rules.flush && x.is_subnormal() { 0.0_f32.copysign(x) } else { x }
}

/// Infinities and NaNs: plain arithmetic.
fn plain_sum(values: impl Iterator<Item = (f32, u32)>, rules: &FloatRules) -> u32 {
    // In f64 no product of finite texels overflows, and what is finite does not matter.
    let total: f64 = values.map(|(x, w)| f64::from(x) * f64::from(w)).sum();
    if total.is_nan() { rules.nan } else { (total as f32).to_bits() }
}

/// |x| = significand * 2^exponent, exactly.
fn decompose(x: f32) -> (i128, i32) {
    let bits = x.to_bits();
    let fraction = i128::from(bits & 0x007f_ffff);
    match (bits >> 23 & 0xff) as i32 {
        0 => (fraction, -149),
        exponent => (fraction | 0x0080_0000, exponent - 150),
    }
}

/// E: the exponent (ilogb) of the largest value; `None` if all are zero.
fn largest_exponent(group: &[(f32, u32)]) -> Option<i32> {
    let exponent = |x| match decompose(x) {
        (0, _) => None,
        (significand, power) => Some(significand.ilog2() as i32 + power),
    };
    group.iter().filter_map(|&(x, _)| exponent(x)).max()
}

/// x in units of 2^unit, cut toward zero.
fn truncate(x: f32, unit: i32) -> i128 {
    let (significand, power) = decompose(x);
    let shift = power - unit;
    let magnitude =
        if shift >= 0 { significand << shift } else { significand >> (-shift).min(127) };
    if x.is_sign_negative() { -magnitude } else { magnitude }
}

/// sum * 2^from in units of 2^to, cut toward minus infinity.
fn floor_to(sum: i128, from: i32, to: i32) -> i128 {
    let shift = from - to;
    if shift >= 0 { sum << shift } else { sum >> (-shift).min(127) }
}

/// total * 2^power as a float of the rules' precision: rounded once, ties away from zero. The
/// result is an f32 in either case.
fn round_to_float(total: i128, power: i32, rules: &FloatRules) -> u32 {
    let magnitude = total.unsigned_abs();
    if magnitude == 0 {
        return 0;
    }
    let top = magnitude.ilog2() as i32 + power;
    let unit = (top - (rules.precision as i32 - 1)).max(rules.min_exponent);
    let shift = unit - power;
    let rounded = match shift {
        ..=0 => magnitude << -shift,
        1..=126 => (magnitude + (1 << (shift - 1))) >> shift,
        _ => 0,
    };
    // At most 24 bits times a power of two that f64 has: exact, and exact in f32 as well.
    let value = (rounded as f64 * 2.0_f64.powi(unit)) as f32;
    let value = if total < 0 { -value } else { value };
    if rules.flush && value.is_subnormal() {
        0.0_f32.copysign(value).to_bits()
    } else {
        value.to_bits()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn group(texels: &[(u32, u32)]) -> Group {
        texels.iter().map(|&(code, weight)| Weighted { code, weight }).collect()
    }

    fn f32s(texels: &[(f32, u32)]) -> u32 {
        let texels: Vec<_> = texels.iter().map(|&(x, w)| (x.to_bits(), w)).collect();
        sum(Reading::F32, &[group(&texels)]).unwrap()
    }

    #[test]
    fn unorm8_counts_in_65535ths() {
        let one = |code| sum(Reading::Unorm { bits: 8 }, &[group(&[(code, 256)])]).unwrap();
        assert_eq!(one(255), 1.0_f32.to_bits());
        assert_eq!(one(128), ((128.0 * 257.0 / 65535.0_f64) as f32).to_bits());
        // 0 and 1 in halves: rhu(257 * 128 / 256) = 129 of 65535.
        let half = sum(Reading::Unorm { bits: 8 }, &[group(&[(0, 128), (1, 128)])]).unwrap();
        assert_eq!(half, (129.0_f32 / 65535.0).to_bits());
    }

    #[test]
    fn snorm_extremes() {
        let one = |channel, code| sum(channel, &[group(&[(code, 256)])]).unwrap();
        for (channel, lowest, above, top) in [
            (Reading::Snorm { bits: 8 }, 0x80, 0x81, 0x7f),
            (Reading::Snorm { bits: 16 }, 0x8000, 0x8001, 0x7fff),
        ] {
            assert_eq!(one(channel, lowest), (-1.0_f32).to_bits(), "{channel:?}");
            assert_eq!(one(channel, above), (-1.0_f32).to_bits(), "{channel:?}");
            assert_eq!(one(channel, top), 1.0_f32.to_bits(), "{channel:?}");
            assert_eq!(one(channel, 0), 0, "{channel:?}");
        }
        // -1 in 16 bits with weight 128: rhu(-1/2) = 0, and a positive zero.
        assert_eq!(sum(Reading::Snorm { bits: 16 }, &[group(&[(0xffff, 128), (0, 128)])]), Some(0));
        // snorm8: S = 256*64, so 16384 + ((257*1024 + 1024) >> 11) = 16513.
        assert_eq!(one(Reading::Snorm { bits: 8 }, 64), (16513.0_f32 / 32767.0).to_bits());
    }

    #[test]
    fn integers_have_no_filtered_form() {
        assert_eq!(sum(Reading::Uint { bits: 32 }, &[]), None);
        assert_eq!(sum(Reading::Sint { bits: 32 }, &[]), None);
    }

    #[test]
    fn floats_are_exact_when_they_can_be() {
        assert_eq!(f32s(&[(1.5, 256)]), 1.5_f32.to_bits());
        assert_eq!(f32s(&[(1.0, 128), (-3.0, 128)]), (-1.0_f32).to_bits());
        assert_eq!(f32s(&[(f32::MAX, 100), (f32::MAX, 156)]), f32::MAX.to_bits());
        assert_eq!(f32s(&[(-f32::MAX, 100), (-f32::MAX, 156)]), (-f32::MAX).to_bits());
    }

    #[test]
    fn small_texels_are_cut_against_the_largest() {
        // 2^-27 of the largest is kept, half of that is cut toward zero.
        let tiny = 2.0_f32.powi(-27);
        assert_eq!(f32s(&[(1.0, 1), (-1.0, 1), (tiny, 254)]), (tiny * 254.0 / 256.0).to_bits());
        assert_eq!(f32s(&[(1.0, 1), (-1.0, 1), (tiny / 2.0, 254)]), 0);
        assert_eq!(f32s(&[(1.0, 1), (-1.0, 1), (-tiny / 2.0, 254)]), 0);
    }

    #[test]
    fn a_smaller_slice_is_floored_against_the_larger() {
        let slices = |a: f32, b: f32| {
            let slice = |x: f32| group(&[(x.to_bits(), 128)]);
            sum(Reading::F32, &[slice(a), slice(b)]).unwrap()
        };
        // The slice at 2^-60 is below every bit of the other: +0 or, floored, one unit of
        // 2^-28 down, which rounds away to the same float or the one below a power of two.
        assert_eq!(slices(1.0, 2.0_f32.powi(-60)), 0.5_f32.to_bits());
        assert_eq!(slices(0.0, -(2.0_f32.powi(-60))), (-(2.0_f32.powi(-61))).to_bits());
        let both = sum(
            Reading::F32,
            &[
                group(&[(1.0_f32.to_bits(), 64), ((-1.0_f32).to_bits(), 64)]),
                group(&[((-(2.0_f32.powi(-60))).to_bits(), 128)]),
            ],
        );
        assert_eq!(both, Some((-(2.0_f32.powi(-36))).to_bits()), "one unit of 2^-28, over 256");
    }

    #[test]
    fn the_same_for_halves() {
        // 1 - 1 in one slice, and -2^-24 in the other: floored to 2^-15, over 256.
        let slices = [group(&[(0x3c00, 64), (0xbc00, 64)]), group(&[(0x8001, 128)])];
        let expected = -(2.0_f32.powi(-23));
        assert_eq!(sum(Reading::F16, &slices), Some(expected.to_bits()));
        // In one footprint the small texel is cut toward zero instead.
        let one = [group(&[(0x3c00, 64), (0xbc00, 64), (0x8001, 128)])];
        assert_eq!(sum(Reading::F16, &one), Some(0));
        // 2^-14 of the largest is kept: 64 * 2^-14 / 256.
        let kept = [group(&[(0x3c00, 96), (0xbc00, 96), (0x0400, 64)])];
        assert_eq!(sum(Reading::F16, &kept), Some(2.0_f32.powi(-16).to_bits()));
    }

    #[test]
    fn ties_go_away_from_zero() {
        // (1 + 2^-23) and 1 in halves: a tie, the even neighbour would be 1.
        let above = 1.0 + f32::EPSILON;
        assert_eq!(f32s(&[(1.0, 128), (above, 128)]), above.to_bits());
        assert_eq!(f32s(&[(-1.0, 128), (-above, 128)]), (-above).to_bits());
        let half = sum(Reading::F16, &[group(&[(0x3c00, 128), (0x3c01, 128)])]).unwrap();
        assert_eq!(half, f16_to_f32(0x3c01));
    }

    #[test]
    fn zeros_and_subnormals() {
        assert_eq!(f32s(&[(-0.0, 100), (-0.0, 156)]), 0x8000_0000);
        assert_eq!(f32s(&[(-0.0, 100), (0.0, 156)]), 0);
        let sub = f32::from_bits(0x007f_ffff);
        assert_eq!(f32s(&[(-sub, 256)]), 0x8000_0000, "a subnormal texel is a zero of its sign");
        assert_eq!(f32s(&[(sub, 256)]), 0);
        // Normal texels whose mean is subnormal: flushed, the sign stays.
        let min = f32::MIN_POSITIVE;
        assert_eq!(f32s(&[(-min, 100), (0.0, 156)]), 0x8000_0000);
        assert_eq!(f32s(&[(min, 256)]), min.to_bits());
        // f16 subnormals are numbers like others.
        let half = |texels: &[(u32, u32)]| sum(Reading::F16, &[group(texels)]).unwrap();
        assert_eq!(half(&[(1, 256)]), f16_to_f32(1));
        assert_eq!(half(&[(0x8000, 256)]), 0x8000_0000);
        assert_eq!(half(&[(2, 128), (0, 128)]), f16_to_f32(1));
    }

    #[test]
    fn infinities_and_nans() {
        let inf = f32::INFINITY;
        assert_eq!(f32s(&[(inf, 1), (-f32::MAX, 255)]), inf.to_bits());
        assert_eq!(f32s(&[(-inf, 1), (0.0, 255)]), (-inf).to_bits());
        assert_eq!(f32s(&[(-inf, 1), (inf, 255)]), 0x7fff_ffff);
        assert_eq!(f32s(&[(f32::from_bits(0xff80_0001), 1), (0.0, 255)]), 0x7fff_ffff);
        let half = |texels: &[(u32, u32)]| sum(Reading::F16, &[group(texels)]).unwrap();
        assert_eq!(half(&[(0x7c01, 256)]), 0x7fff_e000);
        assert_eq!(half(&[(0xfc00, 1), (0, 255)]), 0xff80_0000);
    }
}
