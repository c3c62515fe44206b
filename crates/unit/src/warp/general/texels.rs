//! Codes of the texels of 32 lanes, whatever the format.

use super::block::Blocks;
use crate::request::lanes;
use crate::warp::texels::{TexelLanes, code, load};
use texunit_memory::Block;
use texunit_texel::{Format, unpack};

/// How the codes of a texel lie in its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Storage {
    /// Channels one after the other, of so many bytes each.
    Plain { channels: usize, size: usize },
    /// A 4x4 block of so many bytes.
    Block { format: Format, size: usize },
    /// What [`unpack`] makes of so many bytes.
    Packed { format: Format, size: usize },
}

impl Storage {
    pub(super) fn of(format: Format) -> Self {
        let size = format.texel_size() as usize;
        match format.plain_channel() {
            Some(channel) => {
                Storage::Plain { channels: format.channels().into(), size: channel.size() as usize }
            }
            None if format.is_block() => Storage::Block { format, size },
            None => Storage::Packed { format, size },
        }
    }
}

/// Where the texels of a level begin, in a lane: layer, face and sample chosen.
#[derive(Clone, Debug)]
pub(super) struct Pitches {
    pub(super) base: [i64; 32],
    /// Bytes from a layer or face to the next, from a row, and from a slice.
    pub(super) plane: [i64; 32],
    pub(super) row: [i64; 32],
    pub(super) slice: [i64; 32],
}

impl Pitches {
    pub(super) const ZERO: Self =
        Self { base: [0; 32], plane: [0; 32], row: [0; 32], slice: [0; 32] };
}

/// Which texels: indices along the axes, negative outside.
#[derive(Clone, Copy, Debug)]
pub(super) struct Which<'a> {
    pub(super) at: [&'a [i32; 32]; 3],
    pub(super) pitches: &'a Pitches,
    /// Lanes whose texel counts; others get any, or zeros.
    pub(super) wanted: u32,
}

/// Where from, and what stands for texels outside.
#[derive(Clone, Copy, Debug)]
pub(super) struct From<'a> {
    pub(super) storage: Storage,
    pub(super) block: &'a Block,
    pub(super) border: [u32; 4],
}

/// What the stage works with.
#[derive(Clone, Debug)]
pub(super) struct Space {
    offsets: [i64; 32],
    words: TexelLanes,
    blocks: Blocks,
}

impl Space {
    pub(super) fn new() -> Self {
        Self { offsets: [0; 32], words: [[0; 32]; 4], blocks: Blocks::new() }
    }
}

/// Codes for lanes that do not count. What other formats have left there would overflow sums.
pub(super) const NOTHING: TexelLanes = [[0; 32]; 4];

/// Reads codes, one channel after the other.
#[inline(always)]
pub(super) fn codes(from: From<'_>, which: Which<'_>, space: &mut Space, out: &mut TexelLanes) {
    match from.storage {
        Storage::Plain { channels, size } => {
            offsets((channels * size) as i64, 0, which, &mut space.offsets);
            let Space { offsets, words, .. } = space;
            match channels * size {
                1 => read::<1>(from.block, offsets, words),
                2 => read::<2>(from.block, offsets, words),
                4 => read::<4>(from.block, offsets, words),
                8 => read::<8>(from.block, offsets, words),
                _ => read::<16>(from.block, offsets, words),
            }
            match size {
                1 => split::<1>(channels, words, out),
                2 => split::<2>(channels, words, out),
                _ => split::<4>(channels, words, out),
            }
        }
        Storage::Packed { format, size } => {
            offsets(size as i64, 0, which, &mut space.offsets);
            for lane in 0..32 {
                let codes = match space.offsets[lane] {
                    ..0 => from.border,
                    offset => packed(from.block, offset, format, size),
                };
                put(out, lane, codes);
            }
            return;
        }
        Storage::Block { format, size } => {
            offsets(size as i64, 2, which, &mut space.offsets);
            *out = NOTHING;
            for lane in lanes(which.wanted) {
                let codes = match space.offsets[lane] {
                    ..0 => from.border,
                    offset => {
                        let bytes = block_bytes(from.block, offset as u64, size);
                        let [x, y] = [which.at[0][lane], which.at[1][lane]];
                        space.blocks.texels(format, bytes)[(y % 4 * 4 + x % 4) as usize]
                    }
                };
                put(out, lane, codes);
            }
            return;
        }
    }
    for lane in 0..32 {
        if space.offsets[lane] < 0 {
            put(out, lane, from.border);
        }
    }
}

/// Byte offsets, negative outside; elements are 2^`shift` texels wide and high.
#[inline(always)]
fn offsets(size: i64, shift: u32, which: Which<'_>, out: &mut [i64; 32]) {
    let Which { at: [x, y, z], pitches, .. } = which;
    for lane in 0..32 {
        let (x, y, z) = (x[lane], y[lane], z[lane]);
        let offset = pitches.base[lane]
            + i64::from(x >> shift) * size
            + i64::from(y >> shift) * pitches.row[lane]
            + i64::from(z) * pitches.slice[lane];
        out[lane] = if x | y | z < 0 { -1 } else { offset };
    }
}

/// Texels of `SIZE` bytes as words; outside, anything.
#[inline(always)]
fn read<const SIZE: usize>(block: &Block, offsets: &[i64; 32], out: &mut TexelLanes) {
    for lane in 0..32 {
        let offset = offsets[lane];
        if offset >= 0 {
            let words = load::<SIZE>(block, offset as u64);
            for word in 0..SIZE.div_ceil(4) {
                out[word][lane] = words[word];
            }
        }
    }
}

/// Words to codes.
#[inline(always)]
fn split<const SIZE: usize>(channels: usize, words: &TexelLanes, out: &mut TexelLanes) {
    for (c, codes) in out.iter_mut().enumerate().take(channels) {
        for lane in 0..32 {
            codes[lane] = code(SIZE, words, c, lane);
        }
    }
}

/// The codes of one texel, at x and y in rows that begin at `base`.
pub(super) fn one(
    from: From<'_>,
    (base, row): (i64, i64),
    [x, y]: [u32; 2],
    space: &mut Space,
) -> [u32; 4] {
    let at = |shift: u32, size: usize| {
        base + i64::from(x >> shift) * size as i64 + i64::from(y >> shift) * row
    };
    match from.storage {
        Storage::Plain { channels, size } => {
            let element = |c: usize| at(0, channels * size) as u64 + (c * size) as u64;
            let load = |c| from.block.load(element(c), size as u8).expect(INSIDE) as u32;
            std::array::from_fn(|c| if c < channels { load(c) } else { 0 })
        }
        Storage::Packed { format, size } => packed(from.block, at(0, size), format, size),
        Storage::Block { format, size } => {
            let bytes = block_bytes(from.block, at(2, size) as u64, size);
            space.blocks.texels(format, bytes)[(y % 4 * 4 + x % 4) as usize]
        }
    }
}

pub(super) fn put(out: &mut TexelLanes, lane: usize, codes: [u32; 4]) {
    for (out, code) in out.iter_mut().zip(codes) {
        out[lane] = code;
    }
}

const INSIDE: &str = "address modes keep to the extent, and `Resource` to the block";

fn packed(block: &Block, offset: i64, format: Format, size: usize) -> [u32; 4] {
    let word = block.load(offset as u64, size as u8).expect(INSIDE);
    unpack(format, &word.to_le_bytes()).unwrap_or_default()
}

fn block_bytes(block: &Block, offset: u64, size: usize) -> [u64; 2] {
    let second = if size == 16 { block.load_u64(offset + 8).expect(INSIDE) } else { 0 };
    [block.load_u64(offset).expect(INSIDE), second]
}
