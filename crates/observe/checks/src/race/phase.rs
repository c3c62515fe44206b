//! Accesses to shared memory between two barriers of all threads of a CTA (a phase).
//!
//! Such a barrier orders all accesses before it and all accesses after it. In a phase usually no
//! thread accesses a word that another thread stores: the threads fill a tile, or read it, or
//! change it by atomics, or only one warp uses it, with `.sync` instructions. As long as this holds
//! no two accesses race. It is then enough to record which thread has accessed each word
//! ([`LineAccesses`]), and to append each access to a list, which is dropped at the next barrier.
//!
//! The first access for which this does not hold records all listed accesses in the shadow memory,
//! in their order and with the vector clocks that they had ([`Phase::materialize`]). From then on
//! until the barrier each access is recorded in the shadow memory at once.

use super::access::{Octet, Shape, Stored, Warp, lanes};
use super::happens_before::Cta;
use super::launch::Order;
use super::line::{LINE, WORDS};
use super::shared::Lines;
use super::stamp::AccessKind;
use super::touched::{Accessor, LineAccesses};
use super::view::View;
use std::iter::once;
use texunit_simt::SpaceKind;
use texunit_simt::observe::{Access, AccessOp, Arrangement, At, FurtherLoad, Order as How, Values};

/// Maximum length of the list. Further accesses are recorded in the shadow memory.
const MAX: usize = 1 << 14;
/// An access to shared memory above this address is recorded in the shadow memory.
const MAX_BYTES: u64 = 1 << 20;
/// Maximum number of phases without a list. After a phase whose list was needed, some phases record
/// all accesses in the shadow memory, because their lists would probably be needed, too.
const MAX_SKIPPED: u32 = 63;

/// How the lane addresses of a listed access are arranged.
#[derive(Clone, Copy, Debug)]
enum AddressShape {
    Row(u64),
    One(u64),
    OctetLoad([(u32, bool); 4]),
    /// Arbitrary addresses, which are stored in `rows`.
    Any,
}

/// A listed access.
#[derive(Clone, Copy, Debug)]
struct Entry {
    lies: AddressShape,
    at: (u32, u32, u32),
    elements: (u32, u32),
    operation: AccessOp,
    order: How,
    /// The time of the CTA and that of the warp, which are the vector clock of the access.
    now: u32,
    of_warp: u32,
    /// Number of further loads by the same lanes, which are in `more`.
    further: usize,
}

/// Loads that the simulator reports together: the first load's operation and addresses, the lanes,
/// and the number of further loads.
type Group = (u32, Shape, [Octet; 4], u32, usize);

/// The accesses to shared memory since the last barrier of all threads.
#[derive(Debug, Default)]
pub(super) struct Phase {
    /// Number of the current synchronisation interval ([`View::epoch`]).
    epoch: u64,
    /// Whether each access is recorded in the shadow memory at once.
    is_materialized: bool,
    /// Number of the following phases that keep no list. `skipped` is this number as it was last
    /// chosen; each time a list is needed again it about doubles.
    skips: u32,
    skipped: u32,
    /// Serial number of the last CTA with `cp.async` copies. Such a CTA has no lists, because the
    /// barriers do not order the copies.
    copies: u32,
    lines: Vec<LineAccesses>,
    /// The warp of the current access and its clock.
    by: Accessor,
    /// The last loads that were reported together and were not listed, because enough loads of
    /// their words are.
    redundant: Option<Group>,
    list: Vec<Entry>,
    /// The further loads of the listed accesses, in order.
    more: Vec<FurtherLoad>,
    /// The arbitrary addresses and the stored values of the listed accesses, in order. The low
    /// words of 64-bit values precede the high words.
    rows: Vec<[u32; 32]>,
}

impl Phase {
    /// Lists an access, and further loads that the simulator reports together with it. Returns
    /// false if it has not listed them: they then have to be recorded in the shadow memory, behind
    /// the accesses that are listed ([`Self::materialize`]).
    #[inline]
    pub(super) fn note(&mut self, warp: &Warp<'_>, more: &[FurtherLoad], view: &View<'_>) -> bool {
        let epoch = view.epoch();
        if self.epoch != epoch {
            self.begin(epoch);
        }
        let kind = warp.kind;
        if kind.is_async() {
            self.copies = view.serial;
        }
        if self.is_materialized || self.list.len() >= MAX {
            return false;
        }
        let is_same = |(op, shape, octets, lanes, len): &Group| {
            (*op, *lanes, *len) == (warp.at.op, warp.at.lanes, more.len())
                && *shape == warp.shape
                && *octets == warp.octets
        };
        if self.redundant.as_ref().is_some_and(is_same) {
            return true;
        }
        let access = warp.access;
        let is_like = |of: &FurtherLoad| (of.size, of.elements) == (access.size, access.elements);
        if !more.iter().all(is_like) {
            return false;
        }
        self.by = Accessor { warp: warp.at.warp, now: view.now, of_warp: view.of_warp };
        let touched = match access.operation {
            AccessOp::Load if kind == AccessKind::WEAK => self.touch(warp, more),
            AccessOp::Store if kind == AccessKind::WEAK.writing() => self.touch(warp, &[]),
            AccessOp::Atomic(_) if kind.strength() > 0 => {
                self.each_word(warp, 0, |line, i, _| line.strong(1 << i))
            }
            _ => None,
        };
        match touched {
            Some(true) => self.push(warp, more, view),
            // Enough loads of these words are listed.
            Some(false) => {
                if warp.shape != Shape::Any {
                    let At { op, lanes, .. } = warp.at;
                    self.redundant = Some((op, warp.shape, warp.octets, lanes, more.len()));
                }
                true
            }
            None => false,
        }
    }

    /// Starts the next phase, behind a barrier of all threads.
    fn begin(&mut self, epoch: u64) {
        if !self.list.is_empty() {
            // The list of the last phase was not needed.
            self.skipped = 0;
        }
        self.clear();
        self.epoch = epoch;
        self.is_materialized = self.skips != 0 || self.copies == (epoch >> 32) as u32;
        self.skips = self.skips.saturating_sub(1);
    }

    fn clear(&mut self) {
        self.list.clear();
        self.more.clear();
        self.rows.clear();
        self.redundant = None;
    }

    /// Records which threads access which words, for an access and its further loads. Returns
    /// whether the access has to be listed; `None` if it conflicts with an access of another
    /// thread.
    #[inline]
    fn touch(&mut self, warp: &Warp<'_>, more: &[FurtherLoad]) -> Option<bool> {
        let (first, writes, words) = (warp.at.warp * 32, warp.kind.writes(), warp.words());
        let mut is_new = false;
        // If this is false, the access may cover parts of words.
        let is_whole = words.is_power_of_two();
        let (places, count) = if is_whole && !writes { places(warp) } else { Default::default() };
        if count != 0 {
            for place in &places[..count] {
                is_new |= self.touch_places(*place, more, first)?;
            }
            return Some(is_new);
        }
        let row = RowAccess { thread: first, shift: words.trailing_zeros(), writes };
        for by in once(0).chain(more.iter().map(|further| further.offset)) {
            let is_aligned = |at: u64| at.wrapping_add(by).is_multiple_of(4);
            is_new |= match warp.shape {
                _ if !is_whole => self.touch_lanes(warp, by)?,
                Shape::Row(at) if is_aligned(at) => {
                    self.touch_row(at.wrapping_add(by), warp.at.lanes, &row)?
                }
                Shape::Octets if warp.octets.iter().all(|octet| is_aligned(octet.at)) => {
                    if !are_apart(&warp.octets) {
                        return None;
                    }
                    let mut any = false;
                    for (i, octet) in (0..).zip(&warp.octets) {
                        let row = RowAccess { thread: first + 8 * i, ..row };
                        any |= self.touch_row(octet.at.wrapping_add(by), 0xff, &row)?;
                    }
                    any
                }
                _ => self.touch_words(warp, by)?,
            };
        }
        Some(is_new)
    }

    /// The state of the line with this number, for the current access; `None` if the access has to
    /// be recorded in the shadow memory.
    #[inline]
    fn line(&mut self, number: u64) -> Option<&mut LineAccesses> {
        let i = number as usize;
        if i >= self.lines.len() {
            if number >= MAX_BYTES / LINE {
                return None;
            }
            self.lines.resize_with(i + 1, LineAccesses::default);
        }
        let line = &mut self.lines[i];
        line.begin(self.epoch, &self.by).then_some(line)
    }

    /// Records that consecutive lanes access consecutive words. `at` is the address of lane 0, even
    /// if lane 0 is inactive.
    #[inline]
    fn touch_row(&mut self, at: u64, lanes: u32, row: &RowAccess) -> Option<bool> {
        let (lowest, highest) = (lanes.trailing_zeros(), 31 - lanes.leading_zeros());
        // The number of lane 0's first word, which is negative if lane 0 is inactive and would
        // access memory before address 0.
        let first = at.cast_signed() / 4;
        let begin = first + (i64::from(lowest) << row.shift);
        let end = first + (i64::from(highest + 1) << row.shift);
        let (mut word, all) = (u64::try_from(begin).ok()?, u64::try_from(end).ok()?);
        let mut is_new = false;
        while word < all {
            let (number, line_end) =
                (word / WORDS as u64, (word / WORDS as u64 + 1) * WORDS as u64);
            let mut words = between(word, all.min(line_end));
            // The number of words from lane 0's first word to the line's first word.
            let offset = (number * WORDS as u64).cast_signed() - first;
            if lanes != u32::MAX {
                words &= words_of(lanes, offset, row.shift);
            }
            let line = self.line(number)?;
            is_new |= line.row(words, (row.thread, offset, row.shift), row.writes)?;
            word = line_end;
        }
        Some(is_new)
    }

    /// Records loads of the same words by several lanes of a warp: of `len` bytes at `at`, and of
    /// as many bytes for each further load. Loads of neighbouring words are recorded together.
    #[inline]
    fn touch_places(
        &mut self,
        (at, len): (u64, u64),
        more: &[FurtherLoad],
        thread: u32,
    ) -> Option<bool> {
        let (mut is_new, mut begin, mut end) = (false, at, at.checked_add(len)?);
        for further in more {
            let next = at.wrapping_add(further.offset);
            if next != end {
                is_new |= self.touch_all(begin, end, thread)?;
                begin = next;
            }
            end = next.checked_add(len)?;
        }
        Some(is_new | self.touch_all(begin, end, thread)?)
    }

    /// Records that several lanes of a warp load each of the words in `begin..end` (addresses).
    #[inline]
    fn touch_all(&mut self, begin: u64, end: u64, thread: u32) -> Option<bool> {
        let (mut is_new, mut word, all) = (false, begin / 4, end.div_ceil(4));
        while word < all {
            let line_end = (word / WORDS as u64 + 1) * WORDS as u64;
            let words = between(word, all.min(line_end));
            is_new |= self.line(word / WORDS as u64)?.load_all(words, thread)?;
            word = line_end;
        }
        Some(is_new)
    }

    /// Records lanes with arbitrary addresses, each increased by `by` bytes. The lanes may access
    /// parts of words.
    fn touch_lanes(&mut self, warp: &Warp<'_>, by: u64) -> Option<bool> {
        let (first, writes) = (warp.at.warp * 32, warp.kind.writes());
        self.each_word(warp, by, |line, i, lane| line.one(i, first + lane, writes))
    }

    /// Calls `record` for each word that a lane accesses, with the state of the word's line, the
    /// word's index in the line, and the lane. `by` is added to each address. Returns `None` as
    /// soon as `record` returns false.
    #[inline]
    fn each_word(
        &mut self,
        warp: &Warp<'_>,
        by: u64,
        record: impl Fn(&mut LineAccesses, u32, u32) -> bool,
    ) -> Option<bool> {
        for lane in lanes(warp.at.lanes) {
            let at = warp.address(lane).wrapping_add(by);
            let end = at.checked_add(warp.access.bytes().into())?.div_ceil(4);
            for word in at / 4..end {
                let line = self.line(word / WORDS as u64)?;
                if !record(line, (word % WORDS as u64) as u32, lane) {
                    return None;
                }
            }
        }
        Some(true)
    }

    /// Does [`Self::touch_lanes`] for accesses of whole words. Neighbouring lanes that access
    /// different words of one line are recorded together.
    fn touch_words(&mut self, warp: &Warp<'_>, by: u64) -> Option<bool> {
        let (words, first, writes) = (warp.words(), warp.at.warp * 32, warp.kind.writes());
        let address = |lane: u32| warp.address(lane).wrapping_add(by);
        let (mut is_new, mut rest) = (false, warp.at.lanes);
        while rest != 0 {
            let (lane, next) = (rest.trailing_zeros(), rest & (rest - 1));
            let (at, number) = (address(lane), address(lane) / LINE);
            if words == 1 && (next == 0 || address(next.trailing_zeros()) / LINE != number) {
                let i = (at % LINE / 4) as u32;
                if !self.line(number)?.one(i, first + lane, writes) {
                    return None;
                }
                (is_new, rest) = (true, next);
                continue;
            }
            let (mut mask, mut whose, mut all) = (0, [0; WORDS], rest);
            while all != 0 {
                let (lane, at) = (all.trailing_zeros(), address(all.trailing_zeros()));
                let i = (at % LINE / 4) as usize;
                let those = ((1_u64 << words) - 1) << i;
                if at / LINE != number || those >> WORDS != 0 || mask & those as u32 != 0 {
                    break;
                }
                mask |= those as u32;
                whose[i..i + words].fill((first + lane) as u16);
                all &= all - 1;
            }
            let together = rest & !all;
            if together == 0 {
                // The access is misaligned, or crosses the end of a line.
                return None;
            }
            let line = self.line(number)?;
            is_new |= line.scattered(mask, &whose, first, writes)?;
            rest = all;
        }
        Some(is_new)
    }

    /// Appends an access and its further loads to the list. Returns false if the values that it
    /// stores are not known.
    #[inline]
    fn push(&mut self, warp: &Warp<'_>, more: &[FurtherLoad], view: &View<'_>) -> bool {
        if warp.kind.writes() {
            self.redundant = None;
        }
        let narrow = |at: u64| u32::try_from(at).unwrap_or(u32::MAX);
        let lies = match warp.shape {
            Shape::Row(first) => AddressShape::Row(first),
            Shape::One(at) => AddressShape::One(at),
            Shape::Octets => {
                AddressShape::OctetLoad(warp.octets.map(|octet| (narrow(octet.at), octet.is_row)))
            }
            Shape::Any => {
                self.rows.push(std::array::from_fn(|lane| narrow(warp.address(lane as u32))));
                AddressShape::Any
            }
        };
        let &Access { size, elements, operation, order, .. } = warp.access;
        if operation == AccessOp::Store {
            for i in 0..elements as usize {
                let Some(values) = warp.access.values.get(i) else { return false };
                self.rows.push(values.map(|value| value as u32));
                if size == 8 {
                    self.rows.push(values.map(|value| (value >> 32) as u32));
                }
            }
        }
        self.more.extend_from_slice(more);
        self.list.push(Entry {
            lies,
            at: (warp.at.warp, warp.at.lanes, warp.at.op),
            elements: (size, elements),
            operation,
            order,
            now: view.now,
            of_warp: view.of_warp,
            further: more.len(),
        });
        true
    }

    /// Records the listed accesses of the current phase in the shadow memory. Until the next
    /// barrier of all threads, each access is recorded there at once.
    #[inline]
    pub(super) fn materialize(&mut self, lines: &mut Lines, epoch: u64, order: &Order) {
        if self.epoch != epoch {
            self.begin(epoch);
        }
        if !self.is_materialized {
            self.make(lines, order);
        }
    }

    #[inline(never)]
    fn make(&mut self, lines: &mut Lines, order: &Order) {
        (self.is_materialized, self.redundant) = (true, None);
        if self.list.is_empty() {
            return;
        }
        self.skipped = (2 * self.skipped + 1).min(MAX_SKIPPED);
        self.skips = self.skipped;
        let (serial, all) = ((self.epoch >> 32) as u32, self.epoch as u32 - 1);
        let (cta, mut rows, mut races) = (Cta::default(), self.rows.iter(), Vec::new());
        let mut more = self.more.iter();
        for entry in &self.list {
            let &Entry { at: (warp, lanes, op), elements: (size, elements), .. } = entry;
            let &Entry { operation, order: how, now, of_warp, .. } = entry;
            let bytes = u64::from(size * elements);
            let addresses: [u64; 32] = match entry.lies {
                AddressShape::Row(first) => {
                    std::array::from_fn(|i| first.wrapping_add(i as u64 * bytes))
                }
                AddressShape::One(at) => [at; 32],
                AddressShape::OctetLoad(octets) => std::array::from_fn(|i| {
                    let (at, is_row) = octets[i / 8];
                    u64::from(at) + if is_row { (i % 8) as u64 * bytes } else { 0 }
                }),
                AddressShape::Any => {
                    let Some(row) = rows.next() else { return };
                    row.map(u64::from)
                }
            };
            let mut value = || {
                let mut next = || rows.next().copied().unwrap_or_default();
                let (low, high) = (next(), if size == 8 { next() } else { [0; 32] });
                std::array::from_fn(|i| u64::from(low[i]) | u64::from(high[i]) << 32)
            };
            let stored = match operation {
                AccessOp::Store => Stored::these((0..elements).map(|_| value())),
                _ => Stored::default(),
            };
            let mut enter = |at: At, addresses: [u64; 32]| {
                let access = Access {
                    operation,
                    space: SpaceKind::Shared,
                    addresses: &addresses,
                    arrangement: Arrangement::of(&addresses, lanes, size * elements),
                    size,
                    elements,
                    order: how,
                    values: Values::default(),
                };
                let view =
                    View { serial, near: true, below: serial, now, all, of_warp, cta: &cta, order };
                let mut warp = Warp::new(&at, &access, &view);
                warp.store(&stored);
                lines.access(&warp, &view, self.epoch, &mut races);
            };
            let at = At { cta: [0; 3], warp, lanes, op };
            enter(at, addresses);
            for further in more.by_ref().take(entry.further) {
                let addresses = addresses.map(|address| address.wrapping_add(further.offset));
                enter(At { op: further.op, ..at }, addresses);
            }
        }
        debug_assert!(races.is_empty(), "nobody has touched what another thread has stored");
        self.clear();
    }
}

/// Whether each octet accesses consecutive memory, and no two octets are equal.
fn are_apart(octets: &[Octet; 4]) -> bool {
    (0..4).all(|i| octets[i].is_row && !octets[..i].contains(&octets[i]))
}

/// The memory that a load of whole words reads, if several lanes read the same words: up to four
/// ranges (address and length), and their number. The number is 0 for other loads.
#[inline]
fn places(warp: &Warp<'_>) -> ([(u64, u64); 4], usize) {
    let (mut places, mut count) = ([(0, 0); 4], 0);
    let (octets, bytes) = (&warp.octets, u64::from(warp.access.bytes()));
    match warp.shape {
        Shape::One(at) if !warp.at.lanes.is_power_of_two() => (places[0], count) = ((at, bytes), 1),
        Shape::Octets if octets.iter().all(|o| o.at.is_multiple_of(4)) && !are_apart(octets) => {
            // Equal octets read the same words, and adjacent ranges are merged.
            for (i, octet) in octets.iter().enumerate() {
                if octets[..i].contains(octet) {
                    continue;
                }
                let len = if octet.is_row { 8 * bytes } else { bytes };
                match places[..count].last_mut() {
                    Some((at, all)) if *at + *all == octet.at => *all += len,
                    _ => {
                        places[count] = (octet.at, len);
                        count += 1;
                    }
                }
            }
        }
        _ => {}
    }
    (places, count)
}

/// Consecutive lanes that access consecutive words.
#[derive(Clone, Copy)]
struct RowAccess {
    /// Number in the CTA of lane 0's thread.
    thread: u32,
    /// The binary logarithm of the number of words that each lane accesses.
    shift: u32,
    writes: bool,
}

/// A mask of the words of a line from number `first` to `end`, which is not included. The numbers
/// count from address 0; `end` may be the first word of the next line.
#[inline]
fn between(first: u64, end: u64) -> u32 {
    let (low, count) = (first % WORDS as u64, end - first);
    (((1_u64 << count) - 1) << low) as u32
}

/// A mask of the words of a line that active lanes access. `offset` is the number of words from
/// lane 0's first word to the line's first word.
fn words_of(lanes: u32, offset: i64, shift: u32) -> u32 {
    if shift == 0 && offset.unsigned_abs() < 32 {
        return if offset < 0 { lanes << -offset } else { lanes >> offset };
    }
    let has = |i: &i64| {
        let lane = (offset + i) >> shift;
        (0..32).contains(&lane) && lanes >> lane & 1 == 1
    };
    (0..WORDS as i64).filter(has).fold(0, |words, i| words | 1 << i)
}
