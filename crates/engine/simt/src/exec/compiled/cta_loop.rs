//! The loop over CTAs in compiled code, for kernels that are one region from the first instruction
//! to the end. A warp that retires leaves no state, so that the next warp starts quickly. CTAs that
//! differ only in their numbers are executed in one call, as long as all warps retire.

use super::batch::{BatchProgress, YieldPoints, ends, run};
use super::state::{Compiled, KernelEnd};
use super::{Context, TURN_ATOMICS, divergence_of_all, inputs, start};
use crate::code::{NONE, OF_CTA, Op, Slot};
use crate::exec::CtaChunk;
use crate::exec::context::Launch;
use crate::exec::counters::Done;
use crate::exec::cta::name_in;
use crate::exec::limits::CTA_TURN;
use crate::exec::notify::ProbeAdapter;
use crate::exec::outcome::{At, Resume, Stop};
use crate::exec::turns::BatchEnd;
use crate::exec::warp::{Split, State, Warp, count};
use crate::regions::Compiled as Region;
use crate::stats::Fault;
use texunit_alu::L32;
use texunit_jit::region::{
    self, DivergedLanes, Entry, Exit, ExitReason, Mode, WarpStart, WarpTable,
};

/// Number of consecutive CTAs with unretired warps after which the loop is not tried again.
const FAILURES: u32 = 16;

/// Maximum number of CTAs that compiled code executes in one call.
const CTAS: usize = 32;

/// The state of a loop over CTAs in compiled code.
struct CtaLoop<'c> {
    launch: &'c Launch<'c>,
    tids: &'c [[L32; 3]],
    /// The CTAs that can be executed next.
    taken: Option<&'c CtaChunk<'c>>,
    /// Maximum number of steps of each warp.
    budget: u64,
    /// Number of CTAs that compiled code has executed behind the first one.
    followed: u64,
    /// Values of the last CTA that are equal for all its threads, and its number unless it is the
    /// first one.
    words: [u32; OF_CTA],
    last: Option<u64>,
    /// Number of warps of the last CTA that have started, and of its threads that have retired.
    begun: usize,
    ended: u32,
    executed: Done,
    /// The instruction at which the last warp has retired.
    end: KernelEnd,
    /// The warp that stopped in the middle of its turn, and the state of the turn.
    stray: Option<BatchEnd>,
}

impl CtaLoop<'_> {
    /// Starts the next CTA. Returns false if there is none, or if threads of this one have not
    /// retired.
    fn next(&mut self) -> bool {
        let taken = self.taken.filter(|_| self.ended == self.launch.threads);
        let Some((taken, index)) = taken.and_then(|of| Some((of, of.upcoming().next()?))) else {
            return false;
        };
        taken.begin(1);
        self.followed += 1;
        name_in(&mut self.words, index, self.launch.config.grid);
        (self.last, self.begun, self.ended) = (Some(index), 0, 0);
        true
    }

    /// Executes warps, all in the register files of the first one, until one exits before the end
    /// of the kernel. Returns its number and exit; `None` if there is none, or if the next warp
    /// cannot start.
    fn series(&mut self, table: &mut WarpTable<'_, '_>, entry: Entry) -> Option<(usize, Exit)> {
        let grid = self.launch.config.grid;
        let mut words = [self.words; CTAS];
        loop {
            while self.begun < self.tids.len() {
                let (first, live) = (self.begun, self.launch.lanes_of(self.begun as u32));
                // The last warp may have fewer lanes.
                let full = (self.launch.threads / 32) as usize;
                let rows = self.tids.get(first..if live == u32::MAX { full } else { first + 1 })?;
                words[0] = self.words;
                let mut ctas = 1;
                let more = self.taken.filter(|_| rows.len() == self.tids.len());
                let upcoming = more.map_or(0..0, CtaChunk::upcoming);
                for (index, words) in upcoming.clone().zip(&mut words[1..]) {
                    *words = self.words;
                    name_in(words, index, grid);
                    ctas += 1;
                }
                let (resume, rows_of) = (region::Resume::Entry(entry), (rows, live));
                let ran = table.run_series(resume, rows_of, &words[..ctas], self.end.at)?;
                let before = (ran.warps / rows.len()).min(ctas - 1);
                if let Some(taken) = more.filter(|_| before != 0) {
                    taken.begin(before as u64);
                    self.followed += before as u64;
                    (self.begun, self.ended) = (0, 0);
                    (self.words, self.last) =
                        (words[before], Some(upcoming.start + before as u64 - 1));
                }
                self.ends(ran.warps - before * rows.len(), live);
                let steps = (ran.steps, ran.threads);
                self.count(ran.warps, live, steps);
                match table.exit(0) {
                    None => {}
                    Some(exit) if self.is_end(&exit) => {
                        self.ends(1, live);
                        self.count(1, live, (exit.steps, exit.threads));
                    }
                    Some(exit) => return Some((self.begun, exit)),
                }
            }
            if !self.next() {
                return None;
            }
        }
    }

    /// Executes warps in register files of their own, waiting at yield points.
    fn table(&mut self, table: &mut WarpTable<'_, '_>, entry: Entry, progress: &mut BatchProgress) {
        loop {
            run(self.launch.code, table, (entry, self.end.at), progress);
            for i in 0..table.len() {
                let exit = table.exit(i).filter(|_| progress.has_ended(i));
                if let Some(exit) = exit.filter(|exit| self.is_end(exit)) {
                    let live = exit.mask;
                    self.ends(1, live);
                    self.count(1, live, (exit.steps, exit.threads));
                }
            }
            if !self.next() || !table.begin_again(&self.words, self.budget) {
                return;
            }
        }
    }

    /// Whether an exit is the end of the kernel, which is remembered.
    #[inline(always)]
    fn is_end(&mut self, exit: &Exit) -> bool {
        let Exit { at, why, steps, diverged, .. } = *exit;
        if why != ExitReason::Instruction || diverged || steps >= self.budget {
            return false;
        }
        if self.end.at != at {
            let inst = &self.launch.code.insts[at as usize];
            if !matches!(inst.op, Op::Exit) || inst.guard != Slot::TRUE {
                return false;
            }
            self.end = KernelEnd { at, count: u64::from(inst.count) };
        }
        true
    }

    /// Records that `warps` warps of the CTA have retired.
    fn ends(&mut self, warps: usize, live: u32) {
        self.begun += warps;
        self.ended += warps as u32 * count(live) as u32;
    }

    /// Counts the instructions of `warps` retired warps, which have executed `steps` instructions
    /// before the end of the kernel.
    fn count(&mut self, warps: usize, live: u32, (steps, threads): (u64, u64)) {
        let counted = warps as u64 * self.end.count;
        self.executed.add(Done::of(steps + counted, threads + counted * count(live)));
    }

    /// Restores the state of a warp that exited before the end of the kernel.
    #[cold]
    fn restore_warp(
        &mut self,
        compiled: &mut Compiled<'_>,
        (number, region): (u32, &Region),
        (i, warp, is_stray): (usize, &mut Warp, bool),
        exit: Exit,
        diverged: Option<&DivergedLanes>,
    ) {
        let Exit { at, why, steps, threads, limit, mask, .. } = exit;
        let (live, entry) = (self.launch.lanes_of(i as u32), self.launch.entry_at());
        let mut split = Split { pc: at, mask: live, frame: 0, group: NONE, state: State::Ready };
        warp.start_again(live, entry);
        warp.splits.clear();
        (warp.end, warp.has_initial_state) = (self.budget, false);
        (warp.atomics, warp.last_atomic) = (TURN_ATOMICS - exit.atomics_left, exit.last_atomic);
        if let Some(lanes) = diverged {
            warp.diverge(&mut split, lanes);
            split.mask = mask;
        }
        self.begun += 1;
        self.executed.count(warp, steps, threads);
        // The running split precedes the splits of diverged lanes.
        warp.splits.insert(0, split);
        let left = compiled.left((number, region), warp.index, (at, why), steps >= limit);
        if is_stray {
            let resume = Some(Resume { limit, over: left == Stop::Over, yielded: 0 });
            self.stray = Some(BatchEnd { next: i, resume });
        }
    }
}

impl Context<'_> {
    /// Whether CTAs can run in the loop: the kernel begins with a region.
    #[inline]
    pub(in crate::exec) fn can_loop(&self) -> bool {
        let entry = self.launch.entry_at();
        self.cta_loop.may && self.cta_loop.failed < FAILURES && self.has_region_entry(entry)
    }

    /// Prepares the warps of a CTA for the loop over CTAs in compiled code.
    #[inline]
    pub(in crate::exec) fn begin_loop(&mut self, warps: &mut [Warp]) -> Result<(), Box<Fault>> {
        if self.cta_loop.all_begun {
            return Ok(());
        }
        for (i, warp) in (0..).zip(warps).filter(|of| !of.1.has_initial_state) {
            if let Err(pending) = self.start_warp(warp, i, self.launch.lanes_of(i)) {
                let split = warp.splits[0];
                return Err(self.fault(warp, At { split, pending }));
            }
            // Sets the state of a retired warp.
            warp.splits.clear();
            warp.enter(0);
            (warp.live, warp.has_initial_state) = (0, true);
        }
        Ok(())
    }

    /// Executes the CTA in the loop, followed by CTAs of the chunk. Warps of the last CTA that do
    /// not retire are restored at their exits.
    pub(in crate::exec) fn run_loop(
        &mut self,
        warps: &mut [Warp],
        taken: &CtaChunk<'_>,
    ) -> BatchEnd {
        let entry = self.launch.entry_at();
        let Some((begun, last, stray)) = self.run_to_end(warps, entry, taken) else {
            self.begin_remaining(warps, 0, entry);
            return BatchEnd { next: 0, resume: None };
        };
        self.begin_remaining(warps, begun, entry);
        self.cta_loop.failed = match (self.cta.live, last) {
            (0, _) => 0,
            // The CTA before this one has retired in the loop.
            (_, Some(_)) => 1,
            _ => self.cta_loop.failed + 1,
        };
        stray.unwrap_or(BatchEnd { next: begun, resume: None })
    }

    /// Sets the warps that have not started to the first instruction of the kernel.
    fn begin_remaining(&mut self, warps: &mut [Warp], begun: usize, entry: u32) {
        for (i, warp) in warps.iter_mut().enumerate().skip(begun) {
            warp.start_again(self.launch.lanes_of(i as u32), entry);
            warp.has_initial_state = false;
        }
        self.cta_loop.all_begun = self.cta.live == 0;
    }

    /// The result for the last CTA: the number of warps that have started, its number unless it is
    /// the first one, and the warp that stopped in the middle of its turn. `None` if no warp has
    /// started.
    fn run_to_end(
        &mut self,
        warps: &mut [Warp],
        entry: u32,
        taken: &CtaChunk<'_>,
    ) -> Option<(usize, Option<u64>, Option<BatchEnd>)> {
        let launch = self.launch;
        let number = self.region_entry(entry)?;
        let compiled = self.compiled.as_mut()?;
        let table = compiled.table;
        let inputs = inputs(launch, &self.fixed, &self.of_cta, &self.counts);
        let inputs = region::Inputs { is_stream: true, ..inputs };
        let mut sites = compiled.sites_of(number).take();
        let (region, mut running, at) =
            start(table, (number, &mut sites), inputs, (Mode::Live, entry))?;
        let probe = self.probe.take();
        let mut adapter =
            probe.map(|probe| ProbeAdapter::new(probe, launch, self.cta.id, &region.load_groups));
        let is_told = adapter.is_some();
        if let Some(adapter) = &mut adapter {
            running.listen(adapter);
        }
        let budget = CTA_TURN.min(launch.config.max_steps);
        let (tids, _) = self.tids.as_chunks::<3>();
        let (counts, threads) = ((&mut self.sites, &mut self.counters), launch.threads);
        let mut points = YieldPoints::new(launch, region, counts, threads, self.is_unobserved);
        let waits = points.are_there() && !(is_told && region.fetches());
        // Warps that do not wait at yield points have no table, which clears shared memory.
        let mut all = CtaLoop {
            launch,
            tids,
            taken: Some(taken).filter(|_| self.cta_loop.alike && (waits || launch.shared_len == 0)),
            followed: 0,
            budget,
            words: self.of_cta,
            last: None,
            begun: 0,
            ended: 0,
            executed: Done::default(),
            end: self.cta_loop.end,
            stray: None,
        };
        let limits = divergence_of_all(self.fixed.code.uses_activemask, region.atomics);
        let mut of_cta = running.table(Mode::Live, &mut self.cta.shared, NONE, limits);
        let shared_files = if waits { warps.len() } else { 1 };
        let fits =
            warps.iter_mut().zip(tids).take(shared_files).enumerate().all(|(i, (warp, tids))| {
                let frame = warp.local_base..warp.local_end;
                let (registers, local) = warp.files(tids);
                let live = launch.lanes_of(i as u32);
                let (index, limit, end) = (i as u32, budget, budget);
                let (mask, atomics, turn_atomics) = (live, TURN_ATOMICS, TURN_ATOMICS);
                let start = WarpStart { index, mask, live, limit, end, atomics, turn_atomics };
                of_cta.add(registers, local, frame, start)
            });
        if fits && waits {
            of_cta.wait_at_yield_points(&mut points);
            if region.barriers_are_plain(launch.code, &launch.constants) {
                of_cta.pass_barriers();
            }
            let mut progress = BatchProgress::default();
            all.table(&mut of_cta, at, &mut progress);
            let some = if all.ended == launch.threads { 0 } else { warps.len() };
            for (i, warp) in warps[..some].iter_mut().enumerate() {
                match running.exit(i) {
                    None => {}
                    Some(exit) if progress.has_ended(i) && all.is_end(&exit) => {}
                    Some(exit) => {
                        let at = exit.at + u32::from(progress.passed.contains(&i));
                        let is_stray = progress.stray == Some(i);
                        let lanes = progress.diverged.as_deref().filter(|_| is_stray);
                        let (of, exit) = ((i, &mut *warp, is_stray), Exit { at, ..exit });
                        all.restore_warp(compiled, (number, region), of, exit, lanes);
                        if let Some(turn) = progress.shared_turn(i, launch.warps) {
                            warp.shared_turn = turn;
                        }
                    }
                }
            }
        } else if fits && let Some((i, exit)) = all.series(&mut of_cta, at) {
            let shared_turn = of_cta.shared_turn();
            // All warps have used the register files of the first one.
            if let Ok([first, last]) = warps.get_disjoint_mut([0, i]) {
                first.swap_registers(last);
            }
            let lanes = exit.diverged.then(|| running.diverged_lanes());
            let of = (i, &mut warps[i], !ends(launch.code, (exit.at, exit.why), exit.diverged));
            all.restore_warp(compiled, (number, region), of, exit, lanes.as_ref());
            warps[i].shared_turn = shared_turn.unwrap_or(warps[i].shared_turn);
        }
        if all.begun < warps.len() && all.stray.is_none() {
            table.close(Mode::Live, entry);
        }
        self.counters.divisions_by_zero += running.zeros();
        compiled.steps += all.executed.warp_instructions;
        self.counters.executed.add(all.executed);
        let CtaLoop { begun, ended, end, last, stray, followed, .. } = all;
        self.counts.enter(launch.entry, followed * u64::from(launch.threads));
        self.probe = adapter.map(ProbeAdapter::into_probe);
        self.cta_loop.end = end;
        compiled.sites[number as usize] = sites;
        if let Some(index) = last {
            self.name_cta(index);
            self.cta.live = launch.threads;
        }
        self.cta.live -= ended;
        Some((begun, last, stray))
    }
}
