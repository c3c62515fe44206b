//! The algorithm of the race check: the record of an access, the recorded accesses of a word or
//! byte, and the decision whether a new access races with them.
//!
//! # Source
//!
//! The algorithm is FastTrack (Flanagan, Freund, "FastTrack: Efficient and Precise Dynamic Race
//! Detection", PLDI 2009), with happens-before as in Lamport, "Time, Clocks, and the Ordering of
//! Events in a Distributed System" (1978). Which operations synchronise, and with which scope, is
//! defined by the PTX ISA, "Memory Consistency Model".
//!
//! | FastTrack | here |
//! |---|---|
//! | epoch `c@t`: time `c` of thread `t` | [`Epoch`] |
//! | vector clock `C` of a thread | the join of three clocks: CTA, warp, lane (`happens_before`) |
//! | vector clock `L` of a lock | those of barriers, mbarriers, synchronisation variables |
//! | last write `W` of a variable | `Cell::write` |
//! | reads `R` of a variable: an epoch or a vector clock | `Cell::others`: two records |
//!
//! # Transitions
//!
//! | access | races with | then |
//! |---|---|---|
//! | load | `write`, and strong stores in `others` | is added to `others` |
//! | weak store | `write` and `others` | becomes `write`; `others` is emptied |
//! | strong store | `write` and `others` | becomes `write`; a concurrent one moves to `others` |
//!
//! A recorded access races with the new one unless its epoch is in the vector clock of the new
//! one's thread ([`View::is_ordered`]), or both are morally strong ([`View::are_strong`]).
//!
//! # Differences
//!
//! * Time is counted per CTA, so that a barrier is one number (`clock`). Four numbers of a [`View`]
//!   decide most comparisons without a vector clock.
//! * One record stands for the lanes of a warp that load one word in one instruction, and one for
//!   the words of a line that a warp accesses as a whole (`line`).
//! * Two records of loads are kept at most: the first and the latest. A third concurrent load is
//!   not compared with later stores, which can hide races but causes no false reports.

use super::clock::{Epoch, TIME_BITS};
use super::happens_before::Cta;
use super::order::Order;

/// Number of operations of a kernel that records can tell apart.
const MAX_OPS: u32 = 1 << 22;

/// The kind of an access: memory order, scope, and whether it stores.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct AccessKind(u32);

impl AccessKind {
    /// Number of bits of an access kind.
    const BITS: u32 = u32::BITS - TIME_BITS;
    /// A weak load.
    pub(super) const WEAK: Self = Self(0);
    /// A strong load at CTA scope.
    pub(super) const CTA: Self = Self(1);
    /// A strong load at device scope.
    pub(super) const GPU: Self = Self(2);
    /// A load that is strong because it is `.volatile`.
    pub(super) const VOLATILE: Self = Self(2 | 4);
    const WRITES: u32 = 8;
    const ASYNC: u32 = 16;

    pub(super) fn writing(self) -> Self {
        Self(self.0 | Self::WRITES)
    }

    /// The same access as a `cp.async` copy, which happens at an unknown time before its
    /// completion.
    pub(super) fn asynchronous(self) -> Self {
        Self(self.0 | Self::ASYNC)
    }

    pub(super) fn writes(self) -> bool {
        self.0 & Self::WRITES != 0
    }

    pub(super) fn is_async(self) -> bool {
        self.0 & Self::ASYNC != 0
    }

    pub(super) fn is_volatile(self) -> bool {
        self.0 & 4 != 0
    }

    /// 0 if the access is weak, 1 if it is strong at CTA scope, 2 if it is strong at device scope.
    pub(super) fn strength(self) -> u32 {
        self.0 & 3
    }
}

/// The record of an access by a thread or by lanes of a warp, in 16 bytes. Without an access all
/// fields are 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct AccessRecord {
    /// Serial number of the CTA among the CTAs of all launches, from 1.
    pub(super) serial: u32,
    /// The time, and the kind in the low bits.
    when: u32,
    /// The thread, and the operation in the low bits.
    who: u32,
    /// For the last store of a cell, the stored value. For the record of a whole line, the mapping
    /// of lanes to bytes (`shape::LaneMapping`). Otherwise a mask of the warp's lanes.
    pub(super) extra: u32,
}

impl AccessRecord {
    pub(super) const NONE: Self = Self { serial: 0, when: 0, who: 0, extra: 0 };

    /// The record of an access: `when` is its time and kind, `who` its thread and operation.
    pub(super) fn new(serial: u32, when: (u32, AccessKind), who: (u32, u32)) -> Self {
        let when = when.0 << AccessKind::BITS | when.1.0;
        Self { serial, when, who: who.0 << 22 | who.1.min(MAX_OPS - 1), extra: 0 }
    }

    pub(super) fn with(self, extra: u32) -> Self {
        Self { extra, ..self }
    }

    /// The same record with another thread.
    pub(super) fn of_thread(self, thread: u32) -> Self {
        Self { who: thread << 22 | self.op(), ..self }
    }

    /// The same record with another operation.
    pub(super) fn of_op(self, op: u32) -> Self {
        Self { who: self.thread() << 22 | op.min(MAX_OPS - 1), ..self }
    }

    pub(super) fn is_none(self) -> bool {
        self.serial == 0
    }

    pub(super) fn time(self) -> u32 {
        self.when >> AccessKind::BITS
    }

    pub(super) fn kind(self) -> AccessKind {
        AccessKind(self.when & ((1 << AccessKind::BITS) - 1))
    }

    /// Number of the thread in the CTA; that of the first lane if the record is for several.
    pub(super) fn thread(self) -> u32 {
        self.who >> 22
    }

    pub(super) fn op(self) -> u32 {
        self.who & (MAX_OPS - 1)
    }

    /// The epoch of the access.
    pub(super) fn epoch(self) -> Epoch {
        Epoch { serial: self.serial, thread: self.thread(), time: self.time() }
    }

    /// Whether both records have the same CTA and warp.
    #[inline]
    pub(super) fn is_of_warp(self, other: Self) -> bool {
        self.serial == other.serial && self.who >> 27 == other.who >> 27
    }

    /// Whether both records have the same CTA, time and kind.
    #[inline]
    pub(super) fn is_at_time(self, other: Self) -> bool {
        self.serial == other.serial && self.when == other.when
    }
}

/// What decides which earlier accesses are ordered before a warp's access. A few numbers, which are
/// the same for all lanes of the warp, decide most cases; only the other cases need vector clocks.
pub(super) struct View<'a> {
    /// The CTA's serial number.
    pub(super) serial: u32,
    /// Whether the memory is shared memory, which only this CTA accesses.
    pub(super) near: bool,
    /// The serial number below which all accesses of CTAs are ordered before the launch (for shared
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

    /// The number of the synchronisation interval. While it is the same, no more recorded accesses
    /// become ordered before all threads ([`Self::is_over`]).
    #[inline]
    pub(super) fn interval(&self) -> u64 {
        match self.near {
            true => u64::from(self.serial) << 32 | (u64::from(self.all) + 1),
            false => u64::from(self.order.first) << 32 | 1,
        }
    }

    /// Whether an access is ordered before the next access of every thread of the CTA.
    #[inline]
    pub(super) fn is_past(&self, record: AccessRecord) -> bool {
        record.serial < self.below
            || (record.serial == self.serial
                && record.time() <= self.all
                && !record.kind().is_async())
    }

    /// Whether an access is ordered before the next access of every thread that can access the
    /// memory.
    #[inline]
    pub(super) fn is_over(&self, record: AccessRecord) -> bool {
        if self.near { self.is_past(record) } else { record.serial < self.below }
    }

    /// Whether the access of one thread is ordered before the next access of `thread`.
    #[inline]
    pub(super) fn is_ordered(&self, record: AccessRecord, thread: u32) -> bool {
        if self.is_past(record) {
            return true;
        }
        let (epoch, is_async) = (record.epoch(), record.kind().is_async());
        if record.serial != self.serial {
            return match self.order.has(record.serial) {
                true => self.cta.knows_other_cta(thread, epoch),
                false => self.order.knows(epoch, is_async),
            };
        }
        let near = epoch.thread == thread
            || (epoch.thread / 32 == thread / 32 && epoch.time <= self.of_warp);
        match is_async {
            true => self.cta.knows_copy(thread, epoch),
            false => near || self.cta.knows(thread, epoch),
        }
    }

    /// Whether two accesses are morally strong in the PTX memory model: both are strong, and the
    /// scope of each includes the thread of the other.
    pub(super) fn are_strong(&self, record: AccessRecord, new: AccessRecord) -> bool {
        let kinds = [record.kind(), new.kind()];
        // Volatile accesses of a warp's lanes to one location rely on lockstep execution, which
        // GPUs since Volta do not guarantee. They count as weak.
        let lockstep = record.is_of_warp(new) && kinds.iter().all(|kind| kind.is_volatile());
        let needed = if record.serial == self.serial { 1 } else { 2 };
        !lockstep && kinds.iter().all(|kind| kind.strength() >= needed)
    }
}

/// The recorded accesses of one word or byte of the program's memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Cell {
    /// The last store. Its field `extra` has the stored value.
    pub(super) write: AccessRecord,
    /// Accesses after the last store that may be concurrent with a later access: loads, whose field
    /// `extra` is a mask of lanes, and strong stores that are concurrent with a strong last store.
    pub(super) others: [AccessRecord; 2],
}

/// An access of one thread to a word or byte of the program's memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct ThreadAccess {
    pub(super) thread: u32,
    pub(super) op: u32,
    pub(super) kind: AccessKind,
    /// The value that the access stores; `None` if it stores nothing or the value is not known.
    pub(super) value: Option<u32>,
}

/// A race of a new access with a recorded one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Conflict {
    /// The recorded access that races with the new one.
    pub(super) with: AccessRecord,
    /// Whether both accesses store the same value.
    pub(super) is_same: bool,
}

impl ThreadAccess {
    pub(super) fn record(&self, view: &View<'_>) -> AccessRecord {
        AccessRecord::new(view.serial, (view.now, self.kind), (self.thread, self.op))
    }

    /// The race with the recorded access of one thread; `None` if there is none.
    fn against(&self, view: &View<'_>, with: AccessRecord, is_same: bool) -> Option<Conflict> {
        let races = !self.is_flag(with, is_same)
            && !view.is_ordered(with, self.thread)
            && !view.are_strong(with, self.record(view));
        races.then_some(Conflict { with, is_same })
    }

    /// The race with one of the lanes of a recorded access; `None` if there is none.
    fn against_lanes(&self, view: &View<'_>, record: AccessRecord) -> Option<Conflict> {
        if view.is_past(record) {
            return None;
        }
        let warp = record.thread() & !31;
        crate::lanes(record.extra)
            .find_map(|lane| self.against(view, record.of_thread(warp | lane), false))
    }

    /// Whether two stores set a flag: both are volatile and store the same value. They are not
    /// reported as a race, because the result does not depend on their order.
    fn is_flag(&self, record: AccessRecord, is_same: bool) -> bool {
        is_same && self.kind.is_volatile() && record.kind().is_volatile()
    }
}

impl Cell {
    /// Records an access; returns its race, if there is one.
    #[inline]
    pub(super) fn access(&mut self, view: &View<'_>, access: &ThreadAccess) -> Option<Conflict> {
        match access.kind.writes() {
            true => self.store(view, access),
            false => self.load(view, access),
        }
    }

    fn load(&mut self, view: &View<'_>, access: &ThreadAccess) -> Option<Conflict> {
        let strong = self.others.into_iter().filter(|other| other.kind().writes());
        let found = access
            .against(view, self.write, false)
            .or_else(|| strong.filter_map(|other| access.against_lanes(view, other)).next());
        self.add(view, access.record(view).with(1 << (access.thread & 31)));
        found
    }

    fn store(&mut self, view: &View<'_>, access: &ThreadAccess) -> Option<Conflict> {
        let (value, before) = (access.value.unwrap_or(0), self.write);
        let same = access.value.is_some() && before.extra == value;
        let mut found = access.against(view, before, same);
        for other in self.others {
            if found.is_none_or(|found| found.is_same) {
                found = access.against_lanes(view, other).or(found);
            }
        }
        self.write = access.record(view).with(value);
        if access.kind.strength() == 0 {
            self.others = [AccessRecord::NONE; 2];
        } else if !access.is_flag(before, same) {
            self.keep_store(view, before);
        }
        found
    }

    /// Keeps the record of the last store (`before`) when a strong store replaces it. Two strong
    /// stores may be concurrent, and a later weak access may race with either.
    #[inline]
    pub(super) fn keep_store(&mut self, view: &View<'_>, before: AccessRecord) {
        if !view.is_past(before) && before.thread() != self.write.thread() {
            self.add(view, before.with(1 << (before.thread() & 31)));
        }
    }

    /// Adds a load, or a store that is not the last one, to the recorded accesses.
    #[inline]
    pub(super) fn add(&mut self, view: &View<'_>, record: AccessRecord) {
        if self.merge(record) {
            return;
        }
        let [first, second] = &mut self.others;
        // An access of the same lane, or one that is ordered before all lanes of the warp, is
        // replaced, because the new access is ordered after it.
        let own = first.extra == record.extra && first.thread() == record.thread();
        let is_behind = own && first.serial == record.serial
            || first.is_of_warp(record) && first.time() <= view.of_warp;
        match view.is_past(*first) || is_behind && !first.kind().is_async() {
            true => *first = record,
            // If more than two accesses are concurrent, the first and the latest are kept.
            false => *second = record,
        }
    }

    /// Merges an access into the record of another that differs only in its lanes. Returns false if
    /// there is no such record.
    #[inline(always)]
    pub(super) fn merge(&mut self, record: AccessRecord) -> bool {
        let is_like =
            |other: &&mut AccessRecord| other.is_at_time(record) && other.is_of_warp(record);
        let other = self.others.iter_mut().find(is_like);
        other.map(|other| *other = record.with(other.extra | record.extra)).is_some()
    }
}
