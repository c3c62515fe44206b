//! Sparse arrays: the map of the 64 KiB tiles that are resident in memory.
//!
//! A map counts elements: texels, or the 4x4 blocks of block-compressed formats. Views share the
//! map of their array whatever their format, because they have the same elements. Memory exists for
//! tiles that are not resident, too, so code that reads texels must check the map first.

use super::shape::elements;
use super::{ArrayShape, CreateError, TexelIndex};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use texunit_forms::Geometry;

/// Size of a tile in bytes.
pub const TILE_BYTES: u64 = 65_536;

/// Size of a tile in texels along x, y, z.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TileShape(pub [u32; 3]);

/// Size of a tile in elements along x, y, z. The row is selected by the size of an element: 1, 2,
/// 4, 8 or 16 bytes.
#[rustfmt::skip]
const TILES_2D: [[u32; 3]; 5] =
    [[256, 256, 1], [256, 128, 1], [128, 128, 1], [128, 64, 1], [64, 64, 1]];
#[rustfmt::skip]
const TILES_3D: [[u32; 3]; 5] =
    [[64, 32, 32], [32, 32, 32], [32, 32, 16], [32, 16, 16], [16, 16, 16]];

/// The tiles of one mip level.
#[derive(Debug)]
struct LevelTiles {
    /// Size of the level in elements along x, y, z.
    extent: [u32; 3],
    /// Number of tiles along x, y, z.
    count: [u32; 3],
    /// Index of the level's first tile of layer 0.
    first: u64,
}

impl LevelTiles {
    /// Number of the level's tiles in one layer.
    fn of_plane(&self) -> u64 {
        self.count.iter().map(|&n| u64::from(n)).product()
    }
}

/// The map of resident tiles of a sparse array. Kernels only read it; the owner of the array
/// changes it between launches (`cuMemMapArrayAsync`). At first no tile is resident.
///
/// The levels that are smaller than a tile are the *mip tail*, which is mapped as one unit per
/// layer. An array that is not mipmapped has no tail, even if it is smaller than a tile (assumed).
#[derive(Debug)]
pub struct Residency {
    shape: ArrayShape,
    /// Size of a tile in elements along x, y, z.
    tile: [u32; 3],
    /// The mip levels that are divided into tiles; the smaller levels after them are the mip tail.
    levels: Vec<LevelTiles>,
    /// Bit index of layer 0's mip tail. Each layer has a tail, or none has.
    tails: u64,
    /// One bit per tile, followed by one bit per mip tail: whether it is resident.
    bits: Vec<AtomicU64>,
    count: u64,
}

impl Residency {
    /// A map for arrays of this shape, in which no tile is resident.
    pub fn new(shape: &ArrayShape) -> Result<Self, CreateError> {
        shape.check()?;
        let sparse = matches!(
            shape.geometry,
            Geometry::D2 | Geometry::D3 | Geometry::A2d | Geometry::Cube | Geometry::Acube
        );
        if !sparse {
            return Err(CreateError::Refused(format!(
                "a {} cannot be sparse; 2D, layered 2D, cube and 3D arrays can",
                super::limits::name_of(shape.geometry)
            )));
        }
        let tiles = if shape.geometry == Geometry::D3 { &TILES_3D } else { &TILES_2D };
        let tile = tiles[shape.format.texel_size().ilog2() as usize];
        let planes = u64::from(shape.planes());
        let (mut levels, mut first) = (Vec::new(), 0);
        for level in 0..shape.level_count() {
            let extent = shape.level_extent(level);
            let (columns, rows) = elements(shape.format, extent);
            let size = [columns as u32, rows as u32, extent.depth];
            if shape.levels.is_some() && size.iter().zip(tile).any(|(&n, tile)| n < tile) {
                break;
            }
            let count = [0, 1, 2].map(|axis| size[axis].div_ceil(tile[axis]));
            levels.push(LevelTiles { extent: extent.axes(), count, first });
            first += levels[level as usize].of_plane() * planes;
        }
        let has_tail = levels.len() < shape.level_count() as usize;
        let count = first + if has_tail { planes } else { 0 };
        let bits = (0..count.div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        Ok(Self { shape: *shape, tile, levels, tails: first, bits, count })
    }

    pub(crate) fn check(&self, shape: &ArrayShape) -> Result<(), CreateError> {
        if self.shape == *shape {
            return Ok(());
        }
        Err(CreateError::Refused(
            "the residency map belongs to an array of another shape".to_owned(),
        ))
    }

    /// The shape of the arrays that can have this map.
    pub fn shape(&self) -> &ArrayShape {
        &self.shape
    }

    /// Size of a tile in texels (`cuArrayGetSparseProperties`).
    pub fn tile(&self) -> TileShape {
        let block = self.shape.format.block_extent();
        let [x, y, z] = self.tile;
        TileShape([x * block, y * block, z])
    }

    /// Number of tiles of a level in one layer, along x, y, z. Returns `None` for levels of the mip
    /// tail, and for levels that do not exist.
    pub fn tiles(&self, level: u32) -> Option<[u32; 3]> {
        self.levels.get(level as usize).map(|level| level.count)
    }

    /// Index of the first level of the mip tail; the number of levels if there is no tail.
    pub fn tail_first_level(&self) -> u32 {
        self.levels.len() as u32
    }

    /// Total number of tiles and mip tails.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Number of resident tiles and mip tails.
    pub fn resident_count(&self) -> u64 {
        self.bits.iter().map(|word| u64::from(word.load(Relaxed).count_ones())).sum()
    }

    /// Makes one tile of a layer (for cubes, `6 * cube + face`) resident or not. `tile` is the
    /// tile's index along x, y, z. Returns whether the tile's state changed.
    pub fn set_tile(
        &self,
        level: u32,
        plane: u32,
        tile: [u32; 3],
        resident: bool,
    ) -> Result<bool, CreateError> {
        let number = self.tile_number(level, plane, tile).ok_or_else(|| {
            let [x, y, z] = tile;
            let what = if level >= self.tail_first_level() && level < self.shape.level_count() {
                "; the level is part of the mip tail"
            } else {
                ""
            };
            CreateError::Refused(format!(
                "there is no tile ({x}, {y}, {z}) in level {level}, layer {plane}{what}"
            ))
        })?;
        Ok(self.set(number, resident))
    }

    /// Makes the mip tail of a layer resident or not. Returns whether its state changed.
    pub fn set_tail(&self, plane: u32, resident: bool) -> Result<bool, CreateError> {
        let number = self.tails + u64::from(plane);
        if plane >= self.shape.planes() || number >= self.count {
            return Err(CreateError::Refused(format!("there is no mip tail of layer {plane}")));
        }
        Ok(self.set(number, resident))
    }

    /// Makes the tile, or the mip tail, of an element (a texel or a 4x4 block) resident or not.
    /// Returns whether its state changed.
    pub fn set_element(
        &self,
        level: u32,
        plane: u32,
        at: [u32; 3],
        resident: bool,
    ) -> Result<bool, CreateError> {
        if level >= self.tail_first_level() {
            return self.set_tail(plane, resident);
        }
        let tile = [0, 1, 2].map(|axis| at[axis] / self.tile[axis]);
        self.set_tile(level, plane, tile, resident)
    }

    /// Makes the tiles of a box of texels resident or not (`CUarrayMapInfo`). The box's offset must
    /// be a multiple of a tile; so must its extent, unless the box ends at the end of the level.
    /// Returns the number of tiles that changed. In the mip tail, the box must be a whole level,
    /// and stands for the whole tail.
    pub fn set_region(
        &self,
        level: u32,
        plane: u32,
        offset: [u32; 3],
        extent: [u32; 3],
        resident: bool,
    ) -> Result<u64, CreateError> {
        let refused = |reason: &str| CreateError::Refused(format!("a region to map {reason}"));
        if level >= self.shape.level_count() || plane >= self.shape.planes() {
            return Err(refused("is of a level or layer that the array does not have"));
        }
        let Some(tiles) = self.levels.get(level as usize) else {
            if offset != [0; 3] || extent != self.shape.level_extent(level).axes() {
                return Err(refused("of the mip tail is a whole level"));
            }
            return self.set_tail(plane, resident).map(u64::from);
        };
        let TileShape(tile) = self.tile();
        let mut range = [0..0, 0..0, 0..0];
        for axis in 0..3 {
            let (from, size, all) = (offset[axis], tile[axis], tiles.extent[axis]);
            let Some(to) = from.checked_add(extent[axis]).filter(|&to| from < to && to <= all)
            else {
                return Err(refused("is not empty, and inside its level"));
            };
            if !from.is_multiple_of(size) || !(to == all || to.is_multiple_of(size)) {
                return Err(refused(&format!("is made of tiles of {tile:?} texels")));
            }
            range[axis] = from / size..to.div_ceil(size);
        }
        let [xs, ys, zs] = range;
        let mut changed = 0;
        for z in zs {
            for y in ys.clone() {
                for x in xs.clone() {
                    changed += u64::from(self.set_tile(level, plane, [x, y, z], resident)?);
                }
            }
        }
        Ok(changed)
    }

    /// Makes all tiles and mip tails resident or not.
    pub fn set_all(&self, resident: bool) {
        for (i, word) in self.bits.iter().enumerate() {
            let used = self.count - 64 * i as u64;
            let mask = if used >= 64 { u64::MAX } else { (1 << used) - 1 };
            word.store(if resident { mask } else { 0 }, Relaxed);
        }
    }

    /// Whether the tile of a texel is resident; false outside the extents.
    pub fn is_resident(&self, index: TexelIndex) -> bool {
        let block = self.shape.format.block_extent();
        let [x, y, z] = index.at;
        let extent = self.shape.level_extent(index.level).axes();
        let inside = index.level < self.shape.level_count()
            && index.at.iter().zip(extent).all(|(&at, n)| at < n);
        inside && self.is_element_resident(index.level, index.plane, [x / block, y / block, z])
    }

    /// Whether the tile that contains an element (a texel or a 4x4 block) is resident.
    pub(crate) fn is_element_resident(&self, level: u32, plane: u32, at: [u32; 3]) -> bool {
        let number = if level as usize >= self.levels.len() {
            (plane < self.shape.planes()).then(|| self.tails + u64::from(plane))
        } else {
            self.tile_number(level, plane, [0, 1, 2].map(|axis| at[axis] / self.tile[axis]))
        };
        number.and_then(|n| Some(self.bits.get(n as usize / 64)?.load(Relaxed) >> (n % 64) & 1))
            == Some(1)
    }

    fn tile_number(&self, level: u32, plane: u32, tile: [u32; 3]) -> Option<u64> {
        let level = self.levels.get(level as usize)?;
        let inside =
            plane < self.shape.planes() && tile.iter().zip(level.count).all(|(&t, n)| t < n);
        let [x, y, z] = tile.map(u64::from);
        let [columns, rows, _] = level.count.map(u64::from);
        let number = level.first + u64::from(plane) * level.of_plane();
        inside.then(|| number + (z * rows + y) * columns + x)
    }

    /// Sets the bit of a tile or mip tail; returns whether the bit changed.
    fn set(&self, number: u64, resident: bool) -> bool {
        let (word, bit) = (&self.bits[number as usize / 64], 1 << (number % 64));
        let before =
            if resident { word.fetch_or(bit, Relaxed) } else { word.fetch_and(!bit, Relaxed) };
        (before & bit != 0) != resident
    }
}

#[cfg(test)]
mod tests;
