//! Sums of float texels: docs/numerics.md, section 2, in exact integers.

use super::fixed::decompose;
use super::weights::{Group, TOTAL_BITS, Weighted};
use texunit_texel::f16_to_f32;

/// The sum's precision for a kind of float texels.
pub(crate) struct FloatRules {
    /// Bits below the largest exponent of a group that its texels keep.
    pub(crate) texel_bits: i32,
    /// Bits below the largest exponent of all groups that a group's sum keeps.
    pub(crate) group_bits: i32,
    /// Significant bits of the result.
    pub(crate) precision: u32,
    /// Exponent of the result's lowest bit, at the least.
    min_exponent: i32,
    /// Whether subnormal texels and results count as zero.
    flush: bool,
    /// What a NaN comes out as.
    nan: u32,
    widen: fn(u32) -> u32,
}

#[rustfmt::skip]
pub(crate) const SINGLE: FloatRules = FloatRules { texel_bits: 27, group_bits: 28, precision: 24, min_exponent: -149, flush: true,  nan: 0x7fff_ffff, widen: |code| code };
#[rustfmt::skip]
pub(crate) const HALF: FloatRules =   FloatRules { texel_bits: 14, group_bits: 15, precision: 11, min_exponent: -24,  flush: false, nan: 0x7fff_e000, widen: |code| f16_to_f32(code as u16) };

/// f32 and f16 texels: groups one by one, then their sum, rounded once.
pub(crate) fn sum(groups: &[Group<'_>], rules: &FloatRules) -> u32 {
    let all = || {
        groups
            .iter()
            .flat_map(|g| g.texels.iter().map(|t| (texel_value(t.code, rules), t.weight * g.tap)))
    };
    if !is_finite(groups, rules) {
        return plain_sum(all(), rules);
    }
    if all().all(|(x, _)| x.to_bits() == 0x8000_0000) {
        return 0x8000_0000;
    }
    // All texels are zeros: so is the sum.
    let Some(largest) = largest_exponent(groups, rules) else {
        return 0;
    };
    let total = groups.iter().map(|g| group_sum(g, largest, rules)).sum();
    round_to_float(total, largest - rules.group_bits - TOTAL_BITS as i32, rules)
}

/// Whether no texel is infinite or NaN.
pub(crate) fn is_finite(groups: &[Group<'_>], rules: &FloatRules) -> bool {
    groups.iter().flat_map(|g| g.texels).all(|t| texel_value(t.code, rules).is_finite())
}

/// Emax: the largest exponent of all groups; `None` if all texels are zero.
pub(crate) fn largest_exponent(groups: &[Group<'_>], rules: &FloatRules) -> Option<i32> {
    groups.iter().filter_map(|g| exponent(g.texels, rules)).max()
}

/// E: the exponent (ilogb) of a group's largest value; `None` if all are zero.
pub(crate) fn exponent(texels: &[Weighted], rules: &FloatRules) -> Option<i32> {
    let exponent = |x| match decompose(x) {
        (0, _) => None,
        (significand, power) => Some(significand.ilog2() as i32 + power),
    };
    texels.iter().filter_map(|t| exponent(texel_value(t.code, rules))).max()
}

/// What a group adds, in units of 2^(Emax - 28), over 2^18. Rule 4.12 (open): several taps weigh sums
/// that have been floored already.
pub(crate) fn group_sum(group: &Group<'_>, largest: i32, rules: &FloatRules) -> i128 {
    // A group of zeros adds nothing.
    let Some(exponent) = exponent(group.texels, rules) else { return 0 };
    let unit = exponent - rules.texel_bits;
    let weighted = |t: &Weighted| truncate(texel_value(t.code, rules), unit) * i128::from(t.weight);
    let sum = group.texels.iter().map(weighted).sum();
    floor_to(sum, unit, largest - rules.group_bits) * i128::from(group.tap)
}

/// A texel as the filter sees it: a subnormal f32 reads as a zero of its sign.
pub(crate) fn texel_value(code: u32, rules: &FloatRules) -> f32 {
    let x = f32::from_bits((rules.widen)(code));
    if rules.flush && x.is_subnormal() { 0.0_f32.copysign(x) } else { x }
}

/// Infinities and NaNs: plain arithmetic.
fn plain_sum(values: impl Iterator<Item = (f32, u32)>, rules: &FloatRules) -> u32 {
    // In f64 no product of finite texels overflows, and what is finite does not matter.
    let total: f64 = values.map(|(x, w)| f64::from(x) * f64::from(w)).sum();
    if total.is_nan() { rules.nan } else { (total as f32).to_bits() }
}

/// x in units of 2^unit, cut toward zero.
fn truncate(x: f32, unit: i32) -> i128 {
    let (significand, power) = decompose(x);
    let (significand, shift) = (i128::from(significand), power - unit);
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
pub(crate) fn round_to_float(total: i128, power: i32, rules: &FloatRules) -> u32 {
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
    use super::super::sum::sum;
    use super::super::weights::ONE_TAP;
    use super::*;
    use texunit_texel::Reading;

    fn group(texels: &[(u32, u32)]) -> Vec<Weighted> {
        texels.iter().map(|&(code, weight)| Weighted { code, weight }).collect()
    }

    fn groups(reading: Reading, groups: &[Vec<Weighted>]) -> Option<u32> {
        let groups: Vec<_> = groups.iter().map(|texels| Group { texels, tap: ONE_TAP }).collect();
        sum(reading, &groups)
    }

    fn f32s(texels: &[(f32, u32)]) -> u32 {
        let texels: Vec<_> = texels.iter().map(|&(x, w)| (x.to_bits(), w)).collect();
        groups(Reading::F32, &[group(&texels)]).unwrap()
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
            groups(Reading::F32, &[slice(a), slice(b)]).unwrap()
        };
        // The slice at 2^-60 is below every bit of the other: +0 or, floored, one unit of
        // 2^-28 down, which rounds away to the same float or the one below a power of two.
        assert_eq!(slices(1.0, 2.0_f32.powi(-60)), 0.5_f32.to_bits());
        assert_eq!(slices(0.0, -(2.0_f32.powi(-60))), (-(2.0_f32.powi(-61))).to_bits());
        let both = groups(
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
        assert_eq!(groups(Reading::F16, &slices), Some(expected.to_bits()));
        // In one footprint the small texel is cut toward zero instead.
        let one = [group(&[(0x3c00, 64), (0xbc00, 64), (0x8001, 128)])];
        assert_eq!(groups(Reading::F16, &one), Some(0));
        // 2^-14 of the largest is kept: 64 * 2^-14 / 256.
        let kept = [group(&[(0x3c00, 96), (0xbc00, 96), (0x0400, 64)])];
        assert_eq!(groups(Reading::F16, &kept), Some(2.0_f32.powi(-16).to_bits()));
    }

    #[test]
    fn ties_go_away_from_zero() {
        // (1 + 2^-23) and 1 in halves: a tie, the even neighbour would be 1.
        let above = 1.0 + f32::EPSILON;
        assert_eq!(f32s(&[(1.0, 128), (above, 128)]), above.to_bits());
        assert_eq!(f32s(&[(-1.0, 128), (-above, 128)]), (-above).to_bits());
        let half = groups(Reading::F16, &[group(&[(0x3c00, 128), (0x3c01, 128)])]).unwrap();
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
        let half = |texels: &[(u32, u32)]| groups(Reading::F16, &[group(texels)]).unwrap();
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
        let half = |texels: &[(u32, u32)]| groups(Reading::F16, &[group(texels)]).unwrap();
        assert_eq!(half(&[(0x7c01, 256)]), 0x7fff_e000);
        assert_eq!(half(&[(0xfc00, 1), (0, 255)]), 0xff80_0000);
    }
}
