//! Texels as words.

use texunit_memory::Block;

/// A texel of each lane as little-endian words: one word up to 4 bytes, else 2 or 4.
pub(in crate::warp) type TexelLanes = [[u32; 32]; 4];

/// The words of a texel of `size` bytes.
pub(super) fn load(block: &Block, offset: u64, size: usize) -> [u32; 4] {
    const INSIDE: &str = "address modes keep to the extent, and `Resource` to the block";
    let pair = |at| {
        let both = block.load_u64(at).expect(INSIDE);
        [both as u32, (both >> 32) as u32]
    };
    match size {
        1 => [block.load_u8(offset).expect(INSIDE).into(), 0, 0, 0],
        2 => [block.load_u16(offset).expect(INSIDE).into(), 0, 0, 0],
        4 => [block.load_u32(offset).expect(INSIDE), 0, 0, 0],
        8 => {
            let [a, b] = pair(offset);
            [a, b, 0, 0]
        }
        _ => {
            let ([a, b], [c, d]) = (pair(offset), pair(offset + 8));
            [a, b, c, d]
        }
    }
}

/// The code of a channel of `size` bytes (a constant where this is used), zero-extended.
#[inline(always)]
pub(super) fn code(size: usize, texels: &TexelLanes, channel: usize, lane: usize) -> u32 {
    let byte = channel * size;
    let code = texels[byte / 4][lane] >> (byte % 4 * 8);
    match size {
        1 => code & 0xff,
        2 => code & 0xffff,
        _ => code,
    }
}
