//! Accesses to shared memory between two barriers of all threads of a CTA (a phase).
//!
//! Each access before such a barrier is ordered before each access after it. In a phase usually no
//! thread accesses a word that another thread stores: the threads fill a tile, or read it, or
//! change it by atomics, or only one warp uses it, with `.sync` instructions. As long as this holds
//! no two accesses race. It is then enough to record which thread has accessed each word
//! ([`LineAccesses`]), and to append each access to a list, which is dropped at the next barrier.
//!
//! The first access for which this does not hold records all listed accesses in the shadow memory,
//! in their order and with the vector clocks that they had ([`Phase::materialize`]). From then on
//! until the barrier each access is recorded in the shadow memory at once.
//!
//! Each worker thread has one shadow memory for the shared memory of its CTAs ([`SharedMemory`]):
//! the records of earlier CTAs are ordered before the current CTA.

mod words;

use super::access::{LaneRace, Stored, Warp};
use super::fasttrack::{AccessKind, View};
use super::happens_before::Cta;
use super::lines::Lines;
use super::order::Order;
use super::shape::Octet;
use super::touched::{Accessor, LineAccesses};
use texunit_simt::SpaceKind;
use texunit_simt::observe::{Access, AccessOp, Arrangement, At, GroupedLoad, Order as How, Values};

/// Maximum length of the list. Further accesses are recorded in the shadow memory.
const MAX: usize = 1 << 14;
/// Size of the shared memory whose words are tracked, which bounds the memory for tracking. An
/// access above this address is recorded in the shadow memory.
const MAX_BYTES: u64 = 1 << 20;
/// Maximum number of phases without a list. After a phase whose list was needed, some phases record
/// all accesses in the shadow memory, because their lists would probably be needed, too.
const MAX_SKIPPED: u32 = 63;

/// An access to shared memory in the list.
#[derive(Clone, Copy, Debug)]
struct Entry {
    arrangement: Arrangement,
    /// Whether the addresses are in `octets`; else those of [`Arrangement::Other`] are in `rows`.
    has_octets: bool,
    at: (u32, u32, u32),
    elements: (u32, u32),
    operation: AccessOp,
    order: How,
    /// The time of the CTA and that of the warp, which are the vector clock of the access.
    now: u32,
    of_warp: u32,
    /// Number of loads in `more` that the simulator has reported in one group with this access.
    grouped: usize,
}

/// Loads that the simulator reports together: the first load's operation and addresses, the lanes,
/// and the number of other loads.
type Group = (u32, Arrangement, Option<[Octet; 4]>, u32, usize);

/// The accesses to shared memory since the last barrier of all threads.
#[derive(Debug, Default)]
struct Phase {
    /// Number of the current synchronisation interval ([`View::interval`]).
    interval: u64,
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
    /// The loads that the simulator has reported in one group with an access of `list`, in the same
    /// order.
    more: Vec<GroupedLoad>,
    octets: Vec<[Octet; 4]>,
    /// The arbitrary addresses and the stored values of the listed accesses, in order. The low
    /// words of 64-bit values precede the high words.
    rows: Vec<[u32; 32]>,
}

impl Phase {
    /// Lists an access, and the other loads that the simulator reports in one group with it.
    /// Returns false if it has not listed them: they then have to be recorded in the shadow memory,
    /// behind the accesses that are listed ([`Self::materialize`]).
    #[inline]
    fn note(&mut self, warp: &Warp<'_>, more: &[GroupedLoad], view: &View<'_>) -> bool {
        let interval = view.interval();
        if self.interval != interval {
            self.begin(interval);
        }
        let kind = warp.kind;
        if kind.is_async() {
            self.copies = view.serial;
        }
        if self.is_materialized || self.list.len() >= MAX {
            return false;
        }
        let is_same = |(op, arrangement, octets, lanes, len): &Group| {
            (*op, *lanes, *len) == (warp.at.op, warp.at.lanes, more.len())
                && *arrangement == warp.arrangement()
                && *octets == warp.octets
        };
        if self.redundant.as_ref().is_some_and(is_same) {
            return true;
        }
        let access = warp.access;
        let is_like = |of: &GroupedLoad| (of.size, of.elements) == (access.size, access.elements);
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
            // The listed loads of these words suffice to find each race with a later store, so that
            // this load is not listed.
            Some(false) => {
                if warp.octets.is_some() || warp.arrangement() != Arrangement::Other {
                    let At { op, lanes, .. } = warp.at;
                    self.redundant = Some((op, warp.arrangement(), warp.octets, lanes, more.len()));
                }
                true
            }
            None => false,
        }
    }

    /// Starts the next phase, behind a barrier of all threads.
    fn begin(&mut self, interval: u64) {
        if !self.list.is_empty() {
            // The list of the last phase was not needed.
            self.skipped = 0;
        }
        self.clear();
        self.interval = interval;
        self.is_materialized = self.skips != 0 || self.copies == (interval >> 32) as u32;
        self.skips = self.skips.saturating_sub(1);
    }

    fn clear(&mut self) {
        self.list.clear();
        self.more.clear();
        self.octets.clear();
        self.rows.clear();
        self.redundant = None;
    }

    /// Appends an access and the other loads of its group to the list. Returns false if the values
    /// that it stores are not known.
    #[inline]
    fn push(&mut self, warp: &Warp<'_>, more: &[GroupedLoad], view: &View<'_>) -> bool {
        if warp.kind.writes() {
            self.redundant = None;
        }
        if let Some(octets) = warp.octets {
            self.octets.push(octets);
        } else if warp.arrangement() == Arrangement::Other {
            let narrow = |at: u64| u32::try_from(at).unwrap_or(u32::MAX);
            self.rows.push(std::array::from_fn(|lane| narrow(warp.address(lane as u32))));
        }
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
            arrangement: warp.arrangement(),
            has_octets: warp.octets.is_some(),
            at: (warp.at.warp, warp.at.lanes, warp.at.op),
            elements: (size, elements),
            operation,
            order,
            now: view.now,
            of_warp: view.of_warp,
            grouped: more.len(),
        });
        true
    }

    /// Records the listed accesses of the current phase in the shadow memory. Until the next
    /// barrier of all threads, each access is recorded there at once.
    #[inline]
    fn materialize(&mut self, lines: &mut Lines, interval: u64, order: &Order) {
        if self.interval != interval {
            self.begin(interval);
        }
        if !self.is_materialized {
            self.record_listed(lines, order);
        }
    }

    #[inline(never)]
    fn record_listed(&mut self, lines: &mut Lines, order: &Order) {
        (self.is_materialized, self.redundant) = (true, None);
        if self.list.is_empty() {
            return;
        }
        self.skipped = (2 * self.skipped + 1).min(MAX_SKIPPED);
        self.skips = self.skipped;
        let (serial, all) = ((self.interval >> 32) as u32, self.interval as u32 - 1);
        let (cta, mut rows, mut races) = (Cta::default(), self.rows.iter(), Vec::new());
        let (mut more, mut all_octets) = (self.more.iter(), self.octets.iter());
        for entry in &self.list {
            let &Entry { at: (warp, lanes, op), elements: (size, elements), .. } = entry;
            let &Entry { operation, order: how, now, of_warp, .. } = entry;
            let bytes = u64::from(size * elements);
            let addresses: [u64; 32] = match entry.arrangement {
                Arrangement::Row(first) => {
                    std::array::from_fn(|i| first.wrapping_add(i as u64 * bytes))
                }
                Arrangement::One(at) => [at; 32],
                Arrangement::Other if entry.has_octets => {
                    let Some(octets) = all_octets.next() else { return };
                    std::array::from_fn(|i| {
                        let Octet { at, is_row } = octets[i / 8];
                        at + if is_row { (i % 8) as u64 * bytes } else { 0 }
                    })
                }
                Arrangement::Other => {
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
                lines.access(&warp, &view, self.interval, &mut races);
            };
            let at = At { cta: [0; 3], warp, lanes, op };
            enter(at, addresses);
            for load in more.by_ref().take(entry.grouped) {
                let addresses = addresses.map(|address| address.wrapping_add(load.offset));
                enter(At { op: load.op, ..at }, addresses);
            }
        }
        debug_assert!(races.is_empty(), "nobody has touched what another thread has stored");
        self.clear();
    }
}

/// The shadow memory for shared memory, with the accesses that are not recorded in it yet.
#[derive(Default)]
pub(super) struct SharedMemory {
    lines: Lines,
    /// The accesses since the last barrier that are only listed.
    phase: Phase,
}

impl SharedMemory {
    /// Records loads that the simulator reports together, all in one step. Returns false if each
    /// load has to be recorded by itself.
    #[inline]
    pub(super) fn loads(&mut self, warp: &Warp<'_>, more: &[GroupedLoad], view: &View<'_>) -> bool {
        self.phase.note(warp, more, view)
    }

    /// Records a load in one step for all its lanes. Returns false if [`Self::access`] has to
    /// record it.
    #[inline]
    pub(super) fn record_all_lanes(&mut self, warp: &Warp<'_>, view: &View<'_>) -> bool {
        self.phase.note(warp, &[], view)
            || self.materialized(view).record_all_lanes(warp, view, view.interval())
    }

    /// Records an access of a warp, and adds its races.
    #[inline]
    pub(super) fn access(&mut self, warp: &Warp<'_>, view: &View<'_>, races: &mut Vec<LaneRace>) {
        if !self.phase.note(warp, &[], view) {
            let (stored, mut warp) = (Stored::of(warp.access), *warp);
            warp.store(&stored);
            self.materialized(view).access(&warp, view, view.interval(), races);
        }
    }

    /// The shadow memory, in which all listed accesses have been recorded.
    #[inline]
    pub(super) fn materialized(&mut self, view: &View<'_>) -> &mut Lines {
        self.phase.materialize(&mut self.lines, view.interval(), view.order);
        &mut self.lines
    }
}
