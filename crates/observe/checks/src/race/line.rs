//! The shadow memory of a 128-byte line. While warps access the line as a whole, with consecutive
//! lanes at consecutive words, one record stands for all its words. Otherwise each word or byte has
//! a cell of its own ([`Split`]).

use super::fasttrack::{AccessKind, AccessRecord, ThreadAccess, View};
use super::shape::{ByteAccess, Hit, LINE, LaneMapping, RowAccess, WORDS};
use super::split::Split;

/// The shadow memory of a 128-byte line of the program's memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Line {
    /// The last store to the whole line, by consecutive lanes, and up to two later accesses. The
    /// field `extra` of these records is their [`LaneMapping`].
    write: AccessRecord,
    others: [AccessRecord; 2],
    /// The values that the last store has written, as words.
    values: Option<Box<[u32; WORDS]>>,
    /// The recorded accesses of each word or byte (cells). If the line has cells, the fields above
    /// are unused.
    split: Option<Box<Split>>,
}

impl Line {
    /// Records an access to the whole line or to quarters of it. Returns false if each lane has to
    /// be recorded on its own.
    pub(super) fn row(&mut self, view: &View<'_>, row: &RowAccess<'_>) -> bool {
        if let Some(split) = self.split.as_mut().filter(|split| !split.is_empty()) {
            match split.row(view, row) {
                Some(done) => return done,
                // No recorded access to the line can race any more, so that all cells are dropped.
                None => split.clear(),
            }
            (self.write, self.others) = (AccessRecord::NONE, [AccessRecord::NONE; 2]);
        }
        let kind = if row.writes { AccessKind::WEAK.writing() } else { AccessKind::WEAK };
        let stamp =
            AccessRecord::new(view.serial, (view.now, kind), (row.thread, row.op)).with(row.by.0);
        // The same threads have accessed the same bytes, so that program order orders the two
        // accesses.
        let is_own = |slot: AccessRecord| {
            slot.serial == stamp.serial
                && slot.thread() == stamp.thread()
                && LaneMapping::of(slot).is_like(row.by)
        };
        let gives_way = |slot: AccessRecord| {
            view.is_past(slot) || is_own(slot) && LaneMapping::of(slot).is_within(row.by)
        };
        // The same instruction has accessed other quarters of the line, so that one record has the
        // quarters of both accesses.
        let goes_on =
            |slot: AccessRecord| is_own(slot) && slot.is_at_time(stamp) && slot.op() == stamp.op();
        let both = |slot: AccessRecord| stamp.with(LaneMapping::of(slot).with(row.by));
        if !view.is_past(self.write) && !is_own(self.write) {
            return false;
        }
        if row.writes {
            let is_kept = !gives_way(self.write);
            if !self.others.into_iter().all(gives_way) || is_kept && !goes_on(self.write) {
                return false;
            }
            self.write = if is_kept { both(self.write) } else { stamp };
            self.others = [AccessRecord::NONE; 2];
            (row.values)(self.values.get_or_insert_default());
        } else if let Some(slot) = self.others.iter_mut().find(|slot| goes_on(**slot)) {
            *slot = both(*slot);
        } else if let Some(slot) = self.others.iter_mut().find(|slot| gives_way(**slot)) {
            *slot = stamp;
        } else if row.by.is_narrow() {
            return false;
        } else {
            // The first record and the latest are kept. Cells do the same.
            self.others[1] = stamp;
        }
        true
    }

    /// The cells of the line's words or bytes. They are made from the records of the whole line if
    /// it is not split yet.
    #[inline]
    pub(super) fn split(&mut self) -> &mut Split {
        let Self { write, others, values, split } = self;
        let split = split.get_or_insert_default();
        if split.is_empty() {
            split.begin([*write, others[0], others[1]], values.as_deref());
        }
        split
    }

    /// Removes the records of accesses to bytes of the line.
    pub(super) fn forget(&mut self, bytes: std::ops::Range<u64>) {
        if bytes.is_empty() || (self.len() == 0 && self.write.is_none() && self.others[0].is_none())
        {
            return;
        }
        match bytes == (0..LINE) {
            true => *self = Self::default(),
            false => self.split().forget(bytes),
        }
    }

    /// The recorded accesses to bytes of the line.
    pub(super) fn stamps(&self, bytes: std::ops::Range<u64>) -> impl Iterator<Item = AccessRecord> {
        let of_all = [self.write, self.others[0], self.others[1]];
        let split = self.split.as_deref().filter(|split| !split.is_empty());
        let (is_split, any) = (split.is_some(), !bytes.is_empty());
        let here = bytes.clone();
        let has = move |stamp: &AccessRecord| LaneMapping::of(*stamp).has(&here);
        let of_all = of_all.into_iter().filter(move |_| !is_split && any).filter(has);
        of_all.chain(split.into_iter().flat_map(move |split| split.stamps(bytes.clone())))
    }

    /// Records the access of a thread to the 8 bytes of an mbarrier.
    pub(super) fn object(
        &mut self,
        view: &View<'_>,
        (thread, op): (u32, u32),
        (kind, at): (AccessKind, u64),
    ) -> Option<Hit> {
        let touch = ThreadAccess { thread, op, kind, value: None };
        self.split().bytes(view, &ByteAccess { touch, len: 8, value: &|_| None }, at)
    }

    /// Number of cells of the line.
    pub(super) fn len(&self) -> usize {
        self.split.as_ref().map_or(0, |split| split.len())
    }

    /// Size of the line's allocations in bytes.
    pub(super) fn size(&self) -> usize {
        let split = self.split.as_ref().map_or(0, |split| split.size());
        split + if self.values.is_some() { 128 } else { 0 }
    }
}
