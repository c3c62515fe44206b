//! The operands and results of warps in the fused stage. They are in arrays or in register files.

use crate::register_files::FetchRows;
use crate::request::{Lanes, OutputRegisters, ZERO_LANES};
use crate::warp::arrays::{AHEAD, prefetch, prefetch_to_write};
use crate::warp::simd::{Simd, load};

/// The coordinates of the points of consecutive warps.
#[derive(Clone, Copy)]
pub(in crate::warp) enum Points<'a> {
    /// The coordinates are in one array per axis.
    Axes([&'a [Lanes]; 3]),
    /// The coordinates are interleaved pairs of x and y, without z.
    Pairs(&'a [Pairs]),
}

impl Points<'_> {
    #[inline(always)]
    pub(in crate::warp) fn warps(&self) -> usize {
        match self {
            Self::Axes([x, ..]) => x.len(),
            Self::Pairs(points) => points.len(),
        }
    }
}

/// The coordinates of a warp's points as interleaved pairs of x and y.
pub(in crate::warp) type Pairs = [[u32; 2]; 32];

/// Where the coordinates and results of consecutive warps are.
pub(in crate::warp) enum Registers<'a> {
    /// The coordinates and results are in arrays of consecutive warps.
    Arrays {
        points: Points<'a>,
        /// One array per component; empty for components that are not requested.
        out: [&'a mut [Lanes]; 4],
    },
    /// The coordinates and results are in the given rows of each warp's register file.
    Files { files: &'a mut [&'a mut [Lanes]], rows: &'a FetchRows<'a> },
}

impl Registers<'_> {
    #[inline(always)]
    pub(super) fn warps(&self) -> usize {
        match self {
            Self::Arrays { points, .. } => points.warps(),
            Self::Files { files, .. } => files.len(),
        }
    }

    /// The coordinates of warp `read`, and the output registers of warp `written`. Interleaved
    /// points are split into the buffer `room`. The coordinates are arbitrary for a warp or an axis
    /// that does not exist.
    #[inline(always)]
    pub(super) fn of<'s, S: Simd>(
        &'s mut self,
        simd: S,
        (read, written): (usize, usize),
        room: &'s mut [Lanes; 2],
    ) -> ([&'s Lanes; 3], OutputRegisters<'s>) {
        const NONE: &Lanes = &ZERO_LANES;
        match self {
            Self::Arrays { points, out: [a, b, c, d] } => {
                let coords = match points {
                    Points::Axes(axes) => axes.map(|axis| axis.get(read).unwrap_or(NONE)),
                    Points::Pairs(points) => {
                        if let Some(points) = points.get(read) {
                            take_apart(simd, points, room);
                        }
                        [&room[0], &room[1], NONE]
                    }
                };
                let at = written;
                (coords, [a.get_mut(at), b.get_mut(at), c.get_mut(at), d.get_mut(at)])
            }
            Self::Files { files, rows } => {
                let mut places = OutputRegisters::default();
                if read == written {
                    let others = rows.results.split_file(files[written], &mut places);
                    return (rows.point(|i| others.row(i)), places);
                }
                // The warp that is read is the one after the warp that is written.
                let (first, behind) = files.split_at_mut(read);
                let coords = behind.first().map_or([NONE; 3], |file| rows.point(|i| &file[i]));
                rows.results.split_file(first[written], &mut places);
                (coords, places)
            }
        }
    }

    /// Prefetches operands and results of a later warp. Register files need no prefetching, because
    /// they are in the caches already.
    #[inline(always)]
    pub(super) fn prefetch_ahead(&self, warp: usize, axes: usize) {
        let Self::Arrays { points, out } = self else { return };
        match points {
            Points::Axes(coords) => {
                for coords in &coords[..axes] {
                    prefetch(coords, warp + AHEAD);
                }
            }
            Points::Pairs(points) => prefetch(points, warp + AHEAD),
        }
        for out in out {
            prefetch_to_write(out, warp + AHEAD);
        }
    }
}

/// Splits a warp's interleaved points into all x and all y.
#[inline(always)]
fn take_apart<S: Simd>(simd: S, points: &Pairs, to: &mut [Lanes; 2]) {
    let (words, chunks) = (points.as_flattened().as_chunks().0, 32 / S::LANES);
    for chunk in 0..chunks {
        let at = |n: usize| (&words[n / chunks], n % chunks);
        let (first, second) = (at(2 * chunk), at(2 * chunk + 1));
        let [x, y] = load(simd, first.0, first.1).unzip(load(simd, second.0, second.1));
        x.store(&mut to[0], chunk);
        y.store(&mut to[1], chunk);
    }
}
