//! Textures, samplers and surfaces: how texels are read (`CUDA_TEXTURE_DESC`). The module `refused`
//! checks their validity.

mod refused;

pub(crate) use refused::check_pair;

use crate::resource::Resource;
use std::sync::Arc;
use texunit_forms::words;
use texunit_texel::{Channel, Format};

words! {
    /// The type to which a fetch converts texels (`cudaTextureReadMode`).
    #[derive(Default)]
    ReadMode {
        /// No conversion: integers are read as integers, floats as floats.
        #[default]
        Element = "element",
        /// 8 and 16-bit integers are read as floats in [0, 1] or [-1, 1].
        NormalizedFloat = "normalized",
    }
}

impl ReadMode {
    /// The read mode that CUDA's driver uses for a format. Only 8 and 16-bit integers support both
    /// modes; for these, `as_integer` (the flag `CU_TRSF_READ_AS_INTEGER`) selects the mode.
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

/// A resource, and how its texels are read. The hardware's counterpart is the texture header.
#[derive(Clone, Debug)]
pub struct Texture {
    /// The resource that holds the texels.
    pub resource: Arc<Resource>,
    /// Whether texels are read as elements or as normalized floats.
    pub read_mode: ReadMode,
    /// Whether coordinates run from 0 to 1 instead of from 0 to the size in texels.
    pub normalized_coords: bool,
}

/// A resource that surface instructions access.
#[derive(Clone, Debug)]
pub struct Surface {
    /// The resource that holds the texels.
    pub resource: Arc<Resource>,
}

words! {
    /// What a fetch reads at a coordinate outside the texture (PTX `addr_mode_n`; the numeric
    /// values are PTX's).
    #[derive(Default)]
    AddressMode {
        /// The texture repeats.
        Wrap(0) = "wrap",
        /// The texture repeats, mirrored every second time.
        Mirror(1) = "mirror",
        /// The nearest texel at the edge is read (`clamp_to_edge`).
        #[default]
        Clamp(3) = "clamp",
        /// Texels outside have the border colour (`clamp_to_border`).
        Border(4) = "border",
        /// Coordinates are limited to the edges, so that a linear filter blends half of the border
        /// colour there. CUDA textures do not have this mode.
        ClampOgl(2) = "clamp_ogl",
    }
}

words! {
    /// Filter mode (PTX `filter_mode`; the numeric values are PTX's).
    #[derive(Default)]
    Filter {
        /// The texel that contains the point.
        #[default]
        Point = "point",
        /// The weighted mean of the neighbouring texels.
        Linear = "linear",
    }
}

words! {
    /// Depth compare function: `reference FUNC texel` (docs/numerics.md 9).
    CompareFunction {
        Never = "never", Less = "less", Equal = "equal", LessEqual = "less_equal",
        Greater = "greater", NotEqual = "not_equal", GreaterEqual = "greater_equal",
        Always = "always",
    }
}

/// Sampler state. [`Default`] is the state of a `.samplerref` without an initialiser: point filter,
/// clamp to edge, all levels.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Sampler {
    /// Filter between texels of a level.
    pub filter: Filter,
    /// Filter between mip levels.
    pub mip_filter: Filter,
    /// Address modes of x, y, z.
    pub address_mode: [AddressMode; 3],
    /// Border colour r, g, b, a: f32 bits.
    pub border: [u32; 4],
    /// Smallest level that is read (`minMipmapLevelClamp`).
    pub min_level_clamp: f32,
    /// Largest level that is read (`maxMipmapLevelClamp`).
    pub max_level_clamp: f32,
    /// Bias that is added to explicit levels and to levels from gradients (`mipmapLevelBias`).
    pub level_bias: f32,
    /// Maximum anisotropy (`maxAnisotropy`). 0 and 1 mean isotropic.
    pub max_anisotropy: u32,
    /// Whether coordinates are unnormalized, whatever the texture's `normalized_coords` says
    /// (`.samplerref` in independent mode).
    pub force_unnormalized_coords: bool,
    /// Whether 8-bit unorm texels that are read as normalized floats are decoded from sRGB
    /// (`CU_TRSF_SRGB`).
    pub srgb: bool,
    /// Whether linear filters of cube maps read across the edges of faces
    /// (`CU_TRSF_SEAMLESS_CUBEMAP`).
    pub seamless_cube: bool,
    /// Depth compare function. If it is `None`, as for all CUDA textures, the compare operand of
    /// instructions is ignored.
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

/// Expands one to three values to one value for each of the three axes, by repeating the last
/// value. A 1D texture also has an address mode along y, which matters under `border`
/// (docs/numerics.md 1).
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
