//! Border colours: converted to the texture's format first, then used like any texel
//! (docs/numerics.md 6).

use crate::code::magnitude_bits;
use crate::format::{Channel, Format};
use crate::half::f32_to_f16_toward_zero;

/// The code of a channel that an f32 of a border colour (its bits) stands for. `normalized` says
/// how the texture reads its texels; it has no meaning for channels without a normalized form.
pub fn border_code(channel: Channel, normalized: bool, bits: u32) -> u32 {
    match (channel, magnitude_bits(channel)) {
        (Channel::F32, _) => bits,
        (Channel::F16, _) => f32_to_f16_toward_zero(bits).into(),
        (_, Some(m)) if normalized => normalized_border(channel, m, bits),
        // An integer read as an integer: the low bits of the float.
        _ => bits & u32::MAX >> (32 - 8 * channel.size()),
    }
}

/// Clamps, cuts to `m + 4` fractional bits and scales with a rounding that is not quite to
/// nearest: 0.5 on 8 bits is 127.
fn normalized_border(channel: Channel, m: u32, bits: u32) -> u32 {
    let x = f32::from_bits(bits);
    let signed = matches!(channel, Channel::S8 | Channel::S16);
    let x = if x.is_nan() { 0.0 } else { x.clamp(if signed { -1.0 } else { 0.0 }, 1.0) };
    // Scaling by a power of two is exact, `as` truncates.
    let v = (x * (1_u32 << (m + 4)) as f32) as i64;
    let code = (v.abs() * ((1 << m) - 1) + (1 << (m + 3)) - 1) >> (m + 4);
    let code = if v < 0 { -code } else { code };
    code as u32 & u32::MAX >> (32 - 8 * channel.size())
}

/// [`border_code`] of all four channels; a channel the format lacks is 0.
pub fn border_codes(format: Format, normalized: bool, border: [u32; 4]) -> [u32; 4] {
    std::array::from_fn(|c| {
        if c < format.channels().into() {
            border_code(format.channel(), normalized, border[c])
        } else {
            0
        }
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn normalized(channel: Channel, x: f32) -> u32 {
        border_code(channel, true, x.to_bits())
    }

    #[test]
    fn normalized_channels() {
        assert_eq!(normalized(Channel::U8, 0.5), 127);
        assert_eq!(normalized(Channel::U8, 1.0), 255);
        assert_eq!(normalized(Channel::U8, 7.0), 255);
        assert_eq!(normalized(Channel::U8, f32::INFINITY), 255);
        assert_eq!(normalized(Channel::U8, -0.5), 0);
        assert_eq!(normalized(Channel::U8, f32::NAN), 0);
        assert_eq!(normalized(Channel::U8, 1e-30), 0);
        assert_eq!(normalized(Channel::S8, 1.0), 127);
        assert_eq!(normalized(Channel::S8, -1.0), 0x81);
        assert_eq!(normalized(Channel::S8, f32::NEG_INFINITY), 0x81);
        assert_eq!(normalized(Channel::S8, f32::NAN), 0);
        assert_eq!(normalized(Channel::S8, -0.5), 0xc1, "-63, as +0.5 is 63");
        assert_eq!(normalized(Channel::S8, 0.5), 63);
        assert_eq!(normalized(Channel::U16, 1.0), 0xffff);
        assert_eq!(normalized(Channel::S16, -1.0), 0x8001);
    }

    #[test]
    fn floats_keep_their_bits() {
        assert_eq!(border_code(Channel::F32, false, 0x7f80_0001), 0x7f80_0001);
        assert_eq!(border_code(Channel::F16, false, 0x7f80_0001), 0x7c01);
        assert_eq!(border_code(Channel::F16, false, 0x477f_f000), 0x7bff);
    }

    #[test]
    fn integers_take_the_low_bits() {
        let bits = 0x1234_89ab;
        assert_eq!(border_code(Channel::U8, false, bits), 0xab);
        assert_eq!(border_code(Channel::S8, false, bits), 0xab, "extended when it is read");
        assert_eq!(border_code(Channel::U16, false, bits), 0x89ab);
        assert_eq!(border_code(Channel::S32, false, bits), bits);
        let format = Format::from_name("u8x2").unwrap();
        assert_eq!(border_codes(format, false, [bits; 4]), [0xab, 0xab, 0, 0]);
    }
}
