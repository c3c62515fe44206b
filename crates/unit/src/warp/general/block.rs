//! Decoded blocks of block-compressed formats.

use texunit_texel::{Format, decode_block};

/// Blocks that were decoded last, by their bytes: what is kept is right for ever, whoever writes
/// to the memory they came from.
#[derive(Clone, Debug)]
pub(super) struct Blocks(Box<[Decoded]>);

#[derive(Clone, Debug)]
struct Decoded {
    format: Option<Format>,
    bytes: [u64; 2],
    texels: [[u32; 4]; 16],
}

/// A warp's footprints seldom touch more.
const BLOCKS: usize = 64;

impl Blocks {
    pub(super) fn new() -> Self {
        let none = Decoded { format: None, bytes: [0; 2], texels: [[0; 4]; 16] };
        Self(vec![none; BLOCKS].into_boxed_slice())
    }

    /// The texels of a block of these bytes (little endian), row by row.
    pub(super) fn texels(&mut self, format: Format, bytes: [u64; 2]) -> &[[u32; 4]; 16] {
        let mixed = (bytes[0] ^ bytes[1].rotate_left(29)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let block = &mut self.0[(mixed >> 32) as usize % BLOCKS];
        if block.format != Some(format) || block.bytes != bytes {
            let mut all = [0; 16];
            all[..8].copy_from_slice(&bytes[0].to_le_bytes());
            all[8..].copy_from_slice(&bytes[1].to_le_bytes());
            // Only formats without blocks have no texels.
            block.texels = decode_block(format, &all).unwrap_or_default();
            block.bytes = bytes;
            block.format = Some(format);
        }
        &block.texels
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_block_is_decoded_anew_for_other_bytes_and_formats() {
        let mut blocks = Blocks::new();
        for name in ["bc1", "bc4", "bc7", "bc6h", "bc3"] {
            let format = Format::from_name(name).unwrap();
            for i in 0..1000_u64 {
                let word = i.wrapping_mul(0x2545_f491_4f6c_dd1d);
                let second = if format.texel_size() == 16 { !word } else { 0 };
                let mut bytes = word.to_le_bytes().to_vec();
                bytes.extend(second.to_le_bytes());
                let wanted = decode_block(format, &bytes).unwrap();
                assert_eq!(*blocks.texels(format, [word, second]), wanted, "{name}");
                assert_eq!(*blocks.texels(format, [word, second]), wanted, "{name}, kept");
            }
        }
        for format in Format::all().filter(|f| f.is_block()) {
            let wanted = decode_block(format, &[0x5a; 16]).unwrap();
            assert_eq!(*blocks.texels(format, [0x5a5a_5a5a_5a5a_5a5a; 2]), wanted, "{format}");
        }
    }
}
