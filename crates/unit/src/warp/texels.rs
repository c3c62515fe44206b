//! Second stage: texels of 32 lanes into arrays of words.

use super::axis::AxisLanes;
use texunit_memory::Block;

/// A texel of each lane as little-endian words: one word up to 4 bytes, else 2 or 4.
pub(super) type TexelLanes = [[u32; 32]; 4];

/// Where texels are, and what stands for those outside.
#[derive(Clone, Debug)]
pub(super) struct Source {
    /// Offset of the first texel in the block.
    pub(super) first: u64,
    /// Words of the border colour's texel, or zeros for integer coordinates.
    pub(super) border: [u32; 4],
}

/// Reads the texels of `SIZE` bytes that lie on the given sides of the axes.
#[inline(always)]
pub(super) fn gather<const SIZE: usize>(
    source: &Source,
    block: &Block,
    offsets: [&[i64; 32]; 3],
    out: &mut TexelLanes,
) {
    let [x, y, z] = offsets;
    for lane in 0..32 {
        let offset = x[lane] + y[lane] + z[lane];
        let words = if offset < 0 {
            source.border
        } else {
            load::<SIZE>(block, source.first + offset as u64)
        };
        for word in 0..SIZE.div_ceil(4) {
            out[word][lane] = words[word];
        }
    }
}

#[inline(always)]
pub(super) fn load<const SIZE: usize>(block: &Block, offset: u64) -> [u32; 4] {
    const INSIDE: &str = "address modes keep to the extent, and `Resource` to the block";
    let pair = |at| {
        let both = block.load_u64(at).expect(INSIDE);
        [both as u32, (both >> 32) as u32]
    };
    match SIZE {
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

/// Offsets of a footprint's texel: bit 0 of `corner` picks the side in x, bit 1 in y, bit 2 in z.
#[inline(always)]
pub(super) fn corner<'a>(axes: &[&'a AxisLanes; 3], corner: usize) -> [&'a [i64; 32]; 3] {
    std::array::from_fn(
        |axis| {
            if corner >> axis & 1 == 0 { &axes[axis].lower } else { &axes[axis].upper }
        },
    )
}
