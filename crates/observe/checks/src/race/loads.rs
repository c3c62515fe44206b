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
//! records the loads of an allocation finds only published lists. The owner records the rest when
//! it publishes: until then no access is ordered after these loads, and no access that other
//! workers have recorded is ordered before them.

mod list;
mod worker;

pub(super) use worker::{Deferral, DeferredLoads};

use super::access::{LaneRace, Warp};
use super::fasttrack::View;
use super::happens_before::Cta;
use super::order::Order;
use super::pages::Pages;
use super::shadow::Shadow;
use crate::lock;
use list::{AddressShape, LoadList, WarpClock};
use std::mem::take;
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use texunit_simt::SpaceKind;
use texunit_simt::observe::{Access, AccessOp, Arrangement, At, LaunchInfo, Order as How, Values};

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
    published: Mutex<Vec<Published>>,
    /// Size of the lists in bytes, measured when the launch has ended.
    bytes: AtomicUsize,
    /// A lock that is held while listed loads are being recorded in the shadow memory.
    materializing: Mutex<()>,
    /// Number of allocations whose listed loads are recorded in the shadow memory, or are being
    /// recorded there.
    materialized: AtomicU32,
}

#[derive(Debug)]
struct Allocation {
    base: u64,
    len: u64,
    state: AtomicU8,
}

/// The published lists of a worker, by allocation; empty while the worker owns them.
type Published = Arc<Mutex<Vec<LoadList>>>;

/// Receives the races of a deferred load, with the serial number of its CTA.
type ReportRaces<'t> = &'t mut dyn FnMut(u32, &At, &Access<'_>, &mut Vec<LaneRace>);

impl Loads {
    /// The deferred loads of a launch; `None` if another launch is concurrent, which may store at
    /// any time.
    pub(super) fn of(order: &Order, info: &LaunchInfo<'_>) -> Option<Self> {
        if !order.others.is_empty() {
            return None;
        }
        let heap = info.config.heap.map(|heap| heap.base());
        let allocations = info.config.memory.blocks().iter().map(|(base, block)| {
            let len = block.size() as u64;
            // The device heap reuses memory within a launch, so that loads from it are not
            // deferred.
            let is_deferred = heap != Some(*base) && len <= u32::MAX.into();
            let state = AtomicU8::new(if is_deferred { OPEN } else { MATERIALIZED });
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
            published: Mutex::default(),
            bytes: AtomicUsize::default(),
            materializing: Mutex::default(),
            materialized: AtomicU32::default(),
        })
    }

    /// The serial number of the launch's first CTA.
    pub(super) fn first(&self) -> u32 {
        self.order.first
    }

    /// Measures the size of the lists when the launch has ended.
    pub(super) fn measure(&self) {
        let of = |lists: &Published| lock(lists).iter().map(LoadList::bytes).sum::<usize>();
        self.bytes.store(lock(&self.published).iter().map(of).sum(), Ordering::Relaxed);
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
        self.materialized.fetch_add(1, Ordering::SeqCst);
        let all: Vec<Published> = lock(&self.published).clone();
        let mut none = |_, _: &At, _: &Access<'_>, races: &mut Vec<LaneRace>| {
            debug_assert!(false, "nothing has been stored");
            races.clear();
        };
        for lists in all {
            let list = lock(&lists).get_mut(i).map(take).unwrap_or_default();
            self.record((i, &list), shadow, &self.order, &mut none);
        }
        state.store(MATERIALIZED, Ordering::Release);
    }

    /// Records the listed loads from allocation `i` in the shadow memory.
    fn record(
        &self,
        (i, list): (usize, &LoadList),
        shadow: &Shadow,
        order: &Order,
        tell: ReportRaces<'_>,
    ) {
        let (mut pages, cta) = (Pages::new(shadow), Cta::default());
        let (mut offsets, mut races) = (list.offsets.iter(), Vec::new());
        let rows = list.all.iter().flat_map(|load| (0..load.count).map(move |row| (load, row)));
        for (load, row) in rows {
            let WarpClock { serial, now, all, of_warp } = list.clocks[load.clock as usize];
            let (serial, warp) = load.warp_of(row, serial, self.warps);
            let (size, elements) = (u32::from(load.elements.0), u32::from(load.elements.1));
            let bytes = u64::from(size * elements);
            let addresses: [u64; 32] = match load.shape {
                AddressShape::Row => std::array::from_fn(|i| {
                    load.first.wrapping_add((u64::from(row) * 32 + i as u64) * bytes)
                }),
                AddressShape::One => [load.first; 32],
                AddressShape::Any => {
                    let Some(offsets) = offsets.next() else { return };
                    offsets.map(|offset| self.allocations[i].base + u64::from(offset))
                }
            };
            let access = Access {
                operation: AccessOp::Load,
                space: SpaceKind::Global,
                addresses: &addresses,
                arrangement: Arrangement::of(&addresses, load.lanes, size * elements),
                size,
                elements,
                order: How::default(),
                values: Values::default(),
            };
            let at = At { cta: [0; 3], warp, lanes: load.lanes, op: load.op };
            let below = self.order.below;
            let view = View { serial, near: false, below, now, all, of_warp, cta: &cta, order };
            let warp = Warp::new(&at, &access, &view);
            let (interval, rest) = (view.interval(), pages.rows(&warp, &view, view.interval()));
            pages.access(&warp, &view, (interval, rest), &mut races);
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
