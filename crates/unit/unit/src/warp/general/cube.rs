//! The texels of seamless cube maps, including texels past an edge of a face, which are on a
//! neighbouring face (docs/numerics.md, section 7).

use super::Space;
use super::indices::{Buffers, TexelLanes, some};
use super::texels::{From, Source, put};
use crate::reference::cube::{FaceTexel, Seamless, pulled, seamless};
use crate::reference::weights::of_missing_corner;
use crate::request::lanes;
use crate::resource::{Resource, TexelIndex};

/// Rule 7.7 of docs/numerics.md: moves footprints that lack more than one texel at a corner of a
/// face to the corner.
#[inline(always)]
pub(super) fn pull(slot: usize, space: &mut Space) {
    let mut both = [u32::MAX; 32];
    for a in 0..2 {
        for lane in 0..32 {
            let (lower, n) = (space.axes[a].lower[lane] as i32, space.sizes[slot][a][lane] as i32);
            both[lane] &= if (lower < 0) | (lower >= n - 1) { u32::MAX } else { 0 };
        }
    }
    for lane in lanes(some(&both)) {
        let [x, y, _] = &mut space.axes;
        let n = space.sizes[slot][0][lane];
        let found = [&*x, &*y].map(|axis| (i64::from(axis.lower[lane] as i32), axis.weight[lane]));
        for (axis, (index, weight)) in [x, y].into_iter().zip(pulled(found, n)) {
            (axis.lower[lane], axis.weight[lane]) = (index as u32, weight);
        }
    }
}

/// Indices along s and t of one texel of a lane's footprint (bit 0 of `corner`: s, bit 1: t).
#[inline(always)]
fn index(space: &Space, corner: usize, lane: usize) -> [i64; 2] {
    let lower = |a: usize| i64::from(space.axes[a].lower[lane] as i32);
    [lower(0) + (corner & 1) as i64, lower(1) + (corner >> 1) as i64]
}

/// For each of the four texels of a footprint, the mask of the lanes in which it is missing at a
/// corner of the cube.
#[inline(always)]
pub(super) fn missing(slot: usize, space: &Space) -> [u32; 4] {
    let mut missing = [[0; 32]; 4];
    for (corner, missing) in missing.iter_mut().enumerate() {
        for lane in 0..32 {
            let n = space.sizes[slot][0][lane] as i32;
            let outside = |a: usize, upper: usize| {
                let index = (space.axes[a].lower[lane] as i32).wrapping_add(upper as i32);
                (index < 0) | (index >= n)
            };
            missing[lane] = u32::from(outside(0, corner & 1) & outside(1, corner >> 1));
        }
    }
    missing.each_ref().map(some)
}

/// Rule 7.7 of docs/numerics.md: distributes the weights of missing texels to the other three
/// texels of their group, which are then all read.
pub(super) fn share_missing(missing: [u32; 4], first: usize, buffers: &mut Buffers) {
    for (k, which) in missing.into_iter().enumerate().filter(|(_, which)| *which != 0) {
        let reads = which & buffers.read[first + k];
        for other in 0..4 {
            let read = &mut buffers.read[first + other];
            *read = if other == k { *read & !which } else { *read | reads };
        }
        for lane in lanes(which) {
            let [third, rest] = of_missing_corner(buffers.weights[first + k][lane]);
            for other in (0..4).filter(|other| *other != k) {
                let part = if other == 3 - k { rest } else { third };
                buffers.weights[first + other][lane] += part;
            }
            buffers.weights[first + k][lane] = 0;
        }
    }
}

/// Computes the indices of one texel of the footprints. Texels past an edge of the face get index
/// 0. Returns the lanes whose texels are past an edge.
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

/// Reads one texel of the footprints in a level, for the lanes of the mask, whose texels may be
/// past an edge of the face. Texels that are missing or not resident become 0. Returns the lanes
/// whose texels are not resident.
pub(super) fn read<T: Source>(
    from: From<'_>,
    resource: &Resource,
    (slot, corner, which): (usize, usize, u32),
    space: &mut Space,
    out: &mut TexelLanes,
) -> u32 {
    let sparse = resource.residency().is_some();
    let mut absent = 0;
    for lane in lanes(which) {
        let index = index(space, corner, lane);
        let plane = space.place.plane[lane];
        let n = space.sizes[slot][0][lane];
        let pitches = &space.pitches[slot];
        let (row, pitch) = (pitches.row[lane], pitches.plane[lane]);
        let first = pitches.base[lane] - i64::from(plane % 6) * pitch;
        let codes = match seamless(plane % 6, index, n) {
            Seamless::Missing(_) => [0; 4],
            Seamless::At(FaceTexel { face, at }) => {
                let index = TexelIndex {
                    level: space.levels.level[slot][lane],
                    plane: plane - plane % 6 + face,
                    sample: space.place.sample[lane],
                    at: [at[0], at[1], 0],
                };
                if sparse && !resource.is_resident(index) {
                    absent |= 1 << lane;
                    [0; 4]
                } else {
                    T::texel(from, (first + i64::from(face) * pitch, row), at, &mut space.texels)
                }
            }
        };
        put(out, lane, codes);
    }
    absent
}
