//! Decides whether an earlier access is ordered before the next access of a thread.

use super::happens_before::Cta;
use super::launch::Order;
use super::record::{AccessKind, AccessRecord};

/// What decides which earlier accesses are ordered before a warp's access. A few numbers, which are
/// the same for all lanes of the warp, decide most cases ([`View::is_ordered`]); only the rest
/// needs vector clocks.
pub(super) struct View<'a> {
    /// The CTA's serial number.
    pub(super) serial: u32,
    /// Whether the memory is shared memory, which only this CTA accesses.
    pub(super) near: bool,
    /// All accesses of CTAs with lower serial numbers are ordered before the launch (for shared
    /// memory: before this CTA).
    pub(super) below: u32,
    /// The current time of the CTA.
    pub(super) now: u32,
    /// The time until which the accesses of all threads of the CTA are ordered before the next
    /// access of each thread.
    pub(super) all: u32,
    /// The time until which the accesses of the warp's lanes are ordered before the next access of
    /// each of its lanes.
    pub(super) of_warp: u32,
    /// The vector clocks of the CTA's threads.
    pub(super) cta: &'a Cta,
    pub(super) order: &'a Order,
}

impl<'a> View<'a> {
    /// The view for an access of a warp to global memory, or (if `near`) to the shared memory of
    /// its CTA.
    #[inline]
    pub(super) fn new(cta: &'a Cta, order: &'a Order, warp: u32, near: bool) -> Self {
        let (serial, of_warp) = (cta.serial, cta.of_warp(warp));
        let below = if near { serial } else { order.below };
        Self { serial, near, below, now: cta.now, all: cta.all, of_warp, cta, order }
    }
}

impl View<'_> {
    /// The number of the synchronisation interval. While it is the same, no more recorded accesses
    /// become ordered before all threads ([`Self::is_past`] for shared memory, [`Self::is_over`]
    /// for global memory).
    #[inline]
    pub(super) fn epoch(&self) -> u64 {
        match self.near {
            true => u64::from(self.serial) << 32 | (u64::from(self.all) + 1),
            false => u64::from(self.order.serial(0)) << 32 | 1,
        }
    }

    /// Whether an access is ordered before the next access of every thread of the CTA.
    #[inline]
    pub(super) fn is_past(&self, stamp: AccessRecord) -> bool {
        stamp.serial < self.below
            || (stamp.serial == self.serial && stamp.time() <= self.all && !stamp.kind().is_async())
    }

    /// Whether an access is ordered before the next access of every thread that can access the
    /// memory.
    #[inline]
    pub(super) fn is_over(&self, stamp: AccessRecord) -> bool {
        if self.near { self.is_past(stamp) } else { stamp.serial < self.below }
    }

    /// Whether the access of one thread is ordered before the next access of `thread`.
    #[inline]
    pub(super) fn is_ordered(&self, stamp: AccessRecord, thread: u32) -> bool {
        if self.is_past(stamp) {
            return true;
        }
        if stamp.serial != self.serial {
            return match self.order.has(stamp.serial) {
                true => self.cta.is_ordered_between_ctas(stamp, thread),
                false => self.order.is_after(stamp),
            };
        }
        let near = stamp.thread() == thread
            || (stamp.thread() / 32 == thread / 32 && stamp.time() <= self.of_warp);
        (near && !stamp.kind().is_async()) || self.cta.is_ordered_in_cta(stamp, thread)
    }

    /// Whether two accesses are morally strong in the PTX memory model: both are strong, and the
    /// scope of each includes the thread of the other.
    pub(super) fn are_strong(
        &self,
        stamp: AccessRecord,
        (thread, kind): (u32, AccessKind),
    ) -> bool {
        let near = stamp.serial == self.serial;
        // Volatile accesses of a warp's lanes to one location rely on lockstep execution, which
        // GPUs since Volta do not guarantee. They count as weak.
        let lockstep = near
            && stamp.thread() / 32 == thread / 32
            && stamp.kind().is_volatile()
            && kind.is_volatile();
        let needed = if near { 1 } else { 2 };
        !lockstep && stamp.kind().strength() >= needed && kind.strength() >= needed
    }
}
