//! The buffers in which the general schedule passes texels and weights from one stage to the next.

use super::indices::TexelLanes;
use crate::request::Lanes;

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
