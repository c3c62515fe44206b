//! Maximum extents of arrays, memory and surfaces by architecture, from CUDA's technical
//! specifications per compute capability.

use super::shape::ArrayShape;
use super::{CreateError, Extent, Layout, Resource};
use texunit_forms::Geometry;
use texunit_texel::Format;

/// Maximum extents of one kind of object. Width 0 means that the architecture does not support it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Name of the kind of object.
    pub what: &'static str,
    /// Largest width, height and depth, in texels.
    pub extent: [u32; 3],
    /// Maximum number of layers; for cubes, of faces.
    pub layers: u32,
}

/// The limits of an architecture for all kinds of objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArchLimits {
    /// Index of the column in the tables.
    generation: usize,
    /// Maximum number of texels of linear memory.
    linear: u32,
}

/// A table row: the name of a kind of object, with its maximum width, height, depth and number of
/// layers on compute capability 1.x, 2.x, 3.x, 5.x, and 6.0 and later.
type LimitsRow = (&'static str, [[u32; 4]; 5]);

const NONE: [u32; 4] = [0; 4];

/// Limits of arrays by geometry, in the order of [`Geometry::ALL`]. CUDA has no multi-sample
/// arrays; they are limited as arrays with one sample, from compute capability 3.0 on.
#[rustfmt::skip]
const ARRAYS: [LimitsRow; 9] = [
    ("1D array",                      [[8_192, 1, 1, 1],         [65_536, 1, 1, 1],          [65_536, 1, 1, 1],          [65_536, 1, 1, 1],          [131_072, 1, 1, 1]]),
    ("2D array",                      [[65_536, 32_768, 1, 1],   [65_536, 65_535, 1, 1],     [65_536, 65_535, 1, 1],     [65_536, 65_536, 1, 1],     [131_072, 65_536, 1, 1]]),
    ("3D array",                      [[2_048, 2_048, 2_048, 1], [2_048, 2_048, 2_048, 1],   [4_096, 4_096, 4_096, 1],   [4_096, 4_096, 4_096, 1],   [16_384, 16_384, 16_384, 1]]),
    ("layered 1D array",              [[8_192, 1, 1, 512],       [16_384, 1, 1, 2_048],      [16_384, 1, 1, 2_048],      [16_384, 1, 1, 2_048],      [32_768, 1, 1, 2_048]]),
    ("layered 2D array",              [[8_192, 8_192, 1, 512],   [16_384, 16_384, 1, 2_048], [16_384, 16_384, 1, 2_048], [16_384, 16_384, 1, 2_048], [32_768, 32_768, 1, 2_048]]),
    ("cube array",                    [NONE,                     [16_384, 16_384, 1, 6],     [16_384, 16_384, 1, 6],     [16_384, 16_384, 1, 6],     [32_768, 32_768, 1, 6]]),
    ("layered cube array",            [NONE,                     [16_384, 16_384, 1, 2_046], [16_384, 16_384, 1, 2_046], [16_384, 16_384, 1, 2_046], [32_768, 32_768, 1, 2_046]]),
    ("multi-sample 2D array",         [NONE,                     NONE,                       [16_384, 16_384, 1, 1],     [16_384, 16_384, 1, 1],     [32_768, 32_768, 1, 1]]),
    ("layered multi-sample 2D array", [NONE,                     NONE,                       [16_384, 16_384, 1, 2_048], [16_384, 16_384, 1, 2_048], [32_768, 32_768, 1, 2_048]]),
];

/// Limits of arrays with mip levels, which are smaller than those of arrays without.
#[rustfmt::skip]
const MIPMAPPED: [LimitsRow; 2] = [
    ("mipmapped 1D array", [NONE, [16_384, 1, 1, 1],      [16_384, 1, 1, 1],      [16_384, 1, 1, 1],      [32_768, 1, 1, 1]]),
    ("mipmapped 2D array", [NONE, [16_384, 16_384, 1, 1], [16_384, 16_384, 1, 1], [16_384, 16_384, 1, 1], [32_768, 32_768, 1, 1]]),
];

/// Limits of 2D arrays for `tld4` (`CUDA_ARRAY3D_TEXTURE_GATHER`).
#[rustfmt::skip]
const GATHER: LimitsRow =
    ("2D array to gather from", [NONE, [16_384, 16_384, 1, 1], [16_384, 16_384, 1, 1], [16_384, 16_384, 1, 1], [32_768, 32_768, 1, 1]]);

/// The alternative limits of 3D arrays, which allow a larger depth, but a smaller width and height
/// (`CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE`).
#[rustfmt::skip]
const DEEP: LimitsRow =
    ("3D array", [NONE, NONE, [2_048, 2_048, 16_384, 1], [2_048, 2_048, 16_384, 1], [8_192, 8_192, 32_768, 1]]);

/// Limits of surfaces over arrays, by geometry.
#[rustfmt::skip]
const SURFACES: [LimitsRow; 7] = [
    ("1D surface",           [NONE, [65_536, 1, 1, 1],          [65_536, 1, 1, 1],          [16_384, 1, 1, 1],          [32_768, 1, 1, 1]]),
    ("2D surface",           [NONE, [65_536, 32_768, 1, 1],     [65_536, 32_768, 1, 1],     [65_536, 65_536, 1, 1],     [131_072, 65_536, 1, 1]]),
    ("3D surface",           [NONE, [65_536, 32_768, 2_048, 1], [65_536, 32_768, 2_048, 1], [4_096, 4_096, 4_096, 1],   [16_384, 16_384, 16_384, 1]]),
    ("layered 1D surface",   [NONE, [65_536, 1, 1, 2_048],      [65_536, 1, 1, 2_048],      [16_384, 1, 1, 2_048],      [32_768, 1, 1, 2_048]]),
    ("layered 2D surface",   [NONE, [65_536, 32_768, 1, 2_048], [65_536, 32_768, 1, 2_048], [16_384, 16_384, 1, 2_048], [32_768, 32_768, 1, 2_048]]),
    ("cube surface",         [NONE, [32_768, 32_768, 1, 6],     [32_768, 32_768, 1, 6],     [16_384, 16_384, 1, 6],     [32_768, 32_768, 1, 6]]),
    ("layered cube surface", [NONE, [32_768, 32_768, 1, 2_046], [32_768, 32_768, 1, 2_046], [16_384, 16_384, 1, 2_046], [32_768, 32_768, 1, 2_046]]),
];

#[rustfmt::skip]
const PITCHED: LimitsRow =
    ("pitched 2D memory", [[65_000, 65_000, 1, 1], [65_000, 65_000, 1, 1], [65_000, 65_000, 1, 1], [65_536, 65_536, 1, 1], [131_072, 65_000, 1, 1]]);
/// Maximum pitch of pitched memory in bytes, by column of the tables.
const PITCHES: [u64; 5] = [1_048_544, 1_048_544, 1_048_544, 1_048_544, 2_097_120];
/// Architectures from 6.0 on whose linear memory is limited to 2^27 texels instead of 2^28.
const SHORT_LINEAR: [(u32, u32); 4] = [(6, 1), (6, 2), (7, 2), (7, 5)];
const LINEAR_WHAT: &str = "linear memory";

impl Default for ArchLimits {
    fn default() -> Self {
        Self::NEWEST
    }
}

impl ArchLimits {
    /// The limits of the newest architectures, which are the largest except for a few kinds of
    /// surfaces.
    pub const NEWEST: Self = Self { generation: 4, linear: 1 << 28 };

    /// The limits of a compute capability: `of(7, 5)` for sm_75.
    pub fn of(major: u32, minor: u32) -> Self {
        let generation = match major {
            0 | 1 => 0,
            2 => 1,
            3 | 4 => 2,
            5 => 3,
            _ => 4,
        };
        let short = generation < 4 || SHORT_LINEAR.contains(&(major, minor));
        Self { generation, linear: if short { 1 << 27 } else { 1 << 28 } }
    }

    fn row(&self, row: &LimitsRow) -> Limits {
        let [width, height, depth, layers] = row.1[self.generation];
        Limits { what: row.0, extent: [width, height, depth], layers }
    }

    /// Limits of arrays of a geometry; they also apply to textures of the arrays.
    pub fn array(&self, geometry: Geometry) -> Limits {
        self.row(&ARRAYS[geometry as usize])
    }

    /// The alternative limits of 3D arrays, which allow a larger depth than [`Self::array`], but a
    /// smaller width and height.
    pub fn deep(&self) -> Limits {
        self.row(&DEEP)
    }

    /// The limits that apply to an array of this shape. A 3D array whose depth needs them has the
    /// alternative limits.
    pub fn array_of(&self, shape: &ArrayShape) -> Limits {
        let usual = self.array(shape.geometry);
        let is_deep = shape.geometry == Geometry::D3 && shape.extent.depth > usual.extent[2];
        if is_deep && self.deep().extent[0] > 0 { self.deep() } else { usual }
    }

    /// Limits of arrays with mip levels.
    pub fn mipmapped(&self, geometry: Geometry) -> Limits {
        MIPMAPPED.get(geometry as usize).map_or(self.array(geometry), |row| self.row(row))
    }

    /// Limits of arrays for `tld4`.
    pub fn gather(&self, geometry: Geometry) -> Limits {
        if geometry == Geometry::D2 { self.row(&GATHER) } else { self.array(geometry) }
    }

    /// Limits of surfaces over arrays; `None` for multi-sample arrays, which have no surfaces.
    pub fn surface(&self, geometry: Geometry) -> Option<Limits> {
        SURFACES.get(geometry as usize).map(|row| self.row(row))
    }

    /// Limits of linear memory.
    pub fn linear(&self) -> Limits {
        Limits { what: LINEAR_WHAT, extent: [self.linear, 1, 1], layers: 1 }
    }

    /// Limits of pitched memory.
    pub fn pitched(&self) -> Limits {
        self.row(&PITCHED)
    }

    /// Maximum pitch of pitched memory in bytes.
    pub fn pitch(&self) -> u64 {
        PITCHES[self.generation]
    }

    /// Checks that the resource is within the limits of `tld4`.
    pub fn check_gather(&self, resource: &Resource) -> Result<(), CreateError> {
        self.gather(resource.geometry()).check_shape(resource.shape())
    }

    /// Checks that the resource is within the limits of surfaces. Surfaces over linear and pitched
    /// memory have the limits of textures.
    pub fn check_surface(&self, resource: &Resource) -> Result<(), CreateError> {
        match (resource.layout(), self.surface(resource.geometry())) {
            (Layout::Linear, _) => self.linear().check_shape(resource.shape()),
            (Layout::Pitched, _) => self.pitched().check_shape(resource.shape()),
            (Layout::Array, Some(limits)) => limits.check_shape(resource.shape()),
            (Layout::Array, None) => {
                Err(CreateError::Refused(format!("a {} has no surface", resource.kind())))
            }
        }
    }
}

impl Limits {
    /// Checks that the size of a layer or face is within the limits.
    pub fn check(&self, extent: Extent) -> Result<(), CreateError> {
        if self.extent[0] == 0 {
            return Err(CreateError::Refused(format!("the architecture has no {}s", self.what)));
        }
        let axes = [("width", extent.width), ("height", extent.height), ("depth", extent.depth)];
        for ((what, value), max) in axes.into_iter().zip(self.extent) {
            check_count(what, value.into(), max.into())?;
        }
        Ok(())
    }

    fn check_shape(&self, shape: &ArrayShape) -> Result<(), CreateError> {
        self.check(shape.extent)?;
        if shape.geometry.is_cube() {
            return check_count("number of cubes", shape.layers.into(), u64::from(self.layers) / 6);
        }
        check_count("number of layers", shape.layers.into(), self.layers.into())
    }
}

/// The name of an array kind, such as `2D array`.
pub(crate) fn name_of(geometry: Geometry) -> &'static str {
    ARRAYS[geometry as usize].0
}

pub(crate) fn name_of_memory(layout: Layout) -> &'static str {
    if layout == Layout::Linear { LINEAR_WHAT } else { PITCHED.0 }
}

fn check_count(what: &'static str, value: u64, max: u64) -> Result<(), CreateError> {
    if value == 0 || value > max {
        return Err(CreateError::Extent { what, value, max });
    }
    Ok(())
}

impl ArrayShape {
    /// Checks the shape as [`Self::check`] does, but with the limits of the given architecture.
    pub fn check_for(&self, limits: &ArchLimits) -> Result<(), CreateError> {
        limits.array_of(self).check_shape(self)?;
        if let Some(levels) = self.levels {
            self.check_levels(levels)?;
            // 3D arrays, which have no row in the table of arrays with levels, have the same limits
            // with and without levels.
            if self.geometry != Geometry::D3 {
                limits.mipmapped(self.geometry).check_shape(self)?;
            }
        }
        self.check_parts()?;
        self.check_format()
    }

    fn check_levels(&self, levels: u32) -> Result<(), CreateError> {
        let Extent { width, height, depth } = self.extent;
        let full = 32 - (width | height | depth).leading_zeros();
        check_count("number of levels", levels.into(), full.into())?;
        if self.geometry.is_multisample() {
            return Err(CreateError::Refused("a multi-sample array has no mip levels".to_owned()));
        }
        Ok(())
    }

    /// Checks that cubes are square, and that the number of samples is valid.
    fn check_parts(&self) -> Result<(), CreateError> {
        let Extent { width, height, .. } = self.extent;
        if self.geometry.is_cube() && width != height {
            return Err(CreateError::NotSquare { width, height });
        }
        match (self.geometry.is_multisample(), self.samples) {
            (true, 2 | 4 | 8 | 16) | (false, 1) => Ok(()),
            (true, n) => Err(CreateError::Refused(format!(
                "a multi-sample array has 2, 4, 8 or 16 samples, not {n}"
            ))),
            (false, n) => {
                let what = name_of(self.geometry);
                Err(CreateError::Refused(format!("a {what} has one sample, not {n}")))
            }
        }
    }

    /// Section 8.1 of docs/numerics.md: checks that there are arrays of this geometry for the
    /// format. Block-compressed formats have no 1D arrays. They have no multi-sample arrays either,
    /// and depth formats have no 3D arrays (assumed).
    fn check_format(&self) -> Result<(), CreateError> {
        let (format, one_axis) = (self.format, self.geometry.axes() == 1);
        let none = format.is_block() && (one_axis || self.geometry.is_multisample())
            || format.is_depth() && self.geometry == Geometry::D3;
        if none {
            return Err(CreateError::Refused(format!(
                "there is no {} of {format} texels",
                name_of(self.geometry)
            )));
        }
        Ok(())
    }
}

/// Checks the format of linear and pitched memory, which hold plain texels and 10:10:10:2
/// (docs/numerics.md 8.1).
pub(crate) fn check_memory_format(format: Format) -> Result<(), CreateError> {
    if format.is_block() || format.is_depth() || format.is_normalized_kind() {
        return Err(CreateError::Refused(format!("{format} texels need an array, not memory")));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
