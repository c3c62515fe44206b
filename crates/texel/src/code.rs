//! Bytes, codes and values.

use crate::format::{Channel, Format};
use crate::half::f16_to_f32;

/// The codes of a texel from its bytes (little endian); a channel the format lacks is 0.
/// `bytes` are at least [`Format::texel_size`]; more are ignored, fewer give `None`.
pub fn unpack(format: Format, bytes: &[u8]) -> Option<[u32; 4]> {
    let size = format.channel().size() as usize;
    let texel = bytes.get(..format.texel_size() as usize)?;
    let mut codes = [0; 4];
    for (code, channel) in codes.iter_mut().zip(texel.chunks_exact(size)) {
        *code = channel.iter().rev().fold(0, |code, &byte| code << 8 | u32::from(byte));
    }
    Some(codes)
}

/// The bytes of a texel from its codes: the first [`Format::texel_size`] of the result count. Bits
/// of a code above its channel's width are dropped.
pub fn pack(format: Format, codes: [u32; 4]) -> [u8; 16] {
    let size = format.channel().size() as usize;
    let mut bytes = [0; 16];
    let channels = bytes.chunks_exact_mut(size).zip(codes).take(format.channels().into());
    for (channel, code) in channels {
        channel.copy_from_slice(&code.to_le_bytes()[..size]);
    }
    bytes
}

/// A code as a signed number, by its channel's width.
pub fn sign_extend(channel: Channel, code: u32) -> i32 {
    let unused = 32 - 8 * channel.size();
    (code << unused) as i32 >> unused
}

/// Whether the channel can be read as a normalized float: 8 and 16-bit integers can.
pub fn is_normalizable(channel: Channel) -> bool {
    matches!(channel, Channel::U8 | Channel::S8 | Channel::U16 | Channel::S16)
}

/// Bits that hold the magnitude of a normalized code: 8 or 16 unsigned, 7 or 15 signed; `None`
/// for a channel that has no normalized form.
pub fn magnitude_bits(channel: Channel) -> Option<u32> {
    match channel {
        Channel::U8 => Some(8),
        Channel::S8 => Some(7),
        Channel::U16 => Some(16),
        Channel::S16 => Some(15),
        Channel::U32 | Channel::S32 | Channel::F16 | Channel::F32 => None,
    }
}

/// What a point-sampled fetch returns for a code read as an element (docs/numerics.md 2,
/// "point-sampled values"): integers zero or sign-extended, f16 widened with its NaN payload, f32
/// bits as they are.
pub fn element(channel: Channel, code: u32) -> u32 {
    match channel {
        Channel::U8 | Channel::U16 => code & ((1 << (8 * channel.size())) - 1),
        Channel::S8 | Channel::S16 => sign_extend(channel, code) as u32,
        Channel::U32 | Channel::S32 | Channel::F32 => code,
        Channel::F16 => f16_to_f32(code as u16),
    }
}

/// What a point-sampled fetch returns for a code read as a normalized float: f32(c / (2^m - 1)),
/// the lowest signed code counting as the one above. `None` for a channel without such a form.
pub fn normalized(channel: Channel, code: u32) -> Option<u32> {
    let max = (1_i32 << magnitude_bits(channel)?) - 1;
    let value = match channel {
        Channel::U8 | Channel::U16 => element(channel, code) as i32,
        _ => sign_extend(channel, code).max(-max),
    };
    // Both are small integers, so the f32 division is the exact quotient rounded once.
    Some((value as f32 / max as f32).to_bits())
}

/// [`element`] of the four codes of a texel; a channel the format lacks reads 0.
pub fn element_texel(format: Format, codes: [u32; 4]) -> [u32; 4] {
    per_channel(format, codes, |code| element(format.channel(), code))
}

/// [`normalized`] of the four codes of a texel; a channel the format lacks reads 0. `None` for a
/// format that has no normalized form.
pub fn normalized_texel(format: Format, codes: [u32; 4]) -> Option<[u32; 4]> {
    magnitude_bits(format.channel())?;
    Some(per_channel(format, codes, |code| normalized(format.channel(), code).unwrap_or(0)))
}

fn per_channel(format: Format, codes: [u32; 4], f: impl Fn(u32) -> u32) -> [u32; 4] {
    std::array::from_fn(|c| if c < format.channels().into() { f(codes[c]) } else { 0 })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn format(name: &str) -> Format {
        Format::from_name(name).unwrap()
    }

    #[test]
    fn unpack_and_pack_invert_each_other_in_every_format() {
        let bytes: Vec<u8> = (0..16_u8).map(|i| 0xf0 ^ i.wrapping_mul(37)).collect();
        for name in Format::names() {
            let f = format(&name);
            let codes = unpack(f, &bytes).unwrap();
            let size = f.texel_size() as usize;
            assert_eq!(pack(f, codes)[..size], bytes[..size], "{name}");
            assert!(pack(f, codes)[size..].iter().all(|&b| b == 0), "{name}");
            assert!(codes[usize::from(f.channels())..].iter().all(|&c| c == 0), "{name}");
            assert_eq!(unpack(f, &bytes[..size - 1]), None, "{name}");
        }
        assert_eq!(unpack(format("u16x2"), &[1, 2, 3, 4]).unwrap(), [0x201, 0x403, 0, 0]);
    }

    #[test]
    fn elements() {
        assert_eq!(element_texel(format("u8x4"), [0x80, 255, 0, 1]), [0x80, 255, 0, 1]);
        assert_eq!(
            element_texel(format("s8x2"), [0x80, 0x7f, 5, 5]),
            [0xffff_ff80, 0x7f, 0, 0],
            "the third and fourth channel do not exist"
        );
        assert_eq!(element(Channel::S16, 0x8000), 0xffff_8000);
        assert_eq!(element(Channel::U16, 0x1_ffff), 0xffff);
        assert_eq!(element(Channel::S32, 0x8000_0000), 0x8000_0000);
        assert_eq!(element(Channel::F16, 0x7c01), 0x7f80_2000);
        assert_eq!(element(Channel::F16, 0x0001), 0x3380_0000);
        assert_eq!(element(Channel::F32, 0x7f80_0001), 0x7f80_0001);
        assert_eq!(element(Channel::F32, 1), 1, "subnormals are not flushed");
    }

    #[test]
    fn normalized_values_and_extremes() {
        let f = |channel, code| normalized(channel, code).map(f32::from_bits);
        assert_eq!(f(Channel::U8, 255), Some(1.0));
        assert_eq!(f(Channel::U8, 128), Some((128.0_f64 / 255.0) as f32));
        assert_eq!(f(Channel::U16, 0xffff), Some(1.0));
        assert_eq!(f(Channel::S8, 0x80), Some(-1.0));
        assert_eq!(f(Channel::S8, 0x81), Some(-1.0));
        assert_eq!(f(Channel::S8, 0x7f), Some(1.0));
        assert_eq!(f(Channel::S16, 0x8000), Some(-1.0));
        assert_eq!(f(Channel::S16, 0xffff), Some((-1.0_f64 / 32767.0) as f32));
        assert_eq!(normalized(Channel::S16, 0), Some(0));
        for channel in [Channel::U32, Channel::S32, Channel::F16, Channel::F32] {
            assert_eq!(normalized(channel, 1), None);
            assert!(!is_normalizable(channel));
        }
        assert_eq!(normalized_texel(format("f16x4"), [0; 4]), None);
        let one = 1.0_f32.to_bits();
        assert_eq!(normalized_texel(format("u8"), [255, 255, 255, 255]), Some([one, 0, 0, 0]));
    }

    #[test]
    fn normalized_is_the_quotient_rounded_once() {
        for code in 0..=0xffff_u32 {
            let exact = f64::from(code) / 65535.0;
            // 16 bits over 16 bits in f64 is never within half an f64 ulp of an f32 tie.
            assert_eq!(normalized(Channel::U16, code), Some((exact as f32).to_bits()));
        }
    }
}
