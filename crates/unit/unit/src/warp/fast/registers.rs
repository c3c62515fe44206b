//! The operands and results of warps in the fused stage. They are in arrays or in register files.

use crate::register_files::FetchRows;
use crate::request::{Lanes, OutputRegisters, ZERO_LANES};
use crate::warp::arrays::{AHEAD, prefetch, prefetch_to_write};

/// Where the coordinates and results of consecutive warps are.
pub(in crate::warp) enum Registers<'a> {
    /// The coordinates and results are in arrays of consecutive warps.
    Arrays {
        /// One array per axis.
        coords: [&'a [Lanes]; 3],
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
            Self::Arrays { coords, .. } => coords[0].len(),
            Self::Files { files, .. } => files.len(),
        }
    }

    /// The coordinates of warp `read`, and the output registers of warp `written`. The coordinates
    /// are arbitrary for a warp or an axis that does not exist.
    #[inline(always)]
    pub(super) fn of(
        &mut self,
        (read, written): (usize, usize),
    ) -> ([&Lanes; 3], OutputRegisters<'_>) {
        const NONE: &Lanes = &ZERO_LANES;
        match self {
            Self::Arrays { coords, out: [a, b, c, d] } => {
                let coords = coords.map(|axis| axis.get(read).unwrap_or(NONE));
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
        let Self::Arrays { coords, out } = self else { return };
        for coords in &coords[..axes] {
            prefetch(coords, warp + AHEAD);
        }
        for out in out {
            prefetch_to_write(out, warp + AHEAD);
        }
    }
}
