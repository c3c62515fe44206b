//! Largest extents, by geometry.

use super::shape::ArrayShape;
use super::{CreateError, Extent};
use crate::request::Geometry;

/// Largest extents of sm_75 and later (`CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE...`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Of what.
    pub what: &'static str,
    /// Largest width, height and depth, in texels.
    pub extent: [u32; 3],
    /// Most layers.
    pub layers: u32,
}

/// By geometry, in the order of [`Geometry::ALL`].
#[rustfmt::skip]
pub const ARRAY_LIMITS: [Limits; 9] = [
    Limits { what: "1D array",                      extent: [131_072, 1,      1],      layers: 1 },
    Limits { what: "2D array",                      extent: [131_072, 65_536, 1],      layers: 1 },
    Limits { what: "3D array",                      extent: [16_384,  16_384, 16_384], layers: 1 },
    Limits { what: "layered 1D array",              extent: [32_768,  1,      1],      layers: 2048 },
    Limits { what: "layered 2D array",              extent: [32_768,  32_768, 1],      layers: 2048 },
    Limits { what: "cube array",                    extent: [32_768,  32_768, 1],      layers: 1 },
    Limits { what: "layered cube array",            extent: [32_768,  32_768, 1],      layers: 341 },
    Limits { what: "multi-sample 2D array",         extent: [32_768,  32_768, 1],      layers: 1 },
    Limits { what: "layered multi-sample 2D array", extent: [32_768,  32_768, 1],      layers: 2048 },
];
/// Linear memory; newer architectures than sm_75 go to 2^28 texels.
#[rustfmt::skip]
pub const LINEAR_LIMITS:  Limits = Limits { what: "linear memory",     extent: [1 << 27, 1,      1], layers: 1 };
/// Pitched memory.
#[rustfmt::skip]
pub const PITCHED_LIMITS: Limits = Limits { what: "pitched 2D memory", extent: [131_072, 65_000, 1], layers: 1 };
/// Largest pitch of pitched memory, in bytes.
pub const MAX_PITCH: u64 = 2_097_120;
/// Width of a 1D surface; other surfaces are limited as arrays are.
pub const MAX_SURFACE_1D: u32 = 32_768;
/// What the base address of linear and pitched memory is a multiple of (docs/numerics.md 12).
pub const BASE_ALIGN: u64 = 16;
/// What the pitch is a multiple of.
pub const PITCH_ALIGN: u64 = 32;

/// Limits of arrays of a geometry.
pub(crate) fn limits_of(geometry: Geometry) -> Limits {
    ARRAY_LIMITS[geometry as usize]
}

pub(crate) fn check_extent(extent: Extent, limits: &Limits) -> Result<(), CreateError> {
    let axes = [("width", extent.width), ("height", extent.height), ("depth", extent.depth)];
    for ((what, value), max) in axes.into_iter().zip(limits.extent) {
        check_count(what, value.into(), max.into())?;
    }
    Ok(())
}

fn check_count(what: &'static str, value: u64, max: u64) -> Result<(), CreateError> {
    if value == 0 || value > max {
        return Err(CreateError::Extent { what, value, max });
    }
    Ok(())
}

/// What extents alone do not say: layers, levels, samples, square cubes.
pub(crate) fn check_shape(shape: &ArrayShape) -> Result<(), CreateError> {
    let limits = limits_of(shape.geometry);
    check_count("number of layers", shape.layers.into(), limits.layers.into())?;
    let Extent { width, height, depth } = shape.extent;
    if shape.geometry.is_cube() && width != height {
        return Err(CreateError::Refused(format!(
            "faces of a cube are square, not {width} x {height}"
        )));
    }
    if let Some(levels) = shape.levels {
        let full = 32 - (width | height | depth).leading_zeros();
        check_count("number of levels", levels.into(), full.into())?;
        if shape.geometry.is_multisample() {
            return Err(CreateError::Refused("a multi-sample array has no mip levels".to_owned()));
        }
    }
    match (shape.geometry.is_multisample(), shape.samples) {
        (true, 2 | 4 | 8 | 16) | (false, 1) => Ok(()),
        (true, n) => Err(CreateError::Refused(format!(
            "a multi-sample array has 2, 4, 8 or 16 samples, not {n}"
        ))),
        (false, n) => {
            Err(CreateError::Refused(format!("a {} has one sample, not {n}", limits.what)))
        }
    }
}

/// Linear and pitched memory hold plain texels and 10:10:10:2 (docs/numerics.md 8.1).
pub(crate) fn check_memory_format(format: texunit_texel::Format) -> Result<(), CreateError> {
    if format.is_block() || format.is_depth() {
        return Err(CreateError::Refused(format!("{format} texels need an array, not memory")));
    }
    Ok(())
}
