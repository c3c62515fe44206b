//! What the lanes of a vector read, and what of it is put down until the warp behind it has been placed.

use super::footprint::{Outside, Spot, Spots};
use crate::request::{Lanes, ZERO_LANES};
use crate::warp::ahead::Rows;
use crate::warp::axis::{BORDER, OnAxis};
use crate::warp::simd::{Int, Simd, int, load};

/// What the lanes of a vector read.
#[derive(Clone, Copy)]
pub(super) struct Placed<S: Simd, const GROUPS: usize, const MODE: u8> {
    /// Byte offsets of the lower texels along x in the two rows of each group.
    at: [[Int<S>; 2]; GROUPS],
    /// From there to the upper ones.
    across: Int<S>,
    weights: [Int<S>; 2],
    /// What each group counts, if there are two.
    totals: [Int<S>; GROUPS],
    together: bool,
    /// Of each group, of border modes.
    outside: [Outside; GROUPS],
}

impl<S: Simd, const GROUPS: usize, const MODE: u8> Spots<S> for Placed<S, GROUPS, MODE> {
    #[inline(always)]
    fn spot(&self, _: S, group: usize) -> Spot<S> {
        Spot {
            at: self.at[group],
            across: self.across,
            weights: self.weights,
            total: if GROUPS == 1 { None } else { Some(self.totals[group]) },
            together: self.together,
            outside: if MODE == BORDER { self.outside[group] } else { Outside::NONE },
        }
    }
}

impl<S: Simd, const GROUPS: usize, const MODE: u8> Placed<S, GROUPS, MODE> {
    /// The texels of two axes.
    #[inline(always)]
    pub(super) fn new(simd: S, x: &OnAxis<S>, y: &OnAxis<S>) -> Self {
        let mut together = x.together.is_full();
        let mut outside = Outside::NONE;
        if MODE == BORDER {
            outside.x = [x.outside[0].bits(), x.outside[1].bits()];
            outside.y = [y.outside[0].bits(), y.outside[1].bits()];
            together &= outside.x[0] | outside.x[1] == 0;
        }
        Self {
            at: [[y.lower + x.lower, y.upper + x.lower]; GROUPS],
            across: x.upper - x.lower,
            weights: [x.weight, y.weight],
            totals: [int(simd, 0); GROUPS],
            together,
            outside: [outside; GROUPS],
        }
    }

    /// Takes two slices of it (docs/numerics.md 2, "Weights").
    #[inline(always)]
    pub(super) fn split(&mut self, simd: S, z: &OnAxis<S>) {
        let (bases, totals) = ([z.lower, z.upper], [int(simd, 256) - z.weight, z.weight]);
        for group in 0..GROUPS {
            let [lower, upper] = self.at[group];
            self.at[group] = [bases[group] + lower, bases[group] + upper];
            self.totals[group] = totals[group];
            if MODE == BORDER {
                self.outside[group].z = z.outside[group].bits();
            }
        }
    }

    /// Puts it down where a fetch behind this one finds it.
    #[inline(always)]
    pub(super) fn hold(&self, held: &mut Held, chunk: usize) {
        let chunks = 32 / S::LANES;
        for (n, at) in self.at.as_flattened().iter().enumerate() {
            let n = chunk * 2 * GROUPS + n;
            at.store(&mut held.at[n / chunks], n % chunks);
        }
        held.together[chunk] = self.together;
        if !self.together {
            self.across.store(&mut held.across, chunk);
        }
        for (weight, to) in self.weights.iter().zip(&mut held.weights) {
            weight.store(to, chunk);
        }
        if GROUPS == 2 {
            self.totals[0].store(&mut held.total, chunk);
        }
        if MODE == BORDER {
            held.outside[chunk][..GROUPS].copy_from_slice(&self.outside);
        }
    }
}

/// What the lanes of a warp read, until the warp behind it has been placed.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(super) struct Held {
    pub(super) at: Rows,
    across: Lanes,
    weights: [Lanes; 2],
    /// What the first of two groups counts.
    total: Lanes,
    /// Of each vector of a warp, of which there are at most eight.
    together: [bool; 8],
    outside: [[Outside; 2]; 8],
}

impl Held {
    pub(super) const fn new() -> Self {
        Self {
            at: [ZERO_LANES; 4],
            across: ZERO_LANES,
            weights: [ZERO_LANES; 2],
            total: ZERO_LANES,
            together: [false; 8],
            outside: [[Outside::NONE; 2]; 8],
        }
    }
}

/// A vector's part of that.
pub(super) struct OfHeld<'h, const GROUPS: usize, const MODE: u8> {
    pub(super) held: &'h Held,
    pub(super) chunk: usize,
}

impl<S: Simd, const GROUPS: usize, const MODE: u8> Spots<S> for OfHeld<'_, GROUPS, MODE> {
    #[inline(always)]
    fn spot(&self, simd: S, group: usize) -> Spot<S> {
        let (Self { held, chunk }, chunks) = (self, 32 / S::LANES);
        let at = |row: usize| {
            let n = (chunk * GROUPS + group) * 2 + row;
            (&held.at[n / chunks], n % chunks)
        };
        let (lower, upper) = (at(0), at(1));
        let weights = &held.weights;
        let mut total = None;
        if GROUPS == 2 {
            let first = load(simd, &held.total, *chunk);
            total = Some(if group == 0 { first } else { int(simd, 256) - first });
        }
        Spot {
            at: [load(simd, lower.0, lower.1), load(simd, upper.0, upper.1)],
            across: load(simd, &held.across, *chunk),
            weights: [load(simd, &weights[0], *chunk), load(simd, &weights[1], *chunk)],
            total,
            together: held.together[*chunk],
            outside: if MODE == BORDER { held.outside[*chunk][group] } else { Outside::NONE },
        }
    }
}
