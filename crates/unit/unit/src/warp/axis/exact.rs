//! The exact path for lanes whose coordinates are too large for 32-bit arithmetic, infinite or NaN.
//! Such lanes use the reference.

use super::{AxisLanes, Find, Operands, Scaling};
use crate::reference::{coordinate, cube, fixed::Fixed, footprint};
use crate::request::lanes;
use crate::sampler::AddressMode;

/// The parameters of an axis for the reference.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exact {
    pub(super) find: Find,
    pub(super) scaling: Scaling,
    pub(super) mode: AddressMode,
}

/// Indices of the lower and the upper texel along an axis (-1 outside), and the upper one's weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ExactTexels {
    pub(super) texels: [i32; 2],
    pub(super) weight: u32,
}

impl Exact {
    /// The texels at a coordinate along an axis of `size` texels. `offset` moves the coordinate by
    /// texels, and `way` by 1/256 of a texel, which is the offset of an anisotropic tap.
    pub(super) fn find(self, bits: u32, [offset, way]: [i32; 2], size: u32) -> ExactTexels {
        let find = match self.find {
            Find::Integer | Find::Clamped => {
                let clamps = self.find == Find::Clamped;
                let axis = footprint::Axis::integer(bits, offset.into(), size, clamps);
                return ExactTexels { texels: [index(axis.texel(axis.index)); 2], weight: 0 };
            }
            Find::Point | Find::Taps => footprint::Find::Point,
            Find::Linear => footprint::Find::Linear,
            Find::Gather => footprint::Find::Gather,
            Find::Seamless => footprint::Find::Seamless,
        };
        let moved = [Fixed::from_int(offset.into()), Fixed::from_128ths((way / 2).into())];
        let x = f32::from_bits(bits);
        let x = if self.scaling.of_face { cube::on_face(x) } else { coordinate::number(x) };
        let coords = self.scaling.coords;
        let axis = footprint::Axis::float((bits, x), coords, moved, size, self.mode, find);
        let texels = [axis.index, axis.index + 1];
        let texels = match self.find {
            // On a seamless face, an index past the edge refers to a texel of the neighbouring
            // face, and is kept.
            Find::Seamless => texels.map(|texel| coordinate::saturate(texel) as i32),
            _ => texels.map(|texel| index(axis.texel(texel))),
        };
        ExactTexels { texels, weight: axis.upper }
    }
}

/// The index of a texel; -1 if there is no texel.
fn index(texel: Option<u32>) -> i32 {
    texel.map_or(-1, |texel| texel as i32)
}

/// Computes the texels of the lanes in the mask `far`. Sizes and pitches are the same in all lanes,
/// or differ by lane.
#[cold]
#[inline(never)]
pub(super) fn fill(
    far: u32,
    exact: Exact,
    (size, pitch): (u32, u32),
    of: Operands<'_>,
    out: &mut AxisLanes,
) {
    out.outside = out.outside.map(|bits| bits & !far);
    out.scattered |= far;
    for lane in lanes(far) {
        let each = |lanes: Option<&[u32; 32]>, all| lanes.map_or(all, |lanes| lanes[lane]);
        let size = each(of.size, size);
        let moved = [of.offset, of.shift].map(|lanes| each(lanes, 0) as i32);
        let ExactTexels { texels, weight } = exact.find(of.coords[lane], moved, size);
        let pitch = each(of.pitch, pitch);
        for (side, texel) in texels.into_iter().enumerate() {
            // On a seamless face these bits are not used, because the neighbouring face continues
            // there.
            out.outside[side] |= u32::from(texel < 0) << lane;
        }
        [out.lower[lane], out.upper[lane]] = texels.map(|texel| (texel as u32).wrapping_mul(pitch));
        out.weight[lane] = weight;
    }
}
