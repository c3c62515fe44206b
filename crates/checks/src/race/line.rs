//! The shadow of 128 bytes: as one, as long as warps access them as rows, then word by word, or byte by byte.

use super::cell::{Cell, Conflict, Touch};
use super::stamp::{Kind, Stamp};
use super::view::View;

/// Bytes of a line.
pub(super) const LINE: u64 = 128;
const WORDS: usize = 32;

/// What 128 bytes have been accessed by.
#[derive(Clone, Debug, Default)]
pub(super) struct Line {
    /// The last store of all words, and other accesses to all of them, by lanes one behind the other; `extra` is
    /// how many words a lane has.
    write: Stamp,
    others: [Stamp; 2],
    /// What was stored.
    values: Option<Box<[u32; WORDS]>>,
    /// Of words or bytes. Empty: what is above is all.
    cells: Vec<Cell>,
    /// Whether they are of words.
    is_words: bool,
}

/// An access of lanes one behind the other to all words of a line, weak and at once.
pub(super) struct Row<'a> {
    /// Of the first word.
    pub(super) thread: u32,
    /// A lane has `1 << shift` words.
    pub(super) shift: u32,
    pub(super) op: u32,
    pub(super) writes: bool,
    /// What is stored in a word.
    pub(super) value: &'a dyn Fn(usize) -> Option<u32>,
}

/// An access of one thread to bytes.
pub(super) struct Bytes<'a> {
    pub(super) touch: Touch,
    pub(super) len: u64,
    /// What is stored from a byte of the access on.
    pub(super) value: &'a dyn Fn(u64) -> Option<u64>,
}

/// A conflict, and how many bytes behind the access's first one it is.
pub(super) type Hit = (u64, Conflict);

impl Line {
    /// An access to all words. False: it must be made lane by lane.
    pub(super) fn row(&mut self, view: &View<'_>, row: &Row<'_>) -> bool {
        if !self.cells.is_empty() {
            return false;
        }
        let kind = if row.writes { Kind::WEAK.writing() } else { Kind::WEAK };
        let stamp = Stamp::new(view.serial, (view.now, kind), (row.thread, row.op)).with(row.shift);
        // Of the same threads, word by word.
        let is_own = |slot: Stamp| {
            slot.serial == stamp.serial
                && slot.thread() == stamp.thread()
                && slot.extra == stamp.extra
        };
        let is_behind = |slot: Stamp| view.is_past(slot) || is_own(slot);
        if !is_behind(self.write) {
            return false;
        }
        if row.writes {
            if !self.others.into_iter().all(is_behind) {
                return false;
            }
            (self.write, self.others) = (stamp, [Stamp::NONE; 2]);
            let values = self.values.get_or_insert_default();
            for (i, value) in values.iter_mut().enumerate() {
                *value = (row.value)(i).unwrap_or(0);
            }
            return true;
        }
        let [first, second] = &mut self.others;
        // As cells keep them: the first as long as it is not behind, and the last.
        if is_behind(*first) {
            *first = stamp;
        } else {
            *second = stamp;
        }
        true
    }

    /// Makes it words, or bytes.
    fn split(&mut self, bytes: bool) {
        let fine = LINE as usize;
        if self.cells.is_empty() {
            let values = self.values.take();
            let of_word = |stamp: Stamp, i: usize| {
                stamp.of_thread(stamp.thread() + (i as u32 >> stamp.extra))
            };
            let cell = |i: usize| {
                let value = values.as_ref().map_or(0, |values| values[i]);
                let others = self.others.map(|slot| match slot.is_none() {
                    true => slot,
                    false => {
                        let slot = of_word(slot, i);
                        slot.with(1 << (slot.thread() & 31))
                    }
                });
                let write = match self.write.is_none() {
                    true => self.write,
                    false => of_word(self.write, i).with(value),
                };
                Cell::of(write, others)
            };
            self.cells = (0..WORDS).map(cell).collect();
            self.is_words = true;
        }
        if bytes && self.cells.len() < fine {
            let cells = self.cells.iter().flat_map(|cell| (0..4).map(|i| cell.byte(i)));
            self.cells = cells.collect();
            self.is_words = false;
        }
    }

    /// The cells of `at..at + len`, and what a cell's number is shifted by.
    fn cells(&mut self, at: u64, len: u64) -> (&mut [Cell], u32) {
        self.split(!at.is_multiple_of(4) || !len.is_multiple_of(4));
        let shift = if self.cells.len() == WORDS { 2 } else { 0 };
        let cells = (at >> shift) as usize..((at + len) >> shift) as usize;
        (&mut self.cells[cells], shift)
    }

    /// An access to bytes from `at` on. Aligned ones are never in two lines, others are faults.
    pub(super) fn bytes(&mut self, view: &View<'_>, access: &Bytes<'_>, at: u64) -> Option<Hit> {
        let len = access.len.min(LINE - at);
        let (cells, shift) = self.cells(at, len);
        let low = if shift == 2 { u32::MAX } else { 0xff };
        let mut found: Option<Hit> = None;
        for (i, cell) in cells.iter_mut().enumerate() {
            let offset = (i as u64) << shift;
            let mut touch = access.touch;
            if touch.kind.writes() {
                touch.value = (access.value)(offset).map(|value| value as u32 & low);
            }
            let conflict = cell.touch(view, &touch);
            if let Some(conflict) = conflict
                && found.is_none_or(|(_, found)| found.is_same)
            {
                found = Some((offset, conflict));
            }
        }
        found
    }

    /// A load of the same bytes by all these lanes of a warp. False: it must be made lane by lane.
    pub(super) fn load_all(
        &mut self,
        view: &View<'_>,
        (touch, lanes): (&Touch, u32),
        (at, len): (u64, u64),
    ) -> bool {
        let len = len.min(LINE - at);
        self.cells(at, len).0.iter_mut().all(|cell| cell.load_all(view, touch, lanes))
    }

    /// An access to a word ([`Cell::plain`]). False: nothing is done.
    #[inline(always)]
    pub(super) fn word(&mut self, view: &View<'_>, stamp: Stamp, at: u64) -> bool {
        match self.cells.get_mut((at / 4) as usize) {
            Some(cell) if at.is_multiple_of(4) && self.is_words => cell.plain(view, stamp),
            _ => false,
        }
    }

    /// What is kept of accesses to bytes.
    pub(super) fn stamps(&self, bytes: std::ops::Range<u64>) -> impl Iterator<Item = Stamp> {
        let of_all = [self.write, self.others[0], self.others[1]];
        let is_split = !self.cells.is_empty();
        let any = !bytes.is_empty();
        let of_all = of_all.into_iter().filter(move |_| !is_split && any);
        let size = if self.cells.len() == WORDS { 4 } else { 1 };
        let cells = self
            .cells
            .iter()
            .zip((0..).step_by(size))
            .filter(move |(_, at)| *at < bytes.end && at + size as u64 > bytes.start);
        of_all.chain(cells.flat_map(|(cell, _)| cell.stamps()))
    }

    /// An access of a thread at an operation to the 8 bytes of an mbarrier.
    pub(super) fn object(
        &mut self,
        view: &View<'_>,
        (thread, op): (u32, u32),
        (kind, at): (Kind, u64),
    ) -> Option<Hit> {
        let touch = Touch { thread, op, kind, value: None };
        self.bytes(view, &Bytes { touch, len: 8, value: &|_| None }, at)
    }

    /// Number of its cells.
    pub(super) fn len(&self) -> usize {
        self.cells.len()
    }

    /// Bytes that it takes beside itself.
    pub(super) fn size(&self) -> usize {
        self.cells.capacity() * size_of::<Cell>() + if self.values.is_some() { 128 } else { 0 }
    }
}
