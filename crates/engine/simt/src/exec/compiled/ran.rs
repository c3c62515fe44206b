//! Warps of short CTAs ([`super::short`]) on their way to the end of the kernel.

use super::Compiled;
use super::linked::{Linked, Stood, Waits};
use super::series::Turn;
use super::state::Exit;
use crate::code::{NONE, OF_CTA, Op, Slot};
use crate::exec::context::Launch;
use crate::exec::counters::Executed;
use crate::exec::cta::name_in;
use crate::exec::outcome;
use crate::exec::step::Resume;
use crate::exec::warp::{Split, State, Warp, count};
use crate::regions::Compiled as Region;
use texunit_alu::L32;
use texunit_jit::region::{Series, WithFiles};

/// Who names CTAs that are run behind the one with these words, if somebody may.
pub(super) struct Next<'m> {
    pub(super) more: Option<&'m mut dyn FnMut() -> Option<u64>>,
    pub(super) words: [u32; OF_CTA],
}

/// Warps of CTAs that have been run so.
#[derive(Default)]
pub(super) struct Ran {
    /// The last CTA, if it is another than the first one.
    pub(super) last: Option<u64>,
    /// How many of its warps have begun, and threads of it that have come to the end of the kernel.
    pub(super) begun: usize,
    pub(super) ended: u32,
    pub(super) executed: Executed,
    /// The end to which a warp has come last.
    pub(super) exit: Exit,
    /// The warp that is in the middle of its turn, and how it goes on.
    pub(super) stray: Option<(usize, Resume)>,
}

/// Where a warp has left the region before the end of the kernel, and its lanes.
type Stays = (u32, u32);

/// What the warps of a CTA have in common.
#[derive(Clone, Copy)]
pub(super) struct CtaWarps<'c> {
    pub(super) launch: &'c Launch<'c>,
    pub(super) tids: &'c [[L32; 3]],
    /// Where the kernel begins, in the region of this number.
    pub(super) entry: u32,
    pub(super) number: u32,
    pub(super) region: &'c Region,
    /// The steps that each may do.
    pub(super) budget: u64,
}

impl Ran {
    /// Another CTA begins, if there is one, and all threads of this one have come to the end.
    #[inline(always)]
    fn goes_on(&mut self, launch: &Launch<'_>, next: &mut Next<'_>) -> bool {
        let more = next.more.as_mut().filter(|_| self.ended == launch.threads);
        let Some(index) = more.and_then(|more| more()) else { return false };
        name_in(&mut next.words, index, launch.config.grid);
        (self.last, self.begun, self.ended) = (Some(index), 0, 0);
        true
    }

    /// Runs warps with the registers of as few as possible, as long as each comes to what ends its turn.
    pub(super) fn one_by_one(
        &mut self,
        compiled: &mut Compiled<'_>,
        series: &mut Series<'_>,
        warps: &mut [Warp],
        all: CtaWarps<'_>,
        next: &mut Next<'_>,
    ) {
        // The first warp whose registers nobody needs: all others run with them.
        let mut free = 0;
        while let Some(warp) = warps.get_mut(free) {
            let frame = warp.local_base..warp.local_end;
            let (registers, local) = warp.files(&[]);
            let files = series.with_files(registers, local, frame);
            let on = files.and_then(|mut files| self.on(&mut files, all, next));
            let Some((at, live)) = on else { break };
            let last = self.begun - 1;
            if let Ok([free, last]) = warps.get_disjoint_mut([free, last]) {
                free.swap_registers(last);
            } else {
                free += 1;
            }
            let stood = Stood::of(series, at);
            let resume = self.stays(compiled, &mut warps[last], &stood, live, all);
            if !stood.ends_turn(all.launch.code) {
                self.stray = Some((last, resume));
                break;
            }
        }
    }

    /// Runs warps with their own registers, all together.
    pub(super) fn together(
        &mut self,
        compiled: &mut Compiled<'_>,
        series: &mut Series<'_>,
        warps: &mut [Warp],
        all: CtaWarps<'_>,
        (region, mut waits): (Linked<'_>, Waits<'_, '_>),
        next: &mut Next<'_>,
    ) {
        let until = (all.budget, all.budget);
        let Some(mut table) = series.warp_table() else { return };
        let live = |i: usize| all.launch.lanes_of(i as u32);
        for (i, (warp, tids)) in warps.iter_mut().zip(all.tids).enumerate() {
            let frame_at = warp.local_base;
            let (registers, _) = warp.files(tids);
            if !table.add(registers, frame_at, live(i), until) {
                return;
            }
        }
        // Most often all come to the end.
        let mut stay = Vec::new();
        let mut walk;
        loop {
            waits.exit = self.exit.at;
            walk = waits.run(&mut table, region);
            for i in 0..table.len() {
                match walk.ended(&table, i).filter(|of| of.1 < all.budget) {
                    Some((at, steps, threads)) if self.is_exit(all.launch, at) => {
                        self.end(1, live(i), (steps, threads));
                    }
                    _ => stay.extend(walk.stood(&mut table, i).map(|stood| (i, stood))),
                }
            }
            let goes_on = self.goes_on(all.launch, next);
            if !goes_on || !table.begin_again(&next.words, until) {
                break;
            }
        }
        for (i, stood) in stay {
            self.begun += 1;
            let resume = self.stays(compiled, &mut warps[i], &stood, live(i), all);
            if walk.stray == Some(i) {
                self.stray = Some((i, resume));
            }
        }
    }

    /// Whether all lanes that come to an instruction end there: then it is the last one that they have come to.
    #[inline(always)]
    fn is_exit(&mut self, launch: &Launch<'_>, at: u32) -> bool {
        if self.exit.at != at {
            let inst = &launch.code.insts[at as usize];
            if !matches!(inst.op, Op::Exit) || inst.guard != Slot::TRUE {
                return false;
            }
            self.exit = Exit { at, count: u64::from(inst.count) };
        }
        true
    }

    /// Runs the next warps in these files, until one of them stays before the end of the kernel. None: none does, or the
    /// next one cannot begin.
    fn on(
        &mut self,
        files: &mut WithFiles<'_, '_>,
        all: CtaWarps<'_>,
        next: &mut Next<'_>,
    ) -> Option<Stays> {
        let CtaWarps { launch, tids, budget, .. } = all;
        loop {
            while self.begun < tids.len() {
                let live = launch.lanes_of(self.begun as u32);
                // The last one may have fewer.
                let end =
                    if live == u32::MAX { (launch.threads / 32) as usize } else { tids.len() };
                let warps = tids.get(self.begun..end)?;
                let ran = files.run_warps(warps, live, budget, self.exit.at)?;
                self.end(u64::from(ran.ended), live, (ran.steps, ran.threads));
                let Some(at) = ran.left else { continue };
                match files.came_together() {
                    Some(executed) if executed.0 < budget && self.is_exit(launch, at) => {
                        self.end(1, live, executed);
                    }
                    _ => {
                        self.begun += 1;
                        return Some((at, live));
                    }
                }
            }
            if !self.goes_on(launch, next) || !files.set_words(&next.words) {
                return None;
            }
        }
    }

    /// So many warps with these lanes have come to the end, with steps before it and lanes that have taken them in all.
    fn end(&mut self, warps: u64, live: u32, (steps, threads): (u64, u64)) {
        let (counted, lanes) = (warps * self.exit.count, count(live));
        self.begun += warps as usize;
        self.ended += (warps * lanes) as u32;
        self.executed.add(Executed::of(steps + counted, threads + counted * lanes));
    }

    /// A warp stands where it has left the region: how its turn goes on, if it does.
    #[cold]
    fn stays(
        &mut self,
        compiled: &mut Compiled<'_>,
        warp: &mut Warp,
        stood: &Stood,
        live: u32,
        all: CtaWarps<'_>,
    ) -> Resume {
        let Turn { at, why, steps, threads, limit } = stood.turn;
        let mut split = Split { pc: at, mask: live, frame: 0, group: NONE, state: State::Ready };
        warp.start_again(live, all.entry);
        warp.splits.clear();
        (warp.end, warp.is_as_begun) = (all.budget, false);
        stood.diverge(warp, &mut split);
        self.executed.count(warp, steps, threads);
        // Before those that have parted from it.
        warp.splits.insert(0, split);
        let left = compiled.left((all.number, all.region), (at, why), steps >= limit);
        Resume { limit, over: left == outcome::Ran::Over, yielded: 0 }
    }
}
