//! Prefetching of texels for the next warp's fetch.
//!
//! The CPU looks a few hundred instructions ahead, which is less than the fetch of a warp, so it
//! does not reach the next warp's loads while it waits for the current ones. And it handles only
//! about sixteen outstanding cache lines: prefetching all lines of a warp at once would stall just
//! as long. Therefore a few lines are prefetched after every few instructions of the current warp's
//! sums.

use crate::request::Lanes;
use crate::warp::simd::{Int, Simd};
use texunit_memory::{Window, hint};

/// Byte offsets of the texel rows that up to two groups of texels read, for 32 lanes. The offsets
/// for one vector of lanes are adjacent.
pub(super) type PrefetchRows = [Lanes; 4];

/// A way to prefetch texels of the next warp while the texels of a vector are summed.
pub(super) trait Prefetcher: Copy {
    /// Prefetches some cache lines of the next warp's texels. It is called between the computation
    /// of `code` and `sum` for a texel and their use.
    fn prefetch<S: Simd>(self, texel: usize, code: &mut Int<S>, sum: &mut Int<S>);
}

/// Prefetches nothing.
#[derive(Clone, Copy)]
pub(super) struct NoPrefetch;

impl Prefetcher for NoPrefetch {
    #[inline(always)]
    fn prefetch<S: Simd>(self, _: usize, _: &mut Int<S>, _: &mut Int<S>) {}
}

/// The prefetcher that prefetches a number of offsets with each texel, if there is a next fetch.
/// Whether there is one is tested for each texel, because a kernel for each outcome would take
/// twice as long to compile.
#[derive(Clone, Copy)]
pub(super) struct PrefetchEach<'a> {
    pub(super) window: Window<'a>,
    /// Byte offsets that are prefetched during these sums.
    pub(super) offsets: Option<&'a [u32]>,
    /// Number of offsets that are prefetched with each texel.
    pub(super) each: usize,
}

impl Prefetcher for PrefetchEach<'_> {
    #[inline(always)]
    fn prefetch<S: Simd>(self, texel: usize, code: &mut Int<S>, sum: &mut Int<S>) {
        let Some(offsets) = self.offsets else { return };
        for n in texel * self.each..(texel + 1) * self.each {
            // The address may be outside the window, because offsets are clamped to the window only
            // when they are read.
            hint::prefetch(self.window.base().wrapping_add(offsets[n] as usize));
        }
        Int::fence(code, sum);
    }
}
