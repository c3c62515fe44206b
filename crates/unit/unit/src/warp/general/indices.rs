//! Selection of texels: indices per lane, and the memory layout of their level.

use crate::request::Lanes;
use crate::resource::Level;

/// Codes of one texel per lane, by channel.
pub(in crate::warp) type TexelLanes = [Lanes; 4];

/// Memory layout of each lane's level. `base` includes layer, face and sample.
#[derive(Clone, Debug)]
pub(super) struct Pitches {
    pub(super) base: [i64; 32],
    /// Bytes between layers or faces, between rows, and between slices.
    pub(super) plane: [i64; 32],
    pub(super) row: [i64; 32],
    pub(super) slice: [i64; 32],
    /// The low words of base, row and slice, which suffice for a block that a window covers.
    pub(super) low: [Lanes; 3],
}

impl Pitches {
    pub(super) const ZERO: Self =
        Self { base: [0; 32], plane: [0; 32], row: [0; 32], slice: [0; 32], low: [[0; 32]; 3] };

    /// Sets the layout of one level for all lanes.
    #[inline(always)]
    pub(super) fn fill(&mut self, level: &Level) {
        self.plane.fill(level.plane_pitch as i64);
        self.row.fill(level.row_pitch as i64);
        self.slice.fill(level.slice_pitch as i64);
        self.low[1].fill(level.row_pitch as u32);
        self.low[2].fill(level.slice_pitch as u32);
    }

    /// Sets the layout of one lane's level.
    #[inline(always)]
    pub(super) fn put(&mut self, lane: usize, level: &Level) {
        self.plane[lane] = level.plane_pitch as i64;
        self.row[lane] = level.row_pitch as i64;
        self.slice[lane] = level.slice_pitch as i64;
        self.low[1][lane] = level.row_pitch as u32;
        self.low[2][lane] = level.slice_pitch as u32;
    }

    /// Sets the base of one lane.
    #[inline(always)]
    pub(super) fn put_base(&mut self, lane: usize, base: i64) {
        self.base[lane] = base;
        self.low[0][lane] = base as u32;
    }
}

/// Indices of texels along the axes, negative if outside.
#[derive(Clone, Copy, Debug)]
pub(super) struct TexelIndices<'a> {
    pub(super) at: [&'a Lanes; 3],
    pub(super) pitches: &'a Pitches,
    /// Lanes whose texel is needed; others get arbitrary texels or zeros.
    pub(super) wanted: u32,
}

/// Lanes whose number is above 0.
#[inline(always)]
pub(super) fn some(numbers: &Lanes) -> u32 {
    let mut mask = 0;
    for lane in 0..32 {
        mask |= u32::from(numbers[lane] > 0) << lane;
    }
    mask
}
