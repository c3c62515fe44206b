//! Block-linear memory layout. GOBs of 64 bytes by 8 rows are stacked to blocks.

use std::ops::Range;

/// Width of a GOB in bytes.
const GOB_WIDTH: u64 = 64;
/// Height of a GOB in rows.
const GOB_HEIGHT: u64 = 8;
/// Size of a GOB in bytes.
const GOB_BYTES: u64 = GOB_WIDTH * GOB_HEIGHT;

/// A mip level of a texture in block-linear memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BlockLinear {
    /// Width of the level's rows in bytes.
    pub width: u64,
    /// Height of the level in rows.
    pub height: u64,
    /// Depth of the level in slices.
    pub depth: u64,
    /// Log2 of a block's height in GOBs: 0 to 5.
    pub log2_height: u32,
    /// Log2 of a block's depth in slices: 0 to 5.
    pub log2_depth: u32,
}

impl BlockLinear {
    /// The byte offset of byte `x` of row `y` in slice `z`.
    pub fn offset(&self, x: u64, y: u64, z: u64) -> u64 {
        let (gob_x, gob_y) = (x / GOB_WIDTH, y / GOB_HEIGHT);
        let (h, d) = (self.log2_height, self.log2_depth);
        let block_z = z >> d;
        let in_block_z = z & ((1 << d) - 1);
        let in_block_y = gob_y & ((1 << h) - 1);
        block_z * self.slice_bytes()
            + (in_block_z << (9 + h))
            + (gob_y >> h) * self.row_bytes()
            + (in_block_y << 9)
            + (gob_x << (9 + h + d))
            + in_gob(x % GOB_WIDTH, y % GOB_HEIGHT)
    }

    /// The position (byte x, row y, slice z) at a byte offset, the inverse of [`Self::offset`].
    /// Offsets of padding, and those past the end, have positions outside the level.
    pub fn position(&self, offset: u64) -> [u64; 3] {
        let (h, d) = (self.log2_height, self.log2_depth);
        let (slices, in_slices) = (offset / self.slice_bytes(), offset % self.slice_bytes());
        let (row, in_row) = (in_slices / self.row_bytes(), in_slices % self.row_bytes());
        let block = in_row >> (9 + h + d);
        let in_block_z = in_row >> (9 + h) & ((1 << d) - 1);
        let in_block_y = in_row >> 9 & ((1 << h) - 1);
        let [x, y] = of_gob(in_row % GOB_BYTES);
        [
            block * GOB_WIDTH + x,
            ((row << h) + in_block_y) * GOB_HEIGHT + y,
            (slices << d) + in_block_z,
        ]
    }

    /// Size in bytes of one row of blocks, which spans the level along x.
    pub fn row_bytes(&self) -> u64 {
        self.width.div_ceil(GOB_WIDTH) * (GOB_BYTES << (self.log2_height + self.log2_depth))
    }

    /// Size in bytes of one layer of blocks, which spans the level along x and y.
    pub fn slice_bytes(&self) -> u64 {
        self.height.div_ceil(GOB_HEIGHT << self.log2_height) * self.row_bytes()
    }

    /// Size of the whole level in bytes; `None` if it exceeds 64 bits.
    pub fn bytes(&self) -> Option<u64> {
        let block = GOB_BYTES.checked_shl(self.log2_height + self.log2_depth)?;
        let row = self.width.div_ceil(GOB_WIDTH).checked_mul(block)?;
        let slice = self.height.div_ceil(GOB_HEIGHT << self.log2_height).checked_mul(row)?;
        self.depth.div_ceil(1 << self.log2_depth).checked_mul(slice)
    }

    /// Copies the level's rows out of block-linear memory into contiguous memory.
    ///
    /// # Panics
    /// If `blocks` is shorter than [`Self::bytes`], or `rows` does not have the size of all rows.
    pub fn read(&self, blocks: &[u8], rows: &mut [u8]) {
        for ([x, y, z], row) in self.pieces() {
            let offset = self.offset(x, y, z) as usize;
            rows[row.clone()].copy_from_slice(&blocks[offset..offset + row.len()]);
        }
    }

    /// Copies contiguous rows into block-linear memory. Padding is unchanged.
    ///
    /// # Panics
    /// If `blocks` is shorter than [`Self::bytes`], or `rows` does not have the size of all rows.
    pub fn write(&self, rows: &[u8], blocks: &mut [u8]) {
        for ([x, y, z], row) in self.pieces() {
            let offset = self.offset(x, y, z) as usize;
            blocks[offset..offset + row.len()].copy_from_slice(&rows[row]);
        }
    }

    /// The pieces of the level: position (byte in the row, row, slice), and byte range in the
    /// contiguous rows. A piece has up to 16 bytes of a row, which are contiguous in both layouts.
    pub fn pieces(self) -> impl Iterator<Item = ([u64; 3], Range<usize>)> {
        let rows = (0..self.depth).flat_map(move |z| (0..self.height).map(move |y| (y, z)));
        rows.flat_map(move |(y, z)| {
            let row = (z * self.height + y) * self.width;
            (0..self.width).step_by(16).map(move |x| {
                ([x, y, z], (row + x) as usize..(row + self.width.min(x + 16)) as usize)
            })
        })
    }
}

/// The offset of byte `x` of row `y` in its GOB. From the lowest bit on, the offset's bits are
/// x\[3:0\], y\[0\], x\[4\], y\[2:1\], x\[5\].
const fn in_gob(x: u64, y: u64) -> u64 {
    x & 15 | (y & 1) << 4 | (x >> 4 & 1) << 5 | (y >> 1 & 3) << 6 | (x >> 5 & 1) << 8
}

/// The byte x and the row y at an offset in a GOB.
const fn of_gob(at: u64) -> [u64; 2] {
    [at & 15 | (at >> 5 & 1) << 4 | (at >> 8 & 1) << 5, at >> 4 & 1 | (at >> 6 & 3) << 1]
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn gobs_and_blocks() {
        let gob = BlockLinear { width: 64, height: 8, depth: 1, log2_height: 0, log2_depth: 0 };
        let at = |x, y| gob.offset(x, y, 0);
        assert_eq!([at(0, 0), at(15, 0), at(16, 0), at(32, 0), at(63, 7)], [0, 15, 32, 256, 511]);
        assert_eq!([at(0, 1), at(0, 2), at(0, 4)], [16, 64, 128]);
        assert_eq!(gob.bytes(), Some(512));
        let level =
            BlockLinear { width: 200, height: 100, depth: 5, log2_height: 2, log2_depth: 1 };
        // Blocks are stored in this order: the GOBs of a block from top to bottom, the block's
        // further slices, the next block along x, the next row of blocks, the blocks of the next
        // slices.
        let steps = [[0, 8, 0], [0, 0, 1], [64, 0, 0], [0, 32, 0], [0, 0, 2]];
        let gobs = [1, 4, 8, 4 * 8, 4 * 4 * 8];
        assert_eq!(steps.map(|[x, y, z]| level.offset(x, y, z)), gobs.map(|n| n * 512));
        assert_eq!(level.bytes(), Some(3 * 4 * 4 * 8 * 512));
        let most = u64::MAX;
        let level = BlockLinear { width: most, height: most, depth: most, ..level };
        assert_eq!(level.bytes(), None);
    }

    proptest! {
        #[test]
        fn every_byte_has_its_place(
            width in 1u64..300, height in 1u64..70, depth in 1u64..6,
            log2_height in 0u32..4, log2_depth in 0u32..3,
        ) {
            let level = BlockLinear { width, height, depth, log2_height, log2_depth };
            let size = level.bytes().unwrap() as usize;
            let rows: Vec<u8> = (0..width * height * depth).map(|n| (n * 7 + n / 251) as u8 | 1).collect();
            let mut blocks = vec![0; size];
            level.write(&rows, &mut blocks);
            prop_assert_eq!(blocks.iter().filter(|&&b| b != 0).count(), rows.len());
            let inside = |&at: &u64| {
                let [x, y, z] = level.position(at);
                x < width && y < height && z < depth && level.offset(x, y, z) == at
            };
            prop_assert_eq!((0..size as u64).filter(inside).count(), rows.len());
            let mut back = vec![0; rows.len()];
            level.read(&blocks, &mut back);
            prop_assert_eq!(back, rows);
        }
    }
}
