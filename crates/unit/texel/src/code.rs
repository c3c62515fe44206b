//! Conversion between the bytes of a texel and the codes of its channels.

use crate::format::{Encoding, Format};

/// Extracts the codes of a texel from its bytes (little endian); 0 for a channel that the format
/// lacks. Uses the first [`Format::texel_size`] bytes. Returns `None` if there are fewer, and for
/// block-compressed formats.
pub fn unpack(format: Format, bytes: &[u8]) -> Option<[u32; 4]> {
    let element = bytes.get(..format.texel_size() as usize)?;
    match format.kind() {
        Encoding::Plain(channel) | Encoding::Normalized(channel) => {
            let mut codes = [0; 4];
            for (code, bytes) in codes.iter_mut().zip(element.chunks_exact(channel.size() as usize))
            {
                *code = number(bytes);
            }
            Some(codes)
        }
        Encoding::Rgb10a2 => {
            let word = number(element);
            Some([word & 0x3ff, word >> 10 & 0x3ff, word >> 20 & 0x3ff, word >> 30])
        }
        Encoding::Depth(24) => Some([number(element) & 0x00ff_ffff, 0, 0, 0]),
        Encoding::Depth(_) | Encoding::DepthFloat => Some([number(element), 0, 0, 0]),
        Encoding::Block(_) => None,
    }
}

/// A little-endian number of at most four bytes.
fn number(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u32::from(byte))
}

/// Packs codes to the bytes of a texel; the first [`Format::texel_size`] bytes of the result are
/// valid. Bits of a code above its channel's width are dropped. A block-compressed format has no
/// bytes for a single texel, so the result is zeros.
#[inline]
pub fn pack(format: Format, codes: [u32; 4]) -> [u8; 16] {
    let mut bytes = [0; 16];
    let size = match format.kind() {
        Encoding::Plain(channel) | Encoding::Normalized(channel) => channel.size() as usize,
        Encoding::Rgb10a2 => {
            let [r, g, b, a] = codes;
            let word = r & 0x3ff | (g & 0x3ff) << 10 | (b & 0x3ff) << 20 | a << 30;
            bytes[..4].copy_from_slice(&word.to_le_bytes());
            return bytes;
        }
        Encoding::Depth(16) => 2,
        Encoding::Depth(_) => 3,
        Encoding::DepthFloat => 4,
        Encoding::Block(_) => return bytes,
    };
    let bits = 8 * size;
    let channels = codes.into_iter().take(format.channels().into()).rev();
    let add = |all: u128, code| all << bits | u128::from(code & (u32::MAX >> (32 - bits)));
    channels.fold(0, add).to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unpack_and_pack_invert_each_other_in_every_format_without_blocks() {
        let bytes: Vec<u8> = (0..16_u8).map(|i| 0xf0 ^ i.wrapping_mul(37)).collect();
        for f in Format::all() {
            let size = f.texel_size() as usize;
            assert_eq!(unpack(f, &bytes[..size - 1]), None, "{f}");
            let Some(codes) = unpack(f, &bytes) else {
                assert!(f.is_block(), "{f}");
                assert_eq!(pack(f, [1; 4]), [0; 16], "{f}");
                continue;
            };
            // The top byte of a 24-bit depth is unused.
            let used = if f.name() == "depth24" { 3 } else { size };
            assert_eq!(pack(f, codes)[..used], bytes[..used], "{f}");
            assert!(pack(f, codes)[used..].iter().all(|&b| b == 0), "{f}");
            assert!(codes[usize::from(f.channels())..].iter().all(|&c| c == 0), "{f}");
        }
    }

    #[test]
    fn where_the_channels_are() {
        let format = |name| Format::from_name(name).unwrap();
        assert_eq!(unpack(format("u16x2"), &[1, 2, 3, 4]), Some([0x201, 0x403, 0, 0]));
        let packed = pack(format("rgb10a2"), [0x3ff, 0x400 | 1, 2, 3]);
        assert_eq!(packed[..5], [0xff, 0x07, 0x20, 0xc0, 0], "bits above a channel are dropped");
        assert_eq!(unpack(format("rgb10a2"), &packed), Some([0x3ff, 1, 2, 3]));
        assert_eq!(unpack(format("depth24"), &[1, 2, 3, 4]), Some([0x03_0201, 0, 0, 0]));
    }
}
