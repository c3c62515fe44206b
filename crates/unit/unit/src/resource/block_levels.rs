//! Computes the positions of mip levels and layers in block-linear memory from a texture's shape
//! and block size.

use super::{ArrayShape, BlockLinear};

/// The memory layout of a texture: the levels of a layer, and the distance of layers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockLevels {
    /// For each mip level, the byte offset in its layer, and its layout.
    pub levels: Vec<(u64, BlockLinear)>,
    /// Distance in bytes from one layer (or face) to the next.
    pub layer_stride: u64,
    /// Number of layers, or of faces of all cubes.
    pub layers: u64,
}

/// Log2 of a block's size along an axis. The block is halved as long as the half still covers
/// `count` GOBs or slices.
fn shrunk(log2: u32, count: u64) -> u32 {
    let needed = count.max(1).next_power_of_two().ilog2();
    log2.min(needed)
}

impl BlockLevels {
    /// Computes the layout of a texture. With one level, blocks have the size in the header. With
    /// several levels, the blocks of each level (including the first) are halved along an axis as
    /// long as half of them still covers the level's GOBs (slices). Levels are contiguous, layers
    /// are aligned to the first level's blocks, and each layer has all of its levels.
    ///
    /// `None` if a size exceeds 64 bits.
    pub fn new(shape: &ArrayShape, log2_height: u32, log2_depth: u32) -> Option<Self> {
        let format = shape.format;
        let several = shape.level_count() > 1;
        let (mut levels, mut end) = (Vec::new(), 0u64);
        for level in 0..shape.level_count() {
            let extent = shape.level_extent(level);
            let elements = |n: u32| u64::from(n.div_ceil(format.block_extent()));
            let (height, depth) = (elements(extent.height), u64::from(extent.depth));
            let level = BlockLinear {
                width: elements(extent.width) * u64::from(format.texel_size()),
                height,
                depth,
                log2_height: if several {
                    shrunk(log2_height, height.div_ceil(8))
                } else {
                    log2_height
                },
                log2_depth: if several { shrunk(log2_depth, depth) } else { log2_depth },
            };
            levels.push((end, level));
            end = end.checked_add(level.bytes()?)?;
        }
        let (_, first) = levels.first()?;
        let block = 512u64.checked_shl(first.log2_height + first.log2_depth)?;
        let layer_stride = end.checked_next_multiple_of(block)?;
        let layers = u64::from(shape.planes());
        layer_stride.checked_mul(layers)?;
        Some(Self { levels, layer_stride, layers })
    }

    /// Size of all layers in bytes.
    pub fn bytes(&self) -> u64 {
        self.layer_stride * self.layers
    }

    /// Level, layer, byte offset and layout of every level of every layer, in the order of
    /// [`Resource::to_packed`](crate::Resource::to_packed).
    pub fn planes(&self) -> impl Iterator<Item = (u32, u32, u64, &BlockLinear)> {
        self.levels.iter().enumerate().flat_map(move |(n, (offset, level))| {
            (0..self.layers).map(move |layer| {
                (n as u32, layer as u32, offset + layer * self.layer_stride, level)
            })
        })
    }

    /// Copies packed texels ([`Resource::to_packed`](crate::Resource::to_packed)) into block-linear
    /// memory, whose padding is zeros.
    pub fn write(&self, packed: &[u8]) -> Vec<u8> {
        let mut blocks = vec![0; self.bytes() as usize];
        let mut rest = packed;
        for (_, _, offset, level) in self.planes() {
            let rows;
            (rows, rest) = rest.split_at((level.width * level.height * level.depth) as usize);
            level.write(rows, &mut blocks[offset as usize..]);
        }
        blocks
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// Where each level of an array starts, in GOBs, and the logarithms of its blocks' sizes.
    fn levels(shape: &ArrayShape, log2: [u32; 2]) -> (BlockLevels, Vec<(u64, u32, u32)>) {
        let levels = BlockLevels::new(shape, log2[0], log2[1]).unwrap();
        let each = levels.levels.iter().map(|(o, l)| (o / 512, l.log2_height, l.log2_depth));
        let each = each.collect();
        (levels, each)
    }

    #[test]
    fn blocks_shrink_with_the_levels_and_layers_have_all_levels() {
        let format = "u8x4".parse().unwrap();
        // A GOB has 8 rows: 64 rows need 8 GOBs, 32 rows 4, 16 rows 2, and smaller levels 1. Level
        // 0 has 4 x 8 GOBs and level 1 has 2 x 4; each smaller level has one GOB.
        let (all, each) = levels(&ArrayShape::d2(format, 64, 64).with_levels(7), [4, 0]);
        let small = [(42, 0, 0), (43, 0, 0), (44, 0, 0), (45, 0, 0)];
        assert_eq!(each, [&[(0, 3, 0), (32, 2, 0), (40, 1, 0)][..], &small].concat());
        // The levels have 46 GOBs in total, rounded up to a multiple of level 0's block of 8 GOBs.
        assert_eq!(all.bytes(), 48 * 512);
        // One level keeps its blocks.
        let (one, each) = levels(&ArrayShape::d2(format, 4, 4), [4, 0]);
        assert_eq!((each[0].1, one.bytes()), (4, 512 * 16));
        let (_, each) = levels(&ArrayShape::d3(format, 16, 16, 16).with_levels(3), [1, 5]);
        assert_eq!([0, 1, 2].map(|n| each[n].2), [4, 3, 2]);
        let array = ArrayShape::d2(format, 32, 32).with_layers(3).with_levels(2);
        // The two levels have 8 and 2 GOBs, rounded up to a multiple of level 0's block of 4 GOBs.
        let (array, _) = levels(&array, [2, 0]);
        assert_eq!(array.layer_stride, 12 * 512);
        let planes: Vec<_> = array.planes().map(|(l, p, o, _)| (l, p, o / 512)).collect();
        assert_eq!(planes, [(0, 0, 0), (0, 1, 12), (0, 2, 24), (1, 0, 8), (1, 1, 20), (1, 2, 32)]);
    }
}
