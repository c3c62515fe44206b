//! Deferred loads: loads from allocations that have not been stored to since the launch began
//! cannot race yet.
//!
//! Such a load is recorded as one note instead of in the shadow of each word, and most notes are
//! never needed. The first other access to the allocation (a store, copy, atomic or volatile load)
//! enters its notes into the shadow, in their order and with the clocks of their time
//! ([`Loads::materialize`]). The same happens when the host accesses the allocation, and when a
//! concurrent launch begins.

use super::access::{Octet, Shape, Warp};
use super::happens_before::Cta;
use super::launch::Order;
use super::pages::Pages;
use super::shadow::{Shadow, lock};
use super::stamp::AccessKind;
use super::view::View;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use texunit_simt::SpaceKind;
use texunit_simt::observe::{Access, AccessOp, At, LaunchInfo, Order as How, Values};

/// Maximum size of a worker's notes for an allocation; beyond it, they are entered into the shadow.
const MAX: usize = 64 << 20;
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
    /// The notes of each worker.
    notes: Mutex<Vec<Noted>>,
    /// Size of the notes in bytes, once the launch has ended.
    bytes: AtomicUsize,
    /// Held while notes are entered into the shadow.
    materializing: Mutex<()>,
}

#[derive(Debug)]
struct Allocation {
    base: u64,
    len: u64,
    state: AtomicU8,
}

/// The notes of a worker, by allocation.
type Noted = Arc<Mutex<Vec<LoadNotes>>>;

#[derive(Debug, Default)]
struct LoadNotes {
    all: Vec<LoadNote>,
    /// The offset of each lane in the allocation, for the notes whose addresses are not a row, in
    /// order.
    offsets: Vec<[u32; 32]>,
}

/// The arrangement of a note's addresses, in compact form.
#[derive(Clone, Copy, Debug)]
enum AddressShape {
    Row(u64),
    One(u64),
    /// Arbitrary addresses, stored in `offsets`.
    Any,
}

/// A noted load; for rows, also the same load by the following warps of the following rows.
#[derive(Clone, Copy, Debug)]
struct LoadNote {
    lies: AddressShape,
    at: (u32, u32, u32),
    /// Number of rows of the note.
    count: u32,
    elements: (u32, u32),
    /// The warp's clock at the load.
    serial: u32,
    now: u32,
    all: u32,
    of_warp: u32,
}

impl LoadNotes {
    fn bytes(&self) -> usize {
        self.all.len() * size_of::<LoadNote>() + self.offsets.len() * size_of::<[u32; 32]>()
    }
}

impl LoadNote {
    /// The warp after the last one of the note, as CTA and warp number.
    fn next(&self, warps: u32) -> (u32, u32) {
        self.warp(self.count, warps)
    }

    /// The warp of a row, as CTA and warp number.
    fn warp(&self, row: u32, warps: u32) -> (u32, u32) {
        let warp = self.at.0 + row;
        (self.serial.wrapping_add(warp / warps), warp % warps)
    }

    /// Merges a load that continues the note's rows. Returns false if it does not.
    #[inline]
    fn goes_on(&mut self, by: &Self, warps: u32) -> bool {
        let (AddressShape::Row(first), AddressShape::Row(at)) = (self.lies, by.lies) else {
            return false;
        };
        let (of, lanes, op) = self.at;
        let bytes = u64::from(self.elements.0 * self.elements.1) * 32 * u64::from(self.count);
        let is_next = at == first.wrapping_add(bytes)
            && (lanes, op) == (by.at.1, by.at.2)
            && self.elements == by.elements
            && (self.now, self.all, self.of_warp) == (by.now, by.all, by.of_warp)
            && self.next(warps) == (by.serial, by.at.0)
            && of < warps
            && self.count < u32::MAX / 2;
        self.count += u32::from(is_next);
        is_next
    }
}

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
        let threads = info.config.block.iter().map(|&n| n.max(1)).product::<u32>();
        Some(Self {
            order: order.clone(),
            allocations: allocations.collect(),
            warps: threads.div_ceil(32),
            notes: Mutex::default(),
            bytes: AtomicUsize::default(),
            materializing: Mutex::default(),
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
        // A worker checks the state while it holds the lock of its notes.
        state.store(MATERIALIZING, Ordering::SeqCst);
        let all: Vec<Noted> = lock(&self.notes).clone();
        for noted in all {
            let notes = lock(&noted).get_mut(i).map(std::mem::take);
            notes.into_iter().for_each(|notes| self.make(i, &notes, shadow));
        }
        state.store(MATERIALIZED, Ordering::Release);
    }

    fn make(&self, i: usize, notes: &LoadNotes, shadow: &Shadow) {
        let (mut pages, cta) = (Pages::new(shadow), Cta::default());
        let (mut offsets, mut races) = (notes.offsets.iter(), Vec::new());
        let each_row = |note: &LoadNote| {
            (0..note.count).map({
                let note = *note;
                move |row| (note, row)
            })
        };
        for (note, row) in notes.all.iter().flat_map(each_row) {
            let (_, lanes, op) = note.at;
            let (serial, warp) = note.warp(row, self.warps);
            let (size, elements) = note.elements;
            let bytes = u64::from(size * elements);
            let addresses: [u64; 32] = match note.lies {
                AddressShape::Row(first) => std::array::from_fn(|i| {
                    first.wrapping_add((u64::from(row) * 32 + i as u64) * bytes)
                }),
                AddressShape::One(at) => [at; 32],
                AddressShape::Any => {
                    let Some(offsets) = offsets.next() else { return };
                    offsets.map(|offset| self.allocations[i].base + u64::from(offset))
                }
            };
            let access = Access {
                operation: AccessOp::Load,
                space: SpaceKind::Global,
                addresses: &addresses,
                size,
                elements,
                order: How::default(),
                values: Values::default(),
            };
            let at = At { cta: [0; 3], warp, lanes, op };
            let LoadNote { now, all, of_warp, .. } = note;
            let (below, order) = (self.order.below, &self.order);
            let view = View { serial, near: false, below, now, all, of_warp, cta: &cta, order };
            let warp = Warp::new(&at, &access, &view);
            let (epoch, rest) = (view.epoch(), pages.rows(&warp, &view, view.epoch()));
            pages.access(&warp, &view, (epoch, rest), &mut races);
        }
        debug_assert!(races.is_empty(), "nothing has been stored");
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

/// The deferred loads of a worker.
pub(super) struct DeferredLoads {
    of: Option<Arc<Loads>>,
    noted: Noted,
    /// For each operation, the allocation that it accessed last.
    last: Vec<u32>,
    seen: Vec<RecentLoad>,
}

impl DeferredLoads {
    pub(super) fn new(of: Option<Arc<Loads>>, operations: usize) -> Self {
        let noted = Noted::default();
        if let Some(of) = &of {
            lock(&noted).resize_with(of.allocations.len(), LoadNotes::default);
            lock(&of.notes).push(Arc::clone(&noted));
        }
        Self { of, noted, last: vec![0; operations], seen: Vec::new() }
    }

    /// Notes an access if it is a load that can be deferred. Returns false if it has to be recorded
    /// in the shadow; the notes of its allocation are then in the shadow already.
    #[inline]
    pub(super) fn note(&mut self, warp: &Warp<'_>, view: &View<'_>, shadow: &Shadow) -> bool {
        let Some(of) = &self.of else { return false };
        let first = warp.access.addresses[warp.at.lanes.trailing_zeros() as usize & 31];
        let mut i = self.last.get(warp.at.op as usize).map_or(0, |&i| i as usize);
        if !of.allocations.get(i).is_some_and(|a| a.has(first)) {
            // An address outside every allocation is a fault.
            let Some(found) = of.find(first) else { return false };
            self.last.get_mut(warp.at.op as usize).into_iter().for_each(|i| *i = found as u32);
            i = found;
        }
        let allocation = &of.allocations[i];
        let (bytes, shape) = (u64::from(warp.access.bytes()), warp.shape);
        let is_inside = match shape {
            Shape::One(_) => true,
            Shape::Row(first) => {
                let last =
                    first.wrapping_add(bytes * u64::from(31 - warp.at.lanes.leading_zeros()));
                allocation.has(last)
            }
            Shape::Octets => warp.octets.iter().all(|octet| {
                let last = if octet.is_row { 7 * bytes } else { 0 };
                allocation.has(octet.at) && allocation.has(octet.at.wrapping_add(last))
            }),
            Shape::Any => (0..32)
                .all(|l| warp.at.lanes >> l & 1 == 0 || allocation.has(warp.access.addresses[l])),
        };
        if !is_inside {
            for lane in super::access::lanes(warp.at.lanes) {
                let found = of.find(warp.access.addresses[lane as usize]);
                found.into_iter().for_each(|i| of.materialize(i, shadow));
            }
            return false;
        }
        if allocation.state.load(Ordering::Acquire) == MATERIALIZED {
            return false;
        }
        if warp.access.operation != AccessOp::Load || warp.kind != AccessKind::WEAK {
            of.materialize(i, shadow);
            return false;
        }
        let lies = match shape {
            Shape::Row(first) => AddressShape::Row(first),
            Shape::One(at) => AddressShape::One(at),
            Shape::Octets | Shape::Any => AddressShape::Any,
        };
        let new = LoadNote {
            lies,
            at: (warp.at.warp, warp.at.lanes, warp.at.op),
            count: 1,
            elements: (warp.access.size, warp.access.elements),
            serial: view.serial,
            now: view.now,
            all: view.all,
            of_warp: view.of_warp,
        };
        let mut offsets = [0; 32];
        if matches!(lies, AddressShape::Any) {
            for (l, (to, &address)) in offsets.iter_mut().zip(warp.access.addresses).enumerate() {
                let offset = address.wrapping_sub(allocation.base) as u32;
                *to = if warp.at.lanes >> l & 1 == 1 { offset } else { 0 };
            }
        }
        if self.seen.is_empty() {
            self.seen = vec![RecentLoad::default(); SEEN];
        }
        let recent = RecentLoad::new(warp, view, (first, &offsets));
        let seen = &mut self.seen[(recent.what.0.wrapping_mul(FACTOR) >> 52) as usize % SEEN];
        // Without the lock: such a load is in the notes, or was entered into the shadow with them.
        if seen.covers(&recent) {
            return true;
        }
        let mut noted = lock(&self.noted);
        if allocation.state.load(Ordering::Relaxed) != OPEN {
            drop(noted);
            of.materialize(i, shadow);
            return false;
        }
        let notes = &mut noted[i];
        if notes.all.last_mut().is_some_and(|last| last.goes_on(&new, of.warps)) {
            return true;
        }
        seen.add(&recent);
        notes.all.push(new);
        if matches!(lies, AddressShape::Any) {
            notes.offsets.push(offsets);
        }
        if notes.bytes() > MAX {
            drop(noted);
            of.materialize(i, shadow);
        }
        true
    }
}

impl RecentLoad {
    fn new(warp: &Warp<'_>, view: &View<'_>, (first, offsets): (u64, &[u32; 32])) -> Self {
        let (kind, at) = match warp.shape {
            Shape::Row(first) => (1, first),
            Shape::One(at) => (2, at),
            Shape::Octets => {
                let sum = |sum: u64, octet: &Octet| {
                    (sum ^ octet.at).rotate_left(7 + u32::from(octet.is_row)).wrapping_mul(FACTOR)
                };
                (4, warp.octets.iter().fold(0, sum))
            }
            Shape::Any => {
                let factors = (0..).map(|i| FACTOR.wrapping_mul(2 * i + 1));
                let products = offsets.iter().zip(factors);
                let sum = |sum: u64, (&offset, factor): (&u32, u64)| {
                    sum.wrapping_add(u64::from(offset).wrapping_mul(factor))
                };
                (3, products.fold(first, sum))
            }
        };
        let how = kind | warp.access.size << 8 | warp.access.elements << 16;
        let by = (view.now, warp.at.warp << 27 | warp.at.op);
        Self { what: (at, warp.at.lanes, how), serials: [view.serial, 0], by }
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
