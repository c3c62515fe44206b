//! What an array is made of, and where its texels lie.

use super::{ArchLimits, CreateError, Extent};
use texunit_forms::Geometry;
use texunit_texel::Format;

/// What an array is made with (`CUDA_ARRAY3D_DESCRIPTOR`, `cuMipmappedArrayCreate`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ArrayShape {
    /// Format of the texels.
    pub format: Format,
    /// Kind of array; the instructions that fetch from it have the same geometry.
    pub geometry: Geometry,
    /// Texels of the base level, of one layer or face. Axes that the geometry lacks are 1.
    pub extent: Extent,
    /// Layers; cubes of a cube array; 1 for other geometries.
    pub layers: u32,
    /// Mip levels; `None` for an array that is not mipmapped.
    pub levels: Option<u32>,
    /// Samples of a multi-sample array: 2, 4, 8 or 16; 1 for other geometries.
    pub samples: u32,
}

/// Where the texels of a mip level lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    /// Texels of one layer or face.
    pub extent: Extent,
    /// Offset in the block of the first texel.
    pub(crate) offset: u64,
    /// Bytes from a row to the next; of block-compressed formats, a row of 4x4 blocks.
    pub(crate) row_pitch: u64,
    /// Bytes from a slice to the next.
    pub(crate) slice_pitch: u64,
    /// Bytes from a sample plane to the next.
    pub(crate) sample_pitch: u64,
    /// Bytes from a layer or face to the next.
    pub(crate) plane_pitch: u64,
}

/// Which texel. What a resource does not have is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct TexelIndex {
    /// Mip level.
    pub level: u32,
    /// Layer; of cubes, `6 * cube + face`.
    pub plane: u32,
    /// Sample number.
    pub sample: u32,
    /// x, y, z.
    pub at: [u32; 3],
}

impl ArrayShape {
    /// An array of this format and size, of one layer, not mipmapped; one sample, or 2 where the
    /// geometry has samples.
    pub fn new(format: Format, geometry: Geometry, extent: Extent) -> Self {
        let samples = if geometry.is_multisample() { 2 } else { 1 };
        Self { format, geometry, extent, layers: 1, levels: None, samples }
    }

    /// Layers, or faces of all cubes.
    pub fn planes(&self) -> u32 {
        if self.geometry.is_cube() { self.layers.saturating_mul(6) } else { self.layers }
    }

    /// Number of levels that there are texels of.
    pub fn level_count(&self) -> u32 {
        self.levels.unwrap_or(1)
    }

    /// Size of a mip level: each axis halves, rounded down, but not below 1.
    pub fn level_extent(&self, level: u32) -> Extent {
        self.extent.level(level)
    }

    /// Bytes of memory that it takes, or why there is no such array. Rows begin at multiples of 8
    /// bytes, so this may be more than [`Self::packed_size`].
    pub fn size(&self) -> Result<u64, CreateError> {
        self.check()?;
        Ok(self.layout().1)
    }

    /// Bytes of all texels without padding ([`Resource::to_packed`](super::Resource::to_packed)),
    /// or why there is no such array.
    pub fn packed_size(&self) -> Result<u64, CreateError> {
        self.check()?;
        let copies = u64::from(self.planes()) * u64::from(self.samples);
        let of_level = |level| {
            let extent = self.level_extent(level);
            let (columns, rows) = elements(self.format, extent);
            columns * rows * u64::from(extent.depth) * u64::from(self.format.texel_size())
        };
        Ok((0..self.level_count()).map(|level| of_level(level) * copies).sum())
    }

    /// Rules of section 8.1 and the limits of the newest architecture.
    pub fn check(&self) -> Result<(), CreateError> {
        self.check_for(&ArchLimits::NEWEST)
    }

    /// The levels one after the other, each layer by layer, sample by sample, slice by slice, row
    /// by row; and the size of all. Rows are padded to multiples of [`ROW_ALIGN`] bytes.
    pub(crate) fn layout(&self) -> (Vec<Level>, u64) {
        let mut offset = 0;
        let mut levels = Vec::new();
        for level in 0..self.level_count() {
            let extent = self.level_extent(level);
            let (columns, rows) = elements(self.format, extent);
            let row_bytes = columns * u64::from(self.format.texel_size());
            let row_pitch = row_bytes.next_multiple_of(ROW_ALIGN);
            let slice_pitch = row_pitch * rows;
            let sample_pitch = slice_pitch * u64::from(extent.depth);
            let plane_pitch = sample_pitch * u64::from(self.samples);
            levels.push(Level {
                extent,
                offset,
                row_pitch,
                slice_pitch,
                sample_pitch,
                plane_pitch,
            });
            offset += plane_pitch * u64::from(self.planes());
        }
        (levels, offset)
    }
}

/// Where rows begin: an aligned x of a surface access is an aligned address, so that each element
/// is one access to memory and a reduction can be atomic.
const ROW_ALIGN: u64 = 8;

/// Columns and rows of what is stored: texels, or 4x4 blocks of them.
pub(crate) fn elements(format: Format, extent: Extent) -> (u64, u64) {
    let block = format.block_extent();
    (extent.width.div_ceil(block).into(), extent.height.div_ceil(block).into())
}
