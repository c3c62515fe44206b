//! The shadow of 128 bytes: as one, as long as warps access them as rows, then word by word, or byte by byte.

use super::access::Eight;
use super::cell::{Conflict, Touch};
use super::split::Split;
use super::stamp::{AccessKind, Stamp};
use super::view::View;

/// Bytes of a line.
pub(super) const LINE: u64 = 128;
pub(super) const WORDS: usize = 32;

/// What 128 bytes have been accessed by.
#[derive(Clone, Debug, Default)]
pub(super) struct Line {
    /// The last store of all words, and other accesses to all of them, by lanes one behind the other; `extra` is
    /// how many words a lane has.
    write: Stamp,
    others: [Stamp; 2],
    /// What was stored.
    values: Option<Box<[u32; WORDS]>>,
    /// Words or bytes, if there are any: then what is above does not count.
    split: Option<Box<Split>>,
}

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

/// An access of lanes to whole words of one line, which is no copy.
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

/// An access of lanes one behind the other to all words of a line, or to quarters of it by bytes or halves of words, weak and
/// at once.
pub(super) struct Row<'a> {
    /// Of the first word; of bytes, were there lanes enough.
    pub(super) thread: u32,
    /// Which lanes have which bytes.
    pub(super) by: By,
    pub(super) op: u32,
    pub(super) writes: bool,
    /// As of [`Words`].
    pub(super) epoch: u64,
    /// What is stored in the words.
    pub(super) values: &'a dyn Fn(&mut [u32; WORDS]),
}

/// Which lanes of a row have which bytes of a line, and which quarters of it the row has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct By(u32);

impl By {
    const NARROW: u32 = 4;
    const QUARTERS: u32 = 8;
    /// Bits that say which lanes have which bytes.
    const MAPPING: u32 = 0xff;

    /// All words, `1 << shift` for each lane.
    pub(super) fn words(shift: u32) -> Self {
        Self(shift)
    }

    /// Quarters, `1 << shift` bytes (1 or 2) for each lane.
    pub(super) fn bytes(shift: u32, quarters: u32) -> Self {
        Self(Self::NARROW | shift | quarters << Self::QUARTERS)
    }

    /// That of a stamp of a whole line.
    pub(super) fn of(stamp: Stamp) -> Self {
        Self(stamp.extra)
    }

    pub(super) fn is_narrow(self) -> bool {
        self.0 & Self::NARROW != 0
    }

    fn quarters(self) -> u32 {
        if self.is_narrow() { self.0 >> Self::QUARTERS } else { 0xf }
    }

    fn is_like(self, other: Self) -> bool {
        (self.0 ^ other.0) & Self::MAPPING == 0
    }

    /// Whether all its quarters are another one's, too.
    fn is_within(self, other: Self) -> bool {
        self.quarters() & !other.quarters() == 0
    }

    fn with(self, other: Self) -> u32 {
        self.0 | other.0
    }

    /// How many threads behind the first one that of a byte is, if it is in the row.
    pub(super) fn thread_of(self, byte: usize) -> Option<u32> {
        if !self.is_narrow() {
            return Some((byte as u32 / 4) >> self.0);
        }
        let is_in = self.quarters() >> (byte / 32) & 1 == 1;
        is_in.then_some(byte as u32 >> (self.0 & 1))
    }

    /// Whether it has any of some bytes.
    fn has(self, bytes: &std::ops::Range<u64>) -> bool {
        let any = |quarter: u64| bytes.start < 32 * quarter + 32 && bytes.end > 32 * quarter;
        !bytes.is_empty() && (0..4).any(|q| self.quarters() >> q & 1 == 1 && any(q))
    }
}

/// A weak load of whole words of one line by all lanes of a warp.
pub(super) struct Eights<'a> {
    pub(super) eights: &'a [Eight; 4],
    /// Words of a lane.
    pub(super) count: u32,
    /// As of [`Words`].
    pub(super) epoch: u64,
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
        if let Some(split) = self.split.as_mut().filter(|split| !split.is_empty()) {
            match split.row(view, row) {
                Some(done) => return done,
                // What words have been accessed by is over.
                None => split.clear(),
            }
            (self.write, self.others) = (Stamp::NONE, [Stamp::NONE; 2]);
        }
        let kind = if row.writes { AccessKind::WEAK.writing() } else { AccessKind::WEAK };
        let stamp = Stamp::new(view.serial, (view.now, kind), (row.thread, row.op)).with(row.by.0);
        // Of the same threads, byte by byte.
        let is_own = |slot: Stamp| {
            slot.serial == stamp.serial
                && slot.thread() == stamp.thread()
                && By::of(slot).is_like(row.by)
        };
        let is_behind = |slot: Stamp| view.is_past(slot) || is_own(slot);
        if !is_behind(self.write) {
            return false;
        }
        if row.by.is_narrow() {
            return self.narrow(view, stamp, row);
        }
        if row.writes {
            if !self.others.into_iter().all(is_behind) {
                return false;
            }
            (self.write, self.others) = (stamp, [Stamp::NONE; 2]);
            (row.values)(self.values.get_or_insert_default());
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

    /// A row of quarters, where the last store is behind. What else its threads have done with other quarters stays, or
    /// the line becomes bytes.
    fn narrow(&mut self, view: &View<'_>, stamp: Stamp, row: &Row<'_>) -> bool {
        let is_own = |slot: Stamp| {
            slot.serial == stamp.serial
                && slot.thread() == stamp.thread()
                && By::of(slot).is_like(row.by)
        };
        let gives_way =
            |slot: Stamp| view.is_past(slot) || (is_own(slot) && By::of(slot).is_within(row.by));
        let goes_on = |slot: Stamp| is_own(slot) && slot.is_same_act(stamp);
        let both = |slot: Stamp| stamp.with(By::of(slot).with(row.by));
        if row.writes {
            if !self.others.into_iter().all(gives_way) {
                return false;
            }
            self.write = match self.write {
                slot if gives_way(slot) => stamp,
                slot if goes_on(slot) => both(slot),
                _ => return false,
            };
            self.others = [Stamp::NONE; 2];
            (row.values)(self.values.get_or_insert_default());
            return true;
        }
        if let Some(slot) = self.others.iter_mut().find(|slot| goes_on(**slot)) {
            *slot = both(*slot);
            return true;
        }
        let free = self.others.iter_mut().find(|slot| gives_way(**slot));
        free.map(|slot| *slot = stamp).is_some()
    }

    /// Its words or bytes.
    #[inline]
    fn split(&mut self) -> &mut Split {
        let Self { write, others, values, split } = self;
        let split = split.get_or_insert_default();
        if split.is_empty() {
            split.begin([*write, others[0], others[1]], values.as_deref());
        }
        split
    }

    /// An access to bytes from `at` on. Aligned ones are never in two lines, others are faults.
    pub(super) fn bytes(&mut self, view: &View<'_>, access: &Bytes<'_>, at: u64) -> Option<Hit> {
        self.split().bytes(view, access, at)
    }

    /// A load of the same bytes by all these lanes of a warp. False: it must be made lane by lane.
    pub(super) fn load_all(
        &mut self,
        view: &View<'_>,
        load: (&Touch, u32),
        bytes: (u64, u64),
    ) -> bool {
        self.split().load_all(view, load, bytes)
    }

    /// An access to whole words that needs no look at who knows what. False: it must be made by [`Self::bytes`].
    #[inline]
    pub(super) fn words(&mut self, view: &View<'_>, words: &Words<'_>, at: u64) -> bool {
        self.split().words(view, words, at)
    }

    /// What [`Self::words`] does for each of these lanes, which have all of these words, with little to look at where
    /// nothing is open. Lanes that are done; the others are to be made by [`Self::bytes`].
    #[inline]
    pub(super) fn part(&mut self, view: &View<'_>, part: &Part<'_>, all: u32) -> u32 {
        self.split().part(view, part, all)
    }

    /// A load by parts of eight lanes. False: it must be made lane by lane.
    #[inline]
    pub(super) fn eights(&mut self, view: &View<'_>, stamp: Stamp, load: &Eights<'_>) -> bool {
        self.split().eights(view, stamp, load)
    }

    /// Forgets what bytes have been accessed by.
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

    /// What is kept of accesses to bytes.
    pub(super) fn stamps(&self, bytes: std::ops::Range<u64>) -> impl Iterator<Item = Stamp> {
        let of_all = [self.write, self.others[0], self.others[1]];
        let split = self.split.as_deref().filter(|split| !split.is_empty());
        let (is_split, any) = (split.is_some(), !bytes.is_empty());
        let here = bytes.clone();
        let has = move |stamp: &Stamp| By::of(*stamp).has(&here);
        let of_all = of_all.into_iter().filter(move |_| !is_split && any).filter(has);
        of_all.chain(split.into_iter().flat_map(move |split| split.stamps(bytes.clone())))
    }

    /// An access of a thread at an operation to the 8 bytes of an mbarrier.
    pub(super) fn object(
        &mut self,
        view: &View<'_>,
        (thread, op): (u32, u32),
        (kind, at): (AccessKind, u64),
    ) -> Option<Hit> {
        let touch = Touch { thread, op, kind, value: None };
        self.bytes(view, &Bytes { touch, len: 8, value: &|_| None }, at)
    }

    /// Number of its cells.
    pub(super) fn len(&self) -> usize {
        self.split.as_ref().map_or(0, |split| split.len())
    }

    /// Bytes that it takes beside itself.
    pub(super) fn size(&self) -> usize {
        let split = self.split.as_ref().map_or(0, |split| split.size());
        split + if self.values.is_some() { 128 } else { 0 }
    }
}
