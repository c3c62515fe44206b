//! Counts the accesses, fetches and surface accesses that a worker reports.

use crate::cost::{local_sectors, sectors, sharing, wavefronts};
use crate::counts::{Atomics, Constant, Counts, Requests, Shared};
use crate::unit::{Accesses, Fetches, Space};
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use texunit_simt::SpaceKind;
use texunit_simt::observe::{
    Access, AccessOp, At, Costs, GroupedLoad, PlannedFetch, PlannedSurfaceAccess, Probe,
};

/// How an instruction accesses memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum AccessKind {
    #[default]
    Load,
    Store,
    Atomic,
}

/// Counts of an instruction's accesses to one state space.
#[derive(Clone, Copy, Debug, Default)]
struct AccessCounts {
    way: AccessKind,
    requests: u64,
    threads: u64,
    bytes: u64,
    /// Number of sectors, wavefronts or distinct addresses, according to the state space.
    cost: u64,
    /// Ideal number of sectors or wavefronts; for atomics the number of serialised lanes.
    other: u64,
    /// Number of sectors that atomics access.
    sectors: u64,
}

/// State spaces with counts of their own.
const SPACES: [SpaceKind; 4] =
    [SpaceKind::Global, SpaceKind::Shared, SpaceKind::Local, SpaceKind::Const];

/// The counts of an instruction's accesses by state space, in the order of [`SPACES`].
type BySpace = [AccessCounts; SPACES.len()];

/// The sums over all workers of a launch.
#[derive(Debug, Default)]
pub(crate) struct Totals {
    /// The counters of blocks and operations (`texunit_simt::observe::Events::COUNTS`).
    pub(crate) counters: Vec<u64>,
    accesses: HashMap<u32, BySpace>,
    fetches: HashMap<u32, Fetches>,
    surfaces: HashMap<u32, Accesses>,
}

/// Locks a mutex, also after a panic.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The counts that a worker thread collects.
pub(crate) struct Worker<'a> {
    launch: &'a Mutex<Totals>,
    accesses: Vec<Option<Box<BySpace>>>,
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

    fn counts_of(&mut self, op: u32, space: SpaceKind) -> Option<&mut AccessCounts> {
        let number = SPACES.iter().position(|&other| other == space)?;
        let all = self.accesses.get_mut(op as usize)?.get_or_insert_default();
        Some(&mut all[number])
    }
}

/// The value of an operation in a list, added if it is missing. Linear search suffices, since a
/// kernel has few fetches and surface accesses.
fn of<T: Default>(all: &mut Vec<(u32, T)>, op: u32) -> &mut T {
    let i = all.iter().position(|of| of.0 == op).unwrap_or_else(|| {
        all.push((op, T::default()));
        all.len() - 1
    });
    &mut all[i].1
}

impl AccessCounts {
    fn count(&mut self, lanes: u32, bytes: u32, (cost, other): (u64, u64)) {
        let threads = u64::from(lanes.count_ones());
        self.requests += 1;
        self.threads += threads;
        self.bytes += threads * u64::from(bytes);
        self.cost += cost;
        self.other += other;
    }

    fn add(&mut self, other: &Self) {
        self.way = if self.requests == 0 { other.way } else { self.way };
        self.requests += other.requests;
        self.threads += other.threads;
        self.bytes += other.bytes;
        self.cost += other.cost;
        self.other += other.other;
        self.sectors += other.sectors;
    }

    fn requests(&self) -> Requests {
        let &Self { requests, threads, bytes, cost, other, .. } = self;
        Requests { requests, threads, bytes, sectors: cost, ideal_sectors: other }
    }

    fn shared(&self) -> Shared {
        let &Self { requests, threads, bytes, cost, other, .. } = self;
        Shared {
            requests,
            threads,
            bytes,
            wavefronts: cost,
            ideal_wavefronts: other,
            bank_conflicts: cost.saturating_sub(other),
        }
    }

    fn atomics(&self) -> Atomics {
        let &Self { requests, threads, cost, other, sectors, .. } = self;
        Atomics { requests, threads, addresses: cost, serial: other, sectors }
    }

    fn put(&self, space: SpaceKind, counts: &mut Counts) {
        if self.requests == 0 {
            return;
        }
        match (space, self.way) {
            (SpaceKind::Global, AccessKind::Load) => counts.global_load.add(&self.requests()),
            (SpaceKind::Global, AccessKind::Store) => counts.global_store.add(&self.requests()),
            (SpaceKind::Global, AccessKind::Atomic) => counts.global_atomic.add(&self.atomics()),
            (SpaceKind::Shared, AccessKind::Load) => counts.shared_load.add(&self.shared()),
            (SpaceKind::Shared, AccessKind::Store) => counts.shared_store.add(&self.shared()),
            (SpaceKind::Shared, AccessKind::Atomic) => counts.shared_atomic.add(&self.atomics()),
            (SpaceKind::Local, AccessKind::Store) => counts.local_store.add(&self.requests()),
            (SpaceKind::Local, _) => counts.local_load.add(&self.requests()),
            (SpaceKind::Const, _) => {
                let &Self { requests, threads, cost: addresses, .. } = self;
                counts.constant.add(&Constant { requests, threads, addresses });
            }
            (SpaceKind::Param, _) => {}
        }
    }
}

impl Totals {
    /// Adds accesses whose costs compiled code has counted. An operation that always accesses
    /// memory like another one (its leader) gets the leader's costs.
    pub(crate) fn take_costs(&mut self, costs: &Costs) {
        let at = |i: u32| self.counters.get(i as usize).copied().unwrap_or(0);
        for (op, costed) in costs.all() {
            let way = if costed.stores { AccessKind::Store } else { AccessKind::Load };
            if costed.leader == op {
                let [requests, cost, other] = [0, 1, 2].map(|i| at(costed.counter + i));
                if let Some(i) =
                    SPACES.iter().position(|&space| space == costed.space && requests != 0)
                {
                    let (threads, sectors) = (32 * requests, 0);
                    let bytes = threads * u64::from(costed.bytes);
                    let counted =
                        AccessCounts { way, requests, threads, bytes, cost, other, sectors };
                    self.accesses.entry(op).or_default()[i].add(&counted);
                }
            } else if !self.accesses.contains_key(&op)
                && let Some(led) = self.accesses.get(&costed.leader)
            {
                let own = led.map(|accesses| AccessCounts { way, ..accesses });
                self.accesses.insert(op, own);
            }
        }
    }

    /// Adds the sums to the counts of instructions, which `of_op` finds by operation.
    pub(crate) fn put(self, mut of_op: impl FnMut(u32, &mut dyn FnMut(&mut Counts))) {
        for (op, accesses) in self.accesses {
            of_op(op, &mut |counts| {
                SPACES
                    .into_iter()
                    .zip(&accesses)
                    .for_each(|(space, accesses)| accesses.put(space, counts));
            });
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
        let mut of_atomic = 0;
        let cost = match (access.space, way) {
            (SpaceKind::Param, _) => return,
            (SpaceKind::Global | SpaceKind::Shared, AccessKind::Atomic) => {
                if access.space == SpaceKind::Global {
                    of_atomic = sectors(addresses, lanes, bytes).touched;
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
        let Some(accesses) = self.counts_of(at.op, access.space) else { return };
        accesses.way = way;
        accesses.sectors += of_atomic;
        accesses.count(lanes, bytes, cost);
    }

    /// Counts loads that the simulator reports in one group. A load of the same size whose
    /// addresses differ from the first load's by whole words needs the same number of passes, on
    /// other banks.
    fn loads(&mut self, at: &At, first: &Access<'_>, more: &[GroupedLoad]) {
        let cost = wavefronts(first.addresses, at.lanes, first.bytes());
        let cost = (cost.made, cost.ideal);
        if let Some(accesses) = self.counts_of(at.op, first.space) {
            accesses.count(at.lanes, first.bytes(), cost);
        }
        for further in more {
            let bytes = further.size * further.elements;
            if bytes == first.bytes() && further.offset.is_multiple_of(4) {
                if let Some(accesses) = self.counts_of(further.op, first.space) {
                    accesses.count(at.lanes, bytes, cost);
                }
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
            let sums = all.accesses.entry(op).or_default();
            sums.iter_mut().zip(&**accesses).for_each(|(sum, accesses)| sum.add(accesses));
        }
        for (op, fetches) in self.fetches.drain(..) {
            all.fetches.entry(op).or_default().add(fetches);
        }
        for (op, accesses) in self.surfaces.drain(..) {
            all.surfaces.entry(op).or_default().counts.add(&accesses.counts);
        }
    }
}
