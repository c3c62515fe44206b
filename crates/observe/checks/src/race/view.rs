//! What is ordered before an access.

use super::known::Cta;
use super::launch::Order;
use super::stamp::{AccessKind, Stamp};

/// What of the past is ordered before what a thread does now. [`View::is_ordered`] answers most questions from the
/// numbers here, which are the same for all lanes of a warp.
pub(super) struct View<'a> {
    /// The CTA's number.
    pub(super) serial: u32,
    /// Whether it is of memory that only this CTA accesses.
    pub(super) near: bool,
    /// What has a lower one comes before the launch (or, of shared memory, is gone).
    pub(super) below: u32,
    /// Its time.
    pub(super) now: u32,
    /// Up to when accesses of all its threads are known,
    pub(super) all: u32,
    /// and those of the thread's own warp.
    pub(super) of_warp: u32,
    /// What threads know that is less than that, or of others.
    pub(super) cta: &'a Cta,
    pub(super) order: &'a Order,
}

impl<'a> View<'a> {
    /// What a warp does now to global memory, or (`near`) to that of its CTA.
    #[inline]
    pub(super) fn new(cta: &'a Cta, order: &'a Order, warp: u32, near: bool) -> Self {
        let (serial, of_warp) = (cta.serial, cta.of_warp(warp));
        let below = if near { serial } else { order.below };
        Self { serial, near, below, now: cta.now, all: cta.all, of_warp, cta, order }
    }
}

impl View<'_> {
    /// Stands for a time in which what is past ([`Self::is_past`]; of global memory: over) stays the same.
    #[inline]
    pub(super) fn epoch(&self) -> u64 {
        match self.near {
            true => u64::from(self.serial) << 32 | (u64::from(self.all) + 1),
            false => u64::from(self.order.serial(0)) << 32 | 1,
        }
    }

    /// Whether an access is ordered before what every lane does.
    #[inline]
    pub(super) fn is_past(&self, stamp: Stamp) -> bool {
        stamp.serial < self.below
            || (stamp.serial == self.serial && stamp.time() <= self.all && !stamp.kind().is_async())
    }

    /// Whether an access is ordered before what everybody does who may still access the memory.
    #[inline]
    pub(super) fn is_over(&self, stamp: Stamp) -> bool {
        if self.near { self.is_past(stamp) } else { stamp.serial < self.below }
    }

    /// Whether an access of one thread is ordered before what `thread` does.
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

    /// Whether two accesses are morally strong: both say that others may access the same place at the same time.
    pub(super) fn are_strong(&self, stamp: Stamp, (thread, kind): (u32, AccessKind)) -> bool {
        let near = stamp.serial == self.serial;
        // Volatile accesses of lanes of a warp are those of programs that take lockstep for an order.
        let lockstep = near
            && stamp.thread() / 32 == thread / 32
            && stamp.kind().is_volatile()
            && kind.is_volatile();
        let needed = if near { 1 } else { 2 };
        !lockstep && stamp.kind().strength() >= needed && kind.strength() >= needed
    }
}
