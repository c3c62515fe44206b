//! Container files: textures with mip levels, layers and faces, as DDS and KTX 2.0 files store
//! them.

use crate::error::Problem;
use crate::io::damaged;
use crate::{Kind, TexelRequest, Texels};
use texunit_forms::Count;
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
    /// `None` past the last.
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

    /// Level 0 of a texture without layers and faces, as a format with the same stored texels.
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

fn level_extent(extent: [u32; 3], level: u32) -> [u32; 3] {
    extent.map(|n| n.checked_shr(level).unwrap_or(0).max(1))
}

/// The shape in a file's header, before it is validated.
pub(crate) struct Shape {
    pub(crate) dims: u8,
    pub(crate) extent: [u32; 3],
    pub(crate) layers: Option<u32>,
    pub(crate) is_cube: bool,
    pub(crate) levels: u32,
}

impl Shape {
    /// Number of layers times faces.
    pub(crate) fn images(&self) -> u64 {
        u64::from(self.layers.unwrap_or(1)) * if self.is_cube { 6 } else { 1 }
    }

    /// Size of a level in bytes, with all layers and faces.
    pub(crate) fn level_size(&self, format: Format, level: u32) -> u128 {
        // At most 2^100 bytes per image and 2^35 images; `check` has bounded the product.
        format.byte_size(level_extent(self.extent, level)).saturating_mul(u128::from(self.images()))
    }

    /// Checks that the shape is valid and has at most `most` bytes.
    pub(crate) fn check(&self, kind: Kind, format: Format, most: u64) -> Result<(), Problem> {
        let [width, height, depth] = self.extent;
        if self.extent.contains(&0) {
            let message = format!("it is {width} x {height} x {depth} texels");
            return Err(damaged(kind, message));
        }
        if self.is_cube && (self.dims != 2 || width != height) {
            return Err(damaged(kind, "a face of a cube map is a square"));
        }
        if self.dims == 3 && self.layers.is_some() {
            return Err(Problem::Unsupported(
                "no CUDA array has layers of three dimensions".into(),
            ));
        }
        let largest = width.max(height).max(depth);
        if self.levels > largest.ilog2() + 1 {
            let message = format!(
                "{} are more than {} have",
                Count(self.levels, "level"),
                Count(largest, "texel")
            );
            return Err(damaged(kind, message));
        }
        let sizes = (0..self.levels).map(|level| self.level_size(format, level));
        let bytes = sizes.fold(0_u128, u128::saturating_add);
        if bytes > u128::from(most) {
            let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
            return Err(Problem::TooLarge { what: "the texture", bytes });
        }
        Ok(())
    }

    pub(crate) fn container(self, format: Format, srgb: bool, levels: Vec<Vec<u8>>) -> Container {
        let Self { dims, extent, layers, is_cube, .. } = self;
        Container { format, srgb, dims, extent, layers, is_cube, levels }
    }
}

/// Decodes a container. Pictures, arrays and raw files are an error.
pub(crate) fn decode(kind: Kind, bytes: &[u8]) -> Result<Container, Problem> {
    match kind {
        Kind::Dds => crate::dds::decode(bytes),
        Kind::Ktx2 => crate::ktx::decode(bytes),
        other => Err(Problem::Unsupported(format!(
            "a {} file has no levels, layers or faces; use .dds or .ktx2",
            other.name()
        ))),
    }
}

/// Decodes level 0 as texels of the wanted format.
pub(crate) fn texels(kind: Kind, bytes: &[u8], wanted: &TexelRequest) -> Result<Texels, Problem> {
    decode(kind, bytes)?.into_texels(wanted.format)
}
