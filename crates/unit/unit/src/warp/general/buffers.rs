//! What stages hand on as arrays.

use super::which::TexelLanes;
use crate::request::Lanes;

/// What kernels write between their loops, so that they need not clear it: up to two levels of
/// two slices of four texels. Those of a slice are a group, and groups of fewer texels leave room.
#[derive(Clone, Debug)]
pub(in crate::warp) struct Buffers {
    pub(in crate::warp) texels: [TexelLanes; 16],
    pub(in crate::warp) weights: [Lanes; 16],
    /// Lanes that read a texel, be its weight 0; of channels whose sums ask for that.
    pub(in crate::warp) read: [u32; 16],
}

impl Buffers {
    pub(in crate::warp) const ZERO: Self =
        Self { texels: [[[0; 32]; 4]; 16], weights: [[0; 32]; 16], read: [0; 16] };
}
