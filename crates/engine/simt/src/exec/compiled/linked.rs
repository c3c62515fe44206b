//! Warps that run a region together: at each fetch they wait for each other, and the unit gets the fetches of all of them at
//! once.

use super::Compiled;
use super::series::{Came, Sum, Turn};
use crate::alu::L32;
use crate::code::{Constants, Handle};
use crate::exec::context::Launch;
use crate::exec::limits::LOCKSTEP;
use crate::exec::sites::Sites;
use crate::exec::texture::{fetch_files, has_all};
use crate::exec::warp::{Split, Warp, count, lanes};
use crate::regions::{HandleAt, Pause, fetch_at};
use texunit_jit::region::{Entry, Function, Group, Links, Mode, Parted, Series, Way, Why};

/// What does the fetches of a region.
pub(super) struct Fetches<'c, 'a> {
    pub(super) launch: &'a Launch<'a>,
    pub(super) sites: &'c mut Sites,
    /// Lanes that have fetched.
    pub(super) count: &'c mut u64,
}

/// The region.
#[derive(Clone, Copy)]
pub(super) struct Linked<'r> {
    pub(super) number: u32,
    pub(super) function: &'r Function,
    pub(super) pauses: &'r [Pause],
    pub(super) entry: Entry,
}

/// How a warp has left a region, and how its lanes stand if they have parted: those that stand there, and the others.
pub(super) struct Stood {
    pub(super) turn: Turn,
    parted: Option<Box<(u32, Vec<Group>, Option<(u32, u32, usize)>)>>,
}

impl Stood {
    /// Of a series that it has left last, before this instruction.
    #[cold]
    pub(super) fn of(series: &mut Series<'_>, at: u32) -> Self {
        let turn = Turn::of(series, at);
        let parted = series.has_parted().then(|| {
            let (mask, parted) = series.parted();
            Box::new((mask, parted.groups.to_vec(), parted.stands))
        });
        Self { turn, parted }
    }

    /// Whether some lanes stand elsewhere.
    #[inline(always)]
    pub(super) fn has_parted(&self) -> bool {
        self.parted.is_some()
    }

    /// These lanes of a warp become splits of their own, before its steps are counted.
    #[inline(always)]
    pub(super) fn part(&self, warp: &mut Warp, split: &mut Split) {
        if let Some(parted) = &self.parted {
            let (mask, groups, stands) = &**parted;
            warp.part(split, &Parted { groups, stands: *stands });
            split.mask = *mask;
        }
    }
}

/// How each of them has left it.
pub(super) type AllStood = [Option<Stood>; LOCKSTEP];
/// None has.
pub(super) const NOBODY_STOOD: AllStood = [const { None }; LOCKSTEP];

/// All of them leave it.
pub(super) fn stand_outside(links: &mut Links<'_, '_>, all: &mut AllStood) {
    for (i, stood) in all.iter_mut().enumerate() {
        let Some(stands) = links.stands(i).filter(|_| stood.is_none()) else { continue };
        if stands.waits {
            links.run(i..i + 1, Way::Out(stands.at));
        }
        let (at, why, limit) = (stands.at, Why::Instruction, stands.limit);
        let turn = Turn { at, why, steps: stands.steps, threads: stands.threads, limit };
        *stood = Some(Stood { turn, parted: None });
    }
}

impl Compiled<'_> {
    /// Runs a region for the warps of these bits, which are several or one, together. None: it cannot be run so, and nothing has been done.
    #[inline(never)]
    pub(super) fn run_together(
        &mut self,
        series: &mut Series<'_>,
        tids: &[[L32; 3]],
        (warps, splits, ends, on): (&mut [Warp], &mut [Split], &mut [u64], u32),
        region: Linked<'_>,
        mut fetches: Fetches<'_, '_>,
    ) -> Option<Came> {
        let mut links = series.links()?;
        for (i, (warp, end)) in warps.iter_mut().zip(&*ends).enumerate() {
            if on >> i & 1 != 0 {
                let (live, until) = (warp.live, Sum::until(warp, *end));
                let (frame_at, tids) = (warp.local_base, &tids[warp.index as usize]);
                let (registers, _) = warp.files(tids);
                if !links.add(registers, frame_at, live, until) {
                    return None;
                }
            }
        }
        let mut all = NOBODY_STOOD;
        fetches.run(&mut links, region, &mut all);
        stand_outside(&mut links, &mut all);
        let mut sum = Sum::new(on);
        for (i, stood) in lanes(on).zip(all.iter().flatten()) {
            let (warp, split, end) = (&mut warps[i], &mut splits[i], &mut ends[i]);
            stood.part(warp, split);
            let (bit, has_parted) = (1 << i, stood.has_parted());
            sum.add(self, (warp, split, end), (bit, region.number), stood.turn, has_parted);
        }
        Some(sum.end(self, splits, series.zeros()))
    }
}

impl Fetches<'_, '_> {
    /// Runs warps from the region's entry on until each has left it or waits where somebody else has to go on: how those stand
    /// that did not come to an instruction with their lanes together.
    pub(super) fn run(
        &mut self,
        links: &mut Links<'_, '_>,
        region: Linked<'_>,
        stood: &mut AllStood,
    ) {
        let all = links.len().min(LOCKSTEP);
        let mut way = Way::On(region.entry);
        loop {
            let (mut next, mut is_odd) = (0, false);
            while let Some((i, at)) = links.run(next..all, way) {
                stood[i] = Some(Stood::of(links.series(), at));
                (next, is_odd) = (i + 1, true);
            }
            let waits = links.wait_at().filter(|_| !is_odd);
            let Some((entry, count)) = waits.and_then(|at| self.fetch(links, region, at)) else {
                return;
            };
            links.count(count);
            way = Way::On(entry);
        }
    }

    /// The fetch at which all of these wait: where they go on, and how many instructions it counts as. None: it is none that can be done so.
    #[inline]
    fn fetch(
        &mut self,
        links: &mut Links<'_, '_>,
        region: Linked<'_>,
        at: u32,
    ) -> Option<(Entry, u64)> {
        let (fetch, counted) = fetch_at(self.launch.code, at)?;
        let on = region.function.entry_of(Mode::Live, at + 1)?;
        let pause = region.pauses.binary_search_by_key(&at, |pause| pause.at).ok()?;
        let constants = &self.launch.constants;
        let Sites { fetches, scratch, .. } = &mut *self.sites;
        let ((texture, sampler), plan) = fetches[fetch.site].first()?;
        let Pause { texture: of_texture, sampler: of_sampler, .. } = region.pauses[pause];
        let mut has = |of: &Handle, at, handle| self.launch.has(links, (of, at), constants, handle);
        let same = has(&fetch.texture, of_texture, *texture)
            && fetch.sampler.as_ref().is_none_or(|of| has(of, of_sampler, *sampler));
        let block = fetch.block.as_ref().filter(|_| same)?;
        let mut resident = [0; LOCKSTEP];
        let (mut files, mut live): ([&mut [L32]; LOCKSTEP], [u32; LOCKSTEP]) = Default::default();
        let all = links.len().min(LOCKSTEP);
        for ((to, lanes), of) in files.iter_mut().zip(&mut live).zip(links.each()) {
            (*to, *lanes) = (of.0.narrow, of.1);
        }
        let files = (&mut files[..all], &live[..all]);
        fetch_files((fetch, block, plan), constants, files, &mut resident, scratch);
        if !fetch.resident.is_none() {
            let to = fetch.resident.predicate_index();
            for ((files, _), resident) in links.each().zip(resident) {
                files.predicates[to] = resident;
            }
        }
        *self.count += live.into_iter().map(count).sum::<u64>();
        Some((on, counted))
    }
}

impl Launch<'_> {
    /// Whether all live lanes of these have a handle.
    #[inline]
    fn has(
        &self,
        links: &mut Links<'_, '_>,
        (of, at): (&Handle, HandleAt),
        constants: &Constants,
        handle: u64,
    ) -> bool {
        match at {
            HandleAt::Param(offset) => {
                let bytes = self.config.params.get(offset as usize..);
                let bytes = bytes.and_then(|bytes| bytes.first_chunk());
                bytes.is_some_and(|bytes| u64::from_le_bytes(*bytes) == handle)
            }
            HandleAt::Slot if of.slot.is_constant() => constants.wide[of.slot.index()][0] == handle,
            HandleAt::Slot => {
                let i = of.slot.index();
                links.each().all(|(files, live)| has_all(&files.wide[i], live, handle))
            }
        }
    }
}
