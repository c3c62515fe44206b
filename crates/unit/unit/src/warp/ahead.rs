//! Asks for texels before they are read, so that the caches of the CPU have them then.
//!
//! The CPU looks a few hundred instructions ahead, which is a fetch of a warp or less: it does not come to
//! the loads of the next ones while it waits for these. And it takes about sixteen lines at once: if it is
//! asked for those of a warp all together, it waits just as long. So a few are asked for after each few
//! instructions of the sums of the warp before.

use crate::request::Lanes;
use crate::warp::simd::{Int, Simd};
use texunit_memory::{Window, hint};

/// Byte offsets of the rows of up to two groups: what a vector's lanes read lies together.
pub(super) type Rows = [Lanes; 4];

/// Who asks while the lanes of a vector are summed.
pub(super) trait Ahead: Copy {
    /// Asks for some of what the next fetch reads, while a texel is summed: after `code` and `sum` are
    /// computed, and before they are used.
    fn ask<S: Simd>(self, texel: usize, code: &mut Int<S>, sum: &mut Int<S>);
}

/// Nobody.
#[derive(Clone, Copy)]
pub(super) struct No;

impl Ahead for No {
    #[inline(always)]
    fn ask<S: Simd>(self, _: usize, _: &mut Int<S>, _: &mut Int<S>) {}
}

/// A kernel that asks, with each texel, for as many places as that makes of all.
#[derive(Clone, Copy)]
pub(super) struct Asking<'a> {
    pub(super) window: Window<'a>,
    /// Byte offsets that are asked for in these sums.
    pub(super) offsets: &'a [u32],
    /// How many are asked for with each texel.
    pub(super) each: usize,
}

impl Ahead for Asking<'_> {
    #[inline(always)]
    fn ask<S: Simd>(self, texel: usize, code: &mut Int<S>, sum: &mut Int<S>) {
        for n in texel * self.each..(texel + 1) * self.each {
            // Wherever that is: places are limited to the window when they are read.
            hint::prefetch(self.window.base().wrapping_add(self.offsets[n] as usize));
        }
        Int::fence(code, sum);
    }
}
