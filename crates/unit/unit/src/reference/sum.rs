//! The weighted sum of texels: docs/numerics.md, section 2, "Sums", and section 5. There is one
//! function per format; floats are in `float`.

use super::float::{self, HALF, SINGLE, SRGB};
use super::weights::{Group, Scale, round_half_up};
use texunit_texel::{Reading, sign_extend, srgb_table, widen_unorm};

/// The weighted sum of a channel of integer codes, before its conversion to float.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct IntegerSum {
    /// Sum of weight times code.
    pub(crate) total: i128,
    /// The sum over 256, rounded by the rule of the format.
    pub(crate) k: i128,
    /// The value of `k` that stands for the result 1.
    pub(crate) max: i128,
}

impl IntegerSum {
    /// The result f32(k/max). It is rounded only once, because both numbers are exact as f32.
    pub(crate) fn bits(self) -> u32 {
        (self.k as f32 / self.max as f32).to_bits()
    }
}

/// The result of the filter for a channel: f32 bits, or an integer.
pub(crate) fn sum(reading: Reading, groups: &[Group<'_>], scale: Scale) -> u32 {
    match reading {
        Reading::Missing | Reading::One => reading.point(0),
        Reading::Unorm { bits: 24 } => depth24(total(groups, |code| code.into()), scale),
        Reading::Unorm { bits } => unorm(groups, bits, scale).bits(),
        Reading::Snorm { bits: 8 } => snorm8(groups, scale).bits(),
        Reading::Snorm { bits } => snorm16(groups, bits, scale).bits(),
        Reading::Srgb => float::sum(groups, scale, &SRGB),
        Reading::F16 => float::sum(groups, scale, &HALF),
        Reading::F32 => float::sum(groups, scale, &SINGLE),
        Reading::Uint { bits } => integer(total(groups, |code| code.into()), bits, scale),
        Reading::Sint { bits } => {
            integer(total(groups, |code| sign_extend(bits, code).into()), bits, scale)
        }
    }
}

/// Weighted sum of a unorm or snorm channel; `None` for unorm of 24 bits and for other channels.
pub(crate) fn integer_sum(
    reading: Reading,
    groups: &[Group<'_>],
    scale: Scale,
) -> Option<IntegerSum> {
    Some(match reading {
        Reading::Unorm { bits } if bits != 24 => unorm(groups, bits, scale),
        Reading::Snorm { bits: 8 } => snorm8(groups, scale),
        Reading::Snorm { bits } => snorm16(groups, bits, scale),
        _ => return None,
    })
}

/// The exact sum of weight times number over all texels.
pub(crate) fn total(groups: &[Group<'_>], number: impl Fn(u32) -> i128) -> i128 {
    groups.iter().map(|g| g.total(&number)).sum()
}

/// The sum of a unorm channel: K = rhu(sum/256) over codes widened to 16 bits. The result is
/// f32(K/65535).
fn unorm(groups: &[Group<'_>], bits: u8, scale: Scale) -> IntegerSum {
    let total = total(groups, |code| widen_unorm(bits, code).into());
    IntegerSum { total, k: round_half_up(total, 256 << scale), max: 65_535 }
}

/// Sum of a snorm channel of 16 bits: K = max(rhu(sum/256), -32767). The result is f32(K/32767).
fn snorm16(groups: &[Group<'_>], bits: u8, scale: Scale) -> IntegerSum {
    let total = total(groups, |code| sign_extend(bits, code).into());
    let k = round_half_up(total, 256 << scale).max(-32_767);
    IntegerSum { total, k, max: 32_767 }
}

/// The sum of a snorm channel of 8 bits, by the hardware's formula that converts the sum of 8-bit
/// codes to a number of 15 bits.
fn snorm8(groups: &[Group<'_>], scale: Scale) -> IntegerSum {
    let total = total(groups, |code| sign_extend(8, code).into());
    let k = (((2048 * total) >> scale) + 257 * (total >> (4 + scale)) + 1024) >> 11;
    IntegerSum { total, k: k.max(-32_767), max: 32_767 }
}

/// The result for depth of 24 bits: the sum over 2^32, truncated to 24 significant bits, plus one
/// unit in the last place.
fn depth24(total: i128, scale: Scale) -> u32 {
    let Some(top) = total.checked_ilog2() else { return 0 };
    let drop = top as i32 - 23;
    let significand = if drop >= 0 { total >> drop } else { total << -drop };
    let power = 2.0_f64.powi(drop - 32 - scale as i32);
    (((significand + 1) as f64 * power) as f32).to_bits()
}

/// The result for integers that are read as integers. 8 and 16 bits round to nearest, halves up; 32
/// bits round down.
fn integer(total: i128, bits: u8, scale: Scale) -> u32 {
    let half = if bits < 32 { 128 << scale } else { 0 };
    ((total + half) >> (8 + scale)) as u32
}

/// Rule 5.1 of docs/numerics.md: the decoded value of an sRGB code, in 1/65536.
pub(crate) fn srgb_value(code: u32) -> u32 {
    srgb_table()[code as usize & 0xff]
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::weights::Weighted;
    use super::*;

    fn group(texels: &[(u32, u32)]) -> Vec<Weighted> {
        texels.iter().map(|&(code, weight)| Weighted { code, weight, read: true }).collect()
    }

    fn sum(reading: Reading, groups: &[Vec<Weighted>]) -> Option<u32> {
        let groups: Vec<_> = groups.iter().map(|texels| Group { texels, step: 0 }).collect();
        Some(super::sum(reading, &groups, 0))
    }

    #[test]
    fn unorm8_counts_in_65535ths() {
        let one = |code| sum(Reading::Unorm { bits: 8 }, &[group(&[(code, 256)])]).unwrap();
        assert_eq!(one(255), 1.0_f32.to_bits());
        assert_eq!(one(128), ((128.0 * 257.0 / 65535.0_f64) as f32).to_bits());
        // Codes 0 and 1 with equal weights: rhu(257 * 128 / 256) = 129 of 65535.
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
        // Code -1 of 16 bits with weight 128: rhu(-1/2) = 0, which is a positive zero.
        assert_eq!(sum(Reading::Snorm { bits: 16 }, &[group(&[(0xffff, 128), (0, 128)])]), Some(0));
        // A code 64 of snorm 8: S = 256 * 64, so K = 16384 + ((257 * 1024 + 1024) >> 11) = 16513.
        assert_eq!(one(Reading::Snorm { bits: 8 }, 64), (16513.0_f32 / 32767.0).to_bits());
    }

    #[test]
    fn integers_are_filtered() {
        let halves = |reading, a, b| sum(reading, &[group(&[(a, 128), (b, 128)])]).unwrap();
        assert_eq!(halves(Reading::Uint { bits: 8 }, 1, 2), 2, "a half, up");
        assert_eq!(halves(Reading::Sint { bits: 8 }, 0xff, 0xfe), u32::MAX, "-1.5 up is -1");
        assert_eq!(halves(Reading::Uint { bits: 32 }, 1, 2), 1, "32 bits are cut");
        assert_eq!(halves(Reading::Sint { bits: 32 }, u32::MAX, 0xffff_fffe), 0xffff_fffe);
        assert_eq!(halves(Reading::Uint { bits: 32 }, u32::MAX, u32::MAX), u32::MAX);
    }

    #[test]
    fn packed_formats_widen_by_repetition() {
        assert_eq!([0, 1, 2, 3].map(|c| widen_unorm(2, c)), [0, 0x5555, 0xaaaa, 0xffff]);
        assert_eq!([0, 1, 0x3ff].map(|c| widen_unorm(10, c)), [0, 0x40, 0xffff]);
        assert_eq!(widen_unorm(10, 0x200), 0x8020);
        let ten = sum(Reading::Unorm { bits: 10 }, &[group(&[(0x200, 128), (0, 128)])]);
        assert_eq!(ten, Some((16_400.0_f32 / 65_535.0).to_bits()));
    }

    #[test]
    fn depths_of_24_bits_have_a_unit_more() {
        let depth = |texels: &[_]| sum(Reading::Unorm { bits: 24 }, &[group(texels)]).unwrap();
        let wanted = 255.0 * 128.0 * 2.0_f32.powi(-32);
        assert_eq!(depth(&[(255, 128), (0, 128)]), wanted.to_bits() + 1);
        assert_eq!(depth(&[(0, 256)]), 0);
        for code in (1..1 << 24).step_by(4099) {
            let point = Reading::Unorm { bits: 24 }.point(code);
            assert_eq!(depth(&[(code, 256)]), point, "a single texel is what it is: {code}");
        }
    }

    #[test]
    fn a_channel_the_format_lacks_is_zero_but_alpha_of_blocks_is_one() {
        let texels = [group(&[(7, 100), (9, 156)])];
        assert_eq!(sum(Reading::Missing, &texels), Some(0));
        assert_eq!(sum(Reading::One, &texels), Some(1.0_f32.to_bits()));
    }

    #[test]
    fn srgb_is_cut_in_blocks_of_eight_codes() {
        // A texel that has the whole weight keeps all bits of its value: code 255 gives 1.0.
        assert_eq!(sum(Reading::Srgb, &[group(&[(255, 256)])]), Some(1.0_f32.to_bits()));
        // Code 1 decodes to 20/65536. In a footprint with a texel of value 1, it is truncated to a
        // multiple of 2^(16-7), which is 0.
        let both = sum(Reading::Srgb, &[group(&[(255, 128), (1, 128)])]);
        assert_eq!(both, Some(0.5_f32.to_bits()));
        // In its own footprint, code 1 keeps its value, but the 11 bits of the sum drop it again.
        let separate = sum(Reading::Srgb, &[group(&[(255, 128)]), group(&[(1, 128)])]);
        assert_eq!(separate, Some(0.5_f32.to_bits()));
        // Codes 0 to 7 share the exponent of code 7 (160, 2^7), so that nothing is truncated.
        let low = sum(Reading::Srgb, &[group(&[(1, 128), (0, 128)])]);
        assert_eq!(low, Some((10.0_f32 / 65_536.0).to_bits()));
        // Codes 240 and 247 are in one block of exponent 2^15, and keep multiples of 256.
        let shared = sum(Reading::Srgb, &[group(&[(240, 128), (247, 128)])]);
        assert_eq!(shared, Some((59_008.0_f32 / 65_536.0).to_bits()));
        // In a footprint with code 255, the value 57088 of code 240 is truncated to a multiple of
        // 512: (56832 + 65536) / 2.
        let cut = sum(Reading::Srgb, &[group(&[(240, 128), (255, 128)])]);
        assert_eq!(cut, Some((61_184.0_f32 / 65_536.0).to_bits()));
    }

    #[test]
    fn taps_weigh_in_finer_units() {
        let (a, b) = (group(&[(255, 256)]), group(&[(0, 768)]));
        let groups = [Group { texels: &a, step: 0 }, Group { texels: &b, step: 0 }];
        // With weights 256 and 768 of 1024: rhu(65535 / 4) = 16384.
        let unorm = super::sum(Reading::Unorm { bits: 8 }, &groups, 2);
        assert_eq!(unorm, (16_384.0_f32 / 65_535.0).to_bits());
        let (a, b) = (group(&[(0x7f, 256)]), group(&[(0x80, 256)]));
        let groups = [Group { texels: &a, step: 0 }, Group { texels: &b, step: 0 }];
        // Codes 127 and -128 with weights of 256 of 512: S = 256 * (127 - 128) = -256, so that K =
        // -128 + ((257 * -8 + 1024) >> 11) = -129.
        let snorm = super::sum(Reading::Snorm { bits: 8 }, &groups, 1);
        assert_eq!(snorm, (-129.0_f32 / 32_767.0).to_bits());
        let [one, three] = [1.0_f32, 3.0].map(f32::to_bits);
        let (a, b) = (group(&[(one, 1000)]), group(&[(three, 12), (one, 12)]));
        let groups = [Group { texels: &a, step: 0 }, Group { texels: &b, step: 0 }];
        assert_eq!(super::sum(Reading::F32, &groups, 2), (1048.0_f32 / 1024.0).to_bits());
    }
}
