//! Block-compressed formats: decodes the bytes of a 4x4 block to the codes of its texels, as the
//! texture unit does (docs/numerics.md 11). All bytes are valid: reserved encodings decode to
//! zeros. BC1 to BC5 are decoded with the hardware's arithmetic, which differs from the Khronos
//! Data Format Specification; BC6H and BC7 follow the specification and are decoded by the crate
//! bcdec_rs.

mod alpha;
mod color;

use crate::format::{Block, Encoding, Format};
use std::array;

/// The 16 texels, row by row, with four codes of 16 bits each, the first one lowest.
pub(crate) type Texels = [u64; 16];

/// Decodes a block to the codes of its 4x4 texels, row by row, as [`crate::readings`] reads them: 8
/// bits for BC1 to BC3 and BC7, 16 bits for BC4 and BC5, f16 for BC6H; 0 for a channel that the
/// format lacks.
///
/// Uses the first [`Format::texel_size`] bytes. Returns `None` if there are fewer, and for formats
/// that are not block-compressed.
pub fn decode_block(format: Format, bytes: &[u8]) -> Option<[[u32; 4]; 16]> {
    let element = bytes.get(..format.texel_size() as usize)?;
    let mut words = [0; 2];
    for (word, bytes) in words.iter_mut().zip(element.as_chunks().0) {
        *word = u64::from_le_bytes(*bytes);
    }
    let codes = |texel: u64| [0, 16, 32, 48].map(|bit: u32| u32::from((texel >> bit) as u16));
    Some(block_codes(format, words)?.map(codes))
}

/// Decodes a block given as little-endian 64-bit words; a format with blocks of 8 bytes uses only
/// the first word. Faster than [`decode_block`], for callers that decode many blocks. A texel is
/// four codes of 16 bits each, the first one lowest.
pub fn block_codes(format: Format, words: [u64; 2]) -> Option<[u64; 16]> {
    let Encoding::Block(block) = format.kind() else { return None };
    let [first, second] = words;
    Some(match block {
        Block::Bc1 => color::bc1(first),
        Block::Bc2 => color::with_alpha(second, color::bc2_alpha(first)),
        Block::Bc3 => {
            let alpha = alpha::bc3(first);
            color::with_alpha(second, |i| alpha.of(i))
        }
        Block::Bc4 => alpha::one_channel(&alpha::unsigned(first)),
        Block::Bc4Snorm => alpha::one_channel(&alpha::signed(first)),
        Block::Bc5 => alpha::two_channels(&alpha::unsigned(first), &alpha::unsigned(second)),
        Block::Bc5Snorm => alpha::two_channels(&alpha::signed(first), &alpha::signed(second)),
        Block::Bc6h => bc6h(words, false),
        Block::Bc6hSnorm => bc6h(words, true),
        Block::Bc7 => bc7(words),
    })
}

fn bc6h(words: [u64; 2], signed: bool) -> Texels {
    let mut halves = [0; 48];
    bcdec_rs::bc6h_half(words.map(u64::to_le_bytes).as_flattened(), &mut halves, 12, signed);
    // The hardware has no negative zero.
    let code = |half: u16| if half == 0x8000 { 0 } else { u64::from(half) };
    array::from_fn(|i| {
        let [r, g, b] = [0, 1, 2].map(|channel| code(halves[3 * i + channel]));
        r | g << 16 | b << 32
    })
}

fn bc7(words: [u64; 2]) -> Texels {
    let mut bytes = [0; 64];
    bcdec_rs::bc7(words.map(u64::to_le_bytes).as_flattened(), &mut bytes, 16);
    array::from_fn(|i| {
        let [r, g, b, a] = [0, 1, 2, 3].map(|channel| u64::from(bytes[4 * i + channel]));
        r | g << 16 | b << 32 | a << 48
    })
}

#[cfg(test)]
mod tests;
