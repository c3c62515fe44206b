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
pub(crate) fn integer_sum(reading: Reading, groups: &[Group], scale: Scale) -> Option<IntegerSum> {
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
    use super::super::steps::{hexadecimal, number, reading};
    use super::super::weights::Weighted;
    use super::*;

    fn texel(reading: Reading, text: &str) -> Weighted {
        let (code, weight) = text.split_once('@').unwrap();
        let code = hexadecimal(code).unwrap_or_else(|| match reading {
            Reading::F32 => number(code).to_bits(),
            _ => code.parse().unwrap(),
        });
        Weighted { code, weight: weight.parse().unwrap_or(0), read: weight != "unread" }
    }

    #[test]
    fn sums() {
        let file = include_str!("../../tests/sums.txt");
        for line in file.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let (texels, wanted) = line.split_once(" = ").unwrap();
            let (name, texels) = texels.split_once(' ').unwrap();
            let taps = texels.strip_prefix("taps=").and_then(|texels| texels.split_once(' '));
            let (scale, texels) = taps.map_or((0, texels), |(n, t)| (n.parse().unwrap(), t));
            let reading = reading(name);
            let slices = texels.split(" | ");
            let slices: Vec<Vec<_>> =
                slices.map(|slice| slice.split(' ').map(|t| texel(reading, t)).collect()).collect();
            let groups: Vec<_> = slices.iter().map(|texels| Group { texels, step: 0 }).collect();
            let wanted = hexadecimal(wanted).unwrap_or_else(|| number(wanted).to_bits());
            assert_eq!(sum(reading, &groups, scale), wanted, "{line}");
        }
    }

    #[test]
    fn packed_formats_widen_by_repetition() {
        assert_eq!([0, 1, 2, 3].map(|c| widen_unorm(2, c)), [0, 0x5555, 0xaaaa, 0xffff]);
        assert_eq!([0, 1, 0x3ff].map(|c| widen_unorm(10, c)), [0, 0x40, 0xffff]);
        assert_eq!(widen_unorm(10, 0x200), 0x8020);
    }

    #[test]
    fn a_single_depth_of_24_bits_is_what_it_is() {
        let reading = Reading::Unorm { bits: 24 };
        for code in (1..1 << 24).step_by(4099) {
            let texels = [Weighted { code, weight: 256, read: true }];
            let depth = sum(reading, &[Group { texels: &texels, step: 0 }], 0);
            assert_eq!(depth, reading.point(code), "{code}");
        }
    }
}
