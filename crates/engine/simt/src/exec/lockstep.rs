//! Warps of a CTA that run in lockstep: those at the lowest place execute an instruction one after the other,
//! then all look again. Between the places where they wait for each other, warps may run in any order; this
//! one has two merits: what surrounds an instruction is done once for all of them, and the unit gets the
//! fetches of several warps in one call, so that it reads the texels of one while it sums those of another.
//!
//! A warp goes alone as soon as its lanes part (in a region they may meet again before anybody sees it), and before an
//! instruction whose order among warps can be seen (`is_quiet`). It may join the others again at the next turn. At a
//! barrier for all of the CTA they arrive at once, and wait for other groups (`turn`).

mod barrier;
mod members;
mod turn;

use super::context::Context;
use super::limits::LOCKSTEP;
use super::outcome::{At, Flow, Stopped};
use super::sites::Sites;
use super::team::may_go;
use super::texture::{fetch_files, is_of_all, rows_of};
use super::warp::{Warp, count, lanes};
use crate::code::{Fetch, Handle, Op, Shadow, Slot};
use crate::observe::{Events, FetchMade};
use barrier::{Arrival, Walked};
use members::Members;
use texunit_alu::L32;
use texunit_jit::region::Mode;

/// Whether nobody can tell in which order warps execute it, apart from races that a program has anyway.
pub(crate) fn is_quiet(op: &Op) -> bool {
    match op {
        Op::Mark(mark) => mark.is_quiet,
        // In the order of what they stand before.
        Op::Shadow(shadow) => match &**shadow {
            Shadow::AsyncCopy(_) => false,
            Shadow::Surface(of) => !of.access.is_reduction(),
            _ => true,
        },
        Op::SurfaceStore(access) => !access.is_reduction(),
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
        if !members.have_passed()
            && let Some(next) = members.next()
        {
            self.arrive(Mode::Live, next.pc, next.here.count_ones().into());
        }
        // A barrier that is complete opens before anything else happens.
        while !self.cta.completed {
            let mut left = false;
            if members.have_passed() {
                match self.walk(warps, members) {
                    Walked::Waits => return Ok(()),
                    Walked::Stands => left = true,
                    Walked::Anywhere => {}
                }
            }
            let Some(next) = members.next() else { break };
            let spent = members.spent(warps, next.here);
            if spent != 0 {
                // One that has used up all steps that it may has to be looked at.
                let may_go_on = |&i: &usize| warps[i].steps < self.launch.config.max_steps;
                members.over |= lanes(spent).filter(may_go_on).fold(0, |all, i| all | 1 << i);
                members.part_all(spent, warps);
                continue;
            }
            match self.advance(&mut members.team(warps, next.here), next.other, left) {
                Stopped::Over => {}
                Stopped::Apart(alone) => members.part_all(alone, warps),
                Stopped::Stands => {
                    if let Err((i, at)) = self.each(warps, members, next.here) {
                        members.part_all(members.on, warps);
                        return Err((i, at));
                    }
                }
            }
        }
        members.part_all(members.on, warps);
        Ok(())
    }

    /// The instruction before which some warps stand, of all together or of one after the other.
    fn each(
        &mut self,
        warps: &mut [Warp],
        members: &mut Members,
        on: u32,
    ) -> Result<(), (usize, At)> {
        let pc = members.splits[on.trailing_zeros() as usize].pc;
        let inst = &self.launch.code.insts[pc as usize];
        match &inst.op {
            Op::Exit if inst.guard == Slot::TRUE => {
                for i in lanes(on) {
                    self.exit_all(&mut warps[i], &mut members.splits[i], inst);
                }
                members.on &= !on;
                return Ok(());
            }
            // The limit of steps is asked for at barriers: the caller finds that it is reached.
            Op::Barrier(_) if members.spent(warps, on) != 0 => return Ok(()),
            Op::Barrier(barrier) if inst.guard == Slot::TRUE => {
                let counted = (inst.count.into(), true);
                let threads = members.threads_of(on, warps);
                match self.barrier_in_step(warps, (on, pc), threads, barrier) {
                    Arrival::Passes => {
                        self.move_to(&mut members.team(warps, on), on, counted, pc);
                        members.threads = threads;
                        members.pass(on, warps, pc);
                        return Ok(());
                    }
                    Arrival::Waits(barrier) => {
                        self.move_to(&mut members.team(warps, on), on, counted, pc);
                        members.hold(on, warps, (barrier, threads));
                        return Ok(());
                    }
                    Arrival::OneByOne => {}
                }
            }
            _ => {}
        }
        if !is_quiet(&inst.op) {
            members.part_all(on, warps);
            return Ok(());
        }
        for i in lanes(on) {
            let (warp, split) = (&mut warps[i], &mut members.splits[i]);
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
                Err(pending) => return Err((i, At { split: *split, pending })),
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
        let same = |of: &Handle, handle| {
            // Those are parameters: what one warp has, all have.
            let these = if of.uniform { here & here.wrapping_neg() } else { here };
            lanes(these).all(|i| is_of_all(&warps[i], constants, of, handle))
        };
        let sampler = fetch.sampler.as_ref();
        if !same(&fetch.texture, handles.0) || !sampler.is_none_or(|s| same(s, handles.1)) {
            return false;
        }
        let (mut files, mut live): ([&mut [L32]; LOCKSTEP], [u32; LOCKSTEP]) = Default::default();
        let mut all = 0;
        for (i, warp) in warps.iter_mut().enumerate() {
            if here >> i & 1 == 1 {
                live[all] = warp.live;
                files[all] = warp.rows_mut();
                all += 1;
            }
        }
        let mut resident = [0; LOCKSTEP];
        let files = (&mut files[..all], &live[..all]);
        let rows = rows_of(fetch, *block, constants);
        fetch_files((fetch, &rows, plan), constants, files, &mut resident, scratch);
        if !fetch.resident.is_none() {
            for (i, resident) in lanes(here).zip(resident) {
                let warp = &mut warps[i];
                warp.put_p(fetch.resident, resident, warp.live);
            }
        }
        self.counters.fetches += live.into_iter().map(count).sum::<u64>();
        true
    }
}
