//! The shape of an array, and the memory layout of its texels.

use super::{ArchLimits, CreateError, Extent};
use texunit_forms::Geometry;
use texunit_texel::Format;

/// The parameters of an array (`CUDA_ARRAY3D_DESCRIPTOR`, `cuMipmappedArrayCreate`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ArrayShape {
    /// Format of the texels.
    pub format: Format,
    /// Kind of array. The instructions that fetch from the array have the same geometry.
    pub geometry: Geometry,
    /// Size in texels of the base level of one layer or face. Axes that the geometry lacks are 1.
    pub extent: Extent,
    /// Number of layers; for a cube array, of cubes; 1 for other geometries.
    pub layers: u32,
    /// Number of mip levels; `None` for an array that is not mipmapped.
    pub levels: Option<u32>,
    /// Number of samples of a multi-sample array: 2, 4, 8 or 16; 1 for other geometries.
    pub samples: u32,
}

/// Size and memory layout of a mip level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    /// Size in texels of one layer or face.
    pub extent: Extent,
    /// Byte offset of the first texel in the block.
    pub(crate) offset: u64,
    /// Bytes between rows; for block-compressed formats, between rows of 4x4 blocks.
    pub(crate) row_pitch: u64,
    /// Bytes between slices.
    pub(crate) slice_pitch: u64,
    /// Bytes between sample planes.
    pub(crate) sample_pitch: u64,
    /// Bytes between layers or faces.
    pub(crate) plane_pitch: u64,
}

/// The index of a texel. Parts that a resource does not have are 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct TexelIndex {
    /// Mip level.
    pub level: u32,
    /// Index of the layer; for cubes, `6 * cube + face`.
    pub plane: u32,
    /// Sample number.
    pub sample: u32,
    /// Position: x, y, z.
    pub at: [u32; 3],
}

impl ArrayShape {
    /// The shape of an array of this format and size that has one layer, is not mipmapped, and has
    /// one sample (2 for multi-sample geometries).
    pub fn new(format: Format, geometry: Geometry, extent: Extent) -> Self {
        let samples = if geometry.is_multisample() { 2 } else { 1 };
        Self { format, geometry, extent, layers: 1, levels: None, samples }
    }

    /// Number of planes: layers, or faces of all cubes.
    pub fn planes(&self) -> u32 {
        if self.geometry.is_cube() { self.layers.saturating_mul(6) } else { self.layers }
    }

    /// Number of stored levels, which is 1 for an array that is not mipmapped.
    pub fn level_count(&self) -> u32 {
        self.levels.unwrap_or(1)
    }

    /// Size of a mip level: each axis halves from level to level, rounded down, but not below 1.
    pub fn level_extent(&self, level: u32) -> Extent {
        self.extent.level(level)
    }

    /// Size of the array's memory in bytes, or why the array is invalid. Rows begin at multiples of
    /// 8 bytes, so the size can exceed [`Self::packed_size`].
    pub fn size(&self) -> Result<u64, CreateError> {
        self.check()?;
        Ok(self.layout().1)
    }

    /// Size in bytes of all texels without padding
    /// ([`Resource::to_packed`](super::Resource::to_packed)), or why the array is invalid.
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

    /// Checks the rules of section 8.1 of docs/numerics.md and the limits of the newest
    /// architecture.
    pub fn check(&self) -> Result<(), CreateError> {
        self.check_for(&ArchLimits::NEWEST)
    }

    /// The layout of all levels, and their total size. The order is: levels, layers, samples,
    /// slices, rows. Rows are padded to multiples of [`ROW_ALIGN`] bytes.
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
            let level = Level { extent, offset, row_pitch, slice_pitch, sample_pitch, plane_pitch };
            levels.push(level);
            offset += plane_pitch * u64::from(self.planes());
        }
        (levels, offset)
    }
}

/// Alignment of rows in bytes. Because of it, an aligned x of a surface access has an aligned
/// address, so that each element is a single memory access and a reduction can be atomic.
const ROW_ALIGN: u64 = 8;

/// Number of columns and of rows of stored elements: texels, or 4x4 blocks.
pub(crate) fn elements(format: Format, extent: Extent) -> (u64, u64) {
    let block = format.block_extent();
    (extent.width.div_ceil(block).into(), extent.height.div_ceil(block).into())
}
