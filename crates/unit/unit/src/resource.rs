//! Resources: texels in memory, with a format, a shape and a memory layout.

mod block_levels;
mod block_linear;
mod create;
mod error;
mod layer_stride;
mod limits;
mod residency;
mod shape;
mod view;

pub use block_levels::BlockLevels;
pub use block_linear::BlockLinear;
pub use create::{BASE_ALIGN, Base, PITCH_ALIGN};
pub use error::{CreateError, CudaError};
pub(crate) use layer_stride::LayerStride;
pub use limits::{ArchLimits, Limits};
pub use residency::{Residency, TILE_BYTES, TileShape};
pub use shape::{ArrayShape, Level, TexelIndex};
pub use view::View;

pub(crate) use shape::elements;
use std::ops::Range;
use std::sync::Arc;
use texunit_forms::{Count, Geometry, words};
use texunit_memory::Block;
use texunit_texel::{Format, decode_block, unpack};

/// A size in texels. The size along an axis that the geometry lacks is 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub struct Extent {
    pub width: u32,
    pub height: u32,
    pub depth: u32,
}

impl Extent {
    /// Width, height, depth.
    pub fn axes(self) -> [u32; 3] {
        [self.width, self.height, self.depth]
    }

    /// Size of a mip level: each axis halves from level to level, rounded down, but not below 1.
    pub fn level(self, level: u32) -> Self {
        let halve = |n: u32| n.checked_shr(level).unwrap_or(0).max(1);
        Self { width: halve(self.width), height: halve(self.height), depth: halve(self.depth) }
    }
}

words! {
    /// How the texels of a resource lie in memory.
    Layout {
        /// An array (`cuArray`, `cuMipmappedArray`). Rows begin at multiples of 8 bytes.
        Array = "array",
        /// Pitch-linear 2D memory (`CU_RESOURCE_TYPE_PITCH2D`).
        Pitched = "pitch",
        /// Linear memory (`CU_RESOURCE_TYPE_LINEAR`): 1D, fetched only with integer coordinates.
        Linear = "linear",
    }
}

/// Texels in memory: format, shape, layout and location.
#[derive(Clone, Debug)]
pub struct Resource {
    pub(crate) shape: ArrayShape,
    pub(crate) levels: Vec<Level>,
    pub(crate) layout: Layout,
    pub(crate) block: Arc<Block>,
    /// The limits of the architecture for which the resource was made.
    limits: ArchLimits,
    /// The map of resident tiles of a sparse array. A view has the map of its whole array.
    pub(crate) residency: Option<Arc<Residency>>,
    /// The level and the plane (layer or face) of the array that are level 0 and plane 0 of this
    /// view. Both are 0 for an array.
    first_level: u32,
    first_plane: u32,
    /// The shape of the array; for a view, that of its array.
    array: ArrayShape,
    /// For a texture of one level of a layered mipmapped array, the layout by which the hardware
    /// finds the other layers.
    pub(crate) layer_stride: Option<Arc<LayerStride>>,
    /// Whether the resource is a view of integer words as compressed blocks.
    of_words: bool,
    /// Whether the array was created with the flag that permits gathers.
    gathers: bool,
    /// The name of the resource in messages.
    pub(crate) name: String,
}

impl Resource {
    /// Makes the array sparse, with this map of its resident tiles. Views share their array's map.
    pub fn with_residency(self, residency: Arc<Residency>) -> Result<Self, CreateError> {
        if self.layout != Layout::Array {
            return Err(CreateError::Refused(format!("{} cannot be sparse", self.kind())));
        }
        residency.check(&self.shape)?;
        Ok(Self { residency: Some(residency), first_level: 0, first_plane: 0, ..self })
    }

    /// The map of resident tiles of a sparse array. A view has the map of its array.
    pub fn residency(&self) -> Option<&Arc<Residency>> {
        self.residency.as_ref()
    }

    /// Whether a texel is resident. If the array is not sparse, all texels are.
    pub fn is_resident(&self, index: TexelIndex) -> bool {
        let Some(map) = &self.residency else { return true };
        let (block, [x, y, z]) = (self.format().block_extent(), index.at);
        let (level, plane) = (
            index.level.saturating_add(self.first_level),
            index.plane.saturating_add(self.first_plane),
        );
        map.is_element_resident(level, plane, [x / block, y / block, z])
    }

    /// Format, geometry, extent, layers, levels and samples.
    pub fn shape(&self) -> &ArrayShape {
        &self.shape
    }

    /// The format: type and number of channels.
    pub fn format(&self) -> Format {
        self.shape.format
    }

    /// The limits of the architecture for which the resource was made. They also apply to its views
    /// and surfaces.
    pub fn limits(&self) -> &ArchLimits {
        &self.limits
    }

    /// The geometry of the resource. Linear memory has the geometry `.1d`, pitched memory `.2d`.
    pub fn geometry(&self) -> Geometry {
        self.shape.geometry
    }

    /// Size of the base level in texels.
    pub fn extent(&self) -> Extent {
        self.shape.extent
    }

    /// The memory layout of the texels.
    pub fn layout(&self) -> Layout {
        self.layout
    }

    /// The mip levels, at least one.
    pub fn levels(&self) -> &[Level] {
        &self.levels
    }

    /// Whether the array was created as mipmapped, even with one level.
    pub fn is_mipmapped(&self) -> bool {
        self.shape.levels.is_some()
    }

    /// The number of mip levels with which the array was created, 1 if it is not mipmapped. A view
    /// has the number of its array. Rule 1.11 of docs/numerics.md depends on it.
    pub fn array_levels(&self) -> u32 {
        self.shape.levels.map_or(1, |_| self.array.level_count())
    }

    /// The mip level and the layer (for cubes, the face) of the array at which a view begins.
    pub fn first(&self) -> (u32, u32) {
        (self.first_level, self.first_plane)
    }

    /// Bytes between rows (of texels or 4x4 blocks) of the base level.
    pub fn row_pitch(&self) -> u64 {
        self.levels.first().map_or(0, |level| level.row_pitch)
    }

    /// The same resource in another geometry, with the same levels, and with the same layers if
    /// both geometries have layers.
    pub(crate) fn of_geometry(&self, geometry: Geometry) -> Self {
        let layers = if geometry.is_array() { self.shape.layers } else { 1 };
        Self { shape: ArrayShape { geometry, layers, ..self.shape }, ..self.clone() }
    }

    /// Whether the resource is a view of integer words as compressed blocks.
    pub(crate) fn is_view_of_words(&self) -> bool {
        self.of_words
    }

    /// The array, as if it was created without the flag that CUDA requires for `tld4`. The unit
    /// gathers from it nevertheless.
    #[must_use]
    pub fn without_gather(self) -> Self {
        Self { gathers: false, ..self }
    }

    /// Whether the array was created with the flag for `tld4`, or needs none.
    pub fn is_for_gather(&self) -> bool {
        self.gathers
    }

    /// The name of the resource in messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The memory that holds the texels.
    pub fn block(&self) -> &Arc<Block> {
        &self.block
    }

    /// Bytes of a row (of texels or 4x4 blocks) of a level, without padding.
    pub fn row_bytes(&self, level: u32) -> u64 {
        let (columns, _) = elements(self.format(), self.levels[level as usize].extent);
        columns * u64::from(self.format().texel_size())
    }

    /// Bytes of all texels, without padding between rows.
    pub fn size_in_bytes(&self) -> u64 {
        let copies = u64::from(self.shape.planes()) * u64::from(self.shape.samples);
        let of_level = |(n, level): (usize, &Level)| {
            let (_, rows) = elements(self.format(), level.extent);
            self.row_bytes(n as u32) * rows * u64::from(level.extent.depth)
        };
        self.levels.iter().enumerate().map(of_level).sum::<u64>() * copies
    }

    /// The byte range of each row, in the order of [`Self::to_packed`].
    pub fn rows(&self) -> impl Iterator<Item = Range<u64>> + '_ {
        self.rows_of(0..self.shape.planes())
    }

    /// The byte range of each row of some planes, in the order of [`Self::to_packed`].
    pub fn rows_of(&self, planes: Range<u32>) -> impl Iterator<Item = Range<u64>> + '_ {
        let samples = self.shape.samples;
        self.levels.iter().enumerate().flat_map(move |(n, level)| {
            let (_, rows) = elements(self.format(), level.extent);
            let bytes = self.row_bytes(n as u32);
            let slices = u64::from(level.extent.depth);
            planes.clone().flat_map(move |plane| {
                (0..u64::from(samples)).flat_map(move |sample| {
                    (0..slices * rows).map(move |i| {
                        let start = level.offset
                            + u64::from(plane) * level.plane_pitch
                            + sample * level.sample_pitch
                            + i / rows * level.slice_pitch
                            + i % rows * level.row_pitch;
                        start..start + bytes
                    })
                })
            })
        })
    }

    /// The byte offset in the block of a texel, or of the 4x4 block that contains the texel; `None`
    /// outside the extents.
    pub fn texel_offset(&self, index: TexelIndex) -> Option<u64> {
        let level = self.levels.get(index.level as usize)?;
        let [x, y, z] = index.at;
        let Extent { width, height, depth } = level.extent;
        let inside = x < width
            && y < height
            && z < depth
            && index.plane < self.shape.planes()
            && index.sample < self.shape.samples;
        if !inside {
            return None;
        }
        let block = self.format().block_extent();
        let [x, y] = [x / block * self.format().texel_size(), y / block].map(u64::from);
        if let Some(stride) = &self.layer_stride {
            return stride.offset(self.first_level, self.first_plane + index.plane, [x, y]);
        }
        Some(
            level.offset
                + u64::from(index.plane) * level.plane_pitch
                + u64::from(index.sample) * level.sample_pitch
                + u64::from(z) * level.slice_pitch
                + y * level.row_pitch
                + x,
        )
    }

    /// The byte offset and the size of the bytes from which a channel of a texel is read. If the
    /// format does not store channels separately, these are the bytes of the whole element. Returns
    /// `None` outside the extents, and for a channel that the format lacks. Residency is ignored.
    pub fn channel_bytes(&self, index: TexelIndex, channel: u32) -> Option<(u64, u32)> {
        let (format, offset) = (self.format(), self.texel_offset(index)?);
        if channel >= u32::from(format.channels()) {
            return None;
        }
        Some(match format.plain_channel() {
            Some(plain) => (offset + u64::from(channel * plain.size()), plain.size()),
            None => (offset, format.texel_size()),
        })
    }

    /// The codes of a texel as they are stored; the decoded codes for block-compressed formats.
    /// Returns `None` outside the extents. Residency is ignored.
    pub fn texel(&self, index: TexelIndex) -> Option<[u32; 4]> {
        let offset = self.texel_offset(index)?;
        let mut bytes = [0; 16];
        let bytes = &mut bytes[..self.format().texel_size() as usize];
        self.block.read(offset, bytes).expect("`inside` has checked all texels");
        if self.format().is_block() {
            let [x, y, _] = index.at;
            return Some(decode_block(self.format(), bytes)?[(y % 4 * 4 + x % 4) as usize]);
        }
        unpack(self.format(), bytes)
    }

    /// Copies all texels to rows without padding, in the order: levels, layers (faces), samples,
    /// slices, rows.
    pub fn to_packed(&self) -> Vec<u8> {
        let mut out = vec![0; self.size_in_bytes() as usize];
        self.read_packed(&mut out);
        out
    }

    /// Copies all texels as [`Self::to_packed`] does; `None` if there is not enough memory.
    pub fn try_to_packed(&self) -> Option<Vec<u8>> {
        let size = usize::try_from(self.size_in_bytes()).ok()?;
        let mut out = Vec::new();
        out.try_reserve_exact(size).ok()?;
        out.resize(size, 0);
        self.read_packed(&mut out);
        Some(out)
    }

    /// Copies texels in the order of [`Self::to_packed`], as many as `out` has room for.
    pub fn read_packed(&self, out: &mut [u8]) {
        let mut rest = out;
        for row in self.rows() {
            let length = ((row.end - row.start) as usize).min(rest.len());
            let (bytes, after) = rest.split_at_mut(length);
            self.block.read(row.start, bytes).expect("`inside` has checked all texels");
            rest = after;
        }
    }

    /// Fills all texels from rows without padding, in the order of [`Self::to_packed`]; fails if
    /// the size of `bytes` is not [`Self::size_in_bytes`].
    pub fn fill_packed(&self, bytes: &[u8]) -> Result<(), CreateError> {
        let (needed, available) = (self.size_in_bytes(), bytes.len() as u64);
        if needed != available {
            return Err(CreateError::Memory { needed, available });
        }
        let mut rest = bytes;
        for row in self.rows() {
            let (bytes, after) = rest.split_at((row.end - row.start) as usize);
            self.block.write(row.start, bytes).expect("`inside` has checked all texels");
            rest = after;
        }
        Ok(())
    }

    /// Whether the texels equal `packed`, which is in the order of [`Self::to_packed`].
    pub fn holds(&self, packed: &[u8]) -> bool {
        let (mut rest, mut piece) = (packed, [0; 4096]);
        for row in self.rows() {
            let mut at = row.start;
            while at < row.end {
                let length = (row.end - at).min(piece.len() as u64) as usize;
                let Some((bytes, after)) = rest.split_at_checked(length) else { return false };
                let now = &mut piece[..length];
                if self.block.read(at, now).is_err() || now != bytes {
                    return false;
                }
                (rest, at) = (after, at + length as u64);
            }
        }
        rest.is_empty()
    }

    /// The kind of resource in messages: `2D array`, `linear memory` or `pitched 2D memory`.
    pub fn kind(&self) -> &'static str {
        match self.layout {
            Layout::Array => limits::name_of(self.geometry()),
            memory => limits::name_of_memory(memory),
        }
    }

    /// The size of the resource in messages: `64 x 32 texels of u8x4`.
    fn size_text(&self) -> String {
        let Extent { width, height, depth } = self.extent();
        let size = match self.geometry().axes() {
            1 => Count(width, "texel").to_string(),
            2 => format!("{width} x {height} texels"),
            _ => format!("{width} x {height} x {depth} texels"),
        };
        let mut text = format!("{size} of {}", self.format());
        let ArrayShape { layers, levels, samples, geometry, .. } = self.shape;
        if geometry.is_array() {
            let noun = if geometry.is_cube() { "cube" } else { "layer" };
            text += &format!(", {}", Count(layers, noun));
        }
        if let Some(levels) = levels {
            text += &format!(", {}", Count(levels, "level"));
        }
        if geometry.is_multisample() {
            text += &format!(", {}", Count(samples, "sample"));
        }
        text
    }

    /// A description for messages: "2D array `name`, 64 x 32 texels of u8x4".
    pub fn describe(&self) -> String {
        format!("{} `{}`, {}", self.kind(), self.name, self.size_text())
    }

    /// A sentence for messages: "texture `name` is a 2D array of 64 x 32 texels of u8x4".
    pub(crate) fn sentence(&self, role: &str) -> String {
        let article = if self.layout == Layout::Array { "a " } else { "" };
        format!("{role} `{}` is {article}{} of {}", self.name, self.kind(), self.size_text())
    }
}

#[cfg(test)]
mod tests;
