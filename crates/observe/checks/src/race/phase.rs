//! Accesses to shared memory between two barriers of all threads of a CTA.
//!
//! Everything before such a barrier is ordered before everything after it, and between two of them
//! usually no thread touches a word that another thread stores: a tile is filled, or it is read. As
//! long as that holds no two accesses race, and it is enough to record which thread has touched
//! each word, with a list of all accesses that is dropped at the next barrier. The first access
//! that violates it, or is not a plain load or store, has the list entered into the shadow
//! ([`Phase::materialize`]), in its order and with the clocks of its time. From then on until the
//! barrier each access is recorded in the shadow.

use super::access::{Octet, Shape, Stored, Warp};
use super::happens_before::Cta;
use super::launch::Order;
use super::line::{LINE, WORDS};
use super::shared::Lines;
use super::stamp::AccessKind;
use super::touched::LineAccesses;
use super::view::View;
use texunit_simt::SpaceKind;
use texunit_simt::observe::{Access, AccessOp, At, Order as How, Values};

/// Maximum length of the list; further accesses are recorded in the shadow.
const MAX: usize = 1 << 14;
/// Shared memory above this address is recorded in the shadow only.
const MAX_BYTES: u64 = 1 << 20;
/// Maximum number of phases that start without a list, after phases whose lists had to be entered
/// into the shadow.
const MAX_SKIPPED: u32 = 63;

/// The arrangement of an access's addresses, in compact form.
#[derive(Clone, Copy, Debug)]
enum AddressShape {
    Row(u64),
    One(u64),
    OctetLoad([(u32, bool); 4]),
    /// Arbitrary addresses, stored in `rows`.
    Any,
}

/// An access in the list.
#[derive(Clone, Copy, Debug)]
struct Entry {
    lies: AddressShape,
    at: (u32, u32, u32),
    elements: (u32, u32),
    writes: bool,
    /// The warp's clock at the access.
    now: u32,
    of_warp: u32,
}

/// The accesses since the last barrier of all threads.
#[derive(Debug, Default)]
pub(super) struct Phase {
    /// The synchronisation interval ([`View::epoch`]).
    epoch: u64,
    /// Whether accesses are recorded in the shadow.
    is_materialized: bool,
    /// Number of following phases that start without a list, and the number that was chosen last.
    skips: u32,
    skipped: u32,
    /// Serial number of the last CTA with `cp.async` copies: their completion does not depend on
    /// the barrier.
    copies: u32,
    lines: Vec<LineAccesses>,
    /// The last group of loads that was reported together and added nothing to the list: operation
    /// and address arrangement of the first, and the lanes.
    redundant: Option<(u32, Shape, [Octet; 4], u32)>,
    list: Vec<Entry>,
    /// For entries of the list, in order: arbitrary addresses, and stored values with the low words
    /// first.
    rows: Vec<[u32; 32]>,
}

impl Phase {
    /// Adds an access. Returns false if it has to be recorded in the shadow, after all earlier ones
    /// ([`Self::materialize`]).
    #[inline]
    pub(super) fn note(&mut self, warp: &Warp<'_>, view: &View<'_>) -> bool {
        let epoch = view.epoch();
        if self.epoch != epoch {
            self.begin(epoch);
        }
        let kind = warp.kind;
        if kind.is_async() {
            self.copies = view.serial;
        }
        if self.is_materialized {
            return false;
        }
        let is_plain = kind == AccessKind::WEAK || kind == AccessKind::WEAK.writing();
        let by_lanes = matches!(warp.access.operation, AccessOp::Load | AccessOp::Store);
        if !is_plain || !by_lanes || self.list.len() >= MAX {
            return false;
        }
        match self.touch(warp) {
            Some(true) => self.push(warp, view),
            // Enough loads of these words are recorded.
            Some(false) => true,
            None => false,
        }
    }

    /// Whether a group of loads that is reported together adds nothing to the list, judged by its
    /// first load: the same group was examined since the last barrier, and added nothing.
    #[inline]
    pub(super) fn is_redundant(&self, warp: &Warp<'_>, view: &View<'_>) -> bool {
        let what = (warp.at.op, warp.shape, warp.octets, warp.at.lanes);
        !self.is_materialized
            && self.epoch == view.epoch()
            && warp.shape != Shape::Any
            && self.redundant == Some(what)
    }

    /// Remembers a group of loads whose first is `warp` if it added nothing to the list, whose
    /// length was `len` before.
    #[inline]
    pub(super) fn remember_group(&mut self, warp: &Warp<'_>, len: usize) {
        if !self.is_materialized && self.list.len() == len {
            self.redundant = Some((warp.at.op, warp.shape, warp.octets, warp.at.lanes));
        }
    }

    /// Number of listed accesses.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    /// Starts the next phase at a barrier of all threads.
    fn begin(&mut self, epoch: u64) {
        if !self.list.is_empty() {
            // The list was not needed in the last phase.
            self.skipped = 0;
        }
        self.clear();
        self.epoch = epoch;
        self.is_materialized = self.skips != 0 || self.copies == (epoch >> 32) as u32;
        self.skips = self.skips.saturating_sub(1);
    }

    fn clear(&mut self) {
        self.list.clear();
        self.rows.clear();
        self.redundant = None;
    }

    /// Records the words that an access touches. Returns whether it has to be listed, or `None` if
    /// another thread has touched them in a conflicting way.
    #[inline]
    fn touch(&mut self, warp: &Warp<'_>) -> Option<bool> {
        let bytes = u64::from(warp.access.bytes());
        let (first, writes, words) = (warp.at.warp * 32, warp.kind.writes(), warp.words());
        if !words.is_power_of_two() {
            // The bytes may be parts of words.
            return self.touch_lanes(warp, bytes);
        }
        let row = RowAccess { thread: first, shift: words.trailing_zeros(), writes };
        match warp.shape {
            Shape::Row(at) if at.is_multiple_of(4) => self.touch_row(at, warp.at.lanes, &row),
            Shape::One(at) if !writes && !warp.at.lanes.is_power_of_two() => {
                self.touch_all(&[(at, bytes)], first)
            }
            Shape::Octets if warp.octets.iter().all(|octet| octet.at.is_multiple_of(4)) => {
                self.touch_octets(&warp.octets, bytes, &row)
            }
            _ => self.touch_lanes(warp, bytes),
        }
    }

    /// The line of this number.
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
        line.begin(self.epoch);
        Some(line)
    }

    /// Records a row that starts at `at` for lane 0, even if lane 0 is inactive.
    #[inline]
    fn touch_row(&mut self, at: u64, lanes: u32, row: &RowAccess) -> Option<bool> {
        let (lowest, highest) = (lanes.trailing_zeros(), 31 - lanes.leading_zeros());
        // The word of lane 0, which may lie before the memory if lane 0 is inactive.
        let first = at.cast_signed() / 4;
        let begin = first + (i64::from(lowest) << row.shift);
        let end = first + (i64::from(highest + 1) << row.shift);
        let (mut word, all) = (u64::try_from(begin).ok()?, u64::try_from(end).ok()?);
        let mut is_new = false;
        while word < all {
            let (number, line_end) =
                (word / WORDS as u64, (word / WORDS as u64 + 1) * WORDS as u64);
            let mut words = between(word, all.min(line_end));
            // The offset of the line's first word from lane 0's word.
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

    /// Records loads of the same words by several lanes of a warp.
    #[inline]
    fn touch_all(&mut self, places: &[(u64, u64)], thread: u32) -> Option<bool> {
        let mut is_new = false;
        for &(at, bytes) in places {
            let (mut word, all) = (at / 4, at.checked_add(bytes)?.div_ceil(4));
            while word < all {
                let line_end = (word / WORDS as u64 + 1) * WORDS as u64;
                let words = between(word, all.min(line_end));
                is_new |= self.line(word / WORDS as u64)?.load_all(words, thread)?;
                word = line_end;
            }
        }
        Some(is_new)
    }

    #[inline]
    fn touch_octets(&mut self, octets: &[Octet; 4], bytes: u64, row: &RowAccess) -> Option<bool> {
        let apart = (0..4).all(|i| octets[i].is_row && !octets[..i].contains(&octets[i]));
        if !apart {
            if row.writes {
                return None;
            }
            // Octets that repeat an earlier one load the same words, and adjacent ones are merged.
            let (mut places, mut count) = ([(0, 0); 4], 0);
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
            return self.touch_all(&places[..count], row.thread);
        }
        let mut is_new = false;
        for (i, octet) in (0..).zip(octets) {
            let row = RowAccess { thread: row.thread + 8 * i, ..*row };
            is_new |= self.touch_row(octet.at, 0xff, &row)?;
        }
        Some(is_new)
    }

    /// Records lanes at arbitrary addresses, including parts of words.
    fn touch_lanes(&mut self, warp: &Warp<'_>, bytes: u64) -> Option<bool> {
        let mut rest = warp.at.lanes;
        while rest != 0 {
            let lane = rest.trailing_zeros();
            rest &= rest - 1;
            let at = warp.address(lane);
            let (mut word, end) = (at / 4, at.checked_add(bytes)?.div_ceil(4));
            while word < end {
                let (number, i) = (word / WORDS as u64, (word % WORDS as u64) as u32);
                let line = self.line(number)?;
                if !line.one(i, warp.at.warp * 32 + lane, warp.kind.writes()) {
                    return None;
                }
                word += 1;
            }
        }
        Some(true)
    }

    /// Adds an access to the list. Returns false if that is impossible.
    #[inline]
    fn push(&mut self, warp: &Warp<'_>, view: &View<'_>) -> bool {
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
        let (size, elements) = (warp.access.size, warp.access.elements);
        let writes = warp.kind.writes();
        if writes {
            for i in 0..elements as usize {
                let Some(values) = warp.access.values.get(i) else { return false };
                self.rows.push(values.map(|value| value as u32));
                if size == 8 {
                    self.rows.push(values.map(|value| (value >> 32) as u32));
                }
            }
        }
        self.list.push(Entry {
            lies,
            at: (warp.at.warp, warp.at.lanes, warp.at.op),
            elements: (size, elements),
            writes,
            now: view.now,
            of_warp: view.of_warp,
        });
        true
    }

    /// Enters the list of the current phase into the shadow, where all accesses until the next
    /// barrier are recorded.
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
        for entry in &self.list {
            let &Entry { at: (warp, lanes, op), elements: (size, elements), writes, .. } = entry;
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
            let stored = match writes {
                true => Stored::these((0..elements).map(|_| value())),
                false => Stored::default(),
            };
            let access = Access {
                operation: if writes { AccessOp::Store } else { AccessOp::Load },
                space: SpaceKind::Shared,
                addresses: &addresses,
                size,
                elements,
                order: How::default(),
                values: Values::default(),
            };
            let at = At { cta: [0; 3], warp, lanes, op };
            let &Entry { now, of_warp, .. } = entry;
            let view =
                View { serial, near: true, below: serial, now, all, of_warp, cta: &cta, order };
            let mut warp = Warp::new(&at, &access, &view);
            warp.store(&stored);
            lines.access(&warp, &view, self.epoch, &mut races);
        }
        debug_assert!(races.is_empty(), "nobody has touched what another thread has stored");
        self.clear();
    }
}

/// A row of consecutive lanes.
struct RowAccess {
    /// The thread of lane 0.
    thread: u32,
    /// Each lane has `1 << shift` words.
    shift: u32,
    writes: bool,
}

/// Mask of the words from `first` to before `end` in a line; `end` may be the first word of the
/// next line.
#[inline]
fn between(first: u64, end: u64) -> u32 {
    let (low, count) = (first % WORDS as u64, end - first);
    (((1_u64 << count) - 1) << low) as u32
}

/// Mask of a line's words that these lanes access; the line's first word is `offset` words after
/// lane 0's first word.
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
