//! Containers of textures: the shape that the header of a file gives, checked before its texels are
//! read, and the texel formats of Direct3D (DDS) and Vulkan (KTX).

use crate::container::{Container, level_extent};
use crate::error::Problem;
use crate::io::damaged;
use crate::{Kind, MAX_BYTES};
use texunit_forms::Count;
use texunit_texel::Format;

/// The texel format that a file names (`formats.txt`), and whether the file
/// declares its colours to be sRGB.
pub(crate) fn format_named(name: &str) -> Option<(Format, bool)> {
    let mut rows = include_str!("formats.txt").lines().filter(|row| !row.starts_with('#'));
    let row = rows.find(|row| row.split(' ').skip(1).any(|known| known == name))?;
    let format = row.split(' ').next()?;
    let plain = format.strip_suffix(":srgb");
    Some((Format::from_name(plain.unwrap_or(format))?, plain.is_some()))
}

/// The shape that a file's header states, before it is validated.
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

    /// Checks that the shape is valid and has at most [`MAX_BYTES`].
    pub(crate) fn check(&self, kind: Kind, format: Format) -> Result<(), Problem> {
        let [width, height, depth] = self.extent;
        if self.extent.contains(&0) {
            return Err(damaged(kind, format!("it is {width} x {height} x {depth} texels")));
        }
        if self.is_cube && (self.dims != 2 || width != height) {
            return Err(damaged(kind, "a face of a cube map is a square"));
        }
        if self.dims == 3 && self.layers.is_some() {
            let message = "no CUDA array has layers of three dimensions";
            return Err(Problem::Unsupported(message.into()));
        }
        let largest = width.max(height).max(depth);
        if self.levels > largest.ilog2() + 1 {
            let (levels, texels) = (Count(self.levels, "level"), Count(largest, "texel"));
            return Err(damaged(kind, format!("{levels} are more than {texels} have")));
        }
        let sizes = (0..self.levels).map(|level| self.level_size(format, level));
        let bytes = sizes.fold(0_u128, u128::saturating_add);
        if bytes > u128::from(MAX_BYTES) {
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
