//! Yield points: the warps of a batch wait for each other at each fetch, surface access and
//! barrier. Compiled code calls [`YieldPoints`] when all warps wait at the same instruction, and
//! the warps resume in compiled code when it has been executed for all of them. The order is that
//! of `turns`.

use crate::code::{Code, Fetch, Handle, NONE, Op, SurfaceAccess};
use crate::exec::context::Launch;
use crate::exec::counters::Counters;
use crate::exec::sites::{BorrowedSites, Sites};
use crate::exec::surface::access_file;
use crate::exec::texture::{OfWarps, has_all, rows_of};
use crate::exec::turns::ends_turn;
use crate::exec::warp::count;
use crate::regions::{Compiled as Region, HandleAt, YieldKind};
use std::ops::Range;
use texunit_jit::region::{
    DivergedLanes, Entry, ExitReason, MAX_WARPS, Passed, Resume, Runtime, WaitingWarps, WarpTable,
};
use texunit_unit::{FetchPlan, FetchRows, Scratch};

/// Executes the instructions at which the warps of a batch wait.
pub(super) struct YieldPoints<'c, 'a> {
    launch: &'a Launch<'a>,
    region: &'c Region,
    sites: BorrowedSites<'c>,
    /// Counters of fetches and surface accesses.
    counters: &'c mut Counters,
    /// The sum over all warps of their live threads.
    threads: u64,
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
    /// The number of steps that the fetch counts as.
    steps: u32,
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
    pub(super) diverged: Option<Box<DivergedLanes>>,
    /// The number of steps in a shared turn of the warp that has run last.
    shared_turn: Option<u64>,
    /// The warps whose exit is an instruction that has already been executed for them.
    pub(super) passed: Range<usize>,
}

impl BatchProgress {
    /// Whether a warp's exit ends its turn.
    pub(super) fn has_ended(&self, i: usize) -> bool {
        self.stray != Some(i) && !self.passed.contains(&i)
    }

    /// The number of steps in a shared turn of warp `i` of `len`, if the run may have changed it:
    /// other warps have converged, so that their next turns begin anew.
    pub(super) fn shared_turn(&self, i: usize, len: u32) -> Option<u64> {
        self.shared_turn.filter(|_| len == 1 || self.stray == Some(i))
    }
}

/// Whether the exit of a warp ends its turn.
pub(super) fn ends(code: &Code, (at, why): (u32, ExitReason), has_diverged: bool) -> bool {
    why == ExitReason::Instruction && !has_diverged && ends_turn(&code.insts[at as usize])
}

impl<'c, 'a> YieldPoints<'c, 'a> {
    /// The yield points of a region, for all warps of a CTA with this number of live threads.
    pub(super) fn new(
        launch: &'a Launch<'a>,
        region: &'c Region,
        (sites, counters): (&'c mut Sites, &'c mut Counters),
        threads: u32,
        is_unobserved: bool,
    ) -> Self {
        let (sites, cached, threads) = (sites.borrow(), Vec::new(), threads.into());
        Self { launch, region, sites, counters, threads, is_unobserved, cached }
    }

    /// Whether the warps of a batch, which are all warps of a CTA, wait at yield points of the
    /// region.
    pub(super) fn are_there(&self) -> bool {
        self.region
            .has_yield_points(|wait| self.is_unobserved || matches!(wait, YieldKind::Barrier))
    }

    fn passed(&self, warps: usize, steps: u32) -> Passed {
        Passed { warps, steps, ends_turns: self.launch.warps > 1 }
    }

    /// Executes the surface accesses of the warps in order, up to the first one that faults, and
    /// returns their number. The interpreter repeats the faulting access to report it; its lower
    /// lanes store the same values again.
    #[inline]
    fn surface(
        &mut self,
        warps: &mut WaitingWarps<'_>,
        (access, at): (&SurfaceAccess, HandleAt),
        loads: bool,
    ) -> Option<usize> {
        let BorrowedSites { surfaces, elements, .. } = &mut self.sites;
        let ((surface, _), plan) = surfaces[access.site].first().filter(|_| self.is_unobserved)?;
        if !self.launch.has(warps, (&access.surface, at), *surface) {
            return None;
        }
        let mut made = 0;
        for (mut files, live) in warps.each() {
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
        warps: &mut WaitingWarps<'_>,
        fetch: &Fetch,
        (of_texture, of_sampler): (HandleAt, HandleAt),
    ) -> Option<(FetchRows<'a>, &'c FetchPlan)> {
        let (launch, fetches) = (self.launch, self.sites.fetches);
        let ((texture, sampler), plan) =
            fetches[fetch.site].first().filter(|_| self.is_unobserved)?;
        let mut has = |of: &Handle, at, handle| launch.has(warps, (of, at), handle);
        let same = has(&fetch.texture, of_texture, *texture)
            && fetch.sampler.as_ref().is_none_or(|of| has(of, of_sampler, *sampler));
        let block = fetch.block.filter(|_| same)?;
        Some((rows_of(fetch, block, &launch.constants), plan))
    }
}

impl Runtime for YieldPoints<'_, '_> {
    #[inline]
    fn execute(&mut self, at: u32, warps: &mut WaitingWarps<'_>) -> Option<Passed> {
        if let Some(cached) = self.cached.iter().find(|cached| cached.at == at) {
            cached.execute(warps, self.launch, self.sites.scratch.get());
            self.counters.fetches += self.threads;
            return Some(self.passed(warps.len(), cached.steps));
        }
        let inst = self.launch.code.insts.get(at as usize)?;
        let steps = inst.count.into();
        let points = &self.region.yield_points;
        let point = points.binary_search_by_key(&at, |yield_point| yield_point.at).ok()?;
        let mut passed = warps.len();
        match (&inst.op, points[point].what) {
            (Op::Fetch(fetch), YieldKind::Fetch(texture, sampler)) => {
                let (rows, plan) = self.plan_of(warps, fetch, (texture, sampler))?;
                let cached = CachedFetch { at, steps, fetch, rows, plan };
                cached.execute(warps, self.launch, self.sites.scratch.get());
                self.counters.fetches += self.threads;
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
                passed = self.surface(warps, (access, surface), loads)?;
            }
            // Compiled code executes barriers by itself where it can.
            _ => return None,
        }
        Some(self.passed(passed, steps))
    }
}

/// Executes all warps from an entry until each has ended its turn at an instruction that cannot be
/// executed here for all, or until one has stopped in the middle of its turn. `progress` is that of
/// warps that have not begun. `retire_at`: an instruction that ends the kernel, if one is known.
///
/// `progress` is passed by reference because a copy would read with vectors what was just written
/// as words, and so wait until all stores of the warps have left the store buffer.
pub(super) fn run(
    code: &Code,
    table: &mut WarpTable<'_, '_>,
    (entry, retire_at): (Entry, u32),
    progress: &mut BatchProgress,
) {
    let all = table.len();
    let (mut next, mut from, mut has_passed) = (0, Resume::Entry(entry), false);
    while let Some(i) = table.run(next..all, from, retire_at) {
        has_passed |= table.passed().is_some();
        (next, from) = (i + 1, Resume::Previous);
        let Some(exit) = table.reason(i) else { break };
        let has_diverged = table.has_diverged();
        if !ends(code, exit, has_diverged) {
            progress.stray = Some(i);
            if has_passed {
                progress.passed = next..all;
            }
            progress.diverged = has_diverged.then(|| Box::new(table.diverged_lanes()));
            break;
        }
    }
    progress.shared_turn = table.shared_turn();
    if next == 0 && table.passed_warps() != 0 {
        progress.passed = 0..table.passed_warps();
    }
    // Each warp that waits at a yield point becomes a warp that has left the region there.
    for i in 0..all {
        if let Some((at, ExitReason::Yield)) = table.reason(i) {
            table.run(i..i + 1, Resume::Exit(at), NONE);
        }
    }
}

impl CachedFetch<'_, '_> {
    /// Executes the fetch for all warps.
    #[inline]
    fn execute(&self, warps: &mut WaitingWarps<'_>, launch: &Launch<'_>, scratch: &mut Scratch) {
        let Self { fetch, rows, plan, .. } = self;
        let mut resident = [0; MAX_WARPS];
        let needed = if fetch.resident.is_none() { 0 } else { warps.len() };
        {
            let (files, live) = warps.narrow();
            let requests = OfWarps { fetch, constants: &launch.constants, live };
            plan.fetch_warps(files, rows, &requests, &mut resident[..needed], scratch);
        }
        if needed != 0 {
            let to = fetch.resident.predicate_index();
            for ((files, _), resident) in warps.each().zip(resident) {
                files.predicates[to] = resident;
            }
        }
    }
}

impl Launch<'_> {
    /// Whether a handle has the same value in all live lanes of all warps.
    #[inline]
    fn has(&self, warps: &mut WaitingWarps<'_>, (of, at): (&Handle, HandleAt), value: u64) -> bool {
        let constants = &self.constants;
        match at {
            HandleAt::Param(offset) => {
                let bytes = self.config.params.get(offset as usize..);
                let bytes = bytes.and_then(|bytes| bytes.first_chunk());
                bytes.is_some_and(|bytes| u64::from_le_bytes(*bytes) == value)
            }
            HandleAt::Slot if of.slot.is_constant() => constants.wide[of.slot.index()][0] == value,
            HandleAt::Slot => {
                let i = of.slot.index();
                warps.each().all(|(files, live)| has_all(&files.wide[i], live, value))
            }
        }
    }
}
