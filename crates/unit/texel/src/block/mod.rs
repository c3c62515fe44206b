//! Block-compressed formats: decodes the bytes of a 4x4 block to the codes of its texels, as the
//! texture unit does (docs/numerics.md 11). All bytes are valid: reserved encodings decode to
//! zeros.

mod alpha;
mod bc6h;
mod bc7;
mod color;
mod partition;

use crate::format::{Block, Encoding, Format};

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

/// Decodes a block given as little-endian words, of which a format of 8 bytes uses the first; a
/// faster form for callers that decode many blocks. A texel is four codes of 16 bits each, the
/// first one lowest.
pub fn block_codes(format: Format, words: [u64; 2]) -> Option<[u64; 16]> {
    let Encoding::Block(block) = format.kind() else { return None };
    let [first, second] = words;
    let whole = || u128::from(first) | u128::from(second) << 64;
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
        Block::Bc6h => bc6h::decode::<false>(whole()),
        Block::Bc6hSnorm => bc6h::decode::<true>(whole()),
        Block::Bc7 => bc7::decode(whole()),
    })
}

#[cfg(test)]
mod tests;
