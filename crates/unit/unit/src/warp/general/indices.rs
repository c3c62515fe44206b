//! The indices of the texels that lanes read, the memory layout of the texels' levels, and the
//! buffers in which texels and weights go from one stage to the next.

use crate::request::Lanes;
use crate::resource::Level;

/// The codes of one texel per lane, by channel.
pub(in crate::warp) type TexelLanes = [Lanes; 4];

/// Texels and weights of up to two levels, with two slices of four texels each. The texels of a
/// slice are a group, and smaller groups leave entries unused. The buffers are kept in scratch
/// memory, so that they need not be cleared.
#[derive(Clone, Debug)]
pub(in crate::warp) struct Buffers {
    pub(in crate::warp) texels: [TexelLanes; 16],
    pub(in crate::warp) weights: [Lanes; 16],
    /// For each texel, the mask of the lanes that read it, even with weight 0. It is set only for
    /// channels whose sums need it.
    pub(in crate::warp) read: [u32; 16],
}

impl Buffers {
    pub(in crate::warp) const ZERO: Self =
        Self { texels: [[[0; 32]; 4]; 16], weights: [[0; 32]; 16], read: [0; 16] };
}

/// The memory layout of each lane's level. `base` is the byte offset of its first texel, including
/// layer, face and sample.
#[derive(Clone, Debug)]
pub(super) struct Pitches {
    pub(super) base: [i64; 32],
    /// Bytes between layers or faces (`plane`), between rows, and between slices.
    pub(super) plane: [i64; 32],
    pub(super) row: [i64; 32],
    pub(super) slice: [i64; 32],
    /// The low words of `base`, `row` and `slice`, which suffice for memory that a window covers.
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

    /// Sets `base` for one lane.
    #[inline(always)]
    pub(super) fn put_base(&mut self, lane: usize, base: i64) {
        self.base[lane] = base;
        self.low[0][lane] = base as u32;
    }
}

/// The indices of one texel per lane along the axes, negative outside.
#[derive(Clone, Copy, Debug)]
pub(super) struct TexelIndices<'a> {
    pub(super) at: [&'a Lanes; 3],
    pub(super) pitches: &'a Pitches,
    /// The mask of the lanes whose texel is needed. Other lanes get arbitrary texels or zeros.
    pub(super) wanted: u32,
}

/// The mask of the lanes whose number is above 0.
#[inline(always)]
pub(super) fn some(numbers: &Lanes) -> u32 {
    let mut mask = 0;
    for lane in 0..32 {
        mask |= u32::from(numbers[lane] > 0) << lane;
    }
    mask
}
