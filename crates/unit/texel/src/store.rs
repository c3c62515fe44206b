//! Formatted surface stores (`sust.p`): converts register values to the codes that texels store
//! (docs/numerics.md 10).

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
