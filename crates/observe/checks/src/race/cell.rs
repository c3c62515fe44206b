//! Shortcuts for a [`Cell`]: [`Cell::strong`] records an access without a comparison of vector
//! clocks, or returns false if [`Cell::access`] has to record it. Both leave the same records in
//! the cell.

use super::fasttrack::{AccessKind, AccessRecord, Cell, View};

impl Cell {
    /// The recorded accesses of the cell.
    pub(super) fn stamps(&self) -> [AccessRecord; 3] {
        [self.write, self.others[0], self.others[1]]
    }

    /// Records a weak store that is known to race with nothing.
    #[inline(always)]
    pub(super) fn stored(&mut self, stamp: AccessRecord) {
        *self = Self { write: stamp, others: [AccessRecord::NONE; 2] };
    }

    /// Records a strong access (`lane` is the lane's bit), if each recorded access is strong too or
    /// ordered before it. Otherwise returns false, with nothing recorded.
    #[inline]
    pub(super) fn strong(&mut self, view: &View<'_>, stamp: AccessRecord, lane: u32) -> bool {
        let is_fine = |slot: AccessRecord| view.is_past(slot) || view.are_strong(slot, stamp);
        let writes = stamp.kind().writes();
        let others = self.others.into_iter();
        if !is_fine(self.write)
            || !others.into_iter().all(|s| (!writes && !s.kind().writes()) || is_fine(s))
        {
            return false;
        }
        if !writes {
            self.add(view, stamp.with(lane));
            return true;
        }
        let before = std::mem::replace(&mut self.write, stamp);
        self.keep_store(view, before);
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

    /// The cell for one byte of this cell's word.
    pub(super) fn byte(&self, i: u32) -> Self {
        let write = match self.write.is_none() {
            true => self.write,
            false => self.write.with(self.write.extra >> (8 * i) & 0xff),
        };
        Self { write, ..*self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::race::fasttrack::ThreadAccess;
    use crate::race::happens_before::Cta;
    use crate::race::order::Order;
    use texunit_testkit::Random;

    #[test]
    fn shortcuts_record_what_the_algorithm_records() {
        let order = &Order { first: 1, ctas: 9, below: 1, ..Order::default() };
        let cta = &Cta::default();
        let (mut random, mut taken, mut races) = (Random::new(7), 0, 0);
        for _ in 0..200 {
            let (mut cell, mut all, mut of_warp) = (Cell::default(), 0, 0);
            for now in 1..40 {
                let mut is = |chances: u64| random.below(chances) == 0;
                all = if is(9) { now - 1 } else { all };
                of_warp = if is(5) { now - 1 } else { of_warp };
                let serial = if is(9) { 3 } else { 2 };
                let view = View { serial, near: false, below: 1, now, all, of_warp, cta, order };
                let kind = [AccessKind::WEAK, AccessKind::CTA, AccessKind::GPU];
                let kind = kind[random.below(3) as usize];
                let writes = random.below(2) == 0;
                let kind = if writes { kind.writing() } else { kind };
                let (thread, value) = (random.below(40) as u32, random.below(2) as u32);
                let access = ThreadAccess { thread, op: now, kind, value: writes.then_some(value) };
                let (record, lane) = (access.record(&view), 1 << (thread & 31));
                let mut short = cell;
                let record = if writes { record.with(value) } else { record };
                let is_taken = kind.strength() != 0 && short.strong(&view, record, lane);
                let found = cell.access(&view, &access);
                if is_taken {
                    assert_eq!((short, found), (cell, None));
                }
                (taken, races) = (taken + u32::from(is_taken), races + u32::from(found.is_some()));
            }
        }
        assert!(taken > 1000 && races > 1000, "{taken} shortcuts, {races} races");
    }
}
