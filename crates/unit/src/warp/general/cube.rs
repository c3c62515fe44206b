//! Texels of a seamless cube map: past the edge of a face its neighbour goes on
//! (docs/numerics.md, section 7).

use super::Space;
use super::texels::{self, From, NOTHING, put};
use crate::reference::cube::{FaceTexel, Seamless, missing_corner, seamless};
use crate::request::lanes;
use crate::resource::{Resource, TexelIndex};
use crate::warp::texels::TexelLanes;
use texunit_texel::Reading;

/// Reads the texels of a corner of the footprints (bit 0 along x, bit 1 along y) in a slot of the
/// levels. Returns lanes whose texels are not resident.
pub(super) fn read(
    (from, readings): (From<'_>, [Reading; 4]),
    resource: &Resource,
    (slot, corner, wanted): (usize, usize, u32),
    space: &mut Space,
    out: &mut TexelLanes,
) -> u32 {
    let sparse = resource.residency().is_some();
    let mut missing = 0;
    *out = NOTHING;
    for lane in lanes(wanted) {
        let axes = [&space.axes[0], &space.axes[1]];
        let lower = axes.map(|a| i64::from(a.lower[lane]));
        let index = [lower[0] + (corner & 1) as i64, lower[1] + (corner >> 1) as i64];
        let plane = space.place.plane[lane];
        let n = space.sizes[0][lane] as u32;
        let pitches = &space.pitches;
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
            texels::one(from, (base, row), t.at, &mut space.texels)
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
