//! Texels in memory.

mod create;
mod error;
mod limits;
mod residency;
mod rows;
mod shape;
mod single;
mod view;

pub use create::{BASE_ALIGN, Base, PITCH_ALIGN};
pub use error::{CreateError, CudaError};
pub use limits::{ArchLimits, Limits};
pub use residency::{Residency, TILE_BYTES, TileShape};
pub use shape::{ArrayShape, Level, TexelIndex};
pub use view::View;

pub(crate) use shape::elements;
use std::sync::Arc;
use texunit_forms::{Count, Geometry};
use texunit_memory::Block;
use texunit_texel::{Format, decode_block, unpack};

/// Size in texels. An axis that the geometry lacks is 1.
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

    /// Size of a mip level: each axis halves, rounded down, but not below 1.
    pub fn level(self, level: u32) -> Self {
        let halve = |n: u32| n.checked_shr(level).unwrap_or(0).max(1);
        Self { width: halve(self.width), height: halve(self.height), depth: halve(self.depth) }
    }
}

/// How the texels lie in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Layout {
    /// An opaque array (`cuArray`, `cuMipmappedArray`). Rows of ours begin at multiples of 8 bytes.
    Array,
    /// Linear memory (`CU_RESOURCE_TYPE_LINEAR`): 1D, fetched with integer coordinates in CUDA.
    Linear,
    /// Pitch-linear 2D memory (`CU_RESOURCE_TYPE_PITCH2D`).
    Pitched,
}

/// Texels in memory: format, shape, layout and where they are.
#[derive(Clone, Debug)]
pub struct Resource {
    pub(crate) shape: ArrayShape,
    pub(crate) levels: Vec<Level>,
    pub(crate) layout: Layout,
    pub(crate) block: Arc<Block>,
    /// Of the architecture that it was made for.
    limits: ArchLimits,
    /// Which 64 KiB tiles are there, of a sparse array; the map of the whole array, also in views.
    pub(crate) residency: Option<Arc<Residency>>,
    /// What level 0 and plane 0 are called in the whole array, of a view.
    first_level: u32,
    first_plane: u32,
    /// Levels that the array was made with, also in views.
    array_levels: u32,
    /// Whether a view made blocks of words of it.
    of_words: bool,
    /// Whether it was made to be gathered from.
    gathers: bool,
    /// What messages call it.
    pub(crate) name: String,
}

impl Resource {
    /// This array with a map of the tiles that are there (a sparse array). A view has the
    /// map of its array.
    pub fn with_residency(self, residency: Arc<Residency>) -> Result<Self, CreateError> {
        if self.layout != Layout::Array {
            return Err(CreateError::Refused(format!("{} cannot be sparse", self.kind())));
        }
        residency.check(&self.shape)?;
        Ok(Self { residency: Some(residency), first_level: 0, first_plane: 0, ..self })
    }

    /// Which tiles are there, of a sparse array; of a view, of the array that it is a part of.
    pub fn residency(&self) -> Option<&Arc<Residency>> {
        self.residency.as_ref()
    }

    /// Whether a texel inside the extents is in memory: all are, but those of sparse arrays.
    pub fn is_resident(&self, index: TexelIndex) -> bool {
        let Some(map) = &self.residency else { return true };
        let (block, [x, y, z]) = (self.format().block_extent(), index.at);
        let (level, plane) = (
            index.level.saturating_add(self.first_level),
            index.plane.saturating_add(self.first_plane),
        );
        map.is_element_resident(level, plane, [x / block, y / block, z])
    }

    /// What it is made of.
    pub fn shape(&self) -> &ArrayShape {
        &self.shape
    }

    /// Type and number of channels.
    pub fn format(&self) -> Format {
        self.shape.format
    }

    /// The limits of the architecture that it was made for, which views and surfaces of it keep
    /// to.
    pub fn limits(&self) -> &ArchLimits {
        &self.limits
    }

    /// Kind of array. Linear memory is `.1d`, pitched memory `.2d`.
    pub fn geometry(&self) -> Geometry {
        self.shape.geometry
    }

    /// Size of the base level in texels.
    pub fn extent(&self) -> Extent {
        self.shape.extent
    }

    /// How the texels lie in memory.
    pub fn layout(&self) -> Layout {
        self.layout
    }

    /// The mip levels, at least one.
    pub fn levels(&self) -> &[Level] {
        &self.levels
    }

    /// Whether the array was made with mip levels, be it one.
    pub fn is_mipmapped(&self) -> bool {
        self.shape.levels.is_some()
    }

    /// Mip levels that the array was made with, of a view those of its array; 1 without mip levels.
    /// Rule 1.11 asks for them.
    pub fn array_levels(&self) -> u32 {
        self.array_levels
    }

    /// Mip level and layer (of cubes, face) of the whole array that a view begins with.
    pub fn first(&self) -> (u32, u32) {
        (self.first_level, self.first_plane)
    }

    /// Bytes from a row (of texels or 4x4 blocks) of the base level to the next.
    pub fn row_pitch(&self) -> u64 {
        self.levels.first().map_or(0, |level| level.row_pitch)
    }

    /// The same texels under another geometry, of as many levels, and as many layers if both have
    /// layers.
    pub(crate) fn of_geometry(&self, geometry: Geometry) -> Self {
        let layers = if geometry.is_array() { self.shape.layers } else { 1 };
        Self { shape: ArrayShape { geometry, layers, ..self.shape }, ..self.clone() }
    }

    /// Whether it is a view of words as the blocks of a compressed format.
    pub(crate) fn is_view_of_words(&self) -> bool {
        self.of_words
    }

    /// This array, made without the flag that CUDA asks for where `tld4` reads it. The unit gathers from it all the same.
    #[must_use]
    pub fn without_gather(self) -> Self {
        Self { gathers: false, ..self }
    }

    /// Whether it was made to be gathered from; true of what needs no flag for that.
    pub fn is_for_gather(&self) -> bool {
        self.gathers
    }

    /// What messages call it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The memory that holds the texels.
    pub fn block(&self) -> &Arc<Block> {
        &self.block
    }

    /// Bytes of a row (of texels or 4x4 blocks) of a level, without the rest up to the pitch.
    pub fn row_bytes(&self, level: u32) -> u64 {
        let (columns, _) = elements(self.format(), self.levels[level as usize].extent);
        columns * u64::from(self.format().texel_size())
    }

    /// Bytes of all texels, without what lies between rows of pitched memory.
    pub fn size_in_bytes(&self) -> u64 {
        let copies = u64::from(self.shape.planes()) * u64::from(self.shape.samples);
        let of_level = |(n, level): (usize, &Level)| {
            let (_, rows) = elements(self.format(), level.extent);
            self.row_bytes(n as u32) * rows * u64::from(level.extent.depth)
        };
        self.levels.iter().enumerate().map(of_level).sum::<u64>() * copies
    }

    /// Offset in the block of a texel, or of the 4x4 block that holds it; `None` outside.
    pub fn texel_offset(&self, index: TexelIndex) -> Option<u64> {
        let level = self.levels.get(index.level as usize)?;
        let [x, y, z] = index.at;
        let Extent { width, height, depth } = level.extent;
        let inside = x < width
            && y < height
            && z < depth
            && index.plane < self.shape.planes()
            && index.sample < self.shape.samples;
        let block = self.format().block_extent();
        inside.then(|| {
            level.offset
                + u64::from(index.plane) * level.plane_pitch
                + u64::from(index.sample) * level.sample_pitch
                + u64::from(z) * level.slice_pitch
                + u64::from(y / block) * level.row_pitch
                + u64::from(x / block) * u64::from(self.format().texel_size())
        })
    }

    /// Offset in the block and number of the bytes that a channel of a texel is read from: those of all of an element
    /// whose format does not store channels one after the other. `None` outside of the extents, and of a channel that the
    /// format does not have. Residency is not looked at.
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

    /// Codes of a texel as stored (decoded, of block-compressed formats), or `None` outside the
    /// extents. Residency is not looked at.
    pub fn texel(&self, index: TexelIndex) -> Option<[u32; 4]> {
        let offset = self.texel_offset(index)?;
        let mut bytes = [0; 16];
        let bytes = &mut bytes[..self.format().texel_size() as usize];
        self.block.read(offset, bytes).expect("`inside` has checked all texels");
        if self.format().is_block() {
            let [x, y, _] = index.at;
            let texels = decode_block(self.format(), bytes)?;
            return Some(texels[(y % 4 * 4 + x % 4) as usize]);
        }
        unpack(self.format(), bytes)
    }

    /// Copies all texels out, rows packed: level by level, layer by layer (face by face), sample
    /// by sample, slice by slice.
    pub fn to_packed(&self) -> Vec<u8> {
        let mut out = vec![0; self.size_in_bytes() as usize];
        self.read_packed(&mut out);
        out
    }

    /// As [`Self::to_packed`]; `None` if there is not so much memory.
    pub fn try_to_packed(&self) -> Option<Vec<u8>> {
        let size = usize::try_from(self.size_in_bytes()).ok()?;
        let mut out = Vec::new();
        out.try_reserve_exact(size).ok()?;
        out.resize(size, 0);
        self.read_packed(&mut out);
        Some(out)
    }

    /// All texels, as [`Self::to_packed`] has them, as far as there is room for them.
    pub fn read_packed(&self, out: &mut [u8]) {
        let mut rest = out;
        for row in self.rows() {
            let length = ((row.end - row.start) as usize).min(rest.len());
            let (bytes, after) = rest.split_at_mut(length);
            self.block.read(row.start, bytes).expect("`inside` has checked all texels");
            rest = after;
        }
    }

    /// Fills all texels from packed rows, in the order of [`Self::to_packed`]; fails if `bytes`
    /// has another size than [`Self::size_in_bytes`].
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

    /// Whether the texels are these, in the order of [`Self::to_packed`].
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

    /// `2D array`, `linear memory` or `pitched 2D memory`.
    pub fn kind(&self) -> &'static str {
        match self.layout {
            Layout::Array => limits::name_of(self.geometry()),
            memory => limits::name_of_memory(memory),
        }
    }

    /// `64 x 32 texels of u8x4`.
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

    /// For messages: "2D array `name`, 64 x 32 texels of u8x4".
    pub fn describe(&self) -> String {
        format!("{} `{}`, {}", self.kind(), self.name, self.size_text())
    }

    /// For messages: "texture `name` is a 2D array of 64 x 32 texels of u8x4".
    pub(crate) fn sentence(&self, role: &str) -> String {
        let article = if self.layout == Layout::Array { "a " } else { "" };
        format!("{role} `{}` is {article}{} of {}", self.name, self.kind(), self.size_text())
    }
}

#[cfg(test)]
mod tests;
