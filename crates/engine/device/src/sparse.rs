//! Sparse arrays: tiles of 64 KiB that are mapped to memory one by one (`cuMemMapArrayAsync`).

use crate::array::Array;
use crate::error::Error;
use texunit_unit::{CreateError, Extent, Residency, TILE_BYTES};

/// A box of texels in one level and one layer of a sparse array (`CUarrayMapInfo`). Levels and
/// layers of a view are numbered as in the whole array.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TileRegion {
    /// The mip level. A level of the mip tail means the whole tail of the layer.
    pub level: u32,
    /// The layer; face `f` of cube `c` is `6 * c + f`.
    pub layer: u32,
    /// The first texel (x, y, z), which is a multiple of the tile's size.
    pub offset: [u32; 3],
    /// The size: whole tiles, or up to the end of the level. `None` means up to the end of the
    /// level.
    pub extent: Option<Extent>,
}

/// The mip tail of a sparse array: the levels that are smaller than a tile. Each layer has a tail,
/// which is mapped as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MipTail {
    /// The first level of the tail.
    pub first_level: u32,
    /// Bytes of one layer's tail: a multiple of the size of a tile.
    pub size: u64,
}

impl Array {
    /// Size of a tile in texels along x, y, z (`cuArrayGetSparseProperties`); `None` if the array
    /// is not sparse.
    pub fn tile(&self) -> Option<[u32; 3]> {
        self.texels().residency().map(|map| map.tile().0)
    }

    /// Maps the tiles of a region, so that their texels can be read and written.
    ///
    /// # Errors
    /// [`Error::Create`] if the array is not sparse, or the region does not consist of tiles.
    pub fn map_tiles(&self, region: &TileRegion) -> Result<(), Error> {
        self.set_tiles(region, true)
    }

    /// Unmaps the tiles of a region. A fetch that needs one of them is not resident. The host's
    /// [`Array::read`] still returns the old texels.
    ///
    /// # Errors
    /// [`Error::Create`] if the array is not sparse, or the region does not consist of tiles.
    pub fn unmap_tiles(&self, region: &TileRegion) -> Result<(), Error> {
        self.set_tiles(region, false)
    }

    /// Maps or unmaps all tiles.
    ///
    /// # Errors
    /// [`Error::Create`] if the array is not sparse.
    pub fn map_all_tiles(&self, resident: bool) -> Result<(), Error> {
        self.map()?.set_all(resident);
        Ok(())
    }

    fn map(&self) -> Result<&Residency, Error> {
        let refused = || CreateError::Refused(format!("array `{}` is not sparse", self.name()));
        Ok(self.texels().residency().ok_or_else(refused)?)
    }

    fn set_tiles(&self, region: &TileRegion, resident: bool) -> Result<(), Error> {
        let map = self.map()?;
        let TileRegion { level, layer, offset, extent } = *region;
        let level_extent = map.shape().level_extent(level).axes();
        let rest = [0, 1, 2].map(|axis| level_extent[axis].saturating_sub(offset[axis]));
        let extent = extent.map_or(rest, Extent::axes);
        map.set_region(level, layer, offset, extent, resident)?;
        Ok(())
    }

    /// The mip tail; `None` if there is none, or the array is not sparse.
    pub fn mip_tail(&self) -> Option<MipTail> {
        self.mip_levels()?;
        let map = self.texels().residency()?;
        let (shape, first_level) = (map.shape(), map.tail_first_level());
        if first_level >= shape.level_count() {
            return None;
        }
        let bytes: u128 = (first_level..shape.level_count())
            .map(|level| shape.format.byte_size(shape.level_extent(level).axes()))
            .sum();
        let size = u64::try_from(bytes).ok()?.next_multiple_of(TILE_BYTES);
        Some(MipTail { first_level, size })
    }

    /// Maps or unmaps the mip tail of a layer.
    ///
    /// # Errors
    /// [`Error::Create`] if the array has no such tail.
    pub fn set_mip_tail(&self, layer: u32, resident: bool) -> Result<(), Error> {
        self.map()?.set_tail(layer, resident)?;
        Ok(())
    }
}
