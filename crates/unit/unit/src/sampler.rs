//! How texels are read: textures, samplers and surfaces (CUDA's `CUDA_TEXTURE_DESC`). Which of
//! them there can be is in `refused`.

mod name;
mod refused;

pub use name::UnknownWord;
pub(crate) use refused::check_pair;

use crate::resource::Resource;
use std::sync::Arc;
use texunit_texel::{Channel, Format};

/// What a texel is read as (`cudaTextureReadMode`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ReadMode {
    /// As its own type: integers as integers, floats as floats.
    #[default]
    Element,
    /// 8 and 16-bit integers as floats in [0, 1] or [-1, 1].
    NormalizedFloat,
}

impl ReadMode {
    /// How CUDA's driver reads the texels of a format: only 8 and 16-bit integers can be read in two ways, of which
    /// `as_integer` (`CU_TRSF_READ_AS_INTEGER`) chooses one.
    pub fn of_driver(format: Format, as_integer: bool) -> Self {
        use Channel as C;
        let small = matches!(format.plain_channel(), Some(C::U8 | C::S8 | C::U16 | C::S16));
        if format.is_normalized_kind() || small && !as_integer {
            Self::NormalizedFloat
        } else {
            Self::Element
        }
    }
}

/// A resource with how its texels are read: the texture header.
#[derive(Clone, Debug)]
pub struct Texture {
    /// The texels.
    pub resource: Arc<Resource>,
    /// As elements or as normalized floats.
    pub read_mode: ReadMode,
    /// Whether coordinates run from 0 to 1 instead of 0 to the size.
    pub normalized_coords: bool,
}

/// A resource as a surface.
#[derive(Clone, Debug)]
pub struct Surface {
    /// The texels.
    pub resource: Arc<Resource>,
}

/// What a coordinate outside does (PTX `addr_mode_n`, whose numbers these are).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum AddressMode {
    /// Repeats.
    Wrap = 0,
    /// Repeats, every second time backwards.
    Mirror = 1,
    /// `clamp_ogl`: coordinates are limited to the edges, so that a linear filter there blends
    /// half of the border colour. No CUDA texture has it.
    ClampOgl = 2,
    /// The edge texel (`clamp_to_edge`).
    #[default]
    Clamp = 3,
    /// The border colour.
    Border = 4,
}

/// Point (nearest) or linear (PTX `filter_mode`, whose numbers these are).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Filter {
    /// The texel that holds the point.
    #[default]
    Point = 0,
    /// The weighted mean of the neighbours.
    Linear = 1,
}

/// How a depth texel and the reference value are compared: `reference FUNC texel`
/// (docs/numerics.md 9).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum CompareFunction {
    Never,
    Less,
    Equal,
    LessEqual,
    Greater,
    NotEqual,
    GreaterEqual,
    Always,
}

/// Sampler state. [`Default`] is what an omitted initialiser gives: point, clamp to edge, all
/// levels.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Sampler {
    /// Between texels of a level.
    pub filter: Filter,
    /// Between mip levels.
    pub mip_filter: Filter,
    /// Address mode of x, y, z.
    pub address_mode: [AddressMode; 3],
    /// Border colour r, g, b, a: f32 bits.
    pub border: [u32; 4],
    /// Smallest level that is read (`minMipmapLevelClamp`).
    pub min_level_clamp: f32,
    /// Largest level that is read (`maxMipmapLevelClamp`).
    pub max_level_clamp: f32,
    /// Added to explicit levels and those of gradients (`mipmapLevelBias`).
    pub level_bias: f32,
    /// `maxAnisotropy`: 0 and 1 are isotropic.
    pub max_anisotropy: u32,
    /// Overrides the texture's `normalized_coords` (`.samplerref` in independent mode).
    pub force_unnormalized_coords: bool,
    /// 8-bit unorm texels read as normalized floats are sRGB (`CU_TRSF_SRGB`).
    pub srgb: bool,
    /// Linear filters of cube maps read across the edges of faces (`CU_TRSF_SEAMLESS_CUBEMAP`).
    pub seamless_cube: bool,
    /// Depth compare; `None`, as all CUDA textures, ignores the operand.
    pub compare: Option<CompareFunction>,
}

crate::setters! {
    Sampler {
        with_filter(filter: Filter);
        with_mip_filter(mip_filter: Filter);
        with_address_modes(address_mode: [AddressMode; 3]);
        with_border_bits(border: [u32; 4]);
        with_min_level_clamp(min_level_clamp: f32);
        with_max_level_clamp(max_level_clamp: f32);
        with_level_bias(level_bias: f32);
        with_max_anisotropy(max_anisotropy: u32);
        with_force_unnormalized_coords(force_unnormalized_coords: bool);
        with_srgb(srgb: bool);
        with_seamless_cube(seamless_cube: bool);
        with_compare(compare: impl Into<Option<CompareFunction>>);
    }
}

/// What each axis has, if one to three are given: the last one is that of the axes after it. (A 1D texture has a row too,
/// whose address mode shows under `border`: docs/numerics.md 1.)
pub fn per_axis<T: Copy>(given: &[T]) -> Option<[T; 3]> {
    let last = *given.last().filter(|_| given.len() <= 3)?;
    Some(std::array::from_fn(|axis| given.get(axis).copied().unwrap_or(last)))
}

impl Default for Sampler {
    fn default() -> Self {
        Self {
            filter: Filter::Point,
            mip_filter: Filter::Point,
            address_mode: [AddressMode::Clamp; 3],
            border: [0; 4],
            min_level_clamp: 0.0,
            max_level_clamp: f32::INFINITY,
            level_bias: 0.0,
            max_anisotropy: 0,
            force_unnormalized_coords: false,
            srgb: false,
            seamless_cube: false,
            compare: None,
        }
    }
}
