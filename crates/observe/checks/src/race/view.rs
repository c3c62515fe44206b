//! Decides whether an earlier access is ordered before an access that a warp makes now.

use super::happens_before::Cta;
use super::launch::Order;
use super::stamp::{AccessKind, Stamp};

/// The state from which a warp's access is judged. [`View::is_ordered`] answers most queries from
/// the numbers here, which are the same for all lanes of the warp; only the rest needs clocks.
pub(super) struct View<'a> {
    /// The CTA's serial number.
    pub(super) serial: u32,
    /// Whether the memory is shared memory, which only this CTA accesses.
    pub(super) near: bool,
    /// Accesses of CTAs with lower serial numbers are ordered before the launch (or, for shared
    /// memory, before this CTA).
    pub(super) below: u32,
    /// The CTA's current time.
    pub(super) now: u32,
    /// The time until which the accesses of all its threads are known.
    pub(super) all: u32,
    /// The time until which the accesses of the thread's own warp are known.
    pub(super) of_warp: u32,
    /// Clocks of threads, for what the numbers do not decide.
    pub(super) cta: &'a Cta,
    pub(super) order: &'a Order,
}

impl<'a> View<'a> {
    /// The view of a warp's access to global memory, or (`near`) to its CTA's shared memory.
    #[inline]
    pub(super) fn new(cta: &'a Cta, order: &'a Order, warp: u32, near: bool) -> Self {
        let (serial, of_warp) = (cta.serial, cta.of_warp(warp));
        let below = if near { serial } else { order.below };
        Self { serial, near, below, now: cta.now, all: cta.all, of_warp, cta, order }
    }
}

impl View<'_> {
    /// The number of the synchronisation interval, in which the set of past accesses
    /// ([`Self::is_past`]; for global memory [`Self::is_over`]) does not change.
    #[inline]
    pub(super) fn epoch(&self) -> u64 {
        match self.near {
            true => u64::from(self.serial) << 32 | (u64::from(self.all) + 1),
            false => u64::from(self.order.serial(0)) << 32 | 1,
        }
    }

    /// Whether an access is ordered before the next access of every lane.
    #[inline]
    pub(super) fn is_past(&self, stamp: Stamp) -> bool {
        stamp.serial < self.below
            || (stamp.serial == self.serial && stamp.time() <= self.all && !stamp.kind().is_async())
    }

    /// Whether an access is ordered before the next access of every thread that may still access
    /// the memory.
    #[inline]
    pub(super) fn is_over(&self, stamp: Stamp) -> bool {
        if self.near { self.is_past(stamp) } else { stamp.serial < self.below }
    }

    /// Whether an access of one thread is ordered before the next access of `thread`.
    #[inline]
    pub(super) fn is_ordered(&self, stamp: Stamp, thread: u32) -> bool {
        if self.is_past(stamp) {
            return true;
        }
        if stamp.serial != self.serial {
            return match self.order.has(stamp.serial) {
                true => self.cta.knows_other(stamp, thread),
                false => self.order.is_after(stamp),
            };
        }
        let near = stamp.thread() == thread
            || (stamp.thread() / 32 == thread / 32 && stamp.time() <= self.of_warp);
        (near && !stamp.kind().is_async()) || self.cta.knows_own(stamp, thread)
    }

    /// Whether two accesses are morally strong: each declares that other threads may access the
    /// location concurrently.
    pub(super) fn are_strong(&self, stamp: Stamp, (thread, kind): (u32, AccessKind)) -> bool {
        let near = stamp.serial == self.serial;
        // Volatile accesses of a warp's lanes to the same location rely on lockstep execution,
        // which is no longer guaranteed, and count as weak.
        let lockstep = near
            && stamp.thread() / 32 == thread / 32
            && stamp.kind().is_volatile()
            && kind.is_volatile();
        let needed = if near { 1 } else { 2 };
        !lockstep && stamp.kind().strength() >= needed && kind.strength() >= needed
    }
}
