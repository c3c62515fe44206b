//! Codes of the texels of 32 lanes, whatever the format.

use super::block::{self, Blocks, Corner, Row};
use super::words::{TexelLanes, code, load};
use crate::request::Lanes;
use crate::warp::simd::{self, Int, Simd};
use std::ops::Range;
use texunit_memory::Block;
use texunit_texel::{Format, Reading};

/// How the codes of a texel lie in its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Storage {
    /// Channels one after the other, of so many bytes each.
    Plain { channels: usize, size: usize },
    /// A 4x4 block of so many bytes; with `pairs` its codes are wanted as [`Corner::unpack_pairs`] has them.
    Block { format: Format, size: usize, pairs: bool },
    /// Three channels of ten bits and one of two in four bytes.
    Ten,
    /// One channel of 24 bits in four bytes.
    Depth24,
}

impl Storage {
    /// `sums` says whether codes are only summed.
    pub(super) fn of(format: Format, readings: [Reading; 4], sums: bool) -> Self {
        let (size, channels) = (format.texel_size() as usize, format.channels().into());
        match readings[0] {
            _ if format.is_block() => {
                let pairs = sums && readings == [Reading::Unorm { bits: 8 }; 4];
                Storage::Block { format, size, pairs }
            }
            Reading::Unorm { bits: 10 } => Storage::Ten,
            Reading::Unorm { bits: 24 } => Storage::Depth24,
            _ => Storage::Plain { channels, size: size / channels },
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
    pub(super) at: [&'a Lanes; 3],
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
    row: Row,
    /// Of two slices.
    corners: [Corner; 8],
}

impl Space {
    pub(super) fn new() -> Self {
        Self {
            offsets: [0; 32],
            words: [[0; 32]; 4],
            blocks: Blocks::new(),
            row: Row::ZERO,
            corners: [Corner::NONE; 8],
        }
    }
}

/// Reads codes, one channel after the other.
#[inline(always)]
pub(super) fn codes<S: Simd>(
    simd: S,
    from: From<'_>,
    which: Which<'_>,
    space: &mut Space,
    out: &mut TexelLanes,
) {
    match from.storage {
        Storage::Plain { channels, size } => {
            let Space { offsets, words, .. } = space;
            self::offsets((channels * size) as i64, 0, which, offsets);
            read(simd, from.block, channels * size, offsets, words);
            match size {
                1 => split::<1>(channels, words, out),
                2 => split::<2>(channels, words, out),
                _ => split::<4>(channels, words, out),
            }
        }
        Storage::Ten | Storage::Depth24 => {
            let Space { offsets, words, .. } = space;
            self::offsets(4, 0, which, offsets);
            read(simd, from.block, 4, offsets, words);
            let [x, y, z, w] = out;
            for lane in 0..32 {
                let word = words[0][lane];
                if from.storage == Storage::Depth24 {
                    x[lane] = word & 0x00ff_ffff;
                } else {
                    [x[lane], y[lane], z[lane], w[lane]] = ten(word);
                }
            }
        }
        Storage::Block { .. } => {
            find_block(from, which, 0, space);
            read_blocks(simd, from, 0..1, space, std::slice::from_mut(out));
            return;
        }
    }
    let mut outside = 0;
    for lane in 0..32 {
        outside |= space.offsets[lane];
    }
    if outside < 0 {
        for (out, border) in out.iter_mut().zip(from.border) {
            for lane in 0..32 {
                out[lane] = if space.offsets[lane] < 0 { border } else { out[lane] };
            }
        }
    }
}

/// The first half of [`codes`] for blocks, of up to eight corners of a footprint in their order: two of a
/// row after each other.
#[inline(always)]
pub(super) fn find_block(from: From<'_>, which: Which<'_>, corner: usize, space: &mut Space) {
    if let Storage::Block { size, .. } = from.storage {
        let Space { row, corners, .. } = space;
        if corner.is_multiple_of(2) {
            row.find(which);
        }
        corners[corner].find(size, row, which);
    }
}

/// The second half, for corners that were found.
#[inline(always)]
pub(super) fn read_blocks<S: Simd>(
    simd: S,
    from: From<'_>,
    corners: Range<usize>,
    space: &mut Space,
    out: &mut [TexelLanes],
) {
    let Storage::Block { format, size, pairs } = from.storage else { return };
    let Space { blocks, corners: all, .. } = space;
    let corners = &mut all[corners];
    block::compare(simd, from.block, corners);
    blocks.read(from.block, (format, size), corners);
    let channels = usize::from(format.channels());
    for (corner, out) in corners.iter().zip(out) {
        if pairs {
            corner.unpack_pairs(from.border, out);
        } else {
            corner.unpack(from.border, channels, out);
        }
    }
}

#[inline(always)]
fn ten(word: u32) -> [u32; 4] {
    [word & 0x3ff, word >> 10 & 0x3ff, word >> 20 & 0x3ff, word >> 30]
}

/// Byte offsets, negative outside; elements are 2^`shift` texels wide and high.
#[inline(always)]
fn offsets(size: i64, shift: u32, which: Which<'_>, out: &mut [i64; 32]) {
    let Which { at: [x, y, z], pitches, .. } = which;
    for lane in 0..32 {
        let [x, y, z] = [x, y, z].map(|axis| axis[lane] as i32);
        let offset = pitches.base[lane]
            + i64::from(x >> shift) * size
            + i64::from(y >> shift) * pitches.row[lane]
            + i64::from(z) * pitches.slice[lane];
        out[lane] = if x | y | z < 0 { -1 } else { offset };
    }
}

/// Texels of `size` bytes as words; outside, anything.
#[inline(always)]
fn read<S: Simd>(simd: S, block: &Block, size: usize, offsets: &[i64; 32], out: &mut TexelLanes) {
    let window = match block.window(0) {
        // Nothing inside is limited then, whatever is read behind it.
        Some(window) if u64::from(window.last(16)) >= block.size() as u64 => window,
        _ => return read_apart(block, size, offsets, out),
    };
    let mut places = [0; 32];
    for lane in 0..32 {
        places[lane] = offsets[lane] as u32;
    }
    for chunk in 0..32 / S::LANES {
        let at = simd::load(simd, &places, chunk);
        match size {
            8 => {
                let words = Int::gather2(simd, window, at);
                words[0].store(&mut out[0], chunk);
                words[1].store(&mut out[1], chunk);
            }
            16 => {
                let words = Int::gather4(simd, window, at);
                words[0].store(&mut out[0], chunk);
                words[1].store(&mut out[1], chunk);
                words[2].store(&mut out[2], chunk);
                words[3].store(&mut out[3], chunk);
            }
            // With what is behind smaller ones.
            _ => Int::gather(simd, window, at).store(&mut out[0], chunk),
        }
    }
}

/// Likewise from blocks that are too large for a window, or end without slack.
#[cold]
#[inline(never)]
fn read_apart(block: &Block, size: usize, offsets: &[i64; 32], out: &mut TexelLanes) {
    for lane in 0..32 {
        let offset = offsets[lane];
        if offset >= 0 {
            let words = load(block, offset as u64, size);
            for word in 0..4 {
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
        Storage::Ten => ten(word(from.block, at(0, 4))),
        Storage::Depth24 => [word(from.block, at(0, 4)) & 0x00ff_ffff, 0, 0, 0],
        Storage::Block { format, size, .. } => {
            let offset = at(2, size) as u64;
            let bytes = block::bytes(from.block, offset, size);
            let place = block::place([x as i32, y as i32], base) as usize;
            let texels = space.blocks.texels(place, format, bytes);
            block::codes(texels[(y % 4 * 4 + x % 4) as usize])
        }
    }
}

pub(super) fn put(out: &mut TexelLanes, lane: usize, codes: [u32; 4]) {
    for (out, code) in out.iter_mut().zip(codes) {
        out[lane] = code;
    }
}

const INSIDE: &str = "address modes keep to the extent, and `Resource` to the block";

fn word(block: &Block, offset: i64) -> u32 {
    block.load_u32(offset as u64).expect(INSIDE)
}
