//! Texels in memory.

use std::sync::Arc;
use texunit_memory::Block;
use texunit_texel::{Format, unpack};

/// Size in texels. An axis that the geometry lacks is 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub struct Extent {
    pub width: u32,
    pub height: u32,
    pub depth: u32,
}

/// How the texels lie in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Layout {
    /// An opaque array of 1, 2 or 3 dimensions (`cuArray`). Ours has packed rows.
    Array {
        /// 1, 2 or 3.
        dims: u8,
    },
    /// Linear memory (`CU_RESOURCE_TYPE_LINEAR`): 1D, fetched with integer coordinates in CUDA.
    Linear,
    /// Pitch-linear 2D memory (`CU_RESOURCE_TYPE_PITCH2D`).
    Pitched,
}

/// Texels in memory: format, extent, layout and where they are.
#[derive(Clone, Debug)]
pub struct Resource {
    pub(crate) format: Format,
    pub(crate) extent: Extent,
    pub(crate) layout: Layout,
    /// Bytes from a row to the next.
    pub(crate) row_pitch: u64,
    /// Bytes from a slice to the next.
    pub(crate) slice_pitch: u64,
    pub(crate) block: Arc<Block>,
    /// Offset of the first texel in the block.
    pub(crate) offset: u64,
    /// What messages call it.
    pub(crate) name: String,
}

/// Why a resource, texture or surface cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CreateError {
    /// An extent of zero, or past the limits of the architecture.
    #[error("{what} is {value}, but must be 1 to {max}")]
    Extent {
        /// `width`, `height`, `depth` or `pitch`.
        what: &'static str,
        /// As given.
        value: u64,
        /// Largest value possible.
        max: u64,
    },
    /// The first texel is not aligned (docs/numerics.md 12).
    #[error("the {what} {value} is not a multiple of {align} bytes")]
    Alignment {
        /// `base address`, `pitch`.
        what: &'static str,
        /// As given.
        value: u64,
        /// Multiple wanted.
        align: u64,
    },
    /// The memory is smaller than the texels.
    #[error("{needed} bytes of texels do not fit into the {available} bytes of the memory")]
    Memory {
        /// Bytes that the extent takes.
        needed: u64,
        /// Bytes there.
        available: u64,
    },
    /// A combination that the CUDA runtime refuses (docs/numerics.md 8.1).
    #[error("{0}")]
    Refused(String),
}

/// Largest extents of sm_75 and later (`CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE...`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Of what.
    pub what: &'static str,
    /// Largest width, height and depth, in texels.
    pub extent: [u32; 3],
}

/// Row `dims - 1` for arrays.
#[rustfmt::skip]
pub const ARRAY_LIMITS: [Limits; 3] = [
    Limits { what: "1D array",         extent: [131_072, 1,      1] },
    Limits { what: "2D array",         extent: [131_072, 65_536, 1] },
    Limits { what: "3D array",         extent: [16_384,  16_384, 16_384] },
];
/// Linear memory; newer architectures than sm_75 go to 2^28 texels.
#[rustfmt::skip]
pub const LINEAR_LIMITS:  Limits = Limits { what: "linear memory",     extent: [1 << 27, 1,      1] };
/// Pitched memory.
#[rustfmt::skip]
pub const PITCHED_LIMITS: Limits = Limits { what: "pitched 2D memory", extent: [131_072, 65_000, 1] };
/// Largest pitch of pitched memory, in bytes.
pub const MAX_PITCH: u64 = 2_097_120;
/// Width of a 1D surface; other surfaces are limited as arrays are.
pub const MAX_SURFACE_1D: u32 = 32_768;
/// What the base address of linear and pitched memory is a multiple of (docs/numerics.md 12).
pub const BASE_ALIGN: u64 = 16;
/// What the pitch is a multiple of.
pub const PITCH_ALIGN: u64 = 32;

impl Extent {
    fn check(self, limits: &Limits) -> Result<(), CreateError> {
        let axes = [("width", self.width), ("height", self.height), ("depth", self.depth)];
        for ((what, value), max) in axes.into_iter().zip(limits.extent) {
            if value == 0 || value > max {
                return Err(CreateError::Extent { what, value: value.into(), max: max.into() });
            }
        }
        Ok(())
    }
}

fn check_align(what: &'static str, value: u64, align: u64) -> Result<(), CreateError> {
    if value.is_multiple_of(align) {
        Ok(())
    } else {
        Err(CreateError::Alignment { what, value, align })
    }
}

impl Resource {
    /// Bytes that an array of this format and extent takes, or why there is no such array.
    pub fn array_size(format: Format, extent: Extent, dims: u8) -> Result<u64, CreateError> {
        let limits = usize::from(dims).checked_sub(1).and_then(|row| ARRAY_LIMITS.get(row));
        let Some(limits) = limits else {
            return Err(CreateError::Refused(format!(
                "an array has 1, 2 or 3 dimensions, not {dims}"
            )));
        };
        extent.check(limits)?;
        let texels = u64::from(extent.width) * u64::from(extent.height) * u64::from(extent.depth);
        // At most 2^42 texels of 16 bytes.
        Ok(texels * u64::from(format.texel_size()))
    }

    /// An opaque array (`cuArray`) of 1, 2 or 3 dimensions that fills `block` from its start. The
    /// axes it lacks have extent 1.
    pub fn array(
        format: Format,
        extent: Extent,
        dims: u8,
        block: Arc<Block>,
        name: impl Into<String>,
    ) -> Result<Self, CreateError> {
        Self::array_size(format, extent, dims)?;
        let row_pitch = u64::from(extent.width) * u64::from(format.texel_size());
        let slice_pitch = row_pitch * u64::from(extent.height);
        let layout = Layout::Array { dims };
        Self { format, extent, layout, row_pitch, slice_pitch, block, offset: 0, name: name.into() }
            .inside()
    }

    /// Linear memory: `width` texels from `offset` in `block`, which lies at device address
    /// `base_address`.
    pub fn linear(
        format: Format,
        width: u32,
        block: Arc<Block>,
        offset: u64,
        base_address: u64,
        name: impl Into<String>,
    ) -> Result<Self, CreateError> {
        let extent = Extent { width, height: 1, depth: 1 };
        extent.check(&LINEAR_LIMITS)?;
        check_align("base address", base_address.wrapping_add(offset), BASE_ALIGN)?;
        let row_pitch = u64::from(width) * u64::from(format.texel_size());
        let (layout, slice_pitch) = (Layout::Linear, row_pitch);
        Self { format, extent, layout, row_pitch, slice_pitch, block, offset, name: name.into() }
            .inside()
    }

    /// Pitch-linear 2D memory: rows of `width` texels, `pitch` bytes apart.
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
        let extent = Extent { width, height, depth: 1 };
        extent.check(&PITCHED_LIMITS)?;
        check_align("base address", base_address.wrapping_add(offset), BASE_ALIGN)?;
        check_align("pitch", pitch, PITCH_ALIGN)?;
        let row_bytes = u64::from(width) * u64::from(format.texel_size());
        if pitch < row_bytes {
            return Err(CreateError::Refused(format!(
                "the pitch is {pitch} bytes, but a row of {width} texels of {format} takes \
                 {row_bytes}"
            )));
        }
        if pitch > MAX_PITCH {
            return Err(CreateError::Extent { what: "pitch", value: pitch, max: MAX_PITCH });
        }
        let slice_pitch = pitch * u64::from(height);
        let (layout, row_pitch) = (Layout::Pitched, pitch);
        Self { format, extent, layout, row_pitch, slice_pitch, block, offset, name: name.into() }
            .inside()
    }

    /// Checks that all texels lie in the block: what every later access relies on.
    fn inside(self) -> Result<Self, CreateError> {
        let needed = self.span();
        if self.block.contains(self.offset, needed) {
            return Ok(self);
        }
        let available = (self.block.size() as u64).saturating_sub(self.offset);
        Err(CreateError::Memory { needed, available })
    }

    /// Bytes from the first byte of the first texel to the last of the last.
    fn span(&self) -> u64 {
        self.slice_pitch * u64::from(self.extent.depth - 1)
            + self.row_pitch * u64::from(self.extent.height - 1)
            + self.row_bytes()
    }

    /// Type and number of channels.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Size in texels.
    pub fn extent(&self) -> Extent {
        self.extent
    }

    /// How the texels lie in memory.
    pub fn layout(&self) -> Layout {
        self.layout
    }

    /// Number of dimensions: 1, 2 or 3.
    pub fn dims(&self) -> u8 {
        match self.layout {
            Layout::Array { dims } => dims,
            Layout::Linear => 1,
            Layout::Pitched => 2,
        }
    }

    /// What messages call it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The memory that holds the texels.
    pub fn block(&self) -> &Arc<Block> {
        &self.block
    }

    /// Bytes of the texels of a row, without the rest up to the pitch.
    pub fn row_bytes(&self) -> u64 {
        u64::from(self.extent.width) * u64::from(self.format.texel_size())
    }

    /// Bytes of all texels, without what lies between rows of pitched memory.
    pub fn size_in_bytes(&self) -> u64 {
        self.row_bytes() * u64::from(self.extent.height) * u64::from(self.extent.depth)
    }

    /// Offset in the block of a texel, or `None` outside the extent.
    pub fn texel_offset(&self, [x, y, z]: [u32; 3]) -> Option<u64> {
        let inside = x < self.extent.width && y < self.extent.height && z < self.extent.depth;
        inside.then(|| {
            self.offset
                + u64::from(z) * self.slice_pitch
                + u64::from(y) * self.row_pitch
                + u64::from(x) * u64::from(self.format.texel_size())
        })
    }

    /// Codes of a texel as stored, or `None` outside the extent.
    pub fn texel(&self, index: [u32; 3]) -> Option<[u32; 4]> {
        let offset = self.texel_offset(index)?;
        let mut bytes = [0; 16];
        let bytes = &mut bytes[..self.format.texel_size() as usize];
        self.block.read(offset, bytes).expect("`inside` has checked all texels");
        unpack(self.format, bytes)
    }

    /// Copies all texels out, rows packed.
    pub fn to_packed(&self) -> Vec<u8> {
        let mut out = vec![0; self.size_in_bytes() as usize];
        for (i, row) in out.chunks_exact_mut(self.row_bytes() as usize).enumerate() {
            self.block.read(self.row_offset(i), row).expect("`inside` has checked all texels");
        }
        out
    }

    /// Fills all texels from packed rows; fails if `bytes` has another size than
    /// [`Self::size_in_bytes`].
    pub fn fill_packed(&self, bytes: &[u8]) -> Result<(), CreateError> {
        let (needed, available) = (self.size_in_bytes(), bytes.len() as u64);
        if needed != available {
            return Err(CreateError::Memory { needed, available });
        }
        for (i, row) in bytes.chunks_exact(self.row_bytes() as usize).enumerate() {
            self.block.write(self.row_offset(i), row).expect("`inside` has checked all texels");
        }
        Ok(())
    }

    /// Offset of a row, counted through all slices.
    fn row_offset(&self, row: usize) -> u64 {
        let (row, height) = (row as u64, u64::from(self.extent.height));
        self.offset + row / height * self.slice_pitch + row % height * self.row_pitch
    }

    /// `2D array`, `linear memory` or `pitched 2D memory`.
    pub fn kind(&self) -> &'static str {
        match self.layout {
            Layout::Array { dims } => ARRAY_LIMITS[usize::from(dims) - 1].what,
            Layout::Linear => LINEAR_LIMITS.what,
            Layout::Pitched => PITCHED_LIMITS.what,
        }
    }

    /// `64 x 32 texels of u8x4`.
    fn size_text(&self) -> String {
        let Extent { width, height, depth } = self.extent;
        let size = match self.dims() {
            1 => format!("{width}"),
            2 => format!("{width} x {height}"),
            _ => format!("{width} x {height} x {depth}"),
        };
        format!("{size} texels of {}", self.format)
    }

    /// For messages: "2D array `name`, 64 x 32 texels of u8x4".
    pub fn describe(&self) -> String {
        format!("{} `{}`, {}", self.kind(), self.name, self.size_text())
    }

    /// For messages: "texture `name` is a 2D array of 64 x 32 texels of u8x4".
    pub(crate) fn sentence(&self, role: &str) -> String {
        let article = if matches!(self.layout, Layout::Array { .. }) { "a " } else { "" };
        format!("{role} `{}` is {article}{} of {}", self.name, self.kind(), self.size_text())
    }
}

#[cfg(test)]
mod tests;
