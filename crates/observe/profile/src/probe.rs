//! Counts the accesses, fetches and surface accesses that a worker reports.

use crate::cost::{local_sectors, sectors, sharing, wavefronts};
use crate::counts::{Atomics, Constant, Counts, Requests, Shared};
use crate::unit::{Accesses, Fetches, Space};
use std::collections::HashMap;
use std::mem::swap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use texunit_simt::SpaceKind;
use texunit_simt::observe::{
    Access, AccessOp, At, Costs, GroupedLoad, PlannedFetch, PlannedSurfaceAccess, Probe,
};

/// How an instruction accesses memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AccessKind {
    Load,
    Store,
    Atomic,
}

/// Warp-level accesses to memory.
#[derive(Clone, Copy, Debug)]
struct Accessed {
    space: SpaceKind,
    way: AccessKind,
    requests: u64,
    threads: u64,
    bytes: u64,
    /// Sectors, wavefronts or distinct addresses, according to the space.
    cost: u64,
    /// Ideal sectors or wavefronts; for atomics the serialised lanes.
    other: u64,
    /// Number of sectors that atomics access.
    sectors: u64,
}

impl Accessed {
    /// One access of some lanes, with `bytes` bytes each.
    fn once(lanes: u32, bytes: u32, (space, way): (SpaceKind, AccessKind)) -> Self {
        let threads = u64::from(lanes.count_ones());
        let bytes = threads * u64::from(bytes);
        Self { space, way, requests: 1, threads, bytes, cost: 0, other: 0, sectors: 0 }
    }

    fn add_to(&self, counts: &mut Counts) {
        let &Self { requests, threads, bytes, cost, other, sectors, .. } = self;
        let of_sectors = Requests { requests, threads, bytes, sectors: cost, ideal_sectors: other };
        let bank_conflicts = cost.saturating_sub(other);
        let (wavefronts, ideal_wavefronts) = (cost, other);
        let of_banks =
            Shared { requests, threads, bytes, wavefronts, ideal_wavefronts, bank_conflicts };
        let atomics = Atomics { requests, threads, addresses: cost, serial: other, sectors };
        match (self.space, self.way) {
            (SpaceKind::Global, AccessKind::Load) => counts.global_load.add(&of_sectors),
            (SpaceKind::Global, AccessKind::Store) => counts.global_store.add(&of_sectors),
            (SpaceKind::Global, AccessKind::Atomic) => counts.global_atomic.add(&atomics),
            (SpaceKind::Shared, AccessKind::Load) => counts.shared_load.add(&of_banks),
            (SpaceKind::Shared, AccessKind::Store) => counts.shared_store.add(&of_banks),
            (SpaceKind::Shared, AccessKind::Atomic) => counts.shared_atomic.add(&atomics),
            (SpaceKind::Local, AccessKind::Store) => counts.local_store.add(&of_sectors),
            (SpaceKind::Local, _) => counts.local_load.add(&of_sectors),
            (SpaceKind::Const, _) => {
                counts.constant.add(&Constant { requests, threads, addresses: cost });
            }
            (SpaceKind::Param, _) => {}
        }
    }
}

/// The sums over all workers of a launch.
#[derive(Debug, Default)]
pub(crate) struct Totals {
    /// The counters of blocks and operations (`texunit_simt::observe::Events::COUNTS`).
    pub(crate) counters: Vec<u64>,
    accesses: HashMap<u32, Counts>,
    fetches: HashMap<u32, Fetches>,
    surfaces: HashMap<u32, Accesses>,
}

/// Locks a mutex, also after a panic.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The counts of a worker.
pub(crate) struct Worker<'a> {
    launch: &'a Mutex<Totals>,
    accesses: Vec<Option<Box<Counts>>>,
    /// The fetches of each operation, in the order of their first execution.
    fetches: Vec<(u32, Fetches)>,
    surfaces: Vec<(u32, Accesses)>,
    space: Space,
}

impl<'a> Worker<'a> {
    pub(crate) fn new(launch: &'a Mutex<Totals>, operations: u32) -> Self {
        let accesses = (0..operations).map(|_| None).collect();
        let (fetches, surfaces) = (Vec::new(), Vec::new());
        Self { launch, accesses, fetches, surfaces, space: Space::default() }
    }

    fn count(&mut self, op: u32, accessed: &Accessed) {
        if let Some(counts) = self.accesses.get_mut(op as usize) {
            accessed.add_to(counts.get_or_insert_default());
        }
    }
}

/// The entry of an operation; a list suffices, since a kernel has few.
fn of<T: Default>(all: &mut Vec<(u32, T)>, op: u32) -> &mut T {
    let i = all.iter().position(|of| of.0 == op).unwrap_or_else(|| {
        all.push((op, T::default()));
        all.len() - 1
    });
    &mut all[i].1
}

impl Totals {
    /// Adds accesses whose costs compiled code has counted. An operation that always accesses
    /// memory like another one (its leader) gets the leader's costs.
    pub(crate) fn take_costs(&mut self, costs: &Costs) {
        let at = |i: u32| self.counters.get(i as usize).copied().unwrap_or(0);
        for (op, costed) in costs.all() {
            if costed.leader == op {
                let [requests, cost, other] = [0, 1, 2].map(|i| at(costed.counter + i));
                if requests != 0 {
                    let way = if costed.stores { AccessKind::Store } else { AccessKind::Load };
                    let (threads, sectors) = (32 * requests, 0);
                    let (space, bytes) = (costed.space, threads * u64::from(costed.bytes));
                    Accessed { space, way, requests, threads, bytes, cost, other, sectors }
                        .add_to(self.accesses.entry(op).or_default());
                }
            } else if !self.accesses.contains_key(&op)
                && let Some(led) = self.accesses.get(&costed.leader)
            {
                let mut own = led.clone();
                if costs.of(costed.leader).is_some_and(|leader| leader.stores != costed.stores) {
                    swap(&mut own.global_load, &mut own.global_store);
                    swap(&mut own.shared_load, &mut own.shared_store);
                    swap(&mut own.local_load, &mut own.local_store);
                }
                self.accesses.insert(op, own);
            }
        }
    }

    /// Adds the sums to the counts of instructions.
    pub(crate) fn put(self, mut of_op: impl FnMut(u32, &mut dyn FnMut(&mut Counts))) {
        for (op, accesses) in self.accesses {
            of_op(op, &mut |counts| counts.add(&accesses));
        }
        for (op, fetches) in self.fetches {
            let done = fetches.done();
            of_op(op, &mut |counts| counts.texture.add(&done));
        }
        for (op, accesses) in self.surfaces {
            of_op(op, &mut |counts| counts.surface.add(&accesses.counts));
        }
    }
}

impl Probe for Worker<'_> {
    fn counted(&mut self, counts: &[u64]) {
        let sums = &mut lock(self.launch).counters;
        sums.resize(sums.len().max(counts.len()), 0);
        sums.iter_mut().zip(counts).for_each(|(sum, n)| *sum = sum.wrapping_add(*n));
    }

    fn access(&mut self, at: &At, access: &Access<'_>) {
        let (lanes, bytes, addresses) = (at.lanes, access.bytes(), access.addresses);
        if lanes == 0 {
            return;
        }
        let way = match access.operation {
            AccessOp::Atomic(_) => AccessKind::Atomic,
            operation if operation.writes() => AccessKind::Store,
            _ => AccessKind::Load,
        };
        let mut accessed = Accessed::once(lanes, bytes, (access.space, way));
        (accessed.cost, accessed.other) = match (access.space, way) {
            (SpaceKind::Param, _) => return,
            (SpaceKind::Global | SpaceKind::Shared, AccessKind::Atomic) => {
                if access.space == SpaceKind::Global {
                    accessed.sectors = sectors(addresses, lanes, bytes).touched;
                }
                let sharing = sharing(addresses, lanes);
                (sharing.addresses, sharing.most)
            }
            (SpaceKind::Global, _) => {
                let sectors = sectors(addresses, lanes, bytes);
                (sectors.touched, sectors.ideal)
            }
            (SpaceKind::Shared, _) => {
                let wavefronts = wavefronts(addresses, lanes, bytes);
                (wavefronts.made, wavefronts.ideal)
            }
            (SpaceKind::Local, _) => {
                let sectors = local_sectors(addresses, lanes, bytes);
                (sectors.touched, sectors.ideal)
            }
            (SpaceKind::Const, _) => (sharing(addresses, lanes).addresses, 0),
        };
        self.count(at.op, &accessed);
    }

    /// Loads at a distance of whole words use other banks, but need the same number of passes.
    fn loads(&mut self, at: &At, first: &Access<'_>, more: &[GroupedLoad]) {
        let cost = wavefronts(first.addresses, at.lanes, first.bytes());
        let once = Accessed::once(at.lanes, first.bytes(), (first.space, AccessKind::Load));
        let accessed = Accessed { cost: cost.made, other: cost.ideal, ..once };
        self.count(at.op, &accessed);
        for further in more {
            let bytes = further.size * further.elements;
            if bytes == first.bytes() && further.offset.is_multiple_of(4) {
                self.count(further.op, &accessed);
                continue;
            }
            let addresses = further.addresses(first);
            let at = At { op: further.op, ..*at };
            self.access(&at, &further.access(first, &addresses, at.lanes));
        }
    }

    fn fetch(&mut self, at: &At, fetch: &PlannedFetch<'_>) {
        let Self { fetches, space, .. } = self;
        of(fetches, at.op).take(fetch.plan, fetch.request, space);
    }

    fn surface(&mut self, at: &At, surface: &PlannedSurfaceAccess<'_>) {
        let Self { surfaces, space, .. } = self;
        of(surfaces, at.op).take(surface, space);
    }
}

impl Drop for Worker<'_> {
    fn drop(&mut self) {
        let mut all = lock(self.launch);
        for (op, accesses) in (0..).zip(&self.accesses) {
            let Some(accesses) = accesses else { continue };
            all.accesses.entry(op).or_default().add(accesses);
        }
        for (op, fetches) in self.fetches.drain(..) {
            all.fetches.entry(op).or_default().add(fetches);
        }
        for (op, accesses) in self.surfaces.drain(..) {
            all.surfaces.entry(op).or_default().counts.add(&accesses.counts);
        }
    }
}
