//! Deferred loads: a load from an allocation that the launch has not stored to cannot race yet.
//!
//! Such a load is appended to a list, which is cheaper than a record in the shadow memory of each
//! word, and most lists are never needed. The first other access to the allocation (a store, copy,
//! atomic or volatile load) records its listed loads in the shadow memory, in their order and with
//! the vector clocks that they had ([`Loads::materialize`]). The same happens when the host
//! accesses the allocation, and when a concurrent launch begins.
//!
//! A worker thread owns its lists, so that appending takes no lock. It publishes them
//! ([`DeferredLoads::publish`]) at its end, at a strong access to global memory (which may publish
//! a vector clock), and at other synchronisation with CTAs of other workers. Another worker that
//! materializes an allocation finds only published lists. The owner records the rest when it
//! publishes: until then no access is ordered after these loads, and no access that other workers
//! have recorded is ordered before them.

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

/// Maximum size in bytes of a worker's list for one allocation. A longer list is recorded in the
/// shadow memory.
const MAX: usize = 64 << 20;
/// Memory of the lists of earlier launches, at most four times [`MAX`].
static RECYCLED: Recycled<LoadNote> = Recycled::new(4, MAX / size_of::<LoadNote>());
/// Number of entries in the table of recently listed loads.
const SEEN: usize = 1 << 12;

/// An odd multiplier for hashing (2^64 divided by the golden ratio).
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// States of an allocation: loads are listed; the listed loads are being recorded in the shadow
/// memory; loads are recorded in the shadow memory at once.
const OPEN: u8 = 0;
const MATERIALIZING: u8 = 1;
const MATERIALIZED: u8 = 2;

/// The deferred loads of a launch, by all its workers.
#[derive(Debug)]
pub(super) struct Loads {
    order: Order,
    /// The allocations of the program, sorted by address.
    allocations: Vec<Allocation>,
    /// Number of warps of a CTA.
    warps: u32,
    /// Whether a host thread executes several CTAs in turn, each with a worker of its own. Then
    /// each load is published at once.
    are_interleaved: bool,
    /// The published lists of each worker.
    notes: Mutex<Vec<Noted>>,
    /// Size of the lists in bytes, measured when the launch has ended.
    bytes: AtomicUsize,
    /// Held while listed loads are being recorded in the shadow memory.
    materializing: Mutex<()>,
    /// Number of allocations whose listed loads are recorded in the shadow memory, or are being
    /// recorded there.
    entered: AtomicU32,
}

#[derive(Debug)]
struct Allocation {
    base: u64,
    len: u64,
    state: AtomicU8,
}

/// The published lists of a worker, by allocation; empty while the worker owns them.
type Noted = Arc<Mutex<Vec<LoadNotes>>>;

#[derive(Debug, Default)]
struct LoadNotes {
    all: Vec<LoadNote>,
    /// The vector clocks of the listed loads.
    clocks: Vec<WarpClock>,
    /// The offset of each lane in the allocation, for each listed load whose arrangement is
    /// [`AddressShape::Any`].
    offsets: Vec<[u32; 32]>,
}

/// How the lane addresses of a listed load are arranged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AddressShape {
    Row,
    One,
    /// Arbitrary addresses, which are stored in `offsets`.
    Any,
}

/// The vector clock of a warp at a load, as far as it is not shared with other CTAs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct WarpClock {
    serial: u32,
    now: u32,
    all: u32,
    of_warp: u32,
}

/// A listed load of a warp. If the following warps load the following addresses, they are part of
/// the same entry (rows).
#[derive(Clone, Copy, Debug)]
struct LoadNote {
    /// The address of lane 0, or the address of all lanes.
    first: u64,
    lies: AddressShape,
    /// Bytes of an element, and the number of elements of each lane.
    elements: (u8, u8),
    warp: u32,
    lanes: u32,
    op: u32,
    /// Number of rows: warps with consecutive numbers that load consecutive addresses.
    count: u32,
    /// Index of the vector clock of the first row.
    clock: u32,
}

impl LoadNotes {
    fn bytes(&self) -> usize {
        self.all.len() * size_of::<LoadNote>()
            + self.clocks.len() * size_of::<WarpClock>()
            + self.offsets.len() * size_of::<[u32; 32]>()
    }

    /// Adds the load to the last entry as its next row. Returns false if it does not continue the
    /// rows.
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

    /// Appends an entry to the list.
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
    /// The CTA's serial number and the warp's number for a row of the entry; `serial` is the CTA of
    /// the first row, and each CTA has `warps` warps.
    fn warp_of(&self, row: u32, serial: u32, warps: u32) -> (u32, u32) {
        let warp = self.warp + row;
        (serial.wrapping_add(warp / warps), warp % warps)
    }
}

/// Receives the races of a deferred load, with the serial number of its CTA.
type Tell<'t> = &'t mut dyn FnMut(u32, &At, &Access<'_>, &mut Vec<LaneRace>);

impl Loads {
    /// The deferred loads of a launch; `None` if another launch is concurrent, which may store at
    /// any time.
    pub(super) fn of(order: &Order, info: &LaunchInfo<'_>) -> Option<Self> {
        if !order.is_alone() {
            return None;
        }
        let heap = info.config.heap.map(|heap| heap.base());
        let allocations = info.config.memory.blocks().iter().map(|(base, block)| {
            let len = block.size() as u64;
            // The device heap reuses memory within a launch, so that loads from it are not
            // deferred.
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

    /// Measures the size of the lists when the launch has ended.
    pub(super) fn measure(&self) {
        let of = |noted: &Noted| lock(noted).iter().map(LoadNotes::bytes).sum::<usize>();
        self.bytes.store(lock(&self.notes).iter().map(of).sum(), Ordering::Relaxed);
    }

    /// The size of the lists in bytes, which [`Self::measure`] has measured.
    pub(super) fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    /// The index of the allocation that contains an address.
    fn find(&self, address: u64) -> Option<usize> {
        let i = self.allocations.partition_point(|a| a.base <= address).checked_sub(1)?;
        self.allocations[i].has(address).then_some(i)
    }

    /// Records all published loads of the launch in the shadow memory.
    pub(super) fn materialize_all(&self, shadow: &Shadow) {
        (0..self.allocations.len()).for_each(|i| self.materialize(i, shadow));
        self.bytes.store(0, Ordering::Relaxed);
    }

    /// Records the published loads from an allocation in the shadow memory. Afterwards no load from
    /// it is deferred.
    fn materialize(&self, i: usize, shadow: &Shadow) {
        let state = &self.allocations[i].state;
        if state.load(Ordering::Acquire) == MATERIALIZED {
            return;
        }
        let _one = lock(&self.materializing);
        if state.load(Ordering::Acquire) == MATERIALIZED {
            return;
        }
        // The state changes before the locks of the lists are taken. A worker that publishes its
        // list later sees the new state, and records its loads itself.
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

    /// Records the listed loads from allocation `i` in the shadow memory.
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

/// A load that was listed recently: by one warp at one time, or by two CTAs. The alignment keeps an
/// entry in one cache line, since the table is larger than the cache.
#[derive(Clone, Copy, Default)]
#[repr(align(32))]
struct RecentLoad {
    what: (u64, u32, u32),
    serials: [u32; 2],
    /// The time of the CTA; and the warp (32 at most) in the upper bits, with the operation in the
    /// lower ones.
    by: (u32, u32),
}

/// What has to be done with an access to global memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Deferral {
    /// Nothing: the access is listed.
    Noted,
    /// The access has to be recorded in the shadow memory. No listed load precedes it.
    Recorded,
    /// The listed loads from the access's allocations have to be recorded in the shadow memory
    /// ([`DeferredLoads::enter_notes`]). Then the access itself has to be recorded, unless it is in
    /// the list (`noted`).
    Ends { noted: bool },
}

/// The deferred loads of a worker thread.
pub(super) struct DeferredLoads {
    of: Option<Arc<Loads>>,
    /// The lists as other workers see them.
    shared: Noted,
    /// The lists while the worker owns them.
    own: Vec<LoadNotes>,
    /// The value of [`Loads::entered`] when the worker last checked it.
    entered: u32,
    /// For each operation, the allocation that it accessed last.
    last: Vec<u32>,
    seen: Vec<RecentLoad>,
    /// The offsets of the current access's lanes in its allocation.
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

    /// Lists an access, if it is a load that can be deferred.
    #[inline]
    pub(super) fn note(&mut self, at: &At, access: &Access<'_>, cta: &Cta) -> Deferral {
        let Some(of) = &self.of else { return Deferral::Recorded };
        let first = access.addresses[at.lanes.trailing_zeros() as usize & 31];
        let mut i = self.last.get(at.op as usize).map_or(0, |&i| i as usize);
        if !of.allocations.get(i).is_some_and(|a| a.has(first)) {
            // An address outside every allocation is a fault, which the simulator reports.
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
        // The load is redundant: an equal one is in the list, or was recorded in the shadow memory.
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

    /// Records the listed loads from all allocations that an access touches in the shadow memory.
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

    /// Whether another worker may have recorded listed loads in the shadow memory, and missed those
    /// that this worker owns.
    #[inline]
    pub(super) fn are_left(&self) -> bool {
        !self.own.is_empty()
            && self.of.as_ref().is_some_and(|of| of.entered.load(Ordering::Relaxed) != self.entered)
    }

    /// Publishes the lists that the worker owns. If another worker has recorded the loads from an
    /// allocation in the shadow memory meanwhile, the published ones are recorded there, too.
    pub(super) fn publish(&mut self, shadow: &Shadow, tell: Tell<'_>) {
        let Some(of) = self.of.as_ref().filter(|_| !self.own.is_empty()) else { return };
        let left: Vec<(usize, LoadNotes)> = {
            let mut shared = lock(&self.shared);
            *shared = take(&mut self.own);
            // A worker that records the loads of an allocation increments the counter before it
            // reads the published lists. If it has found this list empty, the new value is seen
            // here.
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
    /// Stores the offset of each lane in the allocation, 0 for inactive lanes. Returns a hash of
    /// the offsets, and whether all lanes are inside the allocation.
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

    /// Whether a load is redundant: an equal load was listed by two CTAs, or by the same warp at
    /// the same time.
    fn covers(&self, load: &Self) -> bool {
        let [first, second] = self.serials;
        let again = first == load.serials[0] && self.by == load.by;
        self.what == load.what && (second != 0 || again)
    }

    /// Adds a listed load to the table.
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
