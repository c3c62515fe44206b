//! Warps of a CTA that run in lockstep: those at the lowest place execute an instruction one after the other,
//! then all look again. Between the places where they wait for each other, warps may run in any order; this
//! one has two merits: what surrounds an instruction is done once for all of them, and the unit gets the
//! fetches of several warps in one call, so that it reads the texels of one while it sums those of another.
//!
//! A warp goes alone as soon as its lanes part (in a region they may meet again before anybody sees it), and before an
//! instruction whose order among warps can be seen (`is_quiet`). It may join the others again at the next turn. At a
//! barrier for all of the CTA they arrive at once, and wait for other groups (`turn`).

mod members;
mod turn;

use super::collective::Arrival;
use super::context::Context;
use super::step::{At, Flow};
use super::texture::{Sites, is_of_all};
use super::warp::{Warp, count, lanes};
use crate::code::{Fetch, Op, Place, Slot};
use crate::observe::{Events, FetchMade};
use members::{Members, Next, may_go};
use texunit_jit::region::Mode;
use texunit_unit::SurfaceKind;

/// Warps that run in lockstep at most: their registers should fit the first cache of a core.
pub(super) const LOCKSTEP: usize = 8;

/// Whether nobody can tell in which order warps execute it, apart from races that a program has anyway.
pub(crate) fn is_quiet(op: &Op) -> bool {
    match op {
        Op::Mark(mark) => mark.is_quiet,
        Op::SurfaceStore(access) => !matches!(access.form.kind, SurfaceKind::Reduce { .. }),
        Op::Atomic(_)
        | Op::LoadQuad(_)
        | Op::StoreQuad(_)
        | Op::AsyncCopy(_)
        | Op::Mbarrier(_)
        | Op::Yield
        | Op::Barrier(_)
        | Op::HeapCall(_)
        | Op::Printf(_)
        | Op::AssertFail(_)
        | Op::Trap
        | Op::Breakpoint => false,
        _ => true,
    }
}

impl Context<'_> {
    /// Runs the warps of a group in lockstep, until each has used up its turn, goes alone or waits. An error names the
    /// warp.
    fn run_lockstep(
        &mut self,
        warps: &mut [Warp],
        members: &mut Members,
    ) -> Result<(), (usize, At)> {
        if let Some(next) = members.next() {
            self.arrive(Mode::Live, next.pc, next.here.count_ones().into());
        }
        // A barrier that is complete opens before anything else happens.
        while !self.cta.completed
            && let Some(next) = members.next()
        {
            if self.in_step(warps, members, &next) {
                continue;
            }
            if let Err((i, at)) = self.one_by_one(warps, members, &next) {
                members.part_all(members.on, warps);
                return Err((i, at));
            }
        }
        members.part_all(members.on, warps);
        Ok(())
    }

    /// Runs warps as far as they need not be looked at one by one: machine code, fetches, usual loads and
    /// stores, and branches that all lanes take or none. This is where kernels that do little else spend
    /// their time. False: nothing has been done.
    fn in_step(&mut self, warps: &mut [Warp], members: &mut Members, next: &Next) -> bool {
        let code = self.launch.code;
        let mut on = next.here;
        let mut left = members.steps_left(warps, on);
        let (mut pc, mut steps) = (next.pc, 0);
        // Whether the interpreter has to do what stands at this place.
        let (mut stands, mut ran) = (false, false);
        while steps < left && pc != next.other {
            if !stands && self.is_door(pc) {
                members.move_to(warps, on, (pc, std::mem::take(&mut steps)));
                let done = self.compiled_steps();
                let at = self.enter_each(warps, &mut members.splits, &members.ends, on);
                ran |= done != self.compiled_steps();
                let Some(at) = at else { return ran | members.part_divided(on, warps) };
                (pc, stands, left) = (at, true, members.steps_left(warps, on));
                continue;
            }
            stands = false;
            let inst = &code.insts[pc as usize];
            let always = inst.guard == Slot::TRUE;
            let counted = u64::from(inst.count);
            // Threads of instructions that are not counted for all live lanes.
            let mut threads = None;
            let mut to = pc + 1;
            // Warps that have to go another way.
            let mut not = 0;
            match &inst.op {
                Op::Join => {}
                Op::Branch { target, .. } if always => to = *target,
                Op::Branch { target, .. } => {
                    let taken = |i: usize| warps[i].p(inst.guard) & warps[i].live;
                    if lanes(on).all(|i| taken(i) == warps[i].live) {
                        to = *target;
                    } else if lanes(on).all(|i| taken(i) == 0) {
                        threads = Some(0);
                    } else {
                        break;
                    }
                }
                Op::Fetch(fetch) if always => {
                    if !self.fetch_lockstep(warps, on, fetch) {
                        break;
                    }
                }
                Op::Exit if always => {
                    for i in lanes(on) {
                        let (warp, split) = (&mut warps[i], &mut members.splits[i]);
                        split.pc = pc;
                        warp.steps += steps;
                        self.exit_all(warp, split, inst);
                    }
                    members.on &= !on;
                    return true;
                }
                Op::Barrier(barrier) if always => {
                    match self.barrier_in_step(warps, (on, pc), barrier) {
                        Arrival::Passes => {}
                        Arrival::Waits(barrier) => {
                            members.move_to(warps, on, (pc, steps + counted));
                            let live = lanes(on).map(|i| count(warps[i].live)).sum::<u64>();
                            self.counters.warp_instructions += counted * u64::from(on.count_ones());
                            self.counters.thread_instructions += counted * live;
                            members.hold(on, warps, barrier);
                            return true;
                        }
                        Arrival::OneByOne => break,
                    }
                }
                // The inner loop has parameters, with the arithmetic behind them.
                Op::Load(access) if always && access.place != Place::KernelParam => {
                    for i in lanes(on) {
                        let live = warps[i].live;
                        if !self.load_stream(&mut warps[i], access, live) {
                            not |= 1 << i;
                        }
                    }
                }
                Op::Store(access) if always => {
                    for i in lanes(on) {
                        let live = warps[i].live;
                        if !self.store_stream(&mut warps[i], access, live) {
                            not |= 1 << i;
                        }
                    }
                }
                Op::Count { counter, of } => {
                    for i in lanes(on) {
                        self.count_lanes(&warps[i], (*counter, *of), warps[i].live);
                    }
                    threads = Some(0);
                }
                _ => break,
            }
            if not == on {
                break;
            }
            for i in lanes(not) {
                members.splits[i].pc = pc;
                warps[i].steps += steps;
                members.part(i, &mut warps[i]);
            }
            on &= !not;
            let live = || lanes(on).map(|i| count(warps[i].live)).sum::<u64>();
            self.counters.warp_instructions += counted * u64::from(on.count_ones());
            self.counters.thread_instructions += threads.unwrap_or_else(|| counted * live());
            steps += counted;
            if to <= pc {
                self.arrive(Mode::Live, to, on.count_ones().into());
            }
            pc = to;
        }
        members.move_to(warps, on, (pc, steps));
        ran || pc != next.pc || steps != 0
    }

    /// The instruction of warps at a place, one after the other, or what arithmetic there is.
    fn one_by_one(
        &mut self,
        warps: &mut [Warp],
        members: &mut Members,
        next: &Next,
    ) -> Result<(), (usize, At)> {
        let inst = &self.launch.code.insts[next.pc as usize];
        for i in lanes(next.here) {
            let mut end = members.ends[i];
            let (warp, split) = (&mut warps[i], &mut members.splits[i]);
            if warp.steps >= end || self.arithmetic(warp, split, &mut end) {
                // One that has used up all steps that it may has to be looked at.
                let may_go_on = warp.steps < self.launch.config.max_steps;
                members.over |= u32::from(may_go_on) << i;
                members.part(i, warp);
                continue;
            }
            if !may_go(warp, split) {
                members.part(i, warp);
                continue;
            }
            if split.pc != next.pc {
                continue;
            }
            if !is_quiet(&inst.op) {
                members.part(i, warp);
                continue;
            }
            match self.step(warp, split, inst) {
                Ok(Flow::Goes | Flow::Parts) if may_go(warp, split) => {}
                Ok(Flow::Goes | Flow::Parts | Flow::Pauses | Flow::Yields) => {
                    members.part(i, warp);
                }
                Ok(Flow::Gone) => members.on &= !(1 << i),
                Ok(Flow::Waits(state)) => {
                    split.state = state;
                    members.part(i, warp);
                }
                Err(trouble) => return Err((i, At { split: *split, trouble })),
            }
        }
        Ok(())
    }

    /// A fetch of all live lanes of these warps by the handles of the last one. False: it is none of these,
    /// and nothing has been done.
    #[inline]
    pub(super) fn fetch_lockstep(&mut self, warps: &mut [Warp], here: u32, fetch: &Fetch) -> bool {
        if self.is_alone {
            self.fetch_now(warps, here, fetch)
        } else {
            self.fetch_and_tell(warps, here, fetch)
        }
    }

    /// The same where somebody else has to do with fetches.
    #[cold]
    fn fetch_and_tell(&mut self, warps: &mut [Warp], here: u32, fetch: &Fetch) -> bool {
        let one_by_one = self.events.has(Events::ANSWERS) || self.launch.config.gradients.is_some();
        if one_by_one || !self.fetch_now(warps, here, fetch) {
            return false;
        }
        for i in lanes(here) {
            let at = self.at_site(&warps[i], warps[i].live, fetch.site);
            let plan = self.sites.fetches[fetch.site].first();
            if let (Some((_, plan)), Some(probe)) = (plan, &mut self.probe) {
                probe.fetch(&at, &FetchMade { plan });
            }
        }
        true
    }

    fn fetch_now(&mut self, warps: &mut [Warp], here: u32, fetch: &Fetch) -> bool {
        let constants = &self.launch.constants;
        let Sites { fetches, scratch, .. } = &mut self.sites;
        let Some((handles, plan)) = fetches[fetch.site].first() else { return false };
        let Some(block) = &fetch.block else { return false };
        let mut accesses = 0;
        for i in lanes(here) {
            let warp = &warps[i];
            if !is_of_all(warp, constants, &fetch.texture, handles.0)
                || !fetch.sampler.as_ref().is_none_or(|s| is_of_all(warp, constants, s, handles.1))
            {
                return false;
            }
            accesses += count(warp.live);
        }
        let mut resident = [0; LOCKSTEP];
        let mut those = warps.iter_mut().enumerate().filter(|(i, _)| here >> i & 1 == 1);
        plan.fetch_warps(
            // Into the plan's loops, which then put together only what they look at.
            #[inline(always)]
            |places| {
                let (_, warp) = those.next()?;
                let live = warp.live;
                let others = warp.apart(block, places);
                Some(fetch.request(live, |slot| others.row(constants, slot)))
            },
            &mut resident,
            scratch,
        );
        if !fetch.resident.is_none() {
            for (i, resident) in lanes(here).zip(resident) {
                let warp = &mut warps[i];
                warp.put_p(fetch.resident, resident, warp.live);
            }
        }
        self.counters.fetches += accesses;
        true
    }
}
