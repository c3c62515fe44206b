//! CTAs of short kernels, from one end to the other in one region: nothing is kept of a warp that comes to the end of
//! the kernel so, and little has to be done for the next one.

use super::series::part;
use super::state::Exit;
use super::{Compiled, Context, Missed, lanes_apart};
use crate::alu::L32;
use crate::code::{Inst, NONE, Op, Slot};
use crate::exec::context::Launch;
use crate::exec::counters::Executed;
use crate::exec::limits::CTA_TURN;
use crate::exec::warp::{Split, State, Warp, count};
use texunit_jit::region::{Inputs, Mode, Series, Why, WithFiles};

/// After so many CTAs in a row with warps that have not come to the end, the others are begun in the usual way.
const FAILURES: u32 = 16;

impl Context<'_> {
    /// Whether a CTA can be run so: its warps are as a kernel begins with them, which begins with a region.
    #[inline]
    pub(in crate::exec) fn is_short(&self, warps: &[Warp]) -> bool {
        self.short.may
            && self.short.failed < FAILURES
            && (self.short.all_begun || warps.iter().all(|warp| warp.is_as_begun))
            && self.is_door(self.launch.code.funcs[self.launch.entry as usize].entry)
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
            // The first warp whose registers nobody needs: all others run with them.
            let mut free = 0;
            while let Some(warp) = warps.get_mut(free) {
                let frame = warp.local_base..warp.local_end;
                let (registers, local) = warp.files(&[]);
                let files = series.with_files(registers, local, frame);
                let Some(left) =
                    files.and_then(|mut files| ran.on(&mut files, launch, tids, budget))
                else {
                    break;
                };
                let last = ran.begun - 1;
                if let Ok([free, last]) = warps.get_disjoint_mut([free, last]) {
                    free.swap_registers(last);
                } else {
                    free += 1;
                }
                let stays =
                    compiled.stays(&mut series, &mut warps[last], left, (entry, budget, number));
                ran.executed.add(stays);
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

impl Ran {
    /// Runs the next warps in these files, until one of them stays before the end of the kernel. None: none does, or the
    /// next one cannot begin.
    fn on(
        &mut self,
        files: &mut WithFiles<'_, '_>,
        launch: &Launch<'_>,
        tids: &[[L32; 3]],
        budget: u64,
    ) -> Option<Stays> {
        while self.begun < tids.len() {
            let live = launch.lanes_of(self.begun as u32);
            // The last one may have fewer.
            let end = if live == u32::MAX { (launch.threads / 32) as usize } else { tids.len() };
            let ran = files.run_warps(tids.get(self.begun..end)?, live, budget, self.exit.at)?;
            self.end(u64::from(ran.ended), live, (ran.steps, ran.threads));
            let Some(at) = ran.left else { continue };
            let inst = &launch.code.insts[at as usize];
            match files.came_together() {
                Some(executed) if is_exit(inst) && executed.0 < budget => {
                    self.exit = Exit { at, count: u64::from(inst.count) };
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
    fn stays(
        &mut self,
        series: &mut Series<'_>,
        warp: &mut Warp,
        (at, live): Stays,
        (entry, budget, number): (u32, u64, u32),
    ) -> Executed {
        let mut split = Split { pc: at, mask: live, frame: 0, group: NONE, state: State::Ready };
        warp.start_again(live, entry);
        warp.splits.clear();
        (warp.end, warp.is_as_begun) = (budget, false);
        if series.has_parted() {
            part(series, warp, &mut split);
        }
        let mut executed = Executed::default();
        executed.count(warp, series.steps(), series.threads());
        // Before those that have parted from it.
        warp.splits.insert(0, split);
        match series.why() {
            Why::Site(site) => self.miss(Missed { region: number, site, at }),
            Why::Instruction => self.count_left(at, 1),
            _ => {}
        }
        executed
    }
}

/// Whether all lanes that come to an instruction end there.
fn is_exit(inst: &Inst) -> bool {
    matches!(inst.op, Op::Exit) && inst.guard == Slot::TRUE
}
