//! The shadow memory of one word or byte: records of its last store and of up to two later
//! accesses, and the rules by which a new access races with one of these.

use super::record::{AccessKind, AccessRecord};
use super::view::View;

/// The shadow memory of one word or byte of the program's memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Cell {
    /// The last store. Its field `extra` has the stored value.
    write: AccessRecord,
    /// Accesses after the last store that may be concurrent with a later access: loads, whose field
    /// `extra` is a mask of lanes, and strong stores that are concurrent with a strong last store.
    others: [AccessRecord; 2],
}

/// An access of one thread to a word or byte of the program's memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShadowAccess {
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

impl Cell {
    /// The cell for a word or byte of a line that had one record for all its words until now.
    pub(super) fn of(write: AccessRecord, others: [AccessRecord; 2]) -> Self {
        Self { write, others }
    }

    fn stamp(view: &View<'_>, touch: &ShadowAccess) -> AccessRecord {
        AccessRecord::new(view.serial, (view.now, touch.kind), (touch.thread, touch.op))
    }

    /// The recorded accesses of the cell.
    pub(super) fn stamps(&self) -> [AccessRecord; 3] {
        [self.write, self.others[0], self.others[1]]
    }

    /// Records an access; returns its race, if there is one.
    #[inline]
    pub(super) fn touch(&mut self, view: &View<'_>, touch: &ShadowAccess) -> Option<Conflict> {
        if touch.kind.writes() { self.store(view, touch) } else { self.load(view, touch) }
    }

    /// Records one load by several lanes of a warp; `touch` is the access of the first lane.
    /// Returns false, with nothing recorded, if each lane has to be recorded on its own.
    #[inline]
    pub(super) fn load_all(&mut self, view: &View<'_>, touch: &ShadowAccess, lanes: u32) -> bool {
        let is_plain = |stamp: AccessRecord| !stamp.kind().writes() || view.is_past(stamp);
        if !view.is_past(self.write) || !self.others.into_iter().all(is_plain) {
            return false;
        }
        self.note(view, Self::stamp(view, touch).with(lanes));
        true
    }

    /// Records a weak store, if each recorded access is ordered before it or was made by the same
    /// thread. Otherwise returns false, with nothing recorded.
    #[inline(always)]
    pub(super) fn store_own(&mut self, view: &View<'_>, stamp: AccessRecord, lane: u32) -> bool {
        let is_behind = |slot: AccessRecord| view.is_past(slot) || slot.is_of(stamp, lane);
        let done = self.is_written_by(view, stamp) && self.others.into_iter().all(is_behind);
        if done {
            self.stored(stamp);
        }
        done
    }

    /// Records a weak store that is known to race with nothing.
    #[inline(always)]
    pub(super) fn stored(&mut self, stamp: AccessRecord) {
        *self = Self { write: stamp, others: [AccessRecord::NONE; 2] };
    }

    /// Records a weak load, if the last store is ordered before it or was made by the same thread.
    /// Otherwise returns false, with nothing recorded.
    #[inline(always)]
    pub(super) fn load_own(&mut self, view: &View<'_>, stamp: AccessRecord) -> bool {
        let is_plain = |slot: AccessRecord| !slot.kind().writes() || view.is_past(slot);
        let done = self.is_written_by(view, stamp) && self.others.into_iter().all(is_plain);
        if done {
            self.note(view, stamp);
        }
        done
    }

    #[inline(always)]
    fn is_written_by(&self, view: &View<'_>, stamp: AccessRecord) -> bool {
        let write = self.write;
        let own = write.serial == stamp.serial && write.thread() == stamp.thread();
        view.is_past(write) || (own && !write.kind().is_async())
    }

    /// Records a strong access (`lane` is the lane's bit), if each recorded access is strong too or
    /// ordered before it. Otherwise returns false, with nothing recorded.
    #[inline]
    pub(super) fn strong(&mut self, view: &View<'_>, stamp: AccessRecord, lane: u32) -> bool {
        let who = (stamp.thread(), stamp.kind());
        let is_fine = |slot: AccessRecord| view.is_past(slot) || view.are_strong(slot, who);
        let writes = stamp.kind().writes();
        let others = self.others.into_iter();
        if !is_fine(self.write)
            || !others.into_iter().all(|s| (!writes && !s.kind().writes()) || is_fine(s))
        {
            return false;
        }
        if !writes {
            self.note(view, stamp.with(lane));
            return true;
        }
        let before = std::mem::replace(&mut self.write, stamp);
        // Two strong stores may be concurrent, and a later weak access may race with either, so
        // that the earlier store is kept as well.
        if !view.is_past(before) && before.thread() != stamp.thread() {
            self.note(view, before.with(1 << (before.thread() & 31)));
        }
        true
    }

    /// Whether further weak loads need not be recorded. This is so if loads of two warps are
    /// recorded (or of two CTAs, in global memory): a store races with at least one of them,
    /// whichever thread makes it.
    #[inline(always)]
    pub(super) fn is_full(&self, view: &View<'_>) -> bool {
        let [first, second] = self.others;
        let kept = |slot: AccessRecord| slot.kind() == AccessKind::WEAK && !view.is_over(slot);
        let apart = match view.near {
            true => first.thread() / 32 != second.thread() / 32,
            false => first.serial != second.serial,
        };
        apart && kept(first) && kept(second)
    }

    /// Whether a recorded store, and whether any other recorded access, can race with a later
    /// access.
    pub(super) fn is_open(&self, view: &View<'_>) -> [bool; 2] {
        let is_open = |slot: AccessRecord| !view.is_over(slot);
        let others = self.others.into_iter();
        let strong = others.clone().any(|slot| slot.kind().writes() && is_open(slot));
        [is_open(self.write) || strong, others.into_iter().any(is_open)]
    }

    fn load(&mut self, view: &View<'_>, touch: &ShadowAccess) -> Option<Conflict> {
        let mut found = None;
        if !view.is_past(self.write) {
            found = Self::against(view, self.write, touch, false);
        }
        for other in self.others {
            if found.is_none() && other.kind().writes() {
                found = Self::against_lanes(view, other, touch);
            }
        }
        self.note(view, Self::stamp(view, touch).with(1 << (touch.thread & 31)));
        found
    }

    /// Merges a load into the record of another load that differs only in its lanes. Returns false
    /// if there is no such record.
    #[inline(always)]
    pub(super) fn merge_into_record(&mut self, stamp: AccessRecord) -> bool {
        let slot = self.others.iter_mut().find(|slot| slot.is_like(stamp));
        slot.map(|slot| *slot = stamp.with(slot.extra | stamp.extra)).is_some()
    }

    /// Records a load, or a store that does not become the last store.
    #[inline]
    pub(super) fn note(&mut self, view: &View<'_>, stamp: AccessRecord) {
        let [first, second] = &mut self.others;
        for slot in [&mut *first, &mut *second] {
            if slot.is_like(stamp) {
                *slot = stamp.with(slot.extra | stamp.extra);
                return;
            }
        }
        let gone = |slot: AccessRecord| {
            // A later access of the same lane replaces the earlier one, because it is ordered after
            // it.
            let own = slot.extra == stamp.extra && slot.thread() == stamp.thread();
            view.is_past(slot)
                || (own && slot.serial == stamp.serial && !slot.kind().is_async())
                || (slot.serial == stamp.serial
                    && slot.thread() / 32 == stamp.thread() / 32
                    && slot.time() <= view.of_warp
                    && !slot.kind().is_async())
        };
        if gone(*first) {
            *first = stamp;
        } else {
            // If more than two accesses are concurrent, the first and the latest are kept.
            *second = stamp;
        }
    }

    fn store(&mut self, view: &View<'_>, touch: &ShadowAccess) -> Option<Conflict> {
        let value = touch.value.unwrap_or(0);
        let same = touch.value.is_some() && self.write.extra == value;
        let before = self.write;
        let past = view.is_past(before);
        let mut found = match past {
            true => None,
            false => Self::against(view, before, touch, same),
        };
        for other in self.others {
            if found.is_none_or(|found| found.is_same) {
                found = Self::against_lanes(view, other, touch).or(found);
            }
        }
        let stamp = Self::stamp(view, touch).with(value);
        self.write = stamp;
        if touch.kind.strength() == 0 {
            self.others = [AccessRecord::NONE; 2];
        } else if !past && before.thread() != stamp.thread() && !Self::is_flag(before, touch, same)
        {
            // Two strong stores may be concurrent, and a later weak access may race with either, so
            // that the earlier store is kept as well.
            self.note(view, before.with(1 << (before.thread() & 31)));
        }
        found
    }

    /// Whether two stores set a flag: both are volatile and store the same value. They are not
    /// reported as a race, because the result does not depend on their order.
    fn is_flag(stamp: AccessRecord, touch: &ShadowAccess, is_same: bool) -> bool {
        is_same && touch.kind.is_volatile() && stamp.kind().is_volatile()
    }

    fn against(
        view: &View<'_>,
        stamp: AccessRecord,
        touch: &ShadowAccess,
        is_same: bool,
    ) -> Option<Conflict> {
        let races = !Self::is_flag(stamp, touch, is_same)
            && !view.is_ordered(stamp, touch.thread)
            && !view.are_strong(stamp, (touch.thread, touch.kind));
        races.then_some(Conflict { with: stamp, is_same })
    }

    /// The race between an access and one of the lanes of a recorded access; `None` if there is
    /// none.
    fn against_lanes(
        view: &View<'_>,
        stamp: AccessRecord,
        touch: &ShadowAccess,
    ) -> Option<Conflict> {
        if view.is_past(stamp) {
            return None;
        }
        let warp = stamp.thread() & !31;
        let mut lanes = stamp.extra;
        while lanes != 0 {
            let lane = lanes.trailing_zeros();
            lanes &= lanes - 1;
            let one = stamp.of_thread(warp | lane);
            if let found @ Some(_) = Self::against(view, one, touch, false) {
                return found;
            }
        }
        None
    }
}

impl Cell {
    /// The cell for one byte of this cell's word.
    pub(super) fn byte(&self, i: u32) -> Self {
        let write = match self.write.is_none() {
            true => self.write,
            false => self.write.with(self.write.extra >> (8 * i) & 0xff),
        };
        Self { write, ..*self }
    }
}
