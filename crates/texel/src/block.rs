//! Block-compressed formats.

use crate::format::Format;

/// The codes of the 4x4 texels of a block, row by row.
pub fn decode_block(format: Format, bytes: &[u8]) -> Option<[[u32; 4]; 16]> {
    let _ = bytes.get(..format.texel_size() as usize)?;
    None
}
