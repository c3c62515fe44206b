//! How texels are read: textures, samplers and surfaces (CUDA's `CUDA_TEXTURE_DESC`).

use crate::request::Geometry;
use crate::resource::{CreateError, Layout, MAX_SURFACE_1D, Resource};
use std::sync::Arc;
use texunit_texel::readings;

/// What a texel is read as (`cudaTextureReadMode`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ReadMode {
    /// As its own type: integers as integers, floats as floats.
    #[default]
    Element,
    /// 8 and 16-bit integers as floats in [0, 1] or [-1, 1].
    NormalizedFloat,
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

impl Texture {
    /// A texture that the CUDA runtime would create (docs/numerics.md 8.1) for use with
    /// `sampler`; in independent mode, where samplers come later, with the default one.
    pub fn new(
        resource: Arc<Resource>,
        read_mode: ReadMode,
        normalized_coords: bool,
        sampler: &Sampler,
    ) -> Result<Self, CreateError> {
        check_state(&resource, read_mode, sampler.filter, sampler.srgb)?;
        Ok(Self { resource, read_mode, normalized_coords })
    }
}

/// What the CUDA runtime refuses (docs/numerics.md 8.1): linear filtering of integers read as
/// integers (cudaErrorInvalidFilterSetting), normalized reads of formats that have none
/// (cudaErrorInvalidNormSetting). The filter of linear memory is ignored.
pub(crate) fn check_state(
    resource: &Resource,
    read_mode: ReadMode,
    filter: Filter,
    srgb: bool,
) -> Result<(), CreateError> {
    let (format, name) = (resource.format(), resource.name());
    let filters = filter == Filter::Linear && resource.layout() != Layout::Linear;
    let of = |normalized| readings(format, normalized, srgb);
    let is_integer = of(false).is_some_and(|readings| !readings[0].can_filter());
    let normalized = read_mode == ReadMode::NormalizedFloat;
    let reason = match of(normalized) {
        _ if format.is_srgb_block() && !srgb => {
            format!("the colours of {format} are sRGB: set the sRGB flag")
        }
        _ if filters && is_integer && of(true).is_none() => {
            format!("32-bit integers ({format}) have no linear filter; use point")
        }
        Some(_) if filters && is_integer && !normalized => format!(
            "integers ({format}) read as elements have no linear filter; use point, or read them as normalized floats"
        ),
        None if normalized => format!(
            "{format} cannot be read as normalized floats, only 8 and 16-bit integers can; read it as elements"
        ),
        None => format!("{format} is read as normalized floats only"),
        _ => return Ok(()),
    };
    Err(CreateError::Refused(format!("texture `{name}`: {reason}")))
}

impl Surface {
    /// A surface of an array. Linear and pitched memory have none, and a 1D surface is narrower
    /// than a 1D texture may be.
    pub fn new(resource: Arc<Resource>) -> Result<Self, CreateError> {
        match resource.layout() {
            Layout::Array
                if resource.geometry() == Geometry::D1
                    && resource.extent().width > MAX_SURFACE_1D =>
            {
                Err(CreateError::Extent {
                    what: "width",
                    value: resource.extent().width.into(),
                    max: MAX_SURFACE_1D.into(),
                })
            }
            Layout::Array => Ok(Self { resource }),
            Layout::Linear | Layout::Pitched => Err(CreateError::Refused(format!(
                "a surface is made of an array, but {} is {}",
                resource.name(),
                resource.kind()
            ))),
        }
    }
}

/// A resource as a surface.
#[derive(Clone, Debug)]
pub struct Surface {
    /// The texels.
    pub resource: Arc<Resource>,
}

/// What a coordinate outside does (PTX `addr_mode_n`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum AddressMode {
    /// Repeats.
    Wrap,
    /// Repeats, every second time backwards.
    Mirror,
    /// `clamp_ogl`: coordinates are limited to the edges, so that a linear filter there blends
    /// half of the border colour. No CUDA texture has it.
    ClampOgl,
    /// The edge texel (`clamp_to_edge`).
    #[default]
    Clamp,
    /// The border colour.
    Border,
}

/// Point (nearest) or linear.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Filter {
    /// The texel that holds the point.
    #[default]
    Point,
    /// The weighted mean of the neighbours.
    Linear,
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::resource::{ArrayShape, Extent};
    use texunit_memory::Block;
    use texunit_texel::Format;

    fn array(format: &str, width: u32) -> Arc<Resource> {
        let format = Format::from_name(format).unwrap();
        let extent = Extent { width, height: 1, depth: 1 };
        let shape = ArrayShape::new(format, Geometry::D1, extent);
        let block = Arc::new(Block::new(shape.size().unwrap() as usize, "b").unwrap());
        Arc::new(Resource::array(&shape, block, "t").unwrap())
    }

    /// Rows of docs/numerics.md 8.1: element point, element linear, normalized point, normalized
    /// linear.
    #[test]
    fn what_the_runtime_refuses() {
        #[rustfmt::skip]
        let rows = [
            ("u8",   [true, false, true,  true]),
            ("s8",   [true, false, true,  true]),
            ("u16",  [true, false, true,  true]),
            ("s16",  [true, false, true,  true]),
            ("u32",  [true, false, false, false]),
            ("s32",  [true, false, false, false]),
            ("f16",  [true, true,  false, false]),
            ("f32",  [true, true,  false, false]),
        ];
        for (format, accepted) in rows {
            let modes = [ReadMode::Element, ReadMode::NormalizedFloat];
            let pairs = modes.iter().flat_map(|&m| [Filter::Point, Filter::Linear].map(|f| (m, f)));
            for ((read_mode, filter), ok) in pairs.zip(accepted) {
                let sampler = Sampler { filter, ..Sampler::default() };
                let made = Texture::new(array(format, 4), read_mode, false, &sampler);
                assert_eq!(made.is_ok(), ok, "{format} {read_mode:?} {filter:?}");
            }
        }
    }

    #[test]
    fn filter_of_linear_memory_is_ignored() {
        let block = Arc::new(Block::new(64, "b").unwrap());
        let format = Format::from_name("u32").unwrap();
        let linear = Arc::new(Resource::linear(format, 4, block, 0, 0, "l").unwrap());
        let sampler = Sampler { filter: Filter::Linear, ..Sampler::default() };
        assert!(Texture::new(Arc::clone(&linear), ReadMode::Element, false, &sampler).is_ok());
        assert!(Texture::new(linear, ReadMode::NormalizedFloat, false, &sampler).is_err());
    }

    #[test]
    fn surfaces_are_arrays() {
        assert!(Surface::new(array("u8", MAX_SURFACE_1D)).is_ok());
        assert!(Surface::new(array("u8", MAX_SURFACE_1D + 1)).is_err());
        let block = Arc::new(Block::new(64, "b").unwrap());
        let format = Format::from_name("u8").unwrap();
        let linear = Arc::new(Resource::linear(format, 4, block, 0, 0, "l").unwrap());
        assert_eq!(
            Surface::new(linear).unwrap_err().to_string(),
            "a surface is made of an array, but l is linear memory"
        );
    }
}
