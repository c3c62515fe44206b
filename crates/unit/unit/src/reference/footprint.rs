//! Footprints: computes from coordinates and a level which texels a fetch reads, and with which
//! weights (docs/numerics.md, sections 1 and 2). This module does not access memory.

use super::coordinate::{self, Neighbours};
use super::fixed::Fixed;
use super::weights;
use crate::effective::Coords;
use crate::request::{Coordinates, FetchOperands, Geometry};
use crate::resource::ArrayShape;
use crate::sampler::AddressMode;

/// The coordinates of one lane's fetch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FetchCoordinates {
    /// Index of the layer. For a cube array this is the index of the cube until its face is known.
    pub(crate) plane: u32,
    /// Sample index.
    pub(crate) sample: u32,
    /// Bits of the coordinates as the instruction gives them; for a cube, of the direction.
    pub(crate) coords: [u32; 3],
    /// The coordinates as numbers; for a cube, the coordinates on the face.
    pub(crate) numbers: [Fixed; 3],
    /// Whether integer coordinates name a layer or level that does not exist, so that 0 is read.
    pub(crate) is_outside: bool,
}

/// Extracts the coordinates that a geometry has. Layers and samples past the end are limited by
/// rules 1.10 and 9.6 of docs/numerics.md. `integers` is for integer coordinates (rule 1.9): the
/// number of layers that they can address, and whether they are clamped.
pub(crate) fn place(
    shape: &ArrayShape,
    from: Coordinates<u32>,
    integers: Option<(u32, bool)>,
) -> FetchCoordinates {
    let geometry = shape.geometry;
    let mut coords = [0; 3];
    let elements = geometry.gradients();
    coords[..elements].copy_from_slice(&from.point[..elements]);
    let outside = integers.is_some_and(|(layers, clamps)| !clamps && from.layer >= layers);
    FetchCoordinates {
        plane: if geometry.is_array() { coordinate::layer(from.layer, shape.layers) } else { 0 },
        sample: match geometry.is_multisample() {
            true => coordinate::sample(from.sample, shape.samples),
            false => 0,
        },
        coords,
        numbers: [Fixed::ZERO; 3],
        is_outside: geometry.is_array() && outside,
    }
}

/// Rule 1.4 of docs/numerics.md: the offsets of a `tex` along x, y, z. On a layered 1D texture, the
/// row offset has no effect.
pub(crate) fn tex_offsets(geometry: Geometry, operands: &FetchOperands) -> [i64; 3] {
    let e = operands.offset;
    match geometry.axes() {
        1 if geometry.is_array() => [coordinate::tex_offset(e[0]), 0, 0],
        1 => {
            let [x, row] = coordinate::row_offset(e[0]);
            [x, row, 0]
        }
        2 => [coordinate::tex_offset(e[0]), coordinate::tex_offset(e[1]), 0],
        _ => e.map(coordinate::tex_offset),
    }
}

/// How the texels along an axis are selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Find {
    /// The texel that contains the point (rule 1.5 of docs/numerics.md).
    Point,
    /// The two texels around the point (rule 1.6 of docs/numerics.md).
    Linear,
    /// Two texels around the point, without limiting the coordinate (rule 8.2 of docs/numerics.md).
    Gather,
    /// The two texels around the point, as for [`Self::Gather`], on a cube face that continues into
    /// its neighbours (rules 7.7, 8.7 of docs/numerics.md).
    Seamless,
}

/// The texels of a footprint along one axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Axis {
    /// Bits of the coordinate that the instruction gives.
    pub(crate) coordinate: u32,
    /// The coordinate in texels, including the offset, and limited if the address mode limits it.
    /// For integer coordinates this is the index.
    pub(crate) texels: f64,
    /// Size of the axis in texels.
    pub(crate) size: u32,
    /// Index of the lower (or only) texel, before the address mode.
    pub(crate) index: i64,
    /// Weight of the upper texel in 1/256.
    pub(crate) upper: u32,
    /// The weight of the upper texel before it is rounded to 1/256, as a fraction of 1.
    pub(crate) exact: f64,
    /// The sampler's address mode; `None` for integer coordinates.
    pub(crate) mode: Option<AddressMode>,
    /// Whether integer coordinates are clamped to the extent.
    clamps: bool,
    find: Find,
}

impl Axis {
    /// An axis that the geometry lacks, with one texel that has the whole weight.
    pub(crate) const NONE: Self = Self {
        coordinate: 0,
        texels: 0.0,
        size: 1,
        index: 0,
        upper: 0,
        exact: 0.0,
        mode: Some(AddressMode::Clamp),
        clamps: false,
        find: Find::Point,
    };

    /// Rule 1.9 of docs/numerics.md: an axis with an integer coordinate. If `clamps`, the fetch has
    /// an explicit level, and the coordinate is limited to the level's extent.
    pub(crate) fn integer(bits: u32, offset: i64, size: u32, clamps: bool) -> Self {
        let index = coordinate::integer(bits, offset);
        let texels = index as f64;
        Self { coordinate: bits, texels, size, index, mode: None, clamps, ..Self::NONE }
    }

    /// Rules 1.1 to 1.7 of docs/numerics.md: an axis with a float coordinate, given as its bits and
    /// as a number. `offset` and, in an anisotropic fetch, the tap's distance from the centre are
    /// in texels.
    pub(crate) fn float(
        (bits, x): (u32, Fixed),
        coords: Coords,
        [offset, tap]: [Fixed; 2],
        size: u32,
        mode: AddressMode,
        find: Find,
    ) -> Self {
        let of_face = |u: Fixed| u.clamp(Fixed::ZERO, Fixed::from_int(size.into()));
        let u = match coords {
            // The coordinate on a seamless face is limited to the face. It is a product with the
            // hardware's approximate reciprocal, and may lie slightly outside.
            Coords::Normalized if find == Find::Seamless => {
                of_face(coordinate::scale_normalized(x, size, AddressMode::Clamp))
            }
            Coords::Normalized => coordinate::scale_normalized(x, size, mode),
            Coords::Unnormalized | Coords::Integer => x,
        };
        Self::texels(u.plus(tap), offset, size, mode, find).named(bits)
    }

    /// Rules 1.4 to 1.6 of docs/numerics.md: an axis with a coordinate in texels.
    pub(crate) fn texels(
        u: Fixed,
        offset: Fixed,
        size: u32,
        mode: AddressMode,
        find: Find,
    ) -> Self {
        let moved = u.plus(offset);
        let axis = |u: Fixed, Neighbours { index, upper, exact }| Self {
            coordinate: 0,
            texels: u.to_f64(),
            size,
            index,
            upper,
            exact,
            mode: Some(mode),
            clamps: false,
            find,
        };
        match find {
            Find::Point => {
                // Rule 1.4 of docs/numerics.md: the offset is added to the index after the index
                // has been limited to 32 bits.
                let index = coordinate::point_index(u) + offset.floor();
                axis(moved, Neighbours { index, upper: 0, exact: 0.0 })
            }
            Find::Linear => {
                let u = coordinate::limit(moved, size, mode);
                axis(u, coordinate::neighbours(u))
            }
            Find::Seamless => axis(moved, coordinate::neighbours(moved)),
            Find::Gather => {
                let u = match mode {
                    AddressMode::ClampOgl => coordinate::limit(moved, size, mode),
                    _ => moved,
                };
                axis(u, coordinate::neighbours(u))
            }
        }
    }

    fn named(self, coordinate: u32) -> Self {
        Self { coordinate, ..self }
    }

    /// Rules 1.7 and 1.9 of docs/numerics.md: the texel at an index of this axis. `None` stands for
    /// the border colour, or for 0 if coordinates are integers.
    pub(crate) fn texel(&self, index: i64) -> Option<u32> {
        match self.mode {
            None if self.clamps => coordinate::address(index, self.size, AddressMode::Clamp),
            None => coordinate::inside(index, self.size),
            Some(mode) => {
                let mode = coordinate::beyond(mode, self.find != Find::Point);
                coordinate::address(index, self.size, mode)
            }
        }
    }
}

/// A texel of a footprint, with its index and weight.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Corner {
    /// Position in the footprint: 0 or 1 along x, y, z.
    pub(crate) corner: [u8; 3],
    /// Index of the texel along x, y, z, before the address mode.
    pub(crate) index: [i64; 3],
    /// Weight in 1/256.
    pub(crate) weight: u32,
    /// The weight before it is rounded to 1/256, as a fraction of 1.
    pub(crate) exact: f64,
    /// Whether the texel is read. The upper texel of an axis is not read if its weight along the
    /// axis is 0.
    pub(crate) read: bool,
}

/// The texels of a footprint, whose weights sum to a share of 256. They are in the order of
/// summation: the four texels of a slice (z), then the four texels of the next slice.
pub(crate) fn corners(axes: &[Axis; 3], share: u32) -> [Corner; 8] {
    let weights = weights::footprint(share, axes.map(|a| a.upper));
    std::array::from_fn(|n| {
        let corner = [n & 1, n >> 1 & 1, n >> 2];
        let [x, y, z] = corner;
        let exact = |a: usize| if corner[a] == 1 { axes[a].exact } else { 1.0 - axes[a].exact };
        Corner {
            corner: corner.map(|c| c as u8),
            index: std::array::from_fn(|a| axes[a].index + corner[a] as i64),
            weight: weights[z][y][x],
            exact: f64::from(share) / 256.0 * exact(0) * exact(1) * exact(2),
            read: (0..3).all(|a| corner[a] == 0 || axes[a].upper > 0),
        }
    })
}
