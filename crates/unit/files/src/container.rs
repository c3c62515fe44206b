//! Container files: textures with mip levels, layers and faces, as DDS and KTX 2.0 files store
//! them.

use crate::Texels;
use crate::error::Problem;
use texunit_texel::Format;

/// The contents of a DDS or KTX 2.0 file: stored texels of every level, layer and face.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Container {
    /// Texel format. Files distinguish normalized integers from plain ones, so the format can be
    /// `unorm8x4` as well as `u8x4`.
    pub format: Format,
    /// Whether the file declares the colours of an 8-bit format to be sRGB. (Block-compressed
    /// formats have sRGB variants instead.)
    pub srgb: bool,
    /// Number of dimensions: 1, 2 or 3.
    pub dims: u8,
    /// Width, height and depth of level 0; 1 beyond `dims`.
    pub extent: [u32; 3],
    /// Number of layers, or of cubes in a cube map array; `None` if the texture is not layered.
    pub layers: Option<u32>,
    /// Whether each layer is a cube with six faces, in the order +x, -x, +y, -y, +z, -z.
    pub is_cube: bool,
    /// The bytes of each level, level 0 first, in the order: layers, faces, slices, rows of texels
    /// or blocks, without gaps.
    pub levels: Vec<Vec<u8>>,
}

impl Container {
    /// Faces per layer: 6 or 1.
    pub fn faces(&self) -> u32 {
        if self.is_cube { 6 } else { 1 }
    }

    /// Whether `format` has the same stored texels, and differs only in how they are read.
    pub fn can_be(&self, format: Format) -> bool {
        same_bytes(self.format, format)
    }

    /// Width, height and depth of a level.
    pub fn level_extent(&self, level: u32) -> [u32; 3] {
        level_extent(self.extent, level)
    }

    /// The bytes of one layer and face of a level; layer and face are 0 if the texture has none.
    /// `None` past the last level, layer or face.
    pub fn image(&self, level: u32, layer: u32, face: u32) -> Option<&[u8]> {
        if layer >= self.layers.unwrap_or(1) || face >= self.faces() {
            return None;
        }
        let bytes = self.levels.get(level as usize)?;
        let size = usize::try_from(self.format.byte_size(self.level_extent(level))).ok()?;
        let image = u64::from(layer) * u64::from(self.faces()) + u64::from(face);
        let start = usize::try_from(image).ok()?.checked_mul(size)?;
        bytes.get(start..start.checked_add(size)?)
    }

    /// The texels of level 0 as `wanted`, a format that stores texels in the same bytes. Fails for
    /// a texture with layers or faces.
    pub(crate) fn into_texels(self, wanted: Format) -> Result<Texels, Problem> {
        if self.is_cube || self.layers.is_some() {
            let what = if self.is_cube { "a cube map" } else { "layers" };
            return Err(Problem::Unsupported(format!("holds {what}, not a plain picture")));
        }
        if !same_bytes(self.format, wanted) {
            return Err(Problem::Format {
                found: format!("texels of {}", self.format),
                wanted,
                help: format!("use {}", self.format),
            });
        }
        let [width, height, depth] = self.extent;
        let bytes = self.levels.into_iter().next().unwrap_or_default();
        Ok(Texels { format: wanted, dims: self.dims, width, height, depth, bytes })
    }
}

/// Whether two formats differ only in how their texels are read.
fn same_bytes(a: Format, b: Format) -> bool {
    let stored = |f: Format| f.name().trim_end_matches("_srgb");
    match (a.plain_channel(), b.plain_channel()) {
        (Some(x), Some(y)) => x == y && a.channels() == b.channels(),
        _ => stored(a) == stored(b),
    }
}

pub(crate) fn level_extent(extent: [u32; 3], level: u32) -> [u32; 3] {
    extent.map(|n| n.checked_shr(level).unwrap_or(0).max(1))
}
