//! The weighted sum of texels: docs/numerics.md, section 2, "Sums", and section 5. There is one
//! function per format; floats are in `float`.

use super::float;
use super::weights::{Group, Scale};
use texunit_texel::{Reading, sign_extend, srgb_table, widen_unorm};

/// The weighted sum of a channel of integer codes, before its conversion to float.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct IntegerSum {
    /// Sum of weight times code.
    pub(crate) total: i64,
    /// The sum over 256, rounded by the rule of the format.
    pub(crate) k: i64,
    /// The value of `k` that stands for the result 1.
    pub(crate) max: i64,
}

impl IntegerSum {
    /// The result f32(k/max). It is rounded only once, because both numbers are exact as f32.
    pub(crate) fn bits(self) -> u32 {
        (self.k as f32 / self.max as f32).to_bits()
    }
}

/// The result of the filter for a channel: f32 bits, or an integer.
pub(crate) fn sum(reading: Reading, groups: &[Group<'_>], scale: Scale) -> u32 {
    match float::rules(reading) {
        Some(rules) => float::sum(groups, scale, rules),
        None => result(reading, total(reading, groups), scale),
    }
}

/// The number that stands for a code in sums of a channel whose values are not floats.
pub(crate) fn number(reading: Reading, code: u32) -> i64 {
    match reading {
        Reading::Unorm { bits } => widen_unorm(bits, code).into(),
        Reading::Snorm { bits } | Reading::Sint { bits } => sign_extend(bits, code).into(),
        Reading::Uint { .. } => code.into(),
        _ => 0,
    }
}

/// The exact sum of weight times number over all texels. The sum fits, because numbers have at most
/// 32 bits.
pub(crate) fn total(reading: Reading, groups: &[Group<'_>]) -> i64 {
    let totals = groups.iter().map(|g| g.total(|code| number(reading, code).into()));
    totals.sum::<i128>() as i64
}

/// The result for a sum of weight times [`number`].
pub(crate) fn result(reading: Reading, total: i64, scale: Scale) -> u32 {
    match (integer_sum(reading, total, scale), reading) {
        (Some(sum), _) => sum.bits(),
        (None, Reading::Unorm { .. }) => depth24(total, scale),
        (None, Reading::Uint { bits } | Reading::Sint { bits }) => integer(total, bits, scale),
        _ => reading.point(0),
    }
}

/// The sum of a unorm or snorm channel; `None` for unorm of 24 bits and for other channels. For
/// snorm of 8 bits, K is by the hardware's formula that converts the sum of 8-bit codes to a number
/// of 15 bits.
pub(crate) fn integer_sum(reading: Reading, total: i64, scale: Scale) -> Option<IntegerSum> {
    let rounded = (total + (128 << scale)) >> (8 + scale);
    let (k, max) = match reading {
        Reading::Unorm { bits } if bits != 24 => (rounded, 65_535),
        Reading::Snorm { bits: 8 } => {
            ((((2048 * total) >> scale) + 257 * (total >> (4 + scale)) + 1024) >> 11, 32_767)
        }
        Reading::Snorm { .. } => (rounded, 32_767),
        _ => return None,
    };
    Some(IntegerSum { total, k: k.max(-max), max })
}

/// The result for depth of 24 bits: the sum over 2^32, truncated to 24 significant bits, plus one
/// unit in the last place.
pub(crate) fn depth24(total: i64, scale: Scale) -> u32 {
    let Some(top) = total.checked_ilog2() else { return 0 };
    let drop = top as i32 - 23;
    let significand = if drop >= 0 { total >> drop } else { total << -drop };
    let power = f32::from_bits(((127 + drop - 32 - scale as i32) as u32) << 23);
    ((significand + 1) as f32 * power).to_bits()
}

/// The result for integers that are read as integers. 8 and 16 bits round to nearest, halves up; 32
/// bits round down.
fn integer(total: i64, bits: u8, scale: Scale) -> u32 {
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
