//! The race check of one worker thread: receives the events of the CTAs that the worker executes,
//! updates vector clocks and shadow memory, and reports races.

use super::Launch;
use super::access::{LaneRace, Stored, Warp};
use super::arrays::{self, WorkerTexels};
use super::clock::Clock;
use super::fasttrack::{AccessKind, AccessRecord, View};
use super::happens_before::Cta;
use super::loads::{Deferral, DeferredLoads, Loads};
use super::mbarrier::{self, MbarrierInstruction, Mbarriers};
use super::pages::Pages;
use super::phase::SharedMemory;
use super::report::report;
use super::shadow::{PAGE, Var};
use super::shape::LINE;
use crate::lanes;
use crate::lock;
use std::collections::HashMap;
use std::sync::Arc;
use texunit_simt::observe::{
    Access, AccessOp, At, CallEvent, CtaInfo, ExecutedFetch, ExecutedSurfaceAccess, GroupedLoad,
    Order, Probe, Scope, Semantics, Synchronization, Values,
};
use texunit_simt::{Fault, SpaceKind, split_shared_address};

/// A strong load or atomic whose addresses are known, and whose result is not reported yet.
struct PendingLoad {
    op: u32,
    space: SpaceKind,
    lanes: u32,
    addresses: [u64; 32],
    acquires: bool,
    wide: bool,
}

/// The race check for the CTAs that one worker thread executes.
pub(super) struct Worker<'a> {
    launch: Launch<'a>,
    cta: Cta,
    shared: SharedMemory,
    pages: Pages<'a>,
    loads: DeferredLoads,
    /// Synchronisation variables in shared memory, by address: locations at which strong stores
    /// have published vector clocks.
    vars: HashMap<u64, Var>,
    mbarriers: Mbarriers,
    /// For each warp, the strong loads whose results are not reported yet.
    pending: Vec<Vec<PendingLoad>>,
    texels: WorkerTexels,
    /// The observed lanes of the current fetch or surface access.
    chosen: u32,
    races: Vec<LaneRace>,
}

/// Returns the function that reports the races of deferred loads, whose CTAs have the given serial
/// numbers.
fn report_deferred(launch: &Launch<'_>) -> impl FnMut(u32, &At, &Access<'_>, &mut Vec<LaneRace>) {
    |serial, at, access, races| {
        let at = At { cta: launch.spot(serial, 0, at.op).cta, ..*at };
        let of = |lane: u32| access.addresses[lane as usize];
        report(races, launch, &at, (access.space, false, false), of);
    }
}

impl<'a> Worker<'a> {
    /// The check of a launch with its deferred loads.
    pub(super) fn new(launch: Launch<'a>, loads: Option<Arc<Loads>>) -> Self {
        Self {
            pages: Pages::new(&launch.memory.shadow),
            loads: DeferredLoads::new(loads, launch.info.listing.len() as usize),
            launch,
            cta: Cta::default(),
            shared: SharedMemory::default(),
            vars: HashMap::new(),
            mbarriers: Mbarriers::default(),
            pending: Vec::new(),
            texels: WorkerTexels::default(),
            chosen: 0,
            races: Vec::new(),
        }
    }

    /// Calls `act` with the synchronisation variable at an address. A variable without vector
    /// clocks is removed afterwards.
    fn at_var(&mut self, space: SpaceKind, at: u64, act: impl FnOnce(&mut Var, &Launch<'_>)) {
        if space == SpaceKind::Shared {
            let var = self.vars.entry(at).or_default();
            act(var, &self.launch);
            if var.is_empty() {
                self.vars.remove(&at);
            }
            return;
        }
        self.pages.with(at, |_, page| {
            let key = (at % PAGE) as u32;
            let var = page.vars.entry(key).or_default();
            act(var, &self.launch);
            if var.is_empty() {
                page.vars.remove(&key);
            }
        });
    }

    /// Publishes the deferred loads of this worker, before it publishes a vector clock to other
    /// CTAs.
    fn publish_loads(&mut self) {
        self.loads.publish(&self.launch.memory.shadow, &mut report_deferred(&self.launch));
    }

    fn has_vars(&mut self, space: SpaceKind, at: u64) -> bool {
        if !self.launch.memory.shadow.has_vars() {
            return false;
        }
        match space {
            SpaceKind::Shared => !self.vars.is_empty(),
            _ => self.pages.with(at, |_, page| !page.vars.is_empty()),
        }
    }

    /// Updates the synchronisation variables at the addresses of a store. A strong store publishes
    /// the snapshots of its thread's fences; any other store removes the variable's vector clocks.
    fn stores(&mut self, warp: &Warp<'_>) {
        let (access, order) = (warp.access, warp.access.order.semantics);
        let releases = matches!(
            order,
            Semantics::Release | Semantics::AcquireRelease | Semantics::SequentiallyConsistent
        );
        let strength = warp.kind.strength();
        let joins = matches!(access.operation, AccessOp::Atomic(_) | AccessOp::BulkReduce);
        if !(strength > 0 && (releases || self.cta.has_fenced))
            && (joins || !self.launch.memory.shadow.has_vars())
        {
            return;
        }
        for lane in lanes(warp.at.lanes) {
            let thread = warp.at.warp * 32 + lane;
            let at = access.addresses[lane as usize];
            let hands = strength > 0 && (releases || self.cta.is_fenced(thread));
            if !hands && (joins || !self.has_vars(access.space, at)) {
                continue;
            }
            let known = match hands {
                true => self.cta.published(thread, strength > 1, releases),
                false => [None, None],
            };
            let serial = self.cta.serial;
            self.at_var(access.space, at, |var, launch| {
                launch.memory.shadow.write_var(var, serial, known, joins);
            });
        }
    }

    /// Keeps the addresses of a strong load or atomic until its result is reported.
    fn remember_load(&mut self, warp: &Warp<'_>) {
        let acquires = matches!(
            warp.access.order.semantics,
            Semantics::Acquire | Semantics::AcquireRelease | Semantics::SequentiallyConsistent
        );
        let Some(pending) = self.pending.get_mut(warp.at.warp as usize) else { return };
        // The simulator reports a generic access once for each state space, so that several entries
        // of an instruction are valid.
        pending.retain(|before| before.op == warp.at.op && before.lanes & warp.at.lanes == 0);
        pending.push(PendingLoad {
            op: warp.at.op,
            space: warp.access.space,
            lanes: warp.at.lanes,
            addresses: *warp.access.addresses,
            acquires,
            wide: warp.kind.strength() > 1,
        });
    }

    fn acquire_at(&mut self, warp: u32, pending: &PendingLoad) {
        if !self.launch.memory.shadow.has_vars() {
            return;
        }
        for lane in lanes(pending.lanes) {
            let at = pending.addresses[lane as usize];
            if !self.has_vars(pending.space, at) {
                continue;
            }
            let (serial, mut seen) = (self.cta.serial, [None, None]);
            self.at_var(pending.space, at, |var, _| seen = var.read(serial));
            if !pending.wide {
                seen[1] = None;
            }
            self.cta.acquire(warp * 32 + lane, seen, pending.acquires);
        }
    }

    /// The access record of a warp's thread 0 for an event.
    fn stamp(&self, at: &At, kind: AccessKind) -> AccessRecord {
        AccessRecord::new(self.cta.serial, (self.cta.now, kind), (at.warp * 32, at.op))
    }

    fn mbarrier(&mut self, acts: &MbarrierInstruction<'_>) {
        let Some(kind) = mbarrier::kind(acts.action) else { return };
        let view = View::new(&self.cta, &self.launch.order, acts.at.warp, true);
        for lane in lanes(acts.at.lanes) {
            let at = acts.addresses[lane as usize];
            // An mbarrier in the shared memory of another CTA is recorded by that CTA.
            if split_shared_address(at).0.is_some() {
                continue;
            }
            let Some(line) = self.shared.materialized(&view).at(at) else { continue };
            let who = (acts.at.warp * 32 + lane, acts.at.op);
            let hit = line.object(&view, who, (kind, at % LINE));
            self.races.extend(hit.map(|(offset, conflict)| (lane, offset, conflict)));
        }
        match self.launch.clusters {
            Some(clusters) => {
                self.publish_loads();
                lock(clusters).mbarrier(self.launch.info.config, &mut self.cta, acts);
            }
            None => self.mbarriers.act(&mut self.cta, acts),
        }
        let at = |lane: u32| acts.addresses[lane as usize];
        let (space, writes) = (SpaceKind::Shared, kind.writes());
        report(&mut self.races, &self.launch, &acts.at, (space, writes, false), at);
    }
}

impl Probe for Worker<'_> {
    fn cta_begins(&mut self, cta: &CtaInfo) {
        self.cta.begin(self.launch.order.serial(cta.index), cta);
        self.vars.clear();
        self.mbarriers.clear();
        if let Some(clusters) = self.launch.clusters {
            lock(clusters).begins(cta.index);
        }
        self.pending.iter_mut().for_each(Vec::clear);
        self.pending.resize_with(cta.warps as usize, Vec::new);
    }

    fn cta_ends(&mut self, _: &CtaInfo, _: Option<&Fault>) {
        self.races.clear();
        if self.loads.may_be_missed() {
            self.publish_loads();
        }
    }

    fn access(&mut self, at: &At, access: &Access<'_>) {
        if !matches!(access.space, SpaceKind::Shared | SpaceKind::Global) {
            return;
        }
        let near = access.space == SpaceKind::Shared;
        if !near {
            match self.loads.defer(at, access, &self.cta) {
                Deferral::Listed => return,
                Deferral::Direct => {}
                Deferral::Ends { listed } => {
                    let mut tell = report_deferred(&self.launch);
                    self.loads.record_listed((at, access), &self.launch.memory.shadow, &mut tell);
                    if listed {
                        return;
                    }
                }
            }
        }
        let view = View::new(&self.cta, &self.launch.order, at.warp, near);
        let stored;
        let mut warp = Warp::new(at, access, &view);
        match near {
            true => self.shared.access(&warp, &view, &mut self.races),
            false => {
                let rest = self.pages.rows(&warp, &view, view.interval());
                if rest != 0 {
                    stored = Stored::of(access);
                    warp.store(&stored);
                    self.pages.access(&warp, &view, (view.interval(), rest), &mut self.races);
                }
            }
        }
        if !near && warp.kind.strength() > 0 {
            // After a strong access, which may poll, the host thread may suspend this CTA and
            // execute another one.
            self.loads.publish(&self.launch.memory.shadow, &mut report_deferred(&self.launch));
        }
        if access.operation.writes() && !warp.kind.is_async() {
            self.stores(&warp);
        }
        if access.operation.reads() && warp.kind.strength() > 0 {
            self.remember_load(&warp);
        }
        if !self.races.is_empty() {
            let what = (access.space, access.operation.writes(), warp.kind.is_async());
            let of = |lane: u32| access.addresses[lane as usize];
            report(&mut self.races, &self.launch, at, what, of);
        }
    }

    fn loads(&mut self, at: &At, first: &Access<'_>, more: &[GroupedLoad]) {
        // The simulator reports only loads from shared memory in groups.
        let view = View::new(&self.cta, &self.launch.order, at.warp, true);
        let warp = Warp::new(at, first, &view);
        if self.shared.loads(&warp, more, &view) {
            return;
        }
        self.access(at, first);
        for load in more {
            let is_like = (load.size, load.elements) == (first.size, first.elements);
            let view = View::new(&self.cta, &self.launch.order, at.warp, true);
            if !(is_like && self.shared.record_all_lanes(&warp.moved(load), &view)) {
                let addresses = load.addresses(first);
                let at = At { op: load.op, ..*at };
                self.access(&at, &load.access(first, &addresses, at.lanes));
            }
        }
    }

    fn result(&mut self, at: &At, _: &Values<'_>) {
        let Some(pending) = self.pending.get_mut(at.warp as usize) else { return };
        let mut all = std::mem::take(pending);
        for pending in all.drain(..).filter(|pending| pending.op == at.op) {
            self.acquire_at(at.warp, &pending);
        }
        self.pending[at.warp as usize] = all;
    }

    fn answer_lanes(&mut self, at: &At) -> u32 {
        self.chosen = self.texels.chosen(at);
        self.chosen
    }

    fn fetch_answer(&mut self, at: &At, fetch: &ExecutedFetch<'_>) {
        let stamp = self.stamp(at, AccessKind::WEAK);
        self.texels.fetched(stamp, at.lanes & self.chosen, fetch);
    }

    fn surface_answer(&mut self, at: &At, access: &ExecutedSurfaceAccess<'_>) {
        let stamp = self.stamp(at, arrays::kind(&access.form.kind));
        self.texels.accessed(stamp, at.lanes & self.chosen, access);
    }

    fn call(&mut self, at: &At, called: &CallEvent<'_>) {
        // An allocation may reuse memory of a freed one, so that old records of the memory are
        // removed.
        if let CallEvent::Launches { work } = *called {
            self.publish_loads();
            let thread = 32 * at.warp + at.lanes.trailing_zeros();
            let [_, knows] = self.cta.published(thread, true, true);
            let mut clock = knows.map_or_else(Clock::default, |clock| (*clock).clone());
            self.launch.order.knows.iter().for_each(|known| clock.join(known));
            lock(&self.launch.memory.children).launched((self.launch.queue, work), clock);
        }
        if let CallEvent::Allocates { sizes, addresses } = *called {
            for lane in lanes(at.lanes).map(|lane| lane as usize).filter(|&l| addresses[l] != 0) {
                self.launch.memory.shadow.forget_range(addresses[lane], sizes[lane]);
            }
        }
    }

    fn synchronized(&mut self, at: &At, what: &Synchronization<'_>) {
        let (warp, lanes) = (at.warp, at.lanes);
        match *what {
            Synchronization::Arrives { barrier, threads, waits, .. } => {
                self.cta.arrives((warp, lanes), barrier, (threads, waits));
            }
            Synchronization::Passes { barrier } => self.cta.passes(warp, lanes, barrier),
            Synchronization::Joins { members } => self.cta.joins(warp, lanes, members),
            Synchronization::Joined => self.cta.joined(warp, lanes),
            Synchronization::ClusterArrives => {
                if let Some(clusters) = self.launch.clusters {
                    self.publish_loads();
                    lock(clusters).arrives(self.launch.info.config, &mut self.cta, at);
                }
            }
            Synchronization::ClusterPasses => {
                if let Some(clusters) = self.launch.clusters {
                    lock(clusters).passes(self.launch.info.config, &mut self.cta, at);
                }
            }
            Synchronization::Fence(Order { scope, .. }) => {
                self.cta.fence(warp, lanes, matches!(scope, Scope::Gpu | Scope::System));
            }
            Synchronization::CommitsCopies => self.cta.commits(warp, lanes),
            Synchronization::WaitsForCopies { but } => self.cta.waits(warp, lanes, but),
            Synchronization::Mbarrier { action, order, addresses, operands, results, .. } => {
                let acts =
                    MbarrierInstruction { at: *at, action, order, addresses, operands, results };
                self.mbarrier(&acts);
            }
        }
    }
}

impl Drop for Worker<'_> {
    fn drop(&mut self) {
        self.publish_loads();
        self.launch.memory.used(self.launch.order.first, &mut self.texels);
    }
}
