//! Construction of resources. It guarantees for all later accesses that the shape is within the
//! limits of an architecture, and that all texels are inside the memory.

use super::shape::elements;
use super::{ArchLimits, ArrayShape, CreateError, Extent, Layout, Level, Resource, limits};
use std::sync::Arc;
use texunit_forms::{Count, Geometry};
use texunit_memory::Block;
use texunit_texel::Format;

/// Required alignment of the base address of linear and pitched memory (docs/numerics.md 12), in
/// bytes.
pub const BASE_ALIGN: u64 = 16;
/// Required alignment in bytes of the pitch of pitched memory.
pub const PITCH_ALIGN: u64 = 32;

/// Size in bytes of the largest texel in linear or pitched memory.
const LARGEST_TEXEL: usize = 16;

/// Location of the first texel of linear or pitched memory.
#[derive(Clone, Debug)]
pub struct Base {
    /// The memory block that holds the texels.
    pub block: Arc<Block>,
    /// Byte offset of the first texel in the block.
    pub offset: u64,
    /// Device address of the block.
    pub address: u64,
}

impl Base {
    fn check(&self) -> Result<(), CreateError> {
        check_align("base address", self.address.wrapping_add(self.offset), BASE_ALIGN)
    }

    /// A base that points to one texel of zeros, for memory that has no texels.
    fn of_nothing(self) -> Result<Self, CreateError> {
        self.check()?;
        let full = CreateError::Memory { needed: LARGEST_TEXEL as u64, available: 0 };
        let block = Block::new(LARGEST_TEXEL, "no texels").ok_or(full)?;
        Ok(Self { block: Arc::new(block), offset: 0, address: 0 })
    }
}

impl Resource {
    /// An array that fills `block` from its start, within the limits of the newest architecture.
    pub fn array(
        shape: &ArrayShape,
        block: Arc<Block>,
        name: impl Into<String>,
    ) -> Result<Self, CreateError> {
        Self::array_for(&ArchLimits::NEWEST, shape, block, name)
    }

    /// A new array within the limits of an architecture.
    pub fn array_for(
        limits: &ArchLimits,
        shape: &ArrayShape,
        block: Arc<Block>,
        name: impl Into<String>,
    ) -> Result<Self, CreateError> {
        shape.check_for(limits)?;
        let (levels, _) = shape.layout();
        Self::inside(limits, *shape, levels, Layout::Array, block, name.into())
    }

    /// Linear memory of `width` texels from byte `offset` in `block`, which lies at device address
    /// `base_address`. It must be within the limits of the newest architecture.
    pub fn linear(
        format: Format,
        width: u32,
        block: Arc<Block>,
        offset: u64,
        base_address: u64,
        name: impl Into<String>,
    ) -> Result<Self, CreateError> {
        let base = Base { block, offset, address: base_address };
        Self::linear_for(&ArchLimits::NEWEST, format, width, base, name)
    }

    /// Linear memory for textures, within the limits of an architecture.
    pub fn linear_for(
        limits: &ArchLimits,
        format: Format,
        width: u32,
        base: Base,
        name: impl Into<String>,
    ) -> Result<Self, CreateError> {
        let extent = Extent { width, height: 1, depth: 1 };
        limits.linear().check(extent)?;
        limits::check_memory_format(format)?;
        base.check()?;
        let shape = ArrayShape::new(format, Geometry::D1, extent);
        let level = one_level(extent, base.offset, row_bytes(format, width));
        Self::inside(limits, shape, vec![level], Layout::Linear, base.block, name.into())
    }

    /// Pitch-linear 2D memory of rows of `width` texels, which are `pitch` bytes apart. It must be
    /// within the limits of the newest architecture.
    #[expect(clippy::too_many_arguments, reason = "they are those of CUDA_RESOURCE_DESC")]
    pub fn pitched(
        format: Format,
        width: u32,
        height: u32,
        pitch: u64,
        block: Arc<Block>,
        offset: u64,
        base_address: u64,
        name: impl Into<String>,
    ) -> Result<Self, CreateError> {
        let base = Base { block, offset, address: base_address };
        Self::pitched_for(&ArchLimits::NEWEST, format, [width, height], pitch, base, name)
    }

    /// Pitched memory for textures, within the limits of an architecture.
    pub fn pitched_for(
        limits: &ArchLimits,
        format: Format,
        [width, height]: [u32; 2],
        pitch: u64,
        base: Base,
        name: impl Into<String>,
    ) -> Result<Self, CreateError> {
        let row_bytes = row_bytes(format, width);
        if pitch < row_bytes {
            return Err(CreateError::Refused(format!(
                "the pitch is {}, but a row of {} of {format} takes \
                 {row_bytes}",
                Count(pitch, "byte"),
                Count(width, "texel")
            )));
        }
        Self::rows_for(limits, format, [width, height], pitch, base, name.into())
    }

    /// Linear memory under the rules of CUDA's driver, which checks neither the end of the memory
    /// nor the limits (measured on an H200, docs/numerics.md 8.1). Texels outside the memory or
    /// beyond the limits read 0; queries return the requested width.
    pub fn linear_as_driver(
        limits: &ArchLimits,
        format: Format,
        width: u32,
        base: Base,
        name: impl Into<String>,
    ) -> Result<Self, CreateError> {
        let here = (base.block.size() as u64).saturating_sub(base.offset);
        let there = here / u64::from(format.texel_size()).max(1);
        let there = there.min(u64::from(width.min(limits.linear().extent[0]))) as u32;
        let base = if there == 0 { base.of_nothing()? } else { base };
        let mut made = Self::linear_for(limits, format, there.max(1), base, name)?;
        made.shape.extent.width = width;
        Ok(made)
    }

    /// Pitched memory under the rules of CUDA's driver. Rows may be longer than the pitch, so that
    /// a row overlaps the next one, and there may be no rows (docs/numerics.md 8.1). A fetch from
    /// memory without texels reads 0.
    pub fn pitched_as_driver(
        limits: &ArchLimits,
        format: Format,
        [width, height]: [u32; 2],
        pitch: u64,
        base: Base,
        name: impl Into<String>,
    ) -> Result<Self, CreateError> {
        if pitch == 0 {
            return Err(CreateError::Extent { what: "pitch", value: 0, max: limits.pitch() });
        }
        let (size, base) = match (width, height) {
            (0, _) | (_, 0) => ([1, 1], base.of_nothing()?),
            size => (size.into(), base),
        };
        Self::rows_for(limits, format, size, pitch, base, name.into())
    }

    /// Pitched memory whose rows may be longer than the pitch.
    fn rows_for(
        limits: &ArchLimits,
        format: Format,
        [width, height]: [u32; 2],
        pitch: u64,
        base: Base,
        name: String,
    ) -> Result<Self, CreateError> {
        let extent = Extent { width, height, depth: 1 };
        limits.pitched().check(extent)?;
        limits::check_memory_format(format)?;
        base.check()?;
        check_align("pitch", pitch, PITCH_ALIGN)?;
        let max = limits.pitch();
        if pitch > max {
            return Err(CreateError::Extent { what: "pitch", value: pitch, max });
        }
        let shape = ArrayShape::new(format, Geometry::D2, extent);
        let level = one_level(extent, base.offset, pitch);
        Self::inside(limits, shape, vec![level], Layout::Pitched, base.block, name)
    }

    /// Makes a resource after checking that all of its texels are inside the block.
    fn inside(
        limits: &ArchLimits,
        shape: ArrayShape,
        levels: Vec<Level>,
        layout: Layout,
        block: Arc<Block>,
        name: String,
    ) -> Result<Self, CreateError> {
        let (limits, residency, first_level, first_plane) = (*limits, None, 0, 0);
        let resource = Self {
            shape,
            levels,
            layout,
            block,
            limits,
            residency,
            first_level,
            first_plane,
            of_words: false,
            gathers: true,
            array: shape,
            layer_stride: None,
            name,
        };
        for (n, level) in resource.levels.iter().enumerate() {
            let (_, rows) = elements(shape.format, level.extent);
            let needed = level.plane_pitch * u64::from(shape.planes() - 1)
                + level.sample_pitch * u64::from(shape.samples - 1)
                + level.slice_pitch * u64::from(level.extent.depth - 1)
                + level.row_pitch * (rows - 1)
                + resource.row_bytes(n as u32);
            if !resource.block.contains(level.offset, needed) {
                let available = (resource.block.size() as u64).saturating_sub(level.offset);
                return Err(CreateError::Memory { needed, available });
            }
        }
        Ok(resource)
    }
}

fn check_align(what: &'static str, value: u64, align: u64) -> Result<(), CreateError> {
    if value.is_multiple_of(align) {
        Ok(())
    } else {
        Err(CreateError::Alignment { what, value, align })
    }
}

fn row_bytes(format: Format, width: u32) -> u64 {
    u64::from(width) * u64::from(format.texel_size())
}

/// The only level of linear or pitched memory.
fn one_level(extent: Extent, offset: u64, row_pitch: u64) -> Level {
    let all = row_pitch * u64::from(extent.height);
    Level { extent, offset, row_pitch, slice_pitch: all, sample_pitch: all, plane_pitch: all }
}
