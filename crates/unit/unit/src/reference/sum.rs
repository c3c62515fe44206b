//! The weighted sum of texels: docs/numerics.md, section 2, "Sum", and section 5. One function a
//! format; floats are in `float`.

use super::float::{self, HALF, SINGLE};
use super::weights::{Group, ONE_TAP, TOTAL_BITS, round_half_up};
use texunit_texel::{Reading, sign_extend, srgb_table};

/// The sum of a channel in integers, before it becomes a float.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct IntegerSum {
    /// Weights times codes, in 1/256 (of several taps: rounded to that).
    pub(crate) total: i128,
    /// What it is rounded to.
    pub(crate) k: i128,
    /// The number that stands for 1.
    pub(crate) max: i128,
}

impl IntegerSum {
    /// f32(k/max), rounded once: both are small integers.
    pub(crate) fn bits(self) -> u32 {
        (self.k as f32 / self.max as f32).to_bits()
    }
}

/// What the filter returns for a channel of this reading: f32 bits. `None` for integers, which
/// have no filtered form.
pub(crate) fn sum(reading: Reading, groups: &[Group<'_>]) -> Option<u32> {
    Some(match reading {
        Reading::Missing | Reading::One => reading.point(0),
        Reading::Unorm { .. } | Reading::Snorm { .. } => integer_sum(reading, groups)?.bits(),
        Reading::Srgb => srgb(groups),
        Reading::F16 => float::sum(groups, &HALF),
        Reading::F32 => float::sum(groups, &SINGLE),
        Reading::Uint { .. } | Reading::Sint { .. } => return None,
    })
}

/// The sum of unorm and snorm channels.
pub(crate) fn integer_sum(reading: Reading, groups: &[Group<'_>]) -> Option<IntegerSum> {
    Some(match reading {
        Reading::Unorm { bits: 24 } => unorm(groups, 24, 0x00ff_ffff),
        Reading::Unorm { bits } => unorm(groups, bits, 65_535),
        Reading::Snorm { bits: 8 } => snorm8(groups),
        Reading::Snorm { bits } => snorm16(groups, bits),
        _ => return None,
    })
}

/// 2, 8, 10 or 16 bits widen to sixteen by repetition; 24 bits stay.
pub(crate) fn widen_unorm(bits: u8, code: u32) -> u32 {
    match bits {
        2 => code * 0x5555,
        8 => code * 0x0101,
        10 => code << 6 | code >> 4,
        _ => code,
    }
}

/// The sum of all groups in 1/256. Of several taps it is rounded to that, ties up (rule 4.12).
fn total(groups: &[Group<'_>], number: impl Fn(u32) -> i128) -> i128 {
    round_half_up(groups.iter().map(|g| g.total(&number)).sum(), i128::from(ONE_TAP))
}

/// K = rhu(sum/256) over codes of 16 bits, then f32(K/65535). Rule 2 (open): 24 bits alike.
fn unorm(groups: &[Group<'_>], bits: u8, max: i128) -> IntegerSum {
    let number = |code| i128::from(widen_unorm(bits, code));
    let exact: i128 = groups.iter().map(|g| g.total(number)).sum();
    let k = round_half_up(exact, 1 << TOTAL_BITS);
    IntegerSum { total: total(groups, number), k, max }
}

/// K = max(rhu(sum/256), -32767), then f32(K/32767).
fn snorm16(groups: &[Group<'_>], bits: u8) -> IntegerSum {
    let number = |code| i128::from(sign_extend(bits, code));
    let exact: i128 = groups.iter().map(|g| g.total(number)).sum();
    let k = round_half_up(exact, 1 << TOTAL_BITS).max(-32_767);
    IntegerSum { total: total(groups, number), k, max: 32_767 }
}

/// The unit's own way from a sum of 8-bit codes to 15 bits.
fn snorm8(groups: &[Group<'_>]) -> IntegerSum {
    let s = total(groups, |code| i128::from(sign_extend(8, code)));
    let k = (s + ((257 * (s >> 4) + 1024) >> 11)).max(-32_767);
    IntegerSum { total: s, k, max: 32_767 }
}

/// Rule 5.2: the lowest bit, as an exponent in units of 1/65536, that the values of a footprint
/// keep. Eight codes in a row share the exponent of the last.
pub(crate) fn srgb_unit(group: &Group<'_>) -> u32 {
    let exponents = group.texels.iter().map(|t| srgb_value(t.code | 7).ilog2());
    exponents.max().unwrap_or(0).saturating_sub(7)
}

/// Rule 5.1: what a code stands for, in 1/65536.
pub(crate) fn srgb_value(code: u32) -> u32 {
    srgb_table()[code as usize & 0xff]
}

/// sRGB codes through their table (rule 5.2): in a footprint every value is cut to eight bits
/// below the largest.
fn srgb(groups: &[Group<'_>]) -> u32 {
    let group_total = |group: &Group<'_>| {
        let unit = srgb_unit(group);
        group.total(|code| i128::from(srgb_value(code) >> unit << unit))
    };
    float::round_to_float(groups.iter().map(group_total).sum(), -16 - TOTAL_BITS as i32, &HALF)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::weights::Weighted;
    use super::*;

    fn group(texels: &[(u32, u32)]) -> Vec<Weighted> {
        texels.iter().map(|&(code, weight)| Weighted { code, weight }).collect()
    }

    fn sum(reading: Reading, groups: &[Vec<Weighted>]) -> Option<u32> {
        let groups: Vec<_> = groups.iter().map(|texels| Group { texels, tap: ONE_TAP }).collect();
        super::sum(reading, &groups)
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
    fn packed_formats_widen_by_repetition() {
        assert_eq!([0, 1, 2, 3].map(|c| widen_unorm(2, c)), [0, 0x5555, 0xaaaa, 0xffff]);
        assert_eq!([0, 1, 0x3ff].map(|c| widen_unorm(10, c)), [0, 0x40, 0xffff]);
        assert_eq!(widen_unorm(10, 0x200), 0x8020);
        let ten = sum(Reading::Unorm { bits: 10 }, &[group(&[(0x200, 128), (0, 128)])]);
        assert_eq!(ten, Some((16_400.0_f32 / 65_535.0).to_bits()));
        // Depth of 24 bits: rhu(255 / 256 * 128) of 2^24 - 1.
        let depth = sum(Reading::Unorm { bits: 24 }, &[group(&[(255, 128), (0, 128)])]);
        assert_eq!(depth, Some((128.0_f32 / 16_777_215.0).to_bits()));
    }

    #[test]
    fn a_channel_the_format_lacks_is_zero_but_alpha_of_blocks_is_one() {
        let texels = [group(&[(7, 100), (9, 156)])];
        assert_eq!(sum(Reading::Missing, &texels), Some(0));
        assert_eq!(sum(Reading::One, &texels), Some(1.0_f32.to_bits()));
    }

    #[test]
    fn srgb_is_cut_in_blocks_of_eight_codes() {
        // Alone, a code keeps all its bits: 255 is 1.
        assert_eq!(sum(Reading::Srgb, &[group(&[(255, 256)])]), Some(1.0_f32.to_bits()));
        // 20/65536 beside 1: cut to a multiple of 2^(16-7) is 0.
        let both = sum(Reading::Srgb, &[group(&[(255, 128), (1, 128)])]);
        assert_eq!(both, Some(0.5_f32.to_bits()));
        // In another footprint it keeps its value; 11 bits of the sum drop it again.
        let apart = sum(Reading::Srgb, &[group(&[(255, 128)]), group(&[(1, 128)])]);
        assert_eq!(apart, Some(0.5_f32.to_bits()));
        // Codes 0 to 7 share the exponent of 7 (160, 2^7): nothing is cut.
        let low = sum(Reading::Srgb, &[group(&[(1, 128), (0, 128)])]);
        assert_eq!(low, Some((10.0_f32 / 65_536.0).to_bits()));
        // 247 and its block have 2^15 and keep multiples of 256: (57088 + 60928) / 2.
        let shared = sum(Reading::Srgb, &[group(&[(240, 128), (247, 128)])]);
        assert_eq!(shared, Some((59_008.0_f32 / 65_536.0).to_bits()));
        // Beside 255, 57088 is cut to a multiple of 512: (56832 + 65536) / 2.
        let cut = sum(Reading::Srgb, &[group(&[(240, 128), (255, 128)])]);
        assert_eq!(cut, Some((61_184.0_f32 / 65_536.0).to_bits()));
    }

    #[test]
    fn taps_weigh_in_1024ths() {
        let (a, b) = (group(&[(255, 256)]), group(&[(0, 256)]));
        let tap = |texels, tap| Group { texels, tap };
        let groups = [tap(&a, 256), tap(&b, 768)];
        let unorm = super::sum(Reading::Unorm { bits: 8 }, &groups);
        // rhu(65535 / 4) = 16384.
        assert_eq!(unorm, Some((16_384.0_f32 / 65_535.0).to_bits()));
        let (a, b) = (group(&[(0x7f, 256)]), group(&[(0x80, 256)]));
        let groups = [tap(&a, 512), tap(&b, 512)];
        let snorm = super::sum(Reading::Snorm { bits: 8 }, &groups);
        // S = rhu(256 * (127 - 128) / 2) = -128: -128 + ((257 * -8 + 1024) >> 11) = -129.
        assert_eq!(snorm, Some((-129.0_f32 / 32_767.0).to_bits()));
        let [one, three] = [1.0_f32, 3.0].map(f32::to_bits);
        let (a, b) = (group(&[(one, 256)]), group(&[(three, 128), (one, 128)]));
        let groups = [tap(&a, 1000), tap(&b, 24)];
        assert_eq!(super::sum(Reading::F32, &groups), Some((1048.0_f32 / 1024.0).to_bits()));
    }
}
