//! The shadow of 128 bytes: as one, as long as warps access them as rows, then word by word, or byte by byte.

use super::access::Eight;
use super::cell::{Conflict, Touch};
use super::split::Split;
use super::stamp::{Kind, Stamp};
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
    /// What is stored in the words.
    pub(super) values: &'a dyn Fn(&mut [u32; WORDS]),
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
        let of_all = of_all.into_iter().filter(move |_| !is_split && any);
        of_all.chain(split.into_iter().flat_map(move |split| split.stamps(bytes.clone())))
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
        self.split.as_ref().map_or(0, |split| split.len())
    }

    /// Bytes that it takes beside itself.
    pub(super) fn size(&self) -> usize {
        let split = self.split.as_ref().map_or(0, |split| split.size());
        split + if self.values.is_some() { 128 } else { 0 }
    }
}
