//! Conversion and filtering of channel codes for the lanes of a vector: docs/numerics.md, section 2
//! ("Sums", "Point-sampled values") and section 5. There is one type per kind of channel, which all
//! textures share.

/// Defines the numbers of bytes of kinds of channels.
macro_rules! plain {
    ($($channel:ident: $size:literal),*) => {
        $(impl $crate::warp::channel::Plain for $channel {
            const SIZE: usize = $size;
        })*
    };
}

mod floats;
mod integers;
mod point;
mod singles;
mod srgb;

pub(super) use floats::{F16, FloatChannel, FloatFilter};
pub(super) use integers::{
    Normalized, NormalizedFilter, Snorm8, Snorm16, Unorm2, Unorm8, Unorm10, Unorm16, finish_pairs,
};
pub(super) use point::{Fraction, Half, Point, Signed, Snorm, Unorm, Unsigned};
pub(super) use singles::F32;
pub(super) use srgb::{Sum as SrgbSum, value as srgb_value};

use super::prefetch::Prefetcher;
use super::simd::{Int, Mask, Simd};

/// A channel that is filtered over `GROUPS` footprints of `PER` texels each.
pub(super) trait Channel {
    /// Weights in the form in which the sum needs them. They are converted once for all channels.
    type Weight<S: Simd>: Copy;
    fn weight<S: Simd>(weight: Int<S>) -> Self::Weight<S>;
    /// The filtered result of the channel, from codes and weights.
    fn sum<S: Simd, const GROUPS: usize, const PER: usize>(
        simd: S,
        codes: &[[Int<S>; PER]; GROUPS],
        weights: &[[Int<S>; PER]; GROUPS],
        made: &[[Self::Weight<S>; PER]; GROUPS],
        reads: &impl Reads<S>,
        ahead: impl Prefetcher,
    ) -> Int<S>;
}

/// Tells which texels of a footprint are read. A texel can be read with weight 0; its NaN, infinity
/// or sign of zero then still affects the result.
pub(super) trait Reads<S: Simd> {
    fn read(&self, simd: S, group: usize, texel: usize) -> Mask<S>;
}

/// A channel that occupies whole bytes of a texel, which no other channel uses.
pub(super) trait Plain {
    /// Number of bytes of the channel.
    const SIZE: usize;
}
