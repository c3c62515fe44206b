//! From a place and a level to the texels that are read and their weights: docs/numerics.md, 1 and
//! 2. Nothing here looks at texels.

use super::coordinate::{self, Neighbours};
use super::fixed::Fixed;
use super::weights::{self, ONE_TAP};
use crate::effective::Coords;
use crate::request::{Coordinates, FetchOperands, Geometry};
use crate::resource::ArrayShape;
use crate::sampler::AddressMode;

/// Where in a texture a fetch goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// Layer; cube of a cube array, until its face is known.
    pub(crate) plane: u32,
    /// Sample.
    pub(crate) sample: u32,
    /// Bits of the coordinates of the point; of a cube, the direction.
    pub(crate) coords: [u32; 3],
}

/// The coordinates that a geometry has. Rules 1.10 and 9.6: layers and samples past the end.
pub(crate) fn place(shape: &ArrayShape, from: Coordinates<u32>) -> Place {
    let geometry = shape.geometry;
    let mut coords = [0; 3];
    let elements = geometry.gradients();
    coords[..elements].copy_from_slice(&from.point[..elements]);
    Place {
        plane: match geometry.is_array() {
            true => coordinate::layer(from.layer, shape.layers),
            false => 0,
        },
        sample: match geometry.is_multisample() {
            true => coordinate::sample(from.sample, shape.samples),
            false => 0,
        },
        coords,
    }
}

/// Rule 1.4: offsets of a `tex` along x, y, z. A layer of a layered 1D texture ignores the row
/// (rule 1.4, open).
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

/// How the texels along an axis are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Find {
    /// The one that holds the point (rule 1.5).
    Point,
    /// The two around the point (rule 1.6).
    Linear,
    /// The same without a limit to the coordinate (rule 8.2).
    Gather,
    /// The same on a face whose neighbours go on where it ends (rule 7.7).
    Seamless,
}

/// An axis of a footprint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Axis {
    /// Bits of the coordinate.
    pub(crate) coordinate: u32,
    /// In texels, offset included, limited if the mode says so; of integers the index.
    pub(crate) texels: f64,
    /// Texels.
    pub(crate) size: u32,
    /// Lower or only index, before the address mode.
    pub(crate) index: i64,
    /// Weight of the upper texel in 1/256.
    pub(crate) upper: u32,
    /// The same before it was rounded.
    pub(crate) exact: f64,
    /// The sampler's mode; `None` for integer coordinates.
    pub(crate) mode: Option<AddressMode>,
    find: Find,
}

impl Axis {
    /// An axis that the geometry lacks: one texel, of all the weight.
    pub(crate) const NONE: Self = Self {
        coordinate: 0,
        texels: 0.0,
        size: 1,
        index: 0,
        upper: 0,
        exact: 0.0,
        mode: Some(AddressMode::Clamp),
        find: Find::Point,
    };

    /// Rule 1.9.
    pub(crate) fn integer(bits: u32, offset: i64, size: u32) -> Self {
        let index = coordinate::integer(bits, offset);
        let texels = index as f64;
        Self { coordinate: bits, texels, size, index, mode: None, ..Self::NONE }
    }

    /// Rules 1.1 to 1.6: a float coordinate, moved by an offset and, in an anisotropic fetch, by a
    /// tap's way from the centre, both in texels.
    pub(crate) fn float(
        bits: u32,
        coords: Coords,
        [offset, tap]: [Fixed; 2],
        size: u32,
        mode: AddressMode,
        find: Find,
    ) -> Self {
        let x = coordinate::nan_is_zero(f32::from_bits(bits));
        let u = match coords {
            Coords::Normalized => coordinate::scale_normalized(x, size),
            Coords::Unnormalized | Coords::Integer => coordinate::unnormalized(x),
        };
        Self::texels(u.plus(tap), offset, size, mode, find).named(bits)
    }

    /// Rules 1.4 to 1.6 for a coordinate in texels.
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
            find,
        };
        match find {
            Find::Point => {
                // Rule 1.4: the offset is added to the index, which has been limited to 32 bits.
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

    /// Rules 1.7 and 1.9: the texel at an index of this axis, `None` for the border colour, or for
    /// nothing at all.
    pub(crate) fn texel(&self, index: i64) -> Option<u32> {
        match self.mode {
            None => coordinate::inside(index, self.size),
            Some(mode) => {
                let mode = coordinate::beyond(mode, self.find != Find::Point);
                coordinate::address(index, self.size, mode)
            }
        }
    }
}

/// A texel of a footprint.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Corner {
    /// 0 or 1 along x, y, z.
    pub(crate) corner: [u8; 3],
    /// Before the address mode.
    pub(crate) index: [i64; 3],
    /// In 1/256; a texel of weight 0 is not read.
    pub(crate) weight: u32,
    /// The weight without any rounding, of 1.
    pub(crate) exact: f64,
}

/// The texels of a footprint that has a share of 256, in the order of the sum: four of a slice
/// (z), then four of the next.
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
        }
    })
}

/// A tap of an anisotropic fetch: a footprint a little away from the coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tap {
    /// In 1/1024.
    pub(crate) weight: u32,
    /// From the coordinates to the tap, in texels of the level that is read.
    pub(crate) shift: [Fixed; 3],
}

impl Tap {
    /// The only tap of a fetch that is not anisotropic.
    pub(crate) const ONE: Self = Self { weight: ONE_TAP, shift: [Fixed::ZERO; 3] };
}
