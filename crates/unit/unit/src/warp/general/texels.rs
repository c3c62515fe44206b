//! The sources from which 32 lanes read texel codes: formats with texels in words, and
//! block-compressed formats.

use super::block::{self, BlockRow, Cache, Corner};
use super::indices::{Pitches, TexelIndices, TexelLanes};

use crate::warp::simd::{Int, Portable, Simd, int, load};
use crate::warp::texel::{Texel, texel};
use texunit_memory::Block;
use texunit_texel::{Format, Reading};

/// A source from which texel codes are read.
pub(super) trait Source {
    /// Locates one texel of each lane's footprint. A source that has no method `corners` of its own
    /// also reads the texels' codes here, one channel after the other.
    fn corner<S: Simd>(
        simd: S,
        from: From<'_>,
        which: TexelIndices<'_>,
        corner: usize,
        space: &mut Space,
        out: &mut TexelLanes,
    );

    /// Reads the codes of all located texels of a level, for sources that read them together.
    #[inline(always)]
    fn corners<S: Simd>(_: S, _: From<'_>, _: &mut Space, _: &mut [TexelLanes]) {}

    /// Reads the codes of one texel at x and y, in rows of which the first begins at `rows.0` and
    /// that are `rows.1` bytes apart.
    fn texel(from: From<'_>, rows: (i64, i64), at: [u32; 2], space: &mut Space) -> [u32; 4];
}

/// The layout of codes in the words of a texel. Codes are `stride` bits apart and have the bits of
/// `mask`. No code crosses words.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    stride: u32,
    mask: u32,
}

impl Layout {
    pub(super) fn of(format: Format, reading: Reading) -> Self {
        let (stride, mask) = match (reading, format.texel_size() / u32::from(format.channels())) {
            (Reading::Unorm { bits: 10 }, _) => (10, 0x3ff),
            (Reading::Unorm { bits: 24 }, _) => (32, 0x00ff_ffff),
            (_, 1) => (8, 0xff),
            (_, 2) => (16, 0xffff),
            _ => (32, u32::MAX),
        };
        Self { stride, mask }
    }

    /// Extracts the code of a channel from a texel.
    #[inline(always)]
    fn code<S: Simd>(self, simd: S, words: &Texel<S>, channel: usize) -> Int<S> {
        let bit = self.stride * channel as u32;
        // The word is not selected by a variable index, because the compiler would then keep the
        // words in memory.
        let word = match bit / 32 {
            0 => words[0],
            1 => words[1],
            2 => words[2],
            _ => words[3],
        };
        word.shr(bit % 32) & int(simd, self.mask as i32)
    }
}

/// The source for texels that are stored individually.
pub(super) struct Words;
/// The source for texels in compressed 4x4 blocks.
pub(super) struct Blocks;

/// The format and the memory of the texels, and the border colour for texels outside.
#[derive(Clone, Copy, Debug)]
pub(super) struct From<'a> {
    pub(super) format: Format,
    pub(super) layout: Layout,
    /// For block formats, whether codes are returned in pairs ([`Corner::unpack_pairs`]).
    pub(super) pairs: bool,
    pub(super) block: &'a Block,
    pub(super) border: [u32; 4],
}

/// The scratch memory of the sources.
#[derive(Clone, Debug)]
pub(super) struct Space {
    blocks: Cache,
    row: BlockRow,
    /// The texels of two slices, in the order of the footprint.
    corners: [Corner; 8],
}

impl Space {
    pub(super) fn new() -> Self {
        Self { blocks: Cache::new(), row: BlockRow::ZERO, corners: [Corner::NONE; 8] }
    }
}

impl Source for Words {
    #[inline(always)]
    fn corner<S: Simd>(
        simd: S,
        from: From<'_>,
        which: TexelIndices<'_>,
        _: usize,
        space: &mut Space,
        out: &mut TexelLanes,
    ) {
        let window = match from.block.window(0) {
            // The window covers the whole memory, including reads past its end, so that no valid
            // offset is clamped.
            Some(window) if u64::from(window.last(16)) >= from.block.size() as u64 => window,
            // The memory is too large for a window, or has no slack at its end.
            _ => return one_by_one::<Self>(from, which, space, out),
        };
        let (size, channels) = (from.format.texel_size(), usize::from(from.format.channels()));
        let ([x, y, z], [base, row, slice]) = (which.at, &which.pitches.low);
        for chunk in 0..32 / S::LANES {
            let (x, y, z) = (load(simd, x, chunk), load(simd, y, chunk), load(simd, z, chunk));
            let rows = y * load(simd, row, chunk) + z * load(simd, slice, chunk);
            let at = load(simd, base, chunk) + x * int(simd, size as i32) + rows;
            let words = texel(simd, window, size as usize, at);
            let outside = (x | y | z).lt(int(simd, 0));
            let any = outside.bits() != 0;
            for c in 0..channels {
                let mut code = from.layout.code(simd, &words, c);
                if any {
                    code = outside.select(int(simd, from.border[c] as i32), code);
                }
                code.store(&mut out[c], chunk);
            }
        }
    }

    fn texel(from: From<'_>, rows: (i64, i64), at: [u32; 2], _: &mut Space) -> [u32; 4] {
        let size = from.format.texel_size() as usize;
        let channels = usize::from(from.format.channels());
        let mut bytes = [0; 16];
        from.block.read(place(rows, at, size), &mut bytes[..size]).expect(INSIDE);
        let words: [u32; 4] = std::array::from_fn(|w| {
            u32::from_le_bytes(*bytes[4 * w..].first_chunk().expect("four words"))
        });
        let (words, mut codes) = (words.map(|word| int(Portable, word as i32)), [0; 4]);
        for c in 0..channels {
            let mut lanes = [0; 32];
            from.layout.code(Portable, &words, c).store(&mut lanes, 0);
            codes[c] = lanes[0];
        }
        codes
    }
}

/// Executes [`Source::corner`] for memory that no window covers.
#[cold]
#[inline(never)]
fn one_by_one<T: Source>(from: From, which: TexelIndices, space: &mut Space, out: &mut TexelLanes) {
    for lane in 0..32 {
        let [x, y, z] = which.at.map(|axis| axis[lane]);
        let codes = if (x | y | z) >> 31 == 1 {
            from.border
        } else {
            let Pitches { base, row, slice, .. } = which.pitches;
            let rows = (base[lane] + i64::from(z) * slice[lane], row[lane]);
            T::texel(from, rows, [x, y], space)
        };
        put(out, lane, codes);
    }
}

/// Supports up to eight corners of a footprint, in order; the two corners of a row are consecutive.
impl Source for Blocks {
    #[inline(always)]
    fn corner<S: Simd>(
        _: S,
        from: From<'_>,
        which: TexelIndices<'_>,
        corner: usize,
        Space { row, corners, .. }: &mut Space,
        _: &mut TexelLanes,
    ) {
        if corner.is_multiple_of(2) {
            row.find(which);
        }
        corners[corner].find(from.format.texel_size() as usize, row, which);
    }

    #[inline(always)]
    fn corners<S: Simd>(simd: S, from: From<'_>, space: &mut Space, out: &mut [TexelLanes]) {
        let (format, size) = (from.format, from.format.texel_size() as usize);
        let Space { blocks, corners, .. } = space;
        let corners = &mut corners[..out.len()];
        block::compare(simd, from.block, corners);
        blocks.read(from.block, (format, size), corners);
        let channels = usize::from(format.channels());
        for (corner, out) in corners.iter().zip(out) {
            if from.pairs {
                corner.unpack_pairs(from.border, out);
            } else {
                corner.unpack(simd, from.border, channels, out);
            }
        }
    }

    fn texel(from: From, (base, row): (i64, i64), [x, y]: [u32; 2], space: &mut Space) -> [u32; 4] {
        let size = from.format.texel_size() as usize;
        let bytes = block::bytes(from.block, place((base, row), [x >> 2, y >> 2], size), size);
        let place = block::place([x as i32, y as i32], base) as usize;
        let texels = space.blocks.texels(place, from.format, bytes);
        block::codes(texels[(y % 4 * 4 + x % 4) as usize])
    }
}

/// The byte offset of a texel of `size` bytes at x and y, in rows that begin at `base` and are
/// `row` bytes apart.
fn place((base, row): (i64, i64), [x, y]: [u32; 2], size: usize) -> u64 {
    (base + i64::from(x) * size as i64 + i64::from(y) * row) as u64
}

pub(super) fn put(out: &mut TexelLanes, lane: usize, codes: [u32; 4]) {
    for (out, code) in out.iter_mut().zip(codes) {
        out[lane] = code;
    }
}

const INSIDE: &str = "address modes keep to the extent, and `Resource` to the block";
