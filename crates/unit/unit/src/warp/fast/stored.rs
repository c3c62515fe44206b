//! The texel locations of a vector of lanes in the fused stage, and their storage until the
//! locations of the next warp have been computed.

use super::footprint::{AddressSource, Outside, TexelAddresses};
use crate::request::{Lanes, ZERO_LANES};
use crate::warp::axis::{BORDER, OnAxis};
use crate::warp::prefetch::PrefetchRows;
use crate::warp::simd::{Int, Mask, Simd, int, load};

/// Stands for an address mode that is decided at run time.
pub(super) const ANY: u8 = u8::MAX;

/// Whether texels can be outside under this address mode.
const fn has_edges(mode: u8) -> bool {
    mode == BORDER || mode == ANY
}

/// The texel locations and weights of a vector of lanes.
#[derive(Clone, Copy)]
pub(super) struct VectorAddresses<S: Simd, const GROUPS: usize, const MODE: u8> {
    /// Byte offsets of the lower texels along x, in the two rows of each group of texels.
    at: [[Int<S>; 2]; GROUPS],
    /// Distance in bytes from the lower to the upper texels along x.
    across: Int<S>,
    weights: [Int<S>; 2],
    /// Weight of each group of texels in 1/256, if there are two groups.
    totals: [Int<S>; GROUPS],
    together: bool,
    /// `edges` is the mask of lanes with a texel outside; `outside` has masks for each group.
    edges: u32,
    outside: [Outside; GROUPS],
    /// The lanes for which the locations are valid.
    pub(super) near: Mask<S>,
}

impl<S: Simd, const GROUPS: usize, const MODE: u8> AddressSource<S>
    for VectorAddresses<S, GROUPS, MODE>
{
    #[inline(always)]
    fn addresses(&self, _: S, group: usize) -> TexelAddresses<S> {
        TexelAddresses {
            at: self.at[group],
            across: self.across,
            weights: self.weights,
            total: if GROUPS == 1 { None } else { Some(self.totals[group]) },
            together: self.together,
            outside: if has_edges(MODE) && self.edges != 0 {
                Some(self.outside[group])
            } else {
                None
            },
        }
    }
}

impl<S: Simd, const GROUPS: usize, const MODE: u8> VectorAddresses<S, GROUPS, MODE> {
    /// The texel locations for two axes in address mode `OF`. `MODE` is `OF` or [`ANY`].
    #[inline(always)]
    pub(super) fn new<const OF: u8>(simd: S, x: &OnAxis<S>, y: &OnAxis<S>) -> Self {
        let mut together = x.together.is_full();
        let (mut edges, mut outside) = (0, Outside::NONE);
        if OF == BORDER {
            outside.x = [x.outside[0].bits(), x.outside[1].bits()];
            outside.y = [y.outside[0].bits(), y.outside[1].bits()];
            together &= outside.x[0] | outside.x[1] == 0;
            edges = outside.x[0] | outside.x[1] | outside.y[0] | outside.y[1];
        }
        Self {
            at: [[y.lower + x.lower, y.upper + x.lower]; GROUPS],
            across: x.upper - x.lower,
            weights: [x.weight, y.weight],
            totals: [int(simd, 0); GROUPS],
            together,
            edges,
            outside: [outside; GROUPS],
            near: x.near & y.near,
        }
    }

    /// Splits the group of texels into the groups of two slices (docs/numerics.md 2, "Weights").
    #[inline(always)]
    pub(super) fn split<const OF: u8>(&mut self, simd: S, z: &OnAxis<S>) {
        let (bases, totals) = ([z.lower, z.upper], [int(simd, 256) - z.weight, z.weight]);
        for group in 0..GROUPS {
            let [lower, upper] = self.at[group];
            self.at[group] = [bases[group] + lower, bases[group] + upper];
            self.totals[group] = totals[group];
            if OF == BORDER {
                self.outside[group].z = z.outside[group].bits();
                self.edges |= self.outside[group].z;
            }
        }
        self.near = self.near & z.near;
    }

    /// Moves the locations to another layer or face, whose byte offset is `plane`.
    #[inline(always)]
    pub(super) fn move_by(&mut self, plane: Int<S>) {
        for at in self.at.as_flattened_mut() {
            *at = *at + plane;
        }
    }

    /// Stores the locations, so that the texels can be summed later.
    #[inline(always)]
    pub(super) fn store(&self, stored: &mut StoredAddresses, chunk: usize) {
        let chunks = 32 / S::LANES;
        for (n, at) in self.at.as_flattened().iter().enumerate() {
            let n = chunk * 2 * GROUPS + n;
            at.store(&mut stored.at[n / chunks], n % chunks);
        }
        stored.together[chunk] = self.together;
        if !self.together {
            self.across.store(&mut stored.across, chunk);
        }
        for (weight, to) in self.weights.iter().zip(&mut stored.weights) {
            weight.store(to, chunk);
        }
        if GROUPS == 2 {
            self.totals[0].store(&mut stored.total, chunk);
        }
        if has_edges(MODE) {
            stored.edges[chunk] = self.edges;
            if self.edges != 0 {
                stored.outside[chunk][..GROUPS].copy_from_slice(&self.outside);
            }
        }
    }
}

/// The stored texel locations of a warp.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(super) struct StoredAddresses {
    pub(super) at: PrefetchRows,
    across: Lanes,
    weights: [Lanes; 2],
    /// Weight of the first of two groups of texels, in 1/256.
    total: Lanes,
    /// `together`, `edges` and `outside` have an entry for each vector of the warp, of which there
    /// are at most eight.
    together: [bool; 8],
    edges: [u32; 8],
    outside: [[Outside; 2]; 8],
}

impl StoredAddresses {
    pub(super) const fn new() -> Self {
        Self {
            at: [ZERO_LANES; 4],
            across: ZERO_LANES,
            weights: [ZERO_LANES; 2],
            total: ZERO_LANES,
            together: [false; 8],
            edges: [0; 8],
            outside: [[Outside::NONE; 2]; 8],
        }
    }
}

/// One vector of lanes, as a source of locations that were stored for its warp.
pub(super) struct StoredVector<'h, const GROUPS: usize, const MODE: u8> {
    pub(super) stored: &'h StoredAddresses,
    pub(super) chunk: usize,
}

impl<S: Simd, const GROUPS: usize, const MODE: u8> AddressSource<S>
    for StoredVector<'_, GROUPS, MODE>
{
    #[inline(always)]
    fn addresses(&self, simd: S, group: usize) -> TexelAddresses<S> {
        let (Self { stored, chunk }, chunks) = (self, 32 / S::LANES);
        let at = |row: usize| {
            let n = (chunk * GROUPS + group) * 2 + row;
            (&stored.at[n / chunks], n % chunks)
        };
        let (lower, upper) = (at(0), at(1));
        let weights = &stored.weights;
        let mut total = None;
        if GROUPS == 2 {
            let first = load(simd, &stored.total, *chunk);
            total = Some(if group == 0 { first } else { int(simd, 256) - first });
        }
        let is_edge = has_edges(MODE) && stored.edges[*chunk] != 0;
        TexelAddresses {
            at: [load(simd, lower.0, lower.1), load(simd, upper.0, upper.1)],
            across: load(simd, &stored.across, *chunk),
            weights: [load(simd, &weights[0], *chunk), load(simd, &weights[1], *chunk)],
            total,
            together: stored.together[*chunk],
            outside: if is_edge { Some(stored.outside[*chunk][group]) } else { None },
        }
    }
}
