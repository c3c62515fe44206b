//! Formatted surface stores (`sust.p`): converts register values to codes (docs/numerics.md 10).

use crate::format::{Channel, Encoding, Format};
use crate::half::f32_to_f16_toward_zero;
use crate::reading::normalized_code;

/// The codes that `sust.p` writes for the first `supplied` (1, 2 or 4) of four registers. A channel
/// that is not supplied is written as 0; channels that the format lacks are not written.
///
/// `None` for formats without formatted stores: block-compressed and depth formats.
#[inline]
pub fn store_codes(format: Format, values: [u32; 4], supplied: u8) -> Option<[u32; 4]> {
    let count = usize::from(supplied.min(format.channels()));
    let codes = match format.kind() {
        Encoding::Plain(channel) => match channel {
            Channel::U8 => values.map(|value| value.min(0xff)),
            Channel::U16 => values.map(|value| value.min(0xffff)),
            Channel::S8 => values.map(|value| (value as i32).clamp(-0x80, 0x7f) as u32 & 0xff),
            Channel::S16 => {
                values.map(|value| (value as i32).clamp(-0x8000, 0x7fff) as u32 & 0xffff)
            }
            Channel::U32 | Channel::S32 | Channel::F32 => values,
            Channel::F16 => values.map(|value| f32_to_f16_toward_zero(value).into()),
        },
        Encoding::Normalized(channel) => match channel {
            Channel::U8 => values.map(|value| normalized_code(8, 0.0, value)),
            Channel::U16 => values.map(|value| normalized_code(16, 0.0, value)),
            Channel::S8 => values.map(|value| normalized_code(7, -1.0, value) & 0xff),
            Channel::S16 => values.map(|value| normalized_code(15, -1.0, value) & 0xffff),
            Channel::U32 | Channel::S32 | Channel::F16 | Channel::F32 => return None,
        },
        Encoding::Rgb10a2 => {
            let [r, g, b, a] = values;
            let [r, g, b] = [r, g, b].map(|value| normalized_code(10, 0.0, value));
            [r, g, b, two_bits(a)]
        }
        Encoding::Block(_) | Encoding::Depth(_) | Encoding::DepthFloat => return None,
    };
    Some(std::array::from_fn(|c| if c < count { codes[c] } else { 0 }))
}

/// The two bits of w in 10:10:10:2, from a code of ten bits (rule 10.8).
#[inline(always)]
fn two_bits(value: u32) -> u32 {
    ((normalized_code(10, 0.0, value) >> 6) + 2) / 5
}

#[cfg(test)]
mod tests {
    use super::*;

    fn store(name: &str, values: [u32; 4], supplied: u8) -> Option<[u32; 4]> {
        store_codes(Format::from_name(name).unwrap(), values, supplied)
    }

    fn floats(name: &str, values: [f32; 4]) -> [u32; 4] {
        store(name, values.map(f32::to_bits), 4).unwrap()
    }

    #[test]
    fn integers_are_clamped_to_the_channel() {
        let values = [0xff, 0x100, 0xffff_ffff, 0x7fff_ffff];
        assert_eq!(store("u8x4", values, 4), Some([255; 4]));
        assert_eq!(store("u16x4", values, 4), Some([0xff, 0x100, 0xffff, 0xffff]));
        assert_eq!(store("u32x4", values, 4), Some(values));
        assert_eq!(store("s8x4", values, 4), Some([0x7f, 0x7f, 0xff, 0x7f]));
        assert_eq!(store("s8x2", [0x8000_0000, 0xffff_ff80, 0, 0], 2), Some([0x80, 0x80, 0, 0]));
        assert_eq!(store("s16", [0x8000_0000, 0, 0, 0], 1), Some([0x8000, 0, 0, 0]));
        assert_eq!(store("s32", [0x8000_0000, 0, 0, 0], 1), Some([0x8000_0000, 0, 0, 0]));
    }

    #[test]
    fn floats_keep_bits_or_are_cut_to_halves() {
        let values = [0x477f_f000, 0x7f80_0001, 0xff80_0000, 1];
        assert_eq!(store("f32x4", values, 4), Some(values));
        assert_eq!(store("f16x4", values, 4), Some([0x7bff, 0x7c01, 0xfc00, 0]));
    }

    #[test]
    fn fractions_are_clamped_and_rounded() {
        assert_eq!(floats("unorm8x4", [0.5, 2.0, -1.0, f32::NAN]), [127, 255, 0, 0]);
        assert_eq!(floats("snorm8x4", [0.5, -2.0, -0.5, f32::NAN]), [0x3f, 0x81, 0xc1, 0]);
        assert_eq!(floats("unorm16x2", [0.5, 1.0, 1.0, 1.0]), [0x7fff, 0xffff, 0, 0]);
        assert_eq!(floats("snorm16", [-1.0, 1.0, 1.0, 1.0]), [0x8001, 0, 0, 0]);
        assert_eq!(floats("rgb10a2", [1.0, 0.5, 0.0, 1.0]), [1023, 511, 0, 3]);
    }

    #[test]
    fn the_two_bits_of_alpha_change_at_three_codes_of_ten() {
        let code = |k: u32| (k as f32 + 0.25) / 1023.0;
        for (k, wanted) in [(191, 0), (192, 1), (511, 1), (512, 2), (831, 2), (832, 3)] {
            assert_eq!(floats("rgb10a2", [0.0, 0.0, 0.0, code(k)])[3], wanted, "{k}");
        }
    }

    #[test]
    fn what_is_not_supplied_is_zero() {
        for (supplied, expected) in [(1, [7, 0, 0, 0]), (2, [7, 7, 0, 0]), (4, [7; 4])] {
            assert_eq!(store("u8x4", [7; 4], supplied), Some(expected));
        }
        assert_eq!(store("u8x2", [7; 4], 4), Some([7, 7, 0, 0]), "and what there is not, too");
    }

    #[test]
    fn formats_without_a_store() {
        for f in Format::all() {
            let storable = !f.is_block() && !f.is_depth();
            assert_eq!(store_codes(f, [0; 4], 4).is_some(), storable, "{f}");
        }
    }
}
