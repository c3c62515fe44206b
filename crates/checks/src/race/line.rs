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
    open: Open,
}

/// Which words of a line have accesses that are not over: what is quick to look at, of a time in which nobody comes to
/// know anything.
#[derive(Clone, Debug, Default)]
struct Open {
    /// The time. 0: it is not known.
    epoch: u64,
    /// Words that have been looked at in this time.
    known: u32,
    /// Words with stores (or more).
    stored: u32,
    /// Words with other accesses (or more).
    others: u32,
    /// Words of which no more weak loads need be kept.
    full: u32,
    /// The last access, if all of one CTA; [`NEVER`]: nobody knows.
    last: (u32, u32),
    /// The same of the words that have been looked at.
    newest: (u32, u32),
}

/// A time at which nothing is past.
const NEVER: u32 = u32::MAX;

/// An access of a thread, or of lanes that load the same, to whole words.
pub(super) struct Words<'a> {
    /// Of the first thread.
    pub(super) stamp: Stamp,
    /// Bits of its lanes.
    pub(super) lanes: u32,
    pub(super) count: usize,
    /// A time in which nobody comes to know anything.
    pub(super) epoch: u64,
    /// What is stored in a word.
    pub(super) value: &'a dyn Fn(usize) -> u32,
}

/// An access of lanes to whole words of one line, which is neither strong nor a copy.
pub(super) struct Part<'a> {
    /// Of the warp's first thread.
    pub(super) stamp: Stamp,
    /// Bits of its lanes.
    pub(super) lanes: u32,
    /// Of all lanes of the warp.
    pub(super) addresses: &'a [u64; 32],
    /// Words of a lane.
    pub(super) count: usize,
    /// As of [`Words`].
    pub(super) epoch: u64,
    /// What a lane stores in its words.
    pub(super) value: &'a dyn Fn(u32, usize) -> u32,
}

/// An access of lanes one behind the other to all words of a line, weak and at once.
pub(super) struct Row<'a> {
    /// Of the first word.
    pub(super) thread: u32,
    /// A lane has `1 << shift` words.
    pub(super) shift: u32,
    pub(super) op: u32,
    pub(super) writes: bool,
    /// As of [`Words`].
    pub(super) epoch: u64,
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
            return self.is_words && !row.writes && self.is_read_enough(view, row.epoch);
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
            self.open = Open { last: (NEVER, NEVER), ..Open::default() };
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
        // Whoever asks for them does more than is kept in it.
        self.open.epoch = 0;
        self.open.last = (NEVER, NEVER);
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

    /// Whether no more loads of any word need be kept.
    fn is_read_enough(&mut self, view: &View<'_>, epoch: u64) -> bool {
        self.look(view, epoch, u32::MAX);
        self.open.stored == 0 && self.open.full == u32::MAX
    }

    /// Looks at what is not over of some words, once in a time.
    #[inline]
    fn look(&mut self, view: &View<'_>, epoch: u64, words: u32) {
        if self.open.epoch != epoch {
            let last = self.open.last;
            let past =
                last.0 < view.below || (view.near && last.0 == view.serial && last.1 <= view.all);
            let (known, newest) = if past { (u32::MAX, last) } else { (0, (0, 0)) };
            self.open = Open { epoch, known, last, newest, ..Open::default() };
        }
        if words & !self.open.known != 0 {
            self.look_at(view, words & !self.open.known);
        }
    }

    fn look_at(&mut self, view: &View<'_>, words: u32) {
        let (mut rest, open) = (words, &mut self.open);
        while rest != 0 {
            let i = rest.trailing_zeros();
            rest &= rest - 1;
            let Some(cell) = self.cells.get(i as usize) else { break };
            let [stored, others] = cell.is_open(view);
            open.stored |= u32::from(stored) << i;
            open.others |= u32::from(others) << i;
            for stamp in cell.stamps() {
                let time = if stamp.kind().is_async() { NEVER } else { stamp.time() };
                open.newest = open.newest.max((stamp.serial, time));
            }
        }
        open.known |= words;
        if open.known == u32::MAX {
            open.last = open.newest;
        }
    }

    /// An access of now has been made.
    #[inline(always)]
    fn made(&mut self, view: &View<'_>) {
        let (now, open) = ((view.serial, view.now), &mut self.open);
        (open.last, open.newest) = (open.last.max(now), open.newest.max(now));
    }

    /// An access to whole words that needs no look at who knows what. False: it must be made by [`Self::bytes`].
    #[inline]
    pub(super) fn words(&mut self, view: &View<'_>, words: &Words<'_>, at: u64) -> bool {
        let first = (at / 4) as usize;
        if !self.is_words || !at.is_multiple_of(4) || first + words.count > self.cells.len() {
            return false;
        }
        let of_word = |i: usize| 1_u32 << (first + i);
        self.look(view, words.epoch, (0..words.count).map(of_word).sum());
        let (kind, stamp) = (words.stamp.kind(), words.stamp);
        for i in 0..words.count {
            let (bit, open) = (1 << (first + i), &mut self.open);
            let cell = &mut self.cells[first + i];
            if kind.strength() != 0 {
                let value = if kind.writes() { (words.value)(i) } else { 0 };
                if !cell.strong(view, stamp.with(value), words.lanes) {
                    return false;
                }
                open.stored |= if kind.writes() { bit } else { 0 };
                open.others |= bit;
                open.full &= !bit;
            } else if kind.writes() {
                let stamp = stamp.with((words.value)(i));
                if (open.stored | open.others) & bit == 0 {
                    cell.stored(stamp);
                } else if !cell.store_own(view, stamp, words.lanes) {
                    return false;
                }
                (open.stored, open.full) = (open.stored | bit, open.full & !bit);
            } else if open.stored & bit == 0 {
                if open.full & bit != 0 {
                    continue;
                }
                cell.note(view, stamp.with(words.lanes));
                open.others |= bit;
                open.full |= if cell.is_full(view) { bit } else { 0 };
            } else {
                let one = words.lanes.is_power_of_two();
                if !one || !cell.load_own(view, stamp.with(words.lanes)) {
                    return false;
                }
                open.others |= bit;
            }
        }
        self.made(view);
        true
    }

    /// What [`Self::words`] does for each of these lanes, with little to look at where nothing is open. Lanes that are
    /// done; the others are to be made by [`Self::bytes`].
    #[inline]
    pub(super) fn part(&mut self, view: &View<'_>, part: &Part<'_>) -> u32 {
        if !self.is_words {
            return 0;
        }
        let low = (1_u32 << part.count) - 1;
        let (mut rest, mut all, mut off) = (part.lanes, 0, 0);
        while rest != 0 {
            let at = part.addresses[rest.trailing_zeros() as usize];
            all |= low << (at % LINE / 4);
            off |= at;
            rest &= rest - 1;
        }
        if !off.is_multiple_of(4) {
            return 0;
        }
        self.look(view, part.epoch, all);
        let done = match part.stamp.kind().writes() {
            true => self.store_part(view, part),
            // Loads of words that enough is kept of.
            false if all & (self.open.stored | !self.open.full) == 0 => part.lanes,
            false => self.load_part(view, part),
        };
        self.made(view);
        done
    }

    fn store_part(&mut self, view: &View<'_>, part: &Part<'_>) -> u32 {
        let (mut rest, mut done) = (part.lanes, 0);
        while rest != 0 {
            let lane = rest.trailing_zeros();
            rest &= rest - 1;
            let first = (part.addresses[lane as usize] % LINE / 4) as usize;
            let stamp = part.stamp.of_thread(part.stamp.thread() + lane);
            let is_done = (0..part.count).all(|i| {
                let (bit, open) = (1 << (first + i), &mut self.open);
                let stamp = stamp.with((part.value)(lane, i));
                let cell = &mut self.cells[first + i];
                if (open.stored | open.others) & bit == 0 {
                    cell.stored(stamp);
                } else if !cell.store_own(view, stamp, 1 << lane) {
                    return false;
                }
                (open.stored, open.full) = (open.stored | bit, open.full & !bit);
                true
            });
            done |= u32::from(is_done) << lane;
        }
        done
    }

    fn load_part(&mut self, view: &View<'_>, part: &Part<'_>) -> u32 {
        let (mut rest, mut done) = (part.lanes, 0);
        while rest != 0 {
            // Lanes beside each other that load the same are one.
            let lane = rest.trailing_zeros();
            let at = part.addresses[lane as usize];
            let mut lanes = 1 << lane;
            rest &= rest - 1;
            while rest != 0 && part.addresses[rest.trailing_zeros() as usize] == at {
                lanes |= rest & rest.wrapping_neg();
                rest &= rest - 1;
            }
            let first = (at % LINE / 4) as usize;
            let stamp = part.stamp.of_thread(part.stamp.thread() + lane).with(lanes);
            let is_done = (0..part.count).all(|i| {
                let (bit, open) = (1 << (first + i), &mut self.open);
                let cell = &mut self.cells[first + i];
                if open.stored & bit == 0 {
                    if open.full & bit == 0 && !cell.note_again(stamp) {
                        cell.note(view, stamp);
                        open.full |= if cell.is_full(view) { bit } else { 0 };
                    }
                } else if !lanes.is_power_of_two() || !cell.load_own(view, stamp) {
                    return false;
                }
                open.others |= bit;
                true
            });
            done |= if is_done { lanes } else { 0 };
        }
        done
    }

    /// Forgets what bytes have been accessed by.
    pub(super) fn forget(&mut self, bytes: std::ops::Range<u64>) {
        if bytes.is_empty()
            || (self.cells.is_empty() && self.write.is_none() && self.others[0].is_none())
        {
            return;
        }
        if bytes == (0..LINE) {
            *self = Self::default();
            return;
        }
        let (cells, _) = self.cells(bytes.start, bytes.end - bytes.start);
        cells.fill(Cell::default());
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
