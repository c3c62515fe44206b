//! Which texels are read.

use crate::request::Lanes;
use crate::resource::Level;

/// Codes of a texel of each lane, by channel.
pub(in crate::warp) type TexelLanes = [Lanes; 4];

/// Where the texels of a level begin, in a lane: layer, face and sample chosen.
#[derive(Clone, Debug)]
pub(super) struct Pitches {
    pub(super) base: [i64; 32],
    /// Bytes from a layer or face to the next, from a row, and from a slice.
    pub(super) plane: [i64; 32],
    pub(super) row: [i64; 32],
    pub(super) slice: [i64; 32],
    /// The low words of base, row and slice: enough in a block that is seen through a window.
    pub(super) low: [Lanes; 3],
}

impl Pitches {
    pub(super) const ZERO: Self =
        Self { base: [0; 32], plane: [0; 32], row: [0; 32], slice: [0; 32], low: [[0; 32]; 3] };

    /// Those of a level, the same for all lanes.
    #[inline(always)]
    pub(super) fn fill(&mut self, level: &Level) {
        self.plane.fill(level.plane_pitch as i64);
        self.row.fill(level.row_pitch as i64);
        self.slice.fill(level.slice_pitch as i64);
        self.low[1].fill(level.row_pitch as u32);
        self.low[2].fill(level.slice_pitch as u32);
    }

    /// Those of a lane's level.
    #[inline(always)]
    pub(super) fn put(&mut self, lane: usize, level: &Level) {
        self.plane[lane] = level.plane_pitch as i64;
        self.row[lane] = level.row_pitch as i64;
        self.slice[lane] = level.slice_pitch as i64;
        self.low[1][lane] = level.row_pitch as u32;
        self.low[2][lane] = level.slice_pitch as u32;
    }

    /// Where a lane begins.
    #[inline(always)]
    pub(super) fn put_base(&mut self, lane: usize, base: i64) {
        self.base[lane] = base;
        self.low[0][lane] = base as u32;
    }
}

/// Which texels: indices along the axes, negative outside.
#[derive(Clone, Copy, Debug)]
pub(super) struct Which<'a> {
    pub(super) at: [&'a Lanes; 3],
    pub(super) pitches: &'a Pitches,
    /// Lanes whose texel counts; others get any, or zeros.
    pub(super) wanted: u32,
}

/// Lanes of numbers above 0.
#[inline(always)]
pub(super) fn some(numbers: &Lanes) -> u32 {
    let mut mask = 0;
    for lane in 0..32 {
        mask |= u32::from(numbers[lane] > 0) << lane;
    }
    mask
}
