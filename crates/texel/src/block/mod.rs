//! Block-compressed formats: from the bytes of a 4x4 block to the codes of its texels, as the
//! texture unit delivers them (docs/numerics.md 11). No bytes are invalid: what the format
//! reserves decodes to zeros.

mod alpha;
mod bc6h;
mod bc7;
mod bits;
mod color;
mod partition;

use crate::format::{Block, Format, Kind};

/// Codes of the 16 texels, row by row.
pub(crate) type Texels = [[u32; 4]; 16];

/// The codes of the 4x4 texels of a block, row by row, as [`crate::readings`] reads them: 8 bits
/// of BC1 to BC3 and BC7, 16 bits of BC4 and BC5, halves of BC6H; a channel that the format lacks
/// is 0.
///
/// Only the first [`Format::texel_size`] bytes count; `None` if there are fewer, and for formats
/// that are not block-compressed.
pub fn decode_block(format: Format, bytes: &[u8]) -> Option<[[u32; 4]; 16]> {
    let Kind::Block(block) = format.kind() else { return None };
    let element = bytes.get(..format.texel_size() as usize)?;
    let half = |i: usize| {
        let mut word = [0; 8];
        word.copy_from_slice(&element[8 * i..][..8]);
        u64::from_le_bytes(word)
    };
    let whole = || u128::from(half(0)) | u128::from(half(1)) << 64;
    Some(match block {
        Block::Bc1 => color::bc1(half(0)),
        Block::Bc2 => color::with_alpha(half(1), color::bc2_alpha(half(0))),
        Block::Bc3 => color::with_alpha(half(1), alpha::bc3(half(0))),
        Block::Bc4 => alpha::channels(&[alpha::unsigned(half(0))]),
        Block::Bc4Snorm => alpha::channels(&[alpha::signed(half(0))]),
        Block::Bc5 => alpha::channels(&[alpha::unsigned(half(0)), alpha::unsigned(half(1))]),
        Block::Bc5Snorm => alpha::channels(&[alpha::signed(half(0)), alpha::signed(half(1))]),
        Block::Bc6h => bc6h::decode(whole(), false),
        Block::Bc6hSnorm => bc6h::decode(whole(), true),
        Block::Bc7 => bc7::decode(whole()),
    })
}

#[cfg(test)]
mod tests;
