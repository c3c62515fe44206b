//! What codes become: docs/numerics.md, section 2 ("Sums", "Point-sampled values") and section 5, for the lanes of
//! a vector. A type for each kind of channel, whatever texture it is of.

mod floats;
mod integers;
mod point;
mod singles;
mod srgb;

pub(super) use floats::{F16, FloatChannel, Real};
pub(super) use integers::{
    Normalized, Snorm8, Snorm16, Unorm2, Unorm8, Unorm10, Unorm16, Whole, finish_pairs,
};
pub(super) use point::{Fraction, Half, Point, Signed, Snorm, Unorm, Unsigned};
pub(super) use singles::F32;
pub(super) use srgb::{Sum as SrgbSum, value as srgb_value};

use super::ahead::Ahead;
use super::simd::{Int, Mask, Simd};

/// A channel that is filtered: `GROUPS` footprints of `PER` texels.
pub(super) trait Channel {
    /// What is made of the weights, once for all channels.
    type Weight<S: Simd>: Copy;
    fn weight<S: Simd>(weight: Int<S>) -> Self::Weight<S>;
    /// The result for codes and weights.
    fn sum<S: Simd, const GROUPS: usize, const PER: usize>(
        simd: S,
        codes: &[[Int<S>; PER]; GROUPS],
        weights: &[[Int<S>; PER]; GROUPS],
        made: &[[Self::Weight<S>; PER]; GROUPS],
        reads: &impl Reads<S>,
        ahead: impl Ahead,
    ) -> Int<S>;
}

/// Which texels of a footprint are read: one can be read and weigh nothing, and counts then if it is
/// no number, infinite, or not -0 beside others that are.
pub(super) trait Reads<S: Simd> {
    fn read(&self, simd: S, group: usize, texel: usize) -> Mask<S>;
}

/// A channel that has bytes of its own in a texel.
pub(super) trait Plain {
    /// How many.
    const SIZE: usize;
}
