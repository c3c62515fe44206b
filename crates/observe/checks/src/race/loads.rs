//! Deferred loads: loads from allocations that have not been stored to since the launch began
//! cannot race yet.
//!
//! Such a load is recorded as one note instead of in the shadow of each word, and most notes are
//! never needed. The first other access to the allocation (a store, copy, atomic or volatile load)
//! enters its notes into the shadow, in their order and with the clocks of their time
//! ([`Loads::materialize`]). The same happens when the host accesses the allocation, and when a
//! concurrent launch begins.
//!
//! A worker has its notes to itself, so that a note takes no lock, and hands them over
//! ([`DeferredLoads::publish`]) at a strong access to global memory, which may publish a clock, at
//! other synchronisation with CTAs of other workers, and at its end. Whoever enters the notes of an
//! allocation meanwhile leaves those to the worker, which enters them when it hands them over:
//! until then nothing is ordered after them, and nothing that others have recorded is ordered
//! before them.

use super::access::{LaneRace, Warp};
use super::happens_before::Cta;
use super::launch::Order;
use super::pages::Pages;
use super::recycled::Recycled;
use super::shadow::{Shadow, lock};
use super::view::View;
use std::mem::take;
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use texunit_simt::SpaceKind;
use texunit_simt::observe::{
    Access, AccessOp, Arrangement, At, LaunchInfo, Order as How, Semantics, Values,
};
use texunit_unit::Build;

/// Maximum size of a worker's notes for an allocation; beyond it, they are entered into the shadow.
const MAX: usize = 64 << 20;
/// The notes of earlier launches, at most four times [`MAX`].
static RECYCLED: Recycled<LoadNote> = Recycled::new(4, MAX / size_of::<LoadNote>());
/// Size of the table of recently noted loads.
const SEEN: usize = 1 << 12;

/// An odd multiplier for hashing.
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// States of an allocation: loads are noted; notes are being entered into the shadow; loads go
/// directly into the shadow.
const OPEN: u8 = 0;
const MATERIALIZING: u8 = 1;
const MATERIALIZED: u8 = 2;

/// The deferred loads of a launch.
#[derive(Debug)]
pub(super) struct Loads {
    order: Order,
    /// Allocations, sorted by address.
    allocations: Vec<Allocation>,
    /// Warps of a CTA.
    warps: u32,
    /// Whether a host thread executes several CTAs in turn, each with a worker of its own, so that
    /// notes are handed over at once.
    are_interleaved: bool,
    /// The notes of each worker.
    notes: Mutex<Vec<Noted>>,
    /// Size of the notes in bytes, once the launch has ended.
    bytes: AtomicUsize,
    /// Held while notes are entered into the shadow.
    materializing: Mutex<()>,
    /// Number of allocations whose notes are in the shadow or are being entered.
    entered: AtomicU32,
}

#[derive(Debug)]
struct Allocation {
    base: u64,
    len: u64,
    state: AtomicU8,
}

/// The notes of a worker, by allocation; nothing while the worker has them to itself.
type Noted = Arc<Mutex<Vec<LoadNotes>>>;

#[derive(Debug, Default)]
struct LoadNotes {
    all: Vec<LoadNote>,
    /// The clocks of the notes.
    clocks: Vec<WarpClock>,
    /// The offset of each lane in the allocation, for the notes whose addresses are not a row, in
    /// order.
    offsets: Vec<[u32; 32]>,
}

/// The arrangement of a note's addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AddressShape {
    Row,
    One,
    /// Arbitrary addresses, stored in `offsets`.
    Any,
}

/// The clock of a warp at a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct WarpClock {
    serial: u32,
    now: u32,
    all: u32,
    of_warp: u32,
}

/// A noted load; for rows, also the same load by the following warps of the following rows.
#[derive(Clone, Copy, Debug)]
struct LoadNote {
    /// The address of lane 0 of a row, or of all lanes.
    first: u64,
    lies: AddressShape,
    /// Bytes of an element, and the number of elements.
    elements: (u8, u8),
    warp: u32,
    lanes: u32,
    op: u32,
    /// Number of rows of the note.
    count: u32,
    /// Index of its clock, which is that of the first row.
    clock: u32,
}

impl LoadNotes {
    fn bytes(&self) -> usize {
        self.all.len() * size_of::<LoadNote>()
            + self.clocks.len() * size_of::<WarpClock>()
            + self.offsets.len() * size_of::<[u32; 32]>()
    }

    /// Merges a load that continues the rows of the last note. Returns false if it does not.
    #[inline]
    fn goes_on(&mut self, by: &LoadNote, clock: &WarpClock, warps: u32) -> bool {
        let (Some(last), Some(of)) = (self.all.last_mut(), self.clocks.last()) else {
            return false;
        };
        let bytes = u64::from(by.elements.0) * u64::from(by.elements.1) * 32;
        let is_next = (last.lies, by.lies) == (AddressShape::Row, AddressShape::Row)
            && by.first == last.first.wrapping_add(bytes * u64::from(last.count))
            && (last.lanes, last.op, last.elements) == (by.lanes, by.op, by.elements)
            && (of.now, of.all, of.of_warp) == (clock.now, clock.all, clock.of_warp)
            && last.warp_of(last.count, of.serial, warps) == (clock.serial, by.warp)
            && last.warp < warps
            && last.count < u32::MAX / 2;
        last.count += u32::from(is_next);
        is_next
    }

    /// Adds a note.
    #[inline]
    fn push(&mut self, note: LoadNote, clock: WarpClock) {
        if self.clocks.last() != Some(&clock) {
            self.clocks.push(clock);
        }
        if self.all.capacity() == 0 {
            self.all = RECYCLED.take();
        }
        self.all.push(LoadNote { clock: self.clocks.len() as u32 - 1, ..note });
    }
}

impl Drop for LoadNotes {
    fn drop(&mut self) {
        RECYCLED.keep(take(&mut self.all));
    }
}

impl LoadNote {
    /// The warp of a row, as CTA and warp number; `serial` is the CTA of the first row.
    fn warp_of(&self, row: u32, serial: u32, warps: u32) -> (u32, u32) {
        let warp = self.warp + row;
        (serial.wrapping_add(warp / warps), warp % warps)
    }
}

/// Receives the races of a load with its CTA's serial number.
type Tell<'t> = &'t mut dyn FnMut(u32, &At, &Access<'_>, &mut Vec<LaneRace>);

impl Loads {
    /// Deferred loads of a launch; `None` if a concurrent launch may store at any time.
    pub(super) fn of(order: &Order, info: &LaunchInfo<'_>) -> Option<Self> {
        if !order.is_alone() {
            return None;
        }
        let heap = info.config.heap.map(|heap| heap.base());
        let allocations = info.config.memory.blocks().iter().map(|(base, block)| {
            let len = block.size() as u64;
            // The device heap reuses memory, so its loads are not deferred.
            let is_noted = heap != Some(*base) && len <= u32::MAX.into();
            let state = AtomicU8::new(if is_noted { OPEN } else { MATERIALIZED });
            Allocation { base: *base, len, state }
        });
        let config = info.config;
        let are_interleaved =
            config.cooperative || config.schedule.is_some() || config.cluster.is_some();
        let threads = config.block.iter().map(|&n| n.max(1)).product::<u32>();
        Some(Self {
            order: order.clone(),
            allocations: allocations.collect(),
            warps: threads.div_ceil(32),
            are_interleaved,
            notes: Mutex::default(),
            bytes: AtomicUsize::default(),
            materializing: Mutex::default(),
            entered: AtomicU32::default(),
        })
    }

    /// The serial number of the launch's first CTA.
    pub(super) fn first(&self) -> u32 {
        self.order.serial(0)
    }

    /// Measures its notes when the launch has ended.
    pub(super) fn measure(&self) {
        let of = |noted: &Noted| lock(noted).iter().map(LoadNotes::bytes).sum::<usize>();
        self.bytes.store(lock(&self.notes).iter().map(of).sum(), Ordering::Relaxed);
    }

    /// Size of its notes in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    /// The index of the allocation at an address.
    fn find(&self, address: u64) -> Option<usize> {
        let i = self.allocations.partition_point(|a| a.base <= address).checked_sub(1)?;
        self.allocations[i].has(address).then_some(i)
    }

    /// Enters all notes into the shadow.
    pub(super) fn materialize_all(&self, shadow: &Shadow) {
        (0..self.allocations.len()).for_each(|i| self.materialize(i, shadow));
        self.bytes.store(0, Ordering::Relaxed);
    }

    /// Enters the notes of an allocation into the shadow. Afterwards no more notes are made for it.
    fn materialize(&self, i: usize, shadow: &Shadow) {
        let state = &self.allocations[i].state;
        if state.load(Ordering::Acquire) == MATERIALIZED {
            return;
        }
        let _one = lock(&self.materializing);
        if state.load(Ordering::Acquire) == MATERIALIZED {
            return;
        }
        // Before the locks of the notes are taken, so that a worker which hands its notes over
        // later sees that it has to enter them.
        state.store(MATERIALIZING, Ordering::SeqCst);
        self.entered.fetch_add(1, Ordering::SeqCst);
        let all: Vec<Noted> = lock(&self.notes).clone();
        let mut none = |_, _: &At, _: &Access<'_>, races: &mut Vec<LaneRace>| {
            debug_assert!(false, "nothing has been stored");
            races.clear();
        };
        for noted in all {
            let notes = lock(&noted).get_mut(i).map(take).unwrap_or_default();
            self.make((i, &notes), shadow, &self.order, &mut none);
        }
        state.store(MATERIALIZED, Ordering::Release);
    }

    /// Enters notes of allocation `i` into the shadow.
    fn make(
        &self,
        (i, notes): (usize, &LoadNotes),
        shadow: &Shadow,
        order: &Order,
        tell: Tell<'_>,
    ) {
        let (mut pages, cta) = (Pages::new(shadow), Cta::default());
        let (mut offsets, mut races) = (notes.offsets.iter(), Vec::new());
        let each_row = |note: &LoadNote| {
            (0..note.count).map({
                let note = *note;
                move |row| (note, row)
            })
        };
        for (note, row) in notes.all.iter().flat_map(each_row) {
            let WarpClock { serial, now, all, of_warp } = notes.clocks[note.clock as usize];
            let (serial, warp) = note.warp_of(row, serial, self.warps);
            let (size, elements) = (u32::from(note.elements.0), u32::from(note.elements.1));
            let bytes = u64::from(size * elements);
            let addresses: [u64; 32] = match note.lies {
                AddressShape::Row => std::array::from_fn(|i| {
                    note.first.wrapping_add((u64::from(row) * 32 + i as u64) * bytes)
                }),
                AddressShape::One => [note.first; 32],
                AddressShape::Any => {
                    let Some(offsets) = offsets.next() else { return };
                    offsets.map(|offset| self.allocations[i].base + u64::from(offset))
                }
            };
            let access = Access {
                operation: AccessOp::Load,
                space: SpaceKind::Global,
                addresses: &addresses,
                arrangement: Arrangement::of(&addresses, note.lanes, size * elements),
                size,
                elements,
                order: How::default(),
                values: Values::default(),
            };
            let at = At { cta: [0; 3], warp, lanes: note.lanes, op: note.op };
            let below = self.order.below;
            let view = View { serial, near: false, below, now, all, of_warp, cta: &cta, order };
            let warp = Warp::new(&at, &access, &view);
            let (epoch, rest) = (view.epoch(), pages.rows(&warp, &view, view.epoch()));
            pages.access(&warp, &view, (epoch, rest), &mut races);
            if !races.is_empty() {
                tell(serial, &at, &access, &mut races);
            }
        }
    }
}

impl Allocation {
    fn has(&self, address: u64) -> bool {
        address.wrapping_sub(self.base) < self.len
    }
}

/// A load that was noted recently: by one warp at one time, or by two CTAs. The alignment keeps it
/// in one line of the cache, which most of the table is not in.
#[derive(Clone, Copy, Default)]
#[repr(align(32))]
struct RecentLoad {
    what: (u64, u32, u32),
    serials: [u32; 2],
    /// The time; the warp, of which a CTA has at most 32, in the upper bits, and the operation.
    by: (u32, u32),
}

/// What became of an access to global memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Deferral {
    /// The access is noted.
    Noted,
    /// The access has to be recorded in the shadow, where the notes of its allocation are.
    Recorded,
    /// The notes of its allocations have to be entered into the shadow
    /// ([`DeferredLoads::enter_notes`]); then the access has to be recorded, unless it is `noted`.
    Ends { noted: bool },
}

/// The deferred loads of a worker.
pub(super) struct DeferredLoads {
    of: Option<Arc<Loads>>,
    /// Where others find the notes.
    shared: Noted,
    /// The notes while the worker has them to itself.
    own: Vec<LoadNotes>,
    /// [`Loads::entered`] at the last look for own notes that others have left to the worker.
    entered: u32,
    /// For each operation, the allocation that it accessed last.
    last: Vec<u32>,
    seen: Vec<RecentLoad>,
    /// The offsets of the lanes of the current access.
    offsets: [u32; 32],
}

impl DeferredLoads {
    pub(super) fn new(of: Option<Arc<Loads>>, operations: usize) -> Self {
        let shared = Noted::default();
        if let Some(of) = &of {
            lock(&shared).resize_with(of.allocations.len(), LoadNotes::default);
            lock(&of.notes).push(Arc::clone(&shared));
        }
        let (last, seen) = (vec![0; operations], Vec::new());
        Self { of, shared, own: Vec::new(), entered: 0, last, seen, offsets: [0; 32] }
    }

    /// Notes an access if it is a load that can be deferred.
    #[inline]
    pub(super) fn note(&mut self, at: &At, access: &Access<'_>, cta: &Cta) -> Deferral {
        let Some(of) = &self.of else { return Deferral::Recorded };
        let first = access.addresses[at.lanes.trailing_zeros() as usize & 31];
        let mut i = self.last.get(at.op as usize).map_or(0, |&i| i as usize);
        if !of.allocations.get(i).is_some_and(|a| a.has(first)) {
            // An address outside every allocation is a fault.
            let Some(found) = of.find(first) else { return Deferral::Recorded };
            self.last.get_mut(at.op as usize).into_iter().for_each(|i| *i = found as u32);
            i = found;
        }
        let allocation = &of.allocations[i];
        let ends = access.arrangement.ends(at.lanes, access.bytes());
        let (sum, is_inside) = match ends {
            Some([_, last]) => (0, allocation.has(last)),
            None => allocation.offsets(access.addresses, at.lanes, &mut self.offsets),
        };
        if !is_inside {
            return Deferral::Ends { noted: false };
        }
        let state = allocation.state.load(Ordering::Acquire);
        if state == MATERIALIZED && self.own.get(i).is_none_or(|notes| notes.all.is_empty()) {
            return Deferral::Recorded;
        }
        let is_weak = access.order.semantics == Semantics::Weak;
        if state == MATERIALIZED || access.operation != AccessOp::Load || !is_weak {
            return Deferral::Ends { noted: false };
        }
        if self.seen.is_empty() {
            self.seen = vec![RecentLoad::default(); SEEN];
        }
        let (lies, place) = match access.arrangement {
            Arrangement::Row(first) => (AddressShape::Row, first),
            Arrangement::One(at) => (AddressShape::One, at),
            Arrangement::Other => (AddressShape::Any, sum),
        };
        let recent = RecentLoad::new(at, access, (lies, place), cta);
        let seen = &mut self.seen[(place.wrapping_mul(FACTOR) >> 52) as usize % SEEN];
        // Such a load is in the notes, or was entered into the shadow with them.
        if seen.covers(&recent) {
            return Deferral::Noted;
        }
        if state != OPEN {
            return Deferral::Ends { noted: false };
        }
        if self.own.is_empty() {
            self.own = take(&mut *lock(&self.shared));
        }
        let (notes, of_warp) = (&mut self.own[i], cta.of_warp(at.warp));
        let clock = WarpClock { serial: cta.serial, now: cta.now, all: cta.all, of_warp };
        let new = LoadNote {
            first: place,
            lies,
            elements: (access.size as u8, access.elements as u8),
            warp: at.warp,
            lanes: at.lanes,
            op: at.op,
            count: 1,
            clock: 0,
        };
        if !notes.goes_on(&new, &clock, of.warps) {
            seen.add(&recent);
            notes.push(new, clock);
            if lies == AddressShape::Any {
                notes.offsets.push(self.offsets);
            }
        }
        if notes.bytes() > MAX {
            return Deferral::Ends { noted: true };
        }
        if of.are_interleaved {
            *lock(&self.shared) = take(&mut self.own);
        }
        Deferral::Noted
    }

    /// Enters the notes of all allocations that an access touches into the shadow.
    #[cold]
    pub(super) fn enter_notes(
        &mut self,
        (at, access): (&At, &Access<'_>),
        shadow: &Shadow,
        tell: Tell<'_>,
    ) {
        self.publish(shadow, tell);
        let Some(of) = &self.of else { return };
        for lane in super::access::lanes(at.lanes) {
            let found = of.find(access.addresses[lane as usize]);
            found.into_iter().for_each(|i| of.materialize(i, shadow));
        }
    }

    /// Whether others have left notes to the worker, or may have.
    #[inline]
    pub(super) fn are_left(&self) -> bool {
        !self.own.is_empty()
            && self.of.as_ref().is_some_and(|of| of.entered.load(Ordering::Relaxed) != self.entered)
    }

    /// Hands the notes over, and enters those into the shadow that others have left to the worker.
    pub(super) fn publish(&mut self, shadow: &Shadow, tell: Tell<'_>) {
        let Some(of) = self.of.as_ref().filter(|_| !self.own.is_empty()) else { return };
        let left: Vec<(usize, LoadNotes)> = {
            let mut shared = lock(&self.shared);
            *shared = take(&mut self.own);
            // Whoever finds nothing there has counted before.
            let entered = of.entered.load(Ordering::SeqCst);
            if entered == self.entered {
                return;
            }
            self.entered = entered;
            let is_left = |i: usize| of.allocations[i].state.load(Ordering::SeqCst) != OPEN;
            let left = shared.iter_mut().enumerate();
            let left = left.filter(|(i, notes)| !notes.all.is_empty() && is_left(*i));
            left.map(|(i, notes)| (i, take(notes))).collect()
        };
        let order = of.order.before_later();
        left.iter().for_each(|(i, notes)| of.make((*i, notes), shadow, &order, tell));
    }
}

impl Allocation {
    /// Stores the offset of each lane, 0 for inactive ones. Returns a hash of them, and whether all
    /// are inside.
    #[inline(never)]
    fn offsets(&self, addresses: &[u64; 32], lanes: u32, offsets: &mut [u32; 32]) -> (u64, bool) {
        Build::current().run(
            #[inline(always)]
            || {
                let (mut sum, mut most, mut factor) = (self.base, 0, FACTOR);
                for (lane, (to, &address)) in offsets.iter_mut().zip(addresses).enumerate() {
                    let here = 0_u64.wrapping_sub(u64::from(lanes >> lane & 1));
                    let offset = address.wrapping_sub(self.base) & here;
                    most = most.max(offset);
                    *to = offset as u32;
                    sum = sum.wrapping_add((offset & 0xffff_ffff).wrapping_mul(factor));
                    factor = factor.wrapping_add(2_u64.wrapping_mul(FACTOR));
                }
                (sum, most < self.len)
            },
        )
    }
}

impl RecentLoad {
    fn new(at: &At, access: &Access<'_>, (lies, place): (AddressShape, u64), cta: &Cta) -> Self {
        let how = lies as u32 | access.size << 8 | access.elements << 16;
        let by = (cta.now, at.warp << 27 | at.op);
        Self { what: (place, at.lanes, how), serials: [cta.serial, 0], by }
    }

    /// Whether a load is redundant: it was noted by two CTAs, or by the same warp at the same time.
    fn covers(&self, load: &Self) -> bool {
        let [first, second] = self.serials;
        let again = first == load.serials[0] && self.by == load.by;
        self.what == load.what && (second != 0 || again)
    }

    /// Remembers that a load is noted which was not redundant.
    fn add(&mut self, load: &Self) {
        if self.what != load.what {
            *self = *load;
        } else if self.serials[0] == load.serials[0] {
            self.by = load.by;
        } else {
            self.serials[1] = load.serials[0];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_load_is_redundant_if_repeated_or_noted_by_two_ctas() {
        let load = |serial, op| RecentLoad { what: (128, 1, 4), serials: [serial, 0], by: (1, op) };
        let mut seen = RecentLoad::default();
        assert!(!seen.covers(&load(1, 0)));
        seen.add(&load(1, 0));
        assert!(seen.covers(&load(1, 0)) && !seen.covers(&load(1, 1)) && !seen.covers(&load(2, 0)));
        seen.add(&load(1, 1));
        assert!(seen.covers(&load(1, 1)) && !seen.covers(&load(1, 0)));
        seen.add(&load(2, 0));
        assert!(seen.covers(&load(3, 2)));
        seen.add(&RecentLoad { what: (256, 1, 4), ..load(3, 2) });
        assert!(!seen.covers(&load(3, 2)));
    }
}
