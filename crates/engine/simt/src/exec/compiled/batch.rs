//! Yield points: the warps of a batch wait for each other at each fetch, surface access and
//! barrier, and resume when the instruction has been executed for all of them. The order is that of
//! `turns`.

use crate::code::{Code, Fetch, Handle, NONE, Op, SurfaceAccess};
use crate::exec::context::Launch;
use crate::exec::counters::Counters;
use crate::exec::limits::FETCHED;
use crate::exec::sites::{BorrowedSites, Sites};
use crate::exec::surface::access_file;
use crate::exec::texture::{fetch_files, has_all, rows_of};
use crate::exec::turns::ends_turn;
use crate::exec::warp::count;
use crate::regions::{Compiled as Region, HandleAt, YieldKind};
use std::ops::Range;
use texunit_alu::L32;
use texunit_jit::region::{
    DivergedLanes, Entry, ExitReason, Group, MAX_WARPS, Mode, Resume, WarpTable,
};
use texunit_unit::{FetchPlan, FetchRows, Scratch};

/// Executes the instructions at which the warps of a batch wait.
pub(super) struct YieldPoints<'c, 'a> {
    launch: &'a Launch<'a>,
    region: &'c Region,
    sites: BorrowedSites<'c>,
    /// Counters of fetches and surface accesses.
    counters: &'c mut Counters,
    /// An instruction that ends the kernel, if one is known.
    pub(super) retire_at: u32,
    /// Whether no observer is notified of fetches and no external engine executes them.
    is_unobserved: bool,
    /// A cache of a few fetches.
    cached: Vec<CachedFetch<'c, 'a>>,
}

/// Size of the cache of fetches.
const CACHED: usize = 4;

/// A cached fetch whose handles are constant during the launch.
#[derive(Clone, Copy)]
struct CachedFetch<'c, 'a> {
    at: u32,
    /// The region's entry after the fetch, and the number of steps that it counts as.
    on: Entry,
    steps: u64,
    fetch: &'a Fetch,
    rows: FetchRows<'a>,
    plan: &'c FetchPlan,
}

/// Progress of the warps of a batch. Each warp has an exit ([`WarpTable::exit`]), unless it has not
/// begun.
#[derive(Default)]
pub(super) struct BatchProgress {
    /// The first warp that has left the region in the middle of its turn. Later warps have not
    /// continued.
    pub(super) stray: Option<usize>,
    /// The divergence of that warp's lanes, if any.
    pub(super) diverged: Option<Box<Diverged>>,
    /// The warps whose exit is an instruction that has already been executed for them.
    pub(super) passed: Range<usize>,
}

impl BatchProgress {
    /// Whether a warp's exit ends its turn.
    pub(super) fn has_ended(&self, i: usize) -> bool {
        self.stray != Some(i) && !self.passed.contains(&i)
    }
}

/// An owned copy of [`DivergedLanes`].
pub(super) struct Diverged {
    groups: Vec<Group>,
    pending: Option<(u32, u32, usize)>,
}

impl Diverged {
    pub(super) fn lanes(&self) -> DivergedLanes<'_> {
        DivergedLanes { groups: &self.groups, pending: self.pending }
    }
}

/// Whether the exit of a warp ends its turn.
pub(super) fn ends(code: &Code, (at, why): (u32, ExitReason), has_diverged: bool) -> bool {
    why == ExitReason::Instruction && !has_diverged && ends_turn(&code.insts[at as usize])
}

impl<'c, 'a> YieldPoints<'c, 'a> {
    /// The yield points of a region, for the warps of a CTA.
    pub(super) fn new(
        launch: &'a Launch<'a>,
        region: &'c Region,
        (sites, counters): (&'c mut Sites, &'c mut Counters),
        is_unobserved: bool,
    ) -> Self {
        let (sites, cached) = (sites.borrow(), Vec::new());
        Self { launch, region, sites, counters, retire_at: NONE, is_unobserved, cached }
    }

    /// Whether the warps of a batch, which are all warps of a CTA, wait at yield points of the
    /// region.
    pub(super) fn are_there(&self) -> bool {
        self.region
            .has_yield_points(|wait| self.is_unobserved || matches!(wait, YieldKind::Barrier))
    }

    /// Executes all warps from an entry until each has ended its turn at an instruction that cannot
    /// be executed here for all, or until one has stopped in the middle of its turn. `progress` is
    /// that of warps that have not begun.
    ///
    /// It is passed by reference because a copy would read with vectors what was just written as
    /// words, and so wait until all stores of the warps have left the store buffer.
    pub(super) fn run(
        &mut self,
        table: &mut WarpTable<'_, '_>,
        entry: Entry,
        progress: &mut BatchProgress,
    ) {
        self.advance(table, entry, progress);
        // Each warp that waits at a yield point becomes a warp that has left the region there.
        for i in 0..table.len() {
            if let Some((at, ExitReason::Yield)) = table.reason(i) {
                table.run(i..i + 1, Resume::Exit(at), NONE);
            }
        }
    }

    fn advance(
        &mut self,
        table: &mut WarpTable<'_, '_>,
        entry: Entry,
        progress: &mut BatchProgress,
    ) {
        let all = table.len();
        let (mut from, mut has_passed) = (Resume::Entry(entry), false);
        loop {
            let (mut next, mut others) = (0, false);
            while let Some(i) = table.run(next..all, from, self.retire_at) {
                has_passed |= table.passed().is_some();
                (next, from, others) = (i + 1, Resume::Previous, true);
                let Some(exit) = table.reason(i) else { break };
                let has_diverged = table.has_diverged();
                if !ends(self.launch.code, exit, has_diverged) {
                    progress.stray = Some(i);
                    if has_passed {
                        progress.passed = next..all;
                    }
                    progress.diverged = has_diverged.then(|| {
                        let DivergedLanes { groups, pending } = table.diverged_lanes();
                        Box::new(Diverged { groups: groups.to_vec(), pending })
                    });
                    return;
                }
            }
            let at = table.wait_at().filter(|_| !others);
            let Some((on, some)) = at.and_then(|at| self.pass(table, at)) else {
                return;
            };
            (from, has_passed) = (Resume::Entry(on), true);
            if some != all {
                progress.passed = 0..some;
                return;
            }
        }
    }

    /// Executes the instruction at which all warps wait. Returns the entry after it and the number
    /// of warps, from the first one on, for which it was executed; `None` if it was not executed.
    #[inline]
    fn pass(&mut self, table: &mut WarpTable<'_, '_>, at: u32) -> Option<(Entry, usize)> {
        if let Some(cached) = self.cached.iter().find(|cached| cached.at == at) {
            self.counters.fetches += cached.execute(table, self.launch, self.sites.scratch);
            table.count(table.len(), cached.steps, self.launch.warps > 1);
            return Some((cached.on, table.len()));
        }
        let launch = self.launch;
        let inst = launch.code.insts.get(at as usize)?;
        let Region { function, yield_points, .. } = self.region;
        let on = function.entry_of(Mode::Live, at + 1)?;
        let yield_point =
            yield_points.binary_search_by_key(&at, |yield_point| yield_point.at).ok()?;
        let mut passed = table.len();
        match (&inst.op, yield_points[yield_point].what) {
            (Op::Fetch(fetch), YieldKind::Fetch(texture, sampler)) => {
                let steps = inst.count.into();
                let (rows, plan) = self.plan_of(table, fetch, (texture, sampler))?;
                let cached = CachedFetch { at, on, steps, fetch, rows, plan };
                self.counters.fetches += cached.execute(table, launch, self.sites.scratch);
                let stays = |of: &Handle, at| at != HandleAt::Slot || of.slot.is_constant();
                if stays(&fetch.texture, texture)
                    && fetch.sampler.as_ref().is_none_or(|of| stays(of, sampler))
                    && self.cached.len() < CACHED
                {
                    self.cached.push(cached);
                }
            }
            (Op::SurfaceLoad(access) | Op::SurfaceStore(access), YieldKind::Surface(surface)) => {
                let loads = matches!(inst.op, Op::SurfaceLoad(_));
                passed = self.surface(table, (access, surface), loads)?;
            }
            // Compiled code executes barriers by itself where it can.
            _ => return None,
        }
        table.count(passed, inst.count.into(), launch.warps > 1);
        Some((on, passed))
    }

    /// Executes the surface accesses of the warps in order, up to the first one that faults, and
    /// returns their number. The interpreter repeats the faulting access to report it; its lower
    /// lanes store the same values again.
    #[inline]
    fn surface(
        &mut self,
        table: &mut WarpTable<'_, '_>,
        (access, at): (&SurfaceAccess, HandleAt),
        loads: bool,
    ) -> Option<usize> {
        let BorrowedSites { surfaces, elements, .. } = &mut self.sites;
        let ((surface, _), plan) = surfaces[access.site].first().filter(|_| self.is_unobserved)?;
        if !self.launch.has(table, (&access.surface, at), *surface) {
            return None;
        }
        let mut made = 0;
        for (mut files, live) in table.each() {
            let constants = &self.launch.constants;
            let of = (access, plan);
            if access_file(of, loads, constants, (&mut files, live), elements).is_err() {
                break;
            }
            self.counters.surface_accesses += count(live);
            made += 1;
        }
        (made != 0).then_some(made)
    }

    /// The plan of a fetch that all warps share, and the registers of its operands.
    fn plan_of(
        &self,
        table: &mut WarpTable<'_, '_>,
        fetch: &Fetch,
        (of_texture, of_sampler): (HandleAt, HandleAt),
    ) -> Option<(FetchRows<'a>, &'c FetchPlan)> {
        let (launch, fetches) = (self.launch, self.sites.fetches);
        let ((texture, sampler), plan) =
            fetches[fetch.site].first().filter(|_| self.is_unobserved)?;
        let mut has = |of: &Handle, at, handle| launch.has(table, (of, at), handle);
        let same = has(&fetch.texture, of_texture, *texture)
            && fetch.sampler.as_ref().is_none_or(|of| has(of, of_sampler, *sampler));
        let block = fetch.block.filter(|_| same)?;
        Some((rows_of(fetch, block, &launch.constants), plan))
    }
}

impl CachedFetch<'_, '_> {
    /// Executes the fetch for all warps. Returns the number of their live lanes.
    #[inline]
    fn execute(
        &self,
        table: &mut WarpTable<'_, '_>,
        launch: &Launch<'_>,
        scratch: &mut Scratch,
    ) -> u64 {
        let Self { fetch, rows, plan, .. } = self;
        let mut resident = [0; MAX_WARPS];
        let needed = if fetch.resident.is_none() { 0 } else { table.len() };
        let mut parts = resident[..needed].chunks_mut(FETCHED);
        let (mut fetched, mut all) = (0, table.each());
        loop {
            let (mut files, mut live): ([&mut [L32]; FETCHED], [u32; FETCHED]) = Default::default();
            let mut len = 0;
            for ((file, live), of) in files.iter_mut().zip(&mut live).zip(&mut all) {
                (*file, *live) = (of.0.narrow, of.1);
                fetched += count(*live);
                len += 1;
            }
            if len == 0 {
                break;
            }
            let (files, resident) = ((&mut files[..len], &live[..]), parts.next());
            let resident = resident.unwrap_or_default();
            fetch_files((fetch, rows, plan), &launch.constants, files, resident, scratch);
        }
        drop(all);
        if needed != 0 {
            let to = fetch.resident.predicate_index();
            for ((files, _), resident) in table.each().zip(resident) {
                files.predicates[to] = resident;
            }
        }
        fetched
    }
}

impl Launch<'_> {
    /// Whether a handle has the same value in all live lanes of all warps.
    #[inline]
    fn has(
        &self,
        table: &mut WarpTable<'_, '_>,
        (of, at): (&Handle, HandleAt),
        handle: u64,
    ) -> bool {
        let constants = &self.constants;
        match at {
            HandleAt::Param(offset) => {
                let bytes = self.config.params.get(offset as usize..);
                let bytes = bytes.and_then(|bytes| bytes.first_chunk());
                bytes.is_some_and(|bytes| u64::from_le_bytes(*bytes) == handle)
            }
            HandleAt::Slot if of.slot.is_constant() => constants.wide[of.slot.index()][0] == handle,
            HandleAt::Slot => {
                let i = of.slot.index();
                table.each().all(|(files, live)| has_all(&files.wide[i], live, handle))
            }
        }
    }
}
