//! The warps of a CTA that run a region together: at each fetch, each access to a surface and each barrier they wait for each
//! other, and go on when it has been done for all. The order is that of `turns`.

use super::Compiled;
use super::series::{Came, Sum, Turn};
use crate::code::{Code, Fetch, Handle, NONE, Op, SurfaceAccess};
use crate::exec::context::Launch;
use crate::exec::counters::Counters;
use crate::exec::limits::FETCHED;
use crate::exec::sites::{Borrowed, Sites};
use crate::exec::surface::access_file;
use crate::exec::texture::{fetch_files, has_all, rows_of};
use crate::exec::turns::ends_turn;
use crate::exec::warp::{Split, Warp, count, lanes};
use crate::regions::{Compiled as Region, HandleAt, Wait};
use std::ops::Range;
use texunit_alu::L32;
use texunit_jit::region::{
    DivergedLanes, Entry, ExitReason, Group, MAX_WARPS, Mode, Resume, Series, WarpState, WarpTable,
};
use texunit_unit::{FetchPlan, FetchRows};

/// What does the fetches and accesses of warps that wait, and says where they pass a barrier.
pub(super) struct Waits<'c, 'a> {
    launch: &'a Launch<'a>,
    sites: Borrowed<'c>,
    /// Where lanes are counted that have fetched, or accessed a surface.
    counters: &'c mut Counters,
    /// An end of the kernel, if one is known.
    pub(super) exit: u32,
    /// Whether nobody has arrived at a barrier without waiting.
    pub(super) barriers: bool,
    /// Whether nobody is told of fetches and accesses to surfaces or answers them in the unit's place.
    is_alone: bool,
    /// Fetches that have been done, as far as there is room.
    known: [Option<Known<'c, 'a>>; 4],
}

/// A fetch with handles that stay what they are as long as the launch: nothing is looked at again.
#[derive(Clone, Copy)]
struct Known<'c, 'a> {
    at: u32,
    /// Where warps go on behind it, and the steps that they have done then.
    on: Entry,
    steps: u64,
    fetch: &'a Fetch,
    rows: FetchRows<'a>,
    plan: &'c FetchPlan,
}

/// The region, and where it is entered.
#[derive(Clone, Copy)]
pub(super) struct Linked<'r> {
    pub(super) number: u32,
    pub(super) region: &'r Region,
    pub(super) entry: Entry,
}

/// The entry at which waiting warps continue, and how many do, counted from the first warp: the warp behind them cannot.
type Passed = (Entry, usize);

/// The progress of warps that run together through a region.
pub(super) struct Walk {
    /// The state of each warp that has left the region elsewhere than where its warps wait or end, by its number.
    odd: Vec<(usize, Stood)>,
    /// The first warp that left in the middle of its turn: the warps behind it have not continued.
    pub(super) stray: Option<usize>,
    /// The warps that still stand at an instruction which has been executed for them.
    passed: Range<usize>,
    /// Whether all warps have begun their turns.
    pub(super) begun: bool,
}

/// How a warp has left a region, and how its lanes stand if they have parted.
pub(super) struct Stood {
    pub(super) turn: Turn,
    diverged: Option<Box<Diverged>>,
}

/// Lanes that stand where a region has been left, and how the others do ([`DivergedLanes`]).
struct Diverged {
    mask: u32,
    groups: Vec<Group>,
    pending: Option<(u32, u32, usize)>,
}

impl Diverged {
    fn of((mask, lanes): (u32, DivergedLanes<'_>)) -> Box<Self> {
        Box::new(Self { mask, groups: lanes.groups.to_vec(), pending: lanes.pending })
    }
}

impl Stood {
    /// Of a series that it has left last, before this instruction.
    #[cold]
    pub(super) fn of(series: &mut Series<'_>, at: u32) -> Self {
        let turn = Turn::of(series, at);
        Self {
            turn,
            diverged: series.has_diverged().then(|| Diverged::of(series.diverged_lanes())),
        }
    }

    /// The same of one of some warps.
    #[cold]
    fn of_links(table: &mut WarpTable<'_, '_>, at: u32) -> Self {
        let turn = Turn::of(table.series(), at);
        let has_diverged = table.series().has_diverged();
        Self { turn, diverged: has_diverged.then(|| Diverged::of(table.diverged_lanes())) }
    }

    /// Whether what ends a turn comes next.
    pub(super) fn ends_turn(&self, code: &Code) -> bool {
        let Turn { at, why, .. } = self.turn;
        why == ExitReason::Instruction
            && !self.has_diverged()
            && ends_turn(&code.insts[at as usize])
    }

    /// Whether some lanes stand elsewhere.
    #[inline(always)]
    pub(super) fn has_diverged(&self) -> bool {
        self.diverged.is_some()
    }

    /// These lanes of a warp become splits of their own, before its steps are counted.
    #[inline(always)]
    pub(super) fn diverge(&self, warp: &mut Warp, split: &mut Split) {
        if let Some(of) = &self.diverged {
            warp.diverge(split, &DivergedLanes { groups: &of.groups, pending: of.pending });
            split.mask = of.mask;
        }
    }
}

impl Walk {
    /// The instruction before which one of them stands with its lanes together, and waits for nobody; its steps and lanes.
    pub(super) fn ended(&self, table: &WarpTable<'_, '_>, i: usize) -> Option<(u32, u64, u64)> {
        if let Some((_, stood)) = self.odd.iter().find(|of| of.0 == i) {
            let Turn { at, why, steps, threads, .. } = stood.turn;
            let ended = why == ExitReason::Instruction && !stood.has_diverged();
            return ended.then_some((at, steps, threads));
        }
        let has_begun = self.begun || self.stray.is_none_or(|stray| i < stray);
        let of = table.state(i).filter(|of| has_begun && !of.yielded)?;
        Some((of.at, of.steps, of.threads))
    }

    /// How one of them has left the region; it does now where it still waits. None: it has not begun.
    pub(super) fn stood(&mut self, table: &mut WarpTable<'_, '_>, i: usize) -> Option<Stood> {
        if let Some(n) = self.odd.iter().position(|of| of.0 == i) {
            return Some(self.odd.swap_remove(n).1);
        }
        if !self.begun && self.stray.is_some_and(|stray| stray < i) {
            return None;
        }
        let WarpState { at, yielded, steps, threads, limit } = table.state(i)?;
        if yielded {
            table.run(i..i + 1, Resume::Exit(at), NONE);
        }
        let at = at + u32::from(self.passed.contains(&i));
        Some(Stood {
            turn: Turn { at, why: ExitReason::Instruction, steps, threads, limit },
            diverged: None,
        })
    }
}

impl Compiled<'_> {
    /// Runs a region together for the warps of these bits, which are all of the CTA that have not exited. None: it cannot be run so, and
    /// nothing has been done.
    #[inline(never)]
    pub(super) fn run_together(
        &mut self,
        series: &mut Series<'_>,
        tids: &[[L32; 3]],
        (warps, splits, ends, on): (&mut [Warp], &mut [Split], &mut [u64], u32),
        region: Linked<'_>,
        mut waits: Waits<'_, '_>,
    ) -> Option<Came> {
        let code = waits.launch.code;
        let mut table = series.warp_table()?;
        for (i, (warp, end)) in warps.iter_mut().zip(&*ends).enumerate() {
            if on >> i & 1 != 0 {
                let (live, until) = (warp.live, Sum::until(warp, *end));
                let (frame_at, tids) = (warp.local_base, &tids[warp.index as usize]);
                let (registers, _) = warp.files(tids);
                if !table.add(registers, frame_at, live, until) {
                    return None;
                }
            }
        }
        let mut walk = waits.run(&mut table, region);
        let all: [Option<Stood>; MAX_WARPS] = std::array::from_fn(|n| walk.stood(&mut table, n));
        let mut sum = Sum::new(on, code, (region.number, region.region));
        for (n, (i, stood)) in lanes(on).zip(all.iter().flatten()).enumerate() {
            let (warp, split, end) = (&mut warps[i], &mut splits[i], &mut ends[i]);
            let has_diverged = stood.has_diverged();
            stood.diverge(warp, split);
            if walk.passed.contains(&n) {
                sum.waits((warp, split), stood.turn);
                if walk.stray.is_none() {
                    sum.ends(1 << i);
                }
            } else {
                sum.add(self, (warp, split, end), 1 << i, stood.turn, has_diverged);
            }
        }
        Some(sum.end(self, series.zeros()))
    }
}

impl<'c, 'a> Waits<'c, 'a> {
    /// For the warps of a CTA.
    pub(super) fn new(
        launch: &'a Launch<'a>,
        (sites, counters): (&'c mut Sites, &'c mut Counters),
        is_alone: bool,
    ) -> Self {
        let (sites, known) = (sites.borrow(), [None; 4]);
        Self { launch, sites, counters, exit: NONE, barriers: true, is_alone, known }
    }

    /// Runs warps from the region's entry on until each has come to what ends its turn, and nobody here can do it for all, or
    /// one has left the region in the middle of its turn.
    pub(super) fn run(&mut self, table: &mut WarpTable<'_, '_>, region: Linked<'_>) -> Walk {
        let code = self.launch.code;
        let (all, mut odd) = (table.len(), Vec::new());
        let (mut on, mut passed, mut begun) = (region.entry, 0..0, false);
        loop {
            let mut next = 0;
            while let Some((i, at)) = table.run(next..all, Resume::Entry(on), self.exit) {
                let stood = Stood::of_links(table, at);
                let ends = stood.ends_turn(code);
                odd.push((i, stood));
                next = i + 1;
                if !ends {
                    let passed = if passed.is_empty() { passed } else { next..all };
                    return Walk { odd, stray: Some(i), passed, begun };
                }
            }
            begun = true;
            let waits = table.wait_at().filter(|_| odd.is_empty());
            let Some((to, some)) = waits.and_then(|at| self.pass(table, region, at)) else {
                return Walk { odd, stray: None, passed: 0..0, begun };
            };
            (on, passed) = (to, 0..some);
            if some != all {
                return Walk { odd, stray: None, passed, begun };
            }
        }
    }

    /// All of these wait at an instruction: it is done, as far as it can be done so. None: for nobody.
    #[inline]
    fn pass(
        &mut self,
        table: &mut WarpTable<'_, '_>,
        region: Linked<'_>,
        at: u32,
    ) -> Option<Passed> {
        if let Some(known) = self.known.iter().flatten().find(|known| known.at == at).copied() {
            self.fetch(table, &known);
            table.count(table.len(), known.steps);
            return Some((known.on, table.len()));
        }
        let launch = self.launch;
        let inst = launch.code.insts.get(at as usize)?;
        let Linked { region, .. } = region;
        let on = region.function.entry_of(Mode::Live, at + 1)?;
        let pause = region.pauses.binary_search_by_key(&at, |pause| pause.at).ok()?;
        let mut passed = table.len();
        match (&inst.op, region.pauses[pause].what) {
            (Op::Fetch(fetch), Wait::Fetch(texture, sampler)) => {
                let steps = inst.count.into();
                let (rows, plan) = self.plan_of(table, fetch, (texture, sampler))?;
                let known = Known { at, on, steps, fetch, rows, plan };
                self.fetch(table, &known);
                let stays = |of: &Handle, at| at != HandleAt::Slot || of.slot.is_constant();
                if stays(&fetch.texture, texture)
                    && fetch.sampler.as_ref().is_none_or(|of| stays(of, sampler))
                    && let Some(room) = self.known.iter_mut().find(|known| known.is_none())
                {
                    *room = Some(known);
                }
            }
            (Op::SurfaceLoad(access) | Op::SurfaceStore(access), Wait::Surface(surface)) => {
                let loads = matches!(inst.op, Op::SurfaceLoad(_));
                passed = self.surface(table, (access, surface), loads)?;
            }
            // There the limit of steps is asked for.
            (Op::Barrier(of), Wait::Barrier) if self.barriers && table.may_go_on() => {
                of.plain(&self.launch.constants)?;
            }
            _ => return None,
        }
        table.count(passed, inst.count.into());
        Some((on, passed))
    }

    /// Accesses of these, one after the other, up to the first one that faults: how many have been made. Whoever does that one again
    /// finds the fault, and stores what its lower lanes have stored already.
    #[inline]
    fn surface(
        &mut self,
        table: &mut WarpTable<'_, '_>,
        (access, at): (&SurfaceAccess, HandleAt),
        loads: bool,
    ) -> Option<usize> {
        let Borrowed { surfaces, elements, .. } = &mut self.sites;
        let ((surface, _), plan) = surfaces[access.site].first().filter(|_| self.is_alone)?;
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

    /// The plan of a fetch of all of these, and where they have its operands.
    fn plan_of(
        &self,
        table: &mut WarpTable<'_, '_>,
        fetch: &Fetch,
        (of_texture, of_sampler): (HandleAt, HandleAt),
    ) -> Option<(FetchRows<'a>, &'c FetchPlan)> {
        let (launch, fetches) = (self.launch, self.sites.fetches);
        let ((texture, sampler), plan) = fetches[fetch.site].first().filter(|_| self.is_alone)?;
        let mut has = |of: &Handle, at, handle| launch.has(table, (of, at), handle);
        let same = has(&fetch.texture, of_texture, *texture)
            && fetch.sampler.as_ref().is_none_or(|of| has(of, of_sampler, *sampler));
        let block = fetch.block.filter(|_| same)?;
        Some((rows_of(fetch, block, &launch.constants), plan))
    }

    /// Fetches of all of these.
    #[inline]
    fn fetch(&mut self, table: &mut WarpTable<'_, '_>, known: &Known<'_, '_>) {
        let Known { fetch, rows, plan, .. } = *known;
        let (constants, all) = (&self.launch.constants, table.len());
        let mut resident = [0; MAX_WARPS];
        let mut rest = table.each();
        for resident in resident[..all].chunks_mut(FETCHED) {
            let (mut files, mut live): ([&mut [L32]; FETCHED], [u32; FETCHED]) = Default::default();
            for ((file, live), of) in files.iter_mut().zip(&mut live).zip(&mut rest) {
                (*file, *live) = (of.0.narrow, of.1);
            }
            self.counters.fetches += live.into_iter().map(count).sum::<u64>();
            let files = (&mut files[..resident.len()], &live[..]);
            let scratch = &mut *self.sites.scratch;
            fetch_files((fetch, &rows, plan), constants, files, resident, scratch);
        }
        drop(rest);
        if !fetch.resident.is_none() {
            let to = fetch.resident.predicate_index();
            for ((files, _), resident) in table.each().zip(resident) {
                files.predicates[to] = resident;
            }
        }
    }
}

impl Launch<'_> {
    /// Whether all live lanes of these have a handle.
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
