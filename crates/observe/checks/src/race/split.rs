//! The shadow memory of a line that is split into cells, one for each word or each byte. A cache
//! ([`OpenAccesses`]) says which of its words have recorded accesses that can still race.

use super::fasttrack::{AccessKind, AccessRecord, Cell, View};
use super::shape::{ByteAccess, Hit, LINE, LaneMapping, Octet, RowAccess, WORDS, WordAccess};

/// A line of the shadow memory that is split: it has a cell with the recorded accesses of each
/// word, or of each byte.
#[derive(Clone, Debug, Default)]
pub(super) struct Split {
    /// A cell for each word or each byte; empty if the line is not split.
    cells: Vec<Cell>,
    /// Whether each cell is for a word; otherwise each is for a byte.
    is_words: bool,
    open: OpenAccesses,
}

/// Which words of a line have recorded accesses that can still race with a later access. The masks
/// are cached for one synchronisation interval, in which they do not grow except by new accesses.
#[derive(Clone, Debug, Default)]
struct OpenAccesses {
    /// Number of the synchronisation interval of the masks; 0 if nothing is cached.
    interval: u64,
    /// A mask of the words whose state is cached.
    known: u32,
    /// A mask that contains at least the words with stores that can still race.
    stored: u32,
    /// A mask that contains at least the words with other accesses that can still race.
    others: u32,
    /// A mask of the words of which further weak loads need not be recorded.
    full: u32,
    /// CTA and time of the latest recorded access of the line; [`NEVER`] if they are not known.
    last: (u32, u32),
    /// CTA and time of the latest recorded access to the words whose state is cached.
    newest: (u32, u32),
}

/// A time later than that of every access.
const NEVER: u32 = u32::MAX;

impl Split {
    /// Splits a line into words or bytes. The records of the whole line (last store and two others)
    /// become records of each cell, and `values` are the stored values.
    pub(super) fn begin(&mut self, all: [AccessRecord; 3], values: Option<&[u32; WORDS]>) {
        self.is_words = !all.into_iter().any(|stamp| LaneMapping::of(stamp).is_narrow());
        let (len, size) = if self.is_words { (WORDS, 4) } else { (LINE as usize, 1) };
        let of_cell = |stamp: AccessRecord, i: usize| {
            let behind = LaneMapping::of(stamp).thread_of(i * size).filter(|_| !stamp.is_none());
            behind.map(|behind| stamp.of_thread(stamp.thread() + behind))
        };
        let [write, others @ ..] = all;
        let cell = |i: usize| {
            let byte = i * size;
            let value = values.map_or(0, |values| values[byte / 4]);
            let value = if size == 4 { value } else { value >> (8 * (byte % 4)) & 0xff };
            let others = others.map(|slot| {
                let slot = of_cell(slot, i).map(|slot| slot.with(1 << (slot.thread() & 31)));
                slot.unwrap_or(AccessRecord::NONE)
            });
            let write = of_cell(write, i).map_or(AccessRecord::NONE, |write| write.with(value));
            Cell { write, others }
        };
        self.cells.extend((0..len).map(cell));
        // The records of a whole line are weak and synchronous, so that the latest time decides
        // whether all are ordered before an access.
        let last = all.map(|stamp| (stamp.serial, stamp.time())).into_iter().max();
        self.open = OpenAccesses { last: last.unwrap_or_default(), ..OpenAccesses::default() };
    }

    fn become_bytes(&mut self) {
        if self.is_words {
            let cells = self.cells.iter().flat_map(|cell| (0..4).map(|i| cell.byte(i)));
            self.cells = cells.collect();
            self.is_words = false;
        }
    }

    /// Removes the cells, so that the line has records for all its words again.
    pub(super) fn clear(&mut self) {
        self.cells.clear();
    }

    pub(super) fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// Number of cells: one for each word or each byte, or 0 if the line is not split.
    pub(super) fn len(&self) -> usize {
        self.cells.len()
    }

    /// Size of all cells in bytes.
    pub(super) fn size(&self) -> usize {
        size_of::<Self>() + self.cells.capacity() * size_of::<Cell>()
    }

    /// What an access to the whole line or to quarters of it needs: nothing (`Some(true)`), because
    /// enough loads are recorded; a record of each lane on its own (`Some(false)`); or a line that
    /// is not split (`None`), because all recorded accesses are ordered before it.
    pub(super) fn row(&mut self, view: &View<'_>, row: &RowAccess<'_>) -> Option<bool> {
        if !self.is_words || row.by.is_narrow() {
            let mut stamps = self.cells.iter().flat_map(Cell::stamps);
            return if stamps.all(|stamp| view.is_over(stamp)) { None } else { Some(false) };
        }
        self.refresh(view, row.interval, u32::MAX);
        let open = &self.open;
        // The recorded loads suffice to find each race with a later store, so that this load is not
        // recorded.
        let is_enough = !row.writes && open.stored == 0 && open.full == u32::MAX;
        (is_enough || open.stored | open.others != 0).then_some(is_enough)
    }

    /// Removes the records of accesses to bytes of the line.
    pub(super) fn forget(&mut self, bytes: std::ops::Range<u64>) {
        let (cells, _) = self.cells(bytes.start, bytes.end - bytes.start);
        cells.fill(Cell::default());
    }

    /// The recorded accesses to bytes of the line.
    pub(super) fn stamps(&self, bytes: std::ops::Range<u64>) -> impl Iterator<Item = AccessRecord> {
        let size = if self.is_words { 4 } else { 1 };
        let cells = self.cells.iter().zip((0..).step_by(size));
        let here = cells.filter(move |(_, at)| *at < bytes.end && at + size as u64 > bytes.start);
        here.flat_map(|(cell, _)| cell.stamps())
    }

    /// The cells for the bytes `at..at + len`, and the binary logarithm of the bytes of a cell.
    fn cells(&mut self, at: u64, len: u64) -> (&mut [Cell], u32) {
        if !at.is_multiple_of(4) || !len.is_multiple_of(4) {
            self.become_bytes();
        }
        // The caller changes cells without an update of the cached masks.
        self.open.interval = 0;
        self.open.last = (NEVER, NEVER);
        let shift = if self.cells.len() == WORDS { 2 } else { 0 };
        let cells = (at >> shift) as usize..((at + len) >> shift) as usize;
        (&mut self.cells[cells], shift)
    }

    /// Records an access to the bytes from `at` on. An aligned access lies within one line, and a
    /// misaligned access is a fault.
    pub(super) fn bytes(
        &mut self,
        view: &View<'_>,
        access: &ByteAccess<'_>,
        at: u64,
    ) -> Option<Hit> {
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
            let conflict = cell.access(view, &touch);
            if let Some(conflict) = conflict
                && found.is_none_or(|(_, found)| found.is_same)
            {
                found = Some((offset, conflict));
            }
        }
        found
    }

    /// Records an access of lanes to whole words, as far as the cells show without a comparison of
    /// vector clocks that it races with nothing. Returns the lanes that are recorded; the other
    /// lanes have to be recorded by [`Self::bytes`].
    #[inline]
    pub(super) fn words(&mut self, view: &View<'_>, access: &WordAccess<'_>) -> u32 {
        if !self.is_words {
            return 0;
        }
        self.refresh(view, access.interval, access.words);
        let is_load = access.record.kind() == AccessKind::WEAK;
        if is_load && access.words & (self.open.stored | !self.open.full) == 0 {
            // The recorded loads of these words suffice to find each race with a later store, so
            // that this load is not recorded.
            return access.lanes;
        }
        let (mut rest, mut done) = (access.lanes, 0);
        while rest != 0 {
            let lane = rest.trailing_zeros();
            let at = access.addresses[lane as usize];
            let bit = 1 << lane;
            rest &= rest - 1;
            let first = (at % LINE / 4) as usize;
            let record = access.record.of_thread(access.record.thread() + lane);
            let is_done = (0..access.count)
                .all(|i| self.word(view, record, bit, (first + i, &|| (access.value)(lane, i))));
            done |= if is_done { bit } else { 0 };
        }
        self.update_times(view);
        done
    }

    /// Records an access of one lane (a mask) to a word. Returns false, and records nothing, if a
    /// comparison of vector clocks is needed.
    #[inline(always)]
    fn word(
        &mut self,
        view: &View<'_>,
        record: AccessRecord,
        lane: u32,
        (word, value): (usize, &dyn Fn() -> u32),
    ) -> bool {
        let (kind, bit) = (record.kind(), 1 << word);
        let (cell, open) = (&mut self.cells[word], &mut self.open);
        if kind.strength() != 0 {
            let value = if kind.writes() { value() } else { 0 };
            if !cell.strong(view, record.with(value), lane) {
                return false;
            }
            open.stored |= if kind.writes() { bit } else { 0 };
            (open.others, open.full) = (open.others | bit, open.full & !bit);
        } else if kind.writes() {
            if (open.stored | open.others) & bit != 0 {
                return false;
            }
            cell.stored(record.with(value()));
            (open.stored, open.full) = (open.stored | bit, open.full & !bit);
        } else if open.stored & bit != 0 {
            return false;
        } else if open.full & bit == 0 {
            self.note(view, record.with(lane), word as u32);
        }
        true
    }

    /// Records a weak load by all lanes of a warp of `count` words each in this line, in which each
    /// octet of lanes loads consecutive words or one word. Returns false if each lane has to be
    /// recorded on its own.
    #[inline]
    pub(super) fn octets(
        &mut self,
        view: &View<'_>,
        (stamp, interval): (AccessRecord, u64),
        (octets, count): (&[Octet; 4], u32),
    ) -> bool {
        let mut words = [0_u32; 4];
        for (words, octet) in words.iter_mut().zip(octets) {
            let (first, width) = (octet.at % LINE, if octet.is_row { 8 * count } else { count });
            let all = ((1_u64 << width) - 1) << (first / 4);
            match u32::try_from(all) {
                Ok(all) if first.is_multiple_of(4) => *words = all,
                _ => return false,
            }
        }
        if !self.is_words {
            return false;
        }
        let all = words.into_iter().fold(0, |all, words| all | words);
        self.refresh(view, interval, all);
        if all & self.open.stored != 0 {
            return false;
        }
        if all & !self.open.full == 0 {
            return true;
        }
        for (i, octet) in octets.iter().enumerate() {
            // Equal octets load the same words and are recorded together.
            if octets[..i].contains(octet) {
                continue;
            }
            let same = octets.iter().map(|other| u32::from(other == octet));
            let firsts = same.zip([0, 8, 16, 24]).fold(0, |all, (is, shift)| all | is << shift);
            let mut rest = words[i] & !self.open.full;
            while rest != 0 {
                let word = rest.trailing_zeros();
                rest &= rest - 1;
                let lanes = match octet.is_row {
                    true => firsts << ((word - words[i].trailing_zeros()) / count),
                    false => firsts * 0xff,
                };
                let thread = stamp.thread() + lanes.trailing_zeros();
                self.note(view, stamp.of_thread(thread).with(lanes), word);
            }
        }
        self.update_times(view);
        true
    }

    /// Records a weak load of a word. No recorded store of the word can race any more.
    #[inline(always)]
    fn note(&mut self, view: &View<'_>, stamp: AccessRecord, word: u32) {
        let (bit, cell) = (1 << word, &mut self.cells[word as usize]);
        if !cell.merge(stamp) {
            cell.add(view, stamp);
            self.open.full |= if cell.is_full(view) { bit } else { 0 };
        }
        self.open.others |= bit;
    }

    /// Computes the cached state of the words in a mask, as far as it is not cached for this
    /// synchronisation interval.
    #[inline]
    fn refresh(&mut self, view: &View<'_>, interval: u64, words: u32) {
        if self.open.interval != interval {
            let last = self.open.last;
            let past =
                last.0 < view.below || (view.near && last.0 == view.serial && last.1 <= view.all);
            let (known, newest) = if past { (u32::MAX, last) } else { (0, (0, 0)) };
            self.open = OpenAccesses { interval, known, last, newest, ..OpenAccesses::default() };
        }
        if words & !self.open.known != 0 {
            self.refresh_words(view, words & !self.open.known);
        }
    }

    fn refresh_words(&mut self, view: &View<'_>, words: u32) {
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

    /// Updates the cached times after an access is recorded.
    #[inline(always)]
    fn update_times(&mut self, view: &View<'_>) {
        let (now, open) = ((view.serial, view.now), &mut self.open);
        (open.last, open.newest) = (open.last.max(now), open.newest.max(now));
    }
}
