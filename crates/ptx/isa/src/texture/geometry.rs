//! Operands of each geometry: coordinates, offsets and gradients.

use crate::types::Geometry::{self, *};
use texunit_forms::Element;

/// A texture geometry and the operands that it supports.
#[derive(Clone, Copy, Debug)]
pub struct GeometryRow {
    /// The geometry.
    pub geometry: Geometry,
    /// Whether the geometry supports offsets, with one element per axis.
    pub offsets: bool,
    /// Whether the geometry supports gradients, whose vectors have one element for each of the
    /// coordinates x, y and z.
    pub gradients: bool,
    /// Whether the geometry supports depth compare.
    pub compare: bool,
    /// Whether coordinates may be `.f32`.
    pub float: bool,
    /// Whether coordinates may be `.s32`.
    pub integer: bool,
    /// The meaning of the coordinates, as part of a sentence.
    pub doc: &'static str,
}

/// All geometries.
#[rustfmt::skip]
pub const GEOMETRIES: &[GeometryRow] = &[
    row(D1,    true,  true,  true,  true,  true,  "One coordinate. A scalar needs no braces."),
    row(D2,    true,  true,  true,  true,  true,  "Column and row."),
    row(D3,    true,  true,  false, true,  true,  "Column, row and slice; the fourth element is not used."),
    row(A1d,   true,  true,  true,  true,  true,  "The layer, an unsigned integer that is clamped to the last one, then one coordinate."),
    row(A2d,   true,  true,  true,  true,  true,  "The layer, an unsigned integer that is clamped to the last one, then column and row; the fourth element is not used."),
    row(Cube,  false, true,  true,  true,  false, "A direction. Its largest component selects the face, the other two divided by it the place there; the fourth element is not used."),
    row(Acube, false, true,  true,  true,  false, "The cube map, an unsigned integer (not the layer: six of them make a cube map), then a direction as of .cube."),
    row(D2ms,  true,  false, false, false, true,  "The sample, an unsigned integer, then column and row in texels; the fourth element is not used."),
    row(A2dms, true,  false, false, false, true,  "The sample and the layer, unsigned integers, then column and row in texels."),
];

#[allow(clippy::too_many_arguments)]
const fn row(
    geometry: Geometry,
    offsets: bool,
    gradients: bool,
    compare: bool,
    float: bool,
    integer: bool,
    doc: &'static str,
) -> GeometryRow {
    GeometryRow { geometry, offsets, gradients, compare, float, integer, doc }
}

/// The row of [`GEOMETRIES`] for a geometry.
pub fn geometry(geometry: Geometry) -> &'static GeometryRow {
    GEOMETRIES.iter().find(|row| row.geometry == geometry).expect("every geometry has a row")
}

/// Valid sizes of a vector of which `numbers` elements are used: PTX has vectors of 1, 2 and 4
/// elements, and ignores unused elements.
fn sizes(numbers: usize) -> &'static [usize] {
    match numbers {
        0 => &[],
        1 => &[1, 2, 4],
        2 => &[2, 4],
        _ => &[4],
    }
}

impl GeometryRow {
    /// Number of coordinate elements at the beginning whose type may differ from the type of the
    /// other elements: the layer, and a sample before it. (ptxas treats a sample without a layer as
    /// an ordinary coordinate.)
    pub fn apart(&self) -> usize {
        let elements = self.geometry.elements();
        match elements.contains(&Element::Layer) {
            true => elements.iter().filter(|element| element.is_index()).count(),
            false => 0,
        }
    }

    /// Valid sizes of the coordinate vector.
    pub fn coordinate_sizes(&self) -> &'static [usize] {
        sizes(self.geometry.coordinates())
    }

    /// Valid sizes of the offset vector; empty if offsets are not supported.
    pub fn offset_sizes(&self) -> &'static [usize] {
        sizes(if self.offsets { self.geometry.axes() } else { 0 })
    }

    /// Size of the gradient vectors; 0 if gradients are not supported.
    pub fn gradient_size(&self) -> usize {
        let elements = if self.gradients { self.geometry.gradients() } else { 0 };
        sizes(elements).first().copied().unwrap_or(0)
    }
}
