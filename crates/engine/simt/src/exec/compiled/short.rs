//! CTAs of short kernels, from one end to the other in one region: nothing is kept of a warp that comes to the end of
//! the kernel so, and little has to be done for the next one.

use super::linked::{Linked, Stood, Waits, stood};
use super::series::Turn;
use super::state::Exit;
use super::{Compiled, Context, Missed, lanes_apart};
use crate::alu::L32;
use crate::code::{NONE, Op, Slot};
use crate::exec::context::Launch;
use crate::exec::counters::Executed;
use crate::exec::limits::{CTA_TURN, LOCKSTEP};
use crate::exec::outcome::At;
use crate::exec::warp::{Split, State, Warp, count};
use crate::fault::Fault;
use crate::regions::Wait;
use texunit_jit::region::{Inputs, MOST, Mode, Series, Why, WithFiles};

/// After so many CTAs in a row with warps that have not come to the end, the others are begun in the usual way.
const FAILURES: u32 = 16;

impl Context<'_> {
    /// Whether a CTA can be run so: the kernel begins with a region, which has no atomics, as these are counted.
    #[inline]
    pub(in crate::exec) fn is_short(&self) -> bool {
        let entry = self.launch.code.funcs[self.launch.entry as usize].entry;
        let region = || self.compiled.as_ref()?.table.region(self.door(entry)?);
        self.short.may
            && self.short.failed < FAILURES
            && region().is_some_and(|region| !region.atomics)
    }

    /// Warps of a CTA that is short become what a kernel begins with, if they are not that.
    #[inline]
    pub(in crate::exec) fn begin_short(&mut self, warps: &mut [Warp]) -> Result<(), Box<Fault>> {
        if self.short.all_begun {
            return Ok(());
        }
        for (i, warp) in (0..).zip(warps).filter(|of| !of.1.is_as_begun) {
            if let Err(pending) = self.start_warp(warp, i, self.launch.lanes_of(i)) {
                let split = warp.splits[0];
                return Err(self.fault(warp, At { split, pending }));
            }
            // As one that has come to the end.
            warp.splits.clear();
            warp.enter(0);
            (warp.live, warp.is_as_begun) = (0, true);
        }
        Ok(())
    }

    /// Runs the warps of a CTA that is short from the beginning of the kernel to its end. Those that do not come to the end
    /// stand where they are.
    pub(in crate::exec) fn run_short(&mut self, warps: &mut [Warp]) {
        let entry = self.launch.code.funcs[self.launch.entry as usize].entry;
        let budget = CTA_TURN.min(self.launch.config.max_steps);
        let begun = self.run_to_end(warps, entry, budget);
        for (i, warp) in warps.iter_mut().enumerate().skip(begun) {
            warp.start_again(self.launch.lanes_of(i as u32), entry);
            warp.is_as_begun = false;
        }
        self.short.all_begun = self.cta.live == 0;
        self.short.failed = if self.cta.live == 0 { 0 } else { self.short.failed + 1 };
    }

    /// How many of the warps have begun.
    fn run_to_end(&mut self, warps: &mut [Warp], entry: u32, budget: u64) -> usize {
        let launch = self.launch;
        let keeps = self.fixed.code.asks_who_is_there;
        let Some(number) = self.door(entry) else { return 0 };
        let Some(compiled) = &mut self.compiled else { return 0 };
        let table = compiled.table;
        let function = table.region(number).map(|region| &region.function);
        let inputs = Inputs {
            constants: &self.fixed.constants.narrow,
            wide_constants: &self.fixed.constants.wide,
            words: &self.of_cta,
            bytes: self.fixed.params,
            counts: self.counts.cells(),
            ahead: launch.ahead(),
        };
        let mut sites = compiled.sites_of(number).take();
        let running = function.zip(sites.as_mut()).and_then(|(function, sites)| {
            function.with(inputs, sites).zip(function.entry_of(Mode::Live, entry))
        });
        let Some((mut running, at)) = running else {
            table.close(Mode::Live, entry);
            return 0;
        };
        let series = running.series(at, &mut self.cta.shared, lanes_apart(keeps));
        let mut ran = Ran { exit: self.short.exit, ..Ran::default() };
        if let Some(mut series) = series {
            let (tids, _) = self.tids.as_chunks::<3>();
            let all = CtaWarps { launch, tids, entry, budget, number };
            match table.region(number).filter(|of| {
                let passes = |wait| self.is_alone || matches!(wait, Wait::Barrier);
                of.has_pauses(passes)
            }) {
                Some(region) => {
                    let waits = Waits {
                        launch,
                        sites: &mut self.sites,
                        counters: &mut self.counters,
                        all: false,
                        is_alone: self.is_alone,
                    };
                    let region = Linked { number, region, entry: at };
                    ran.together(compiled, &mut series, warps, all, region, waits);
                }
                None => ran.one_by_one(compiled, &mut series, warps, all),
            }
            if ran.begun < warps.len() {
                table.close(Mode::Live, entry);
            }
            self.counters.divisions_by_zero += series.zeros();
        }
        compiled.steps += ran.executed.warp_instructions;
        self.cta.live -= ran.ended;
        self.counters.executed.add(ran.executed);
        self.short.exit = ran.exit;
        compiled.sites[number as usize] = sites;
        ran.begun
    }
}

/// Warps of a CTA that have been run so.
#[derive(Default)]
struct Ran {
    /// How many have begun, and threads that have come to the end of the kernel.
    begun: usize,
    ended: u32,
    executed: Executed,
    /// The end to which a warp has come last.
    exit: Exit,
}

/// Where a warp has left the region before the end of the kernel, and its lanes.
type Stays = (u32, u32);

/// What the warps of a CTA have in common.
#[derive(Clone, Copy)]
struct CtaWarps<'c> {
    launch: &'c Launch<'c>,
    tids: &'c [[L32; 3]],
    /// Where the kernel begins, in the region of this number.
    entry: u32,
    number: u32,
    /// The steps that each may do.
    budget: u64,
}

impl Ran {
    /// Runs warps with the registers of as few as possible.
    fn one_by_one(
        &mut self,
        compiled: &mut Compiled<'_>,
        series: &mut Series<'_>,
        warps: &mut [Warp],
        all: CtaWarps<'_>,
    ) {
        // The first warp whose registers nobody needs: all others run with them.
        let mut free = 0;
        while let Some(warp) = warps.get_mut(free) {
            let frame = warp.local_base..warp.local_end;
            let (registers, local) = warp.files(&[]);
            let files = series.with_files(registers, local, frame);
            let Some((at, live)) = files.and_then(|mut files| self.on(&mut files, all)) else {
                break;
            };
            let last = self.begun - 1;
            if let Ok([free, last]) = warps.get_disjoint_mut([free, last]) {
                free.swap_registers(last);
            } else {
                free += 1;
            }
            let stood = Stood::of(series, at);
            self.executed.add(compiled.stays(&mut warps[last], &stood, live, all));
        }
    }

    /// Runs warps with their own registers, several together: where there are barriers, all.
    fn together(
        &mut self,
        compiled: &mut Compiled<'_>,
        series: &mut Series<'_>,
        warps: &mut [Warp],
        all: CtaWarps<'_>,
        region: Linked<'_>,
        mut waits: Waits<'_, '_>,
    ) {
        let passes = region.region.has_pauses(|wait| matches!(wait, Wait::Barrier));
        let most = if passes { MOST } else { LOCKSTEP };
        waits.all = warps.len() <= most;
        for (warps, tids) in warps.chunks_mut(most).zip(all.tids.chunks(most)) {
            let Some(mut links) = series.links() else { return };
            let first = self.begun as u32;
            let live = |i: usize| all.launch.lanes_of(first + i as u32);
            for (i, (warp, tids)) in warps.iter_mut().zip(tids).enumerate() {
                let frame_at = warp.local_base;
                let (registers, _) = warp.files(tids);
                if !links.add(registers, frame_at, live(i), (all.budget, all.budget)) {
                    return;
                }
            }
            let mut odd = waits.run(&mut links, region);
            // Most often all have come to the end.
            let mut stay = Vec::new();
            for i in 0..links.len() {
                let is_odd = odd.iter().any(|of| of.0 == i);
                match links.stands(i).filter(|of| !of.waits && of.steps < all.budget) {
                    Some(of) if !is_odd && self.is_exit(all.launch, of.at) => {
                        self.end(1, live(i), (of.steps, of.threads));
                    }
                    _ => stay.extend(stood(&mut links, &mut odd, i).map(|stood| (i, stood))),
                }
            }
            for (i, stood) in stay {
                self.begun += 1;
                self.executed.add(compiled.stays(&mut warps[i], &stood, live(i), all));
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
    fn on(&mut self, files: &mut WithFiles<'_, '_>, all: CtaWarps<'_>) -> Option<Stays> {
        let CtaWarps { launch, tids, budget, .. } = all;
        while self.begun < tids.len() {
            let live = launch.lanes_of(self.begun as u32);
            // The last one may have fewer.
            let end = if live == u32::MAX { (launch.threads / 32) as usize } else { tids.len() };
            let ran = files.run_warps(tids.get(self.begun..end)?, live, budget, self.exit.at)?;
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
        None
    }

    /// So many warps with these lanes have come to the end, with steps before it and lanes that have taken them in all.
    fn end(&mut self, warps: u64, live: u32, (steps, threads): (u64, u64)) {
        let (counted, lanes) = (warps * self.exit.count, count(live));
        self.begun += warps as usize;
        self.ended += (warps * lanes) as u32;
        self.executed.add(Executed::of(steps + counted, threads + counted * lanes));
    }
}

impl Compiled<'_> {
    /// A warp stands where it has left the region.
    #[cold]
    fn stays(&mut self, warp: &mut Warp, stood: &Stood, live: u32, all: CtaWarps<'_>) -> Executed {
        let Turn { at, why, steps, threads, .. } = stood.turn;
        let mut split = Split { pc: at, mask: live, frame: 0, group: NONE, state: State::Ready };
        warp.start_again(live, all.entry);
        warp.splits.clear();
        (warp.end, warp.is_as_begun) = (all.budget, false);
        stood.part(warp, &mut split);
        let mut executed = Executed::default();
        executed.count(warp, steps, threads);
        // Before those that have parted from it.
        warp.splits.insert(0, split);
        match why {
            Why::Site(site) => self.miss(Missed { region: all.number, site, at }),
            Why::Instruction => self.count_left(at, 1),
            _ => {}
        }
        executed
    }
}
