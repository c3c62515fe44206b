//! Decoded blocks of block-compressed formats.

use texunit_texel::{Format, block_codes};

/// Blocks that were decoded last, by their bytes: what is kept is right for ever, whoever writes
/// to the memory they came from.
#[derive(Clone, Debug)]
pub(super) struct Blocks(Box<[Decoded; BLOCKS]>);

#[derive(Clone, Copy, Debug)]
struct Decoded {
    format: Option<Format>,
    bytes: [u64; 2],
    /// Four codes of 16 bits each, the first one lowest.
    texels: [u64; 16],
}

/// Those of a few warps' footprints.
const BLOCKS: usize = 128;

impl Blocks {
    pub(super) fn new() -> Self {
        let none = Decoded { format: None, bytes: [0; 2], texels: [0; 16] };
        Self(Box::new([none; BLOCKS]))
    }

    /// The texels of a block of these bytes (little endian), row by row: four codes of 16 bits
    /// each.
    #[inline(always)]
    pub(super) fn texels(&mut self, format: Format, bytes: [u64; 2]) -> &[u64; 16] {
        let mixed = (bytes[0] ^ bytes[1].rotate_left(29)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let block = &mut self.0[(mixed >> 32) as usize % BLOCKS];
        if block.format != Some(format) || block.bytes != bytes {
            block.decode(format, bytes);
        }
        &block.texels
    }
}

impl Decoded {
    #[inline(never)]
    fn decode(&mut self, format: Format, bytes: [u64; 2]) {
        // Only formats without blocks have no texels.
        self.texels = block_codes(format, bytes).unwrap_or_default();
        (self.format, self.bytes) = (Some(format), bytes);
    }
}

/// A texel of [`Blocks::texels`].
pub(super) fn codes(texel: u64) -> [u32; 4] {
    [0, 16, 32, 48].map(|bit: u32| u32::from((texel >> bit) as u16))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use texunit_texel::decode_block;

    #[test]
    fn a_block_is_decoded_anew_for_other_bytes_and_formats() {
        let mut blocks = Blocks::new();
        let mut check = |format: Format, bytes: [u64; 2]| {
            let all: Vec<u8> = bytes.into_iter().flat_map(u64::to_le_bytes).collect();
            let wanted = decode_block(format, &all).unwrap();
            assert_eq!(blocks.texels(format, bytes).map(codes), wanted, "{format}");
            assert_eq!(blocks.texels(format, bytes).map(codes), wanted, "{format}, kept");
        };
        for name in ["bc1", "bc4", "bc7", "bc6h", "bc3"] {
            let format = Format::from_name(name).unwrap();
            for i in 0..1000_u64 {
                let word = i.wrapping_mul(0x2545_f491_4f6c_dd1d);
                check(format, [word, if format.texel_size() == 16 { !word } else { 0 }]);
            }
        }
        for format in Format::all().filter(|f| f.is_block()) {
            check(format, [0x5a5a_5a5a_5a5a_5a5a; 2]);
        }
    }
}
