//! From values to codes, for files and tests. These are conversions of ours, chosen to invert
//! the decoders; the texture unit itself never encodes but for border colours.

use crate::code::{element, is_normalizable, magnitude_bits};
use crate::format::Channel;
use crate::half::f32_to_f16;

/// The code of an element value as a fetch returns it (32 bits): integers keep their low bits, an
/// f32 for an f16 channel is rounded to nearest even unless a half widens to just these bits.
pub fn encode_element(channel: Channel, value: u32) -> u32 {
    match channel {
        Channel::F16 => {
            // A signalling NaN survives: its payload is in the bits that a half has.
            let cut = value >> 16 & 0x8000 | value >> 13 & 0x3ff | 0x7c00;
            if element(channel, cut) == value { cut } else { f32_to_f16(value).into() }
        }
        _ => value & u32::MAX >> (32 - 8 * channel.size()),
    }
}

/// The code nearest to a number in [0, 1] or [-1, 1]; numbers outside are clamped, NaN gives 0.
/// `None` for a channel without a normalized form.
pub fn encode_normalized(channel: Channel, value: f32) -> Option<u32> {
    let max = f64::from((1_u32 << magnitude_bits(channel)?) - 1);
    let low = if matches!(channel, Channel::S8 | Channel::S16) { -1.0 } else { 0.0 };
    let value = if value.is_nan() { 0.0 } else { f64::from(value).clamp(low, 1.0) };
    Some((value * max).round() as i32 as u32 & u32::MAX >> (32 - 8 * channel.size()))
}

/// The code for a number, as a picture or an array of floats stores it: normalized where
/// `normalized` asks for it and the channel has that form, else the nearest integer in range
/// (ties away from zero, NaN 0) or the float itself.
pub fn encode_f32(channel: Channel, normalized: bool, value: f32) -> u32 {
    if normalized && is_normalizable(channel) {
        return encode_normalized(channel, value).unwrap_or(0);
    }
    let rounded = f64::from(value).round();
    match channel {
        Channel::F32 => value.to_bits(),
        Channel::F16 => encode_element(channel, value.to_bits()),
        // `as` saturates and takes NaN to 0.
        Channel::U8 => (rounded as u8).into(),
        Channel::U16 => (rounded as u16).into(),
        Channel::U32 => rounded as u32,
        Channel::S8 => (rounded as i8 as u8).into(),
        Channel::S16 => (rounded as i16 as u16).into(),
        Channel::S32 => rounded as i32 as u32,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::code::normalized;

    #[test]
    fn normalized_round_trip() {
        for channel in [Channel::U8, Channel::S8, Channel::U16, Channel::S16] {
            for code in 0..1_u32 << (8 * channel.size()) {
                let value = f32::from_bits(normalized(channel, code).unwrap());
                let back = encode_normalized(channel, value).unwrap();
                assert_eq!(normalized(channel, back), normalized(channel, code));
            }
            assert_eq!(encode_normalized(channel, f32::NAN), Some(0));
        }
        assert_eq!(encode_normalized(Channel::F16, 0.5), None);
        assert_eq!(encode_normalized(Channel::S8, -9.0), Some(0x81));
    }

    #[test]
    fn element_round_trip() {
        for code in 0..=0xffff_u32 {
            for channel in [Channel::U16, Channel::S16, Channel::F16] {
                assert_eq!(encode_element(channel, element(channel, code)), code, "{channel:?}");
            }
        }
        assert_eq!(encode_element(Channel::F16, 1.000_1_f32.to_bits()), 0x3c00);
    }

    #[test]
    fn numbers_saturate() {
        assert_eq!(encode_f32(Channel::U8, false, 300.0), 255);
        assert_eq!(encode_f32(Channel::U8, false, 2.5), 3);
        assert_eq!(encode_f32(Channel::U8, true, 0.5), 128);
        assert_eq!(encode_f32(Channel::S8, false, -300.0), 0x80);
        assert_eq!(encode_f32(Channel::S32, false, f32::NAN), 0);
        assert_eq!(encode_f32(Channel::U32, true, 1e10), u32::MAX);
        assert_eq!(encode_f32(Channel::F16, false, 1.0), 0x3c00);
        assert_eq!(encode_f32(Channel::F32, true, 0.25), 0x3e80_0000);
    }
}
