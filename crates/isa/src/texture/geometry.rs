//! Geometries: which numbers their coordinates, offsets and gradients are.

use crate::types::Geometry::{self, *};

/// What an element of a coordinate vector is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Element {
    /// Number of a layer, or of a cube map in an array: always an integer.
    Layer,
    /// Number of a sample: always an integer.
    Sample,
    /// A coordinate of this axis, of the coordinate type.
    Axis(char),
}

impl Element {
    /// Whether it is an integer whatever the coordinate type.
    pub const fn is_index(self) -> bool {
        !matches!(self, Self::Axis(_))
    }

    /// `layer`, `sample`, `x`.
    pub fn name(self) -> String {
        match self {
            Self::Layer => "layer".into(),
            Self::Sample => "sample".into(),
            Self::Axis(axis) => axis.into(),
        }
    }
}

/// A geometry and what its operands are made of.
#[derive(Clone, Copy, Debug)]
pub struct GeometryRow {
    /// The geometry.
    pub geometry: Geometry,
    /// Elements of the coordinate vector, in order: `l` layer, `s` sample, else an axis.
    pub coordinates: &'static str,
    /// Axes of the offset vector; none: there are no offsets.
    pub offsets: &'static str,
    /// Axes of a gradient vector; none: there are no gradients.
    pub gradients: &'static str,
    /// Whether there is depth compare.
    pub compare: bool,
    /// Whether coordinates may be `.f32`.
    pub float: bool,
    /// Whether coordinates may be `.s32`.
    pub integer: bool,
    /// What the coordinates mean, as part of a sentence.
    pub doc: &'static str,
}

/// Every geometry.
#[rustfmt::skip]
pub const GEOMETRIES: &[GeometryRow] = &[
    row(D1,    "x",    "x",   "x",   true,  true,  true,  "One coordinate. A scalar needs no braces."),
    row(D2,    "xy",   "xy",  "xy",  true,  true,  true,  "Column and row."),
    row(D3,    "xyz",  "xyz", "xyz", false, true,  true,  "Column, row and slice; the fourth element is not used."),
    row(A1d,   "lx",   "x",   "x",   true,  true,  true,  "The layer, an unsigned integer that is clamped to the last one, then one coordinate."),
    row(A2d,   "lxy",  "xy",  "xy",  true,  true,  true,  "The layer, an unsigned integer that is clamped to the last one, then column and row; the fourth element is not used."),
    row(Cube,  "xyz",  "",    "xyz", true,  true,  false, "A direction. Its largest component selects the face, the other two divided by it the place there; the fourth element is not used."),
    row(Acube, "lxyz", "",    "xyz", true,  true,  false, "The cube map, an unsigned integer (not the layer: six of them make a cube map), then a direction as of .cube."),
    row(D2ms,  "sxy",  "xy",  "",    false, false, true,  "The sample, an unsigned integer, then column and row in texels; the fourth element is not used."),
    row(A2dms, "lsxy", "xy",  "",    false, false, true,  "The layer and the sample, unsigned integers, then column and row in texels."),
];

#[allow(clippy::too_many_arguments)]
const fn row(
    geometry: Geometry,
    coordinates: &'static str,
    offsets: &'static str,
    gradients: &'static str,
    compare: bool,
    float: bool,
    integer: bool,
    doc: &'static str,
) -> GeometryRow {
    GeometryRow { geometry, coordinates, offsets, gradients, compare, float, integer, doc }
}

/// The row of a geometry.
pub fn geometry(geometry: Geometry) -> &'static GeometryRow {
    GEOMETRIES.iter().find(|row| row.geometry == geometry).expect("every geometry has a row")
}

/// Sizes that a vector of so many numbers may have: PTX has vectors of 1, 2 and 4 elements, and
/// what is not needed is not used.
fn sizes(numbers: &str) -> &'static [usize] {
    match numbers.len() {
        0 => &[],
        1 => &[1, 2, 4],
        2 => &[2, 4],
        _ => &[4],
    }
}

impl GeometryRow {
    /// Elements of the coordinate vector, in order, without those that are not used.
    pub fn elements(&self) -> impl Iterator<Item = Element> + use<> {
        self.coordinates.chars().map(|letter| match letter {
            'l' => Element::Layer,
            's' => Element::Sample,
            axis => Element::Axis(axis),
        })
    }

    /// How many elements at the beginning are layer and sample numbers.
    pub fn indices(&self) -> usize {
        self.elements().filter(|element| element.is_index()).count()
    }

    /// How many elements at the beginning need not have the type of the others: all up to the
    /// layer. (The assembler has a sample alone for an ordinary coordinate.)
    pub fn apart(&self) -> usize {
        self.elements().position(|element| element == Element::Layer).map_or(0, |_| self.indices())
    }

    /// Sizes of the coordinate vector.
    pub fn coordinate_sizes(&self) -> &'static [usize] {
        sizes(self.coordinates)
    }

    /// Sizes of the offset vector; none: there are no offsets.
    pub fn offset_sizes(&self) -> &'static [usize] {
        sizes(self.offsets)
    }

    /// Size of the gradient vectors; 0: there are no gradients.
    pub fn gradient_size(&self) -> usize {
        sizes(self.gradients).first().copied().unwrap_or(0)
    }

    /// Whether it is `.cube` or `.acube`.
    pub const fn is_cube(&self) -> bool {
        matches!(self.geometry, Cube | Acube)
    }

    /// Whether it is `.2dms` or `.a2dms`.
    pub const fn is_multi_sample(&self) -> bool {
        matches!(self.geometry, D2ms | A2dms)
    }
}
