//! The shadow memory of a 128-byte line. While warps access the line as a whole, with consecutive
//! lanes at consecutive words, one record stands for all its words. Otherwise each word or byte has
//! a cell of its own ([`Split`]).

use super::access::Octet;
use super::cell::{Conflict, ShadowAccess};
use super::record::{AccessKind, AccessRecord};
use super::split::Split;
use super::view::View;

/// Size of a line in bytes.
pub(super) const LINE: u64 = 128;
pub(super) const WORDS: usize = 32;

/// The shadow memory of a 128-byte line of the program's memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Line {
    /// The last store to the whole line, by consecutive lanes, and up to two later accesses. The
    /// field `extra` of these records is their [`LaneMapping`].
    write: AccessRecord,
    others: [AccessRecord; 2],
    /// The values that the last store has written, as words.
    values: Option<Box<[u32; WORDS]>>,
    /// The recorded accesses of each word or byte (cells). If there are any, the fields above are
    /// unused.
    split: Option<Box<Split>>,
}

/// An access of one thread to whole words, or a load of the same words by several lanes.
pub(super) struct WordAccess<'a> {
    /// The access record of the first of the threads.
    pub(super) stamp: AccessRecord,
    /// The lanes of the access as a mask.
    pub(super) lanes: u32,
    pub(super) count: usize,
    /// Number of the current synchronisation interval ([`View::epoch`]).
    pub(super) epoch: u64,
    /// The value that the access stores in a word.
    pub(super) value: &'a dyn Fn(usize) -> u32,
}

/// A synchronous access of several lanes of a warp to whole words of one line.
pub(super) struct PartAccess<'a> {
    /// The access record of the warp's thread 0.
    pub(super) stamp: AccessRecord,
    /// The lanes of the access as a mask.
    pub(super) lanes: u32,
    /// The addresses of all lanes of the warp; those of inactive lanes are meaningless.
    pub(super) addresses: &'a [u64; 32],
    /// Number of words that each lane accesses.
    pub(super) count: usize,
    /// Number of the current synchronisation interval ([`View::epoch`]).
    pub(super) epoch: u64,
    /// The value that a lane stores in one of its words.
    pub(super) value: &'a dyn Fn(u32, usize) -> u32,
}

/// A weak, synchronous access of consecutive lanes to all words of a line, or to whole quarters (32
/// bytes) of a line in bytes or half-words.
pub(super) struct RowAccess<'a> {
    /// The thread that accesses the line's first word or byte. If the access starts later in the
    /// line, the number that this thread would have.
    pub(super) thread: u32,
    /// Which lanes access which bytes of the line.
    pub(super) by: LaneMapping,
    pub(super) op: u32,
    pub(super) writes: bool,
    /// Number of the current synchronisation interval ([`View::epoch`]).
    pub(super) epoch: u64,
    /// Collects the values that the access stores, as words of the line.
    pub(super) values: &'a dyn Fn(&mut [u32; WORDS]),
}

/// Which lanes of an access to a line access which bytes, and which quarters of the line the access
/// covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LaneMapping(u32);

impl LaneMapping {
    const NARROW: u32 = 4;
    const QUARTERS: u32 = 8;
    /// The bits that say how many bytes each lane accesses; the other bits are the quarters.
    const MAPPING: u32 = 0xff;

    /// The mapping of an access to all words of the line, with `1 << shift` words for each lane.
    pub(super) fn words(shift: u32) -> Self {
        Self(shift)
    }

    /// The mapping of an access to the given quarters of the line, with `1 << shift` bytes (1 or 2)
    /// for each lane.
    pub(super) fn bytes(shift: u32, quarters: u32) -> Self {
        Self(Self::NARROW | shift | quarters << Self::QUARTERS)
    }

    /// The mapping in an access record of a whole line.
    pub(super) fn of(stamp: AccessRecord) -> Self {
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

    /// Whether the other mapping covers all quarters that this one covers.
    fn is_within(self, other: Self) -> bool {
        self.quarters() & !other.quarters() == 0
    }

    fn with(self, other: Self) -> u32 {
        self.0 | other.0
    }

    /// The thread that accesses a byte, as an offset from the thread of the line's first byte;
    /// `None` if the access does not cover the byte.
    pub(super) fn thread_of(self, byte: usize) -> Option<u32> {
        if !self.is_narrow() {
            return Some((byte as u32 / 4) >> self.0);
        }
        let is_in = self.quarters() >> (byte / 32) & 1 == 1;
        is_in.then_some(byte as u32 >> (self.0 & 1))
    }

    /// Whether the access covers any of the bytes.
    fn has(self, bytes: &std::ops::Range<u64>) -> bool {
        let any = |quarter: u64| bytes.start < 32 * quarter + 32 && bytes.end > 32 * quarter;
        !bytes.is_empty() && (0..4).any(|q| self.quarters() >> q & 1 == 1 && any(q))
    }
}

/// A weak load by all lanes of a warp of whole words in one line, in which each octet of lanes
/// loads consecutive words or one word.
pub(super) struct OctetLoad<'a> {
    pub(super) octets: &'a [Octet; 4],
    /// Number of words that each lane loads.
    pub(super) count: u32,
    /// Number of the current synchronisation interval ([`View::epoch`]).
    pub(super) epoch: u64,
}

/// An access of one thread to some bytes of a line.
pub(super) struct ByteAccess<'a> {
    pub(super) touch: ShadowAccess,
    pub(super) len: u64,
    /// The value that the access stores, from the given byte of the access on.
    pub(super) value: &'a dyn Fn(u64) -> Option<u64>,
}

/// A race: the offset of the racing byte in the access, and the earlier access.
pub(super) type Hit = (u64, Conflict);

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
        let is_behind = |slot: AccessRecord| view.is_past(slot) || is_own(slot);
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
            (self.write, self.others) = (stamp, [AccessRecord::NONE; 2]);
            (row.values)(self.values.get_or_insert_default());
            return true;
        }
        let [first, second] = &mut self.others;
        // The first record is kept until it is ordered before the new access; the second is
        // replaced by the latest access. Cells do the same.
        if is_behind(*first) {
            *first = stamp;
        } else {
            *second = stamp;
        }
        true
    }

    /// Records an access to quarters of a line. Records of the same threads for other quarters are
    /// kept, if there is room for both. Otherwise returns false, and the line has to be split into
    /// bytes.
    fn narrow(&mut self, view: &View<'_>, stamp: AccessRecord, row: &RowAccess<'_>) -> bool {
        let is_own = |slot: AccessRecord| {
            slot.serial == stamp.serial
                && slot.thread() == stamp.thread()
                && LaneMapping::of(slot).is_like(row.by)
        };
        let gives_way = |slot: AccessRecord| {
            view.is_past(slot) || (is_own(slot) && LaneMapping::of(slot).is_within(row.by))
        };
        let goes_on = |slot: AccessRecord| is_own(slot) && slot.is_same_act(stamp);
        let both = |slot: AccessRecord| stamp.with(LaneMapping::of(slot).with(row.by));
        if row.writes {
            if !self.others.into_iter().all(gives_way) {
                return false;
            }
            self.write = match self.write {
                slot if gives_way(slot) => stamp,
                slot if goes_on(slot) => both(slot),
                _ => return false,
            };
            self.others = [AccessRecord::NONE; 2];
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

    /// The cells of the line's words or bytes. They are made from the records of the whole line if
    /// it is not split yet.
    #[inline]
    fn split(&mut self) -> &mut Split {
        let Self { write, others, values, split } = self;
        let split = split.get_or_insert_default();
        if split.is_empty() {
            split.begin([*write, others[0], others[1]], values.as_deref());
        }
        split
    }

    /// Records an access to the bytes from `at` on. An aligned access lies within one line, and a
    /// misaligned access is a fault.
    pub(super) fn bytes(
        &mut self,
        view: &View<'_>,
        access: &ByteAccess<'_>,
        at: u64,
    ) -> Option<Hit> {
        self.split().bytes(view, access, at)
    }

    /// Records a load of the same bytes by several lanes of a warp. Returns false if each lane has
    /// to be recorded on its own.
    pub(super) fn load_all(
        &mut self,
        view: &View<'_>,
        load: (&ShadowAccess, u32),
        bytes: (u64, u64),
    ) -> bool {
        self.split().load_all(view, load, bytes)
    }

    /// Records an access to whole words in the cells of the line. Returns false if a comparison of
    /// vector clocks is needed, for which [`Self::bytes`] is called.
    #[inline]
    pub(super) fn words(&mut self, view: &View<'_>, words: &WordAccess<'_>, at: u64) -> bool {
        self.split().words(view, words, at)
    }

    /// Records an access of several lanes to the words in the mask `all` in the cells of the line.
    /// Returns the lanes that are recorded. For the other lanes a comparison of vector clocks is
    /// needed ([`Self::bytes`]).
    #[inline]
    pub(super) fn part(&mut self, view: &View<'_>, part: &PartAccess<'_>, all: u32) -> u32 {
        self.split().part(view, part, all)
    }

    /// Records an [`OctetLoad`]. Returns false if each lane has to be recorded on its own.
    #[inline]
    pub(super) fn octets(
        &mut self,
        view: &View<'_>,
        stamp: AccessRecord,
        load: &OctetLoad<'_>,
    ) -> bool {
        self.split().octets(view, stamp, load)
    }

    /// Removes the records of accesses to the bytes.
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

    /// The recorded accesses to the bytes.
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
        let touch = ShadowAccess { thread, op, kind, value: None };
        self.bytes(view, &ByteAccess { touch, len: 8, value: &|_| None }, at)
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
