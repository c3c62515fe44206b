//! Texels of a seamless cube map: past the edge of a face its neighbour goes on
//! (docs/numerics.md, section 7).

use super::Space;
use super::texels::{From, Source, put};
use super::which::{TexelLanes, some};
use crate::reference::cube::{FaceTexel, Seamless, missing_corner, seamless};
use crate::request::lanes;
use crate::resource::{Resource, TexelIndex};
use texunit_texel::Reading;

/// Indices of a corner of the footprints, those past an edge of the face as 0; lanes where one is.
#[inline(always)]
pub(super) fn past_edges(slot: usize, corner: usize, space: &mut Space) -> u32 {
    let Space { axes, sizes, inside, .. } = space;
    let mut past = [0; 32];
    for a in 0..2 {
        let upper = (corner >> a & 1) as i32;
        for lane in 0..32 {
            let index = (axes[a].lower[lane] as i32).wrapping_add(upper);
            let is_inside = (index >= 0) & (index < sizes[slot][a][lane] as i32);
            inside[a][lane] = if is_inside { index as u32 } else { 0 };
            past[lane] |= u32::from(!is_inside);
        }
    }
    some(&past)
}

/// Reads the texels of a corner of the footprints (bit 0 along x, bit 1 along y) in a slot of the
/// levels, for lanes where that may be past an edge. Returns lanes whose texels are not resident.
pub(super) fn read<T: Source>(
    (from, readings): (From<'_>, [Reading; 4]),
    resource: &Resource,
    (slot, corner, which): (usize, usize, u32),
    space: &mut Space,
    out: &mut TexelLanes,
) -> u32 {
    let sparse = resource.residency().is_some();
    let mut missing = 0;
    for lane in lanes(which) {
        let axes = [&space.axes[0], &space.axes[1]];
        let lower = axes.map(|a| i64::from(a.lower[lane] as i32));
        let index = [lower[0] + (corner & 1) as i64, lower[1] + (corner >> 1) as i64];
        let plane = space.place.plane[lane];
        let n = space.sizes[slot][0][lane];
        let pitches = &space.pitches[slot];
        let (row, pitch) = (pitches.row[lane], pitches.plane[lane]);
        let first = pitches.base[lane] - i64::from(plane % 6) * pitch;
        let (sample, level) = (space.place.sample[lane], space.levels.level[slot][lane]);
        let mut texel = |t: FaceTexel| {
            if sparse {
                let at = [t.at[0], t.at[1], 0];
                let plane = plane - plane % 6 + t.face;
                let there = resource.is_resident(TexelIndex { level, plane, sample, at });
                missing |= u32::from(!there) << lane;
            }
            let base = first + i64::from(t.face) * pitch;
            T::texel(from, (base, row), t.at, &mut space.texels)
        };
        let codes = match seamless(plane % 6, index, lower, n) {
            Seamless::At(t) => texel(t),
            Seamless::Missing(three) => {
                let codes = three.map(texel);
                std::array::from_fn(|c| missing_corner(readings[c], codes.map(|t| t[c])))
            }
        };
        put(out, lane, codes);
    }
    missing
}
