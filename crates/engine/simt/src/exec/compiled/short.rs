//! CTAs of short kernels, from one end to the other in one region: nothing is kept of a warp that comes to the end of
//! the kernel so, and little has to be done for the next one. If CTAs differ in their numbers alone, one follows another as long as
//! all warps come to the end.

use super::linked::{Linked, Waits};
use super::ran::{CtaWarps, Next, Ran};
use super::{Context, lanes_apart};
use crate::exec::limits::CTA_TURN;
use crate::exec::outcome::At;
use crate::exec::turns::Begun;
use crate::exec::warp::Warp;
use crate::regions::Wait;
use crate::stats::Fault;
use texunit_jit::region::{Inputs, Mode};

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

    /// Runs the warps of a CTA that is short from the beginning of the kernel to its end, and those of CTAs that `more` names. Those that
    /// do not come to the end, of the last one, stand where they are: which of them have had their turns.
    pub(in crate::exec) fn run_short(
        &mut self,
        warps: &mut [Warp],
        more: &mut dyn FnMut() -> Option<u64>,
    ) -> Begun {
        let entry = self.launch.code.funcs[self.launch.entry as usize].entry;
        let budget = CTA_TURN.min(self.launch.config.max_steps);
        let ran = self.run_to_end(warps, entry, budget, more).unwrap_or_default();
        for (i, warp) in warps.iter_mut().enumerate().skip(ran.begun) {
            warp.start_again(self.launch.lanes_of(i as u32), entry);
            warp.is_as_begun = false;
        }
        self.short.all_begun = self.cta.live == 0;
        self.short.failed = match (self.cta.live, ran.last) {
            (0, _) => 0,
            // The CTA before it has come to its end.
            (_, Some(_)) => 1,
            _ => self.short.failed + 1,
        };
        match ran.stray {
            Some((next, resume)) => Begun { next, resume: Some(resume) },
            None => Begun { next: ran.begun, resume: None },
        }
    }

    /// How far the warps of the last CTA have come. None: none has begun.
    fn run_to_end(
        &mut self,
        warps: &mut [Warp],
        entry: u32,
        budget: u64,
        more: &mut dyn FnMut() -> Option<u64>,
    ) -> Option<Ran> {
        let launch = self.launch;
        let mut next = Next { more: self.short.alike.then_some(more), words: self.of_cta };
        let keeps = self.fixed.code.asks_who_is_there;
        let number = self.door(entry)?;
        let compiled = self.compiled.as_mut()?;
        let table = compiled.table;
        let inputs = Inputs {
            constants: &self.fixed.constants.narrow,
            wide_constants: &self.fixed.constants.wide,
            words: &self.of_cta,
            bytes: self.fixed.params,
            counts: self.counts.cells(),
            ahead: launch.ahead(),
            is_line: launch.is_line(),
        };
        let mut sites = compiled.sites_of(number).take();
        let running = table.region(number).zip(sites.as_mut()).and_then(|(region, sites)| {
            let running = region.function.with(inputs, sites)?;
            Some((region, running, region.function.entry_of(Mode::Live, entry)?))
        });
        let Some((region, mut running, at)) = running else {
            table.close(Mode::Live, entry);
            return None;
        };
        let series = running.series(at, &mut self.cta.shared, lanes_apart(keeps));
        let mut ran = Ran { exit: self.short.exit, ..Ran::default() };
        if let Some(mut series) = series {
            let (tids, _) = self.tids.as_chunks::<3>();
            let all = CtaWarps { launch, tids, entry, budget, number, region };
            if region.has_yield_points(|wait| self.is_alone || matches!(wait, Wait::Barrier)) {
                let of = (&mut self.sites, &mut self.counters);
                let waits = Waits::new(launch, of, self.is_alone);
                let region = Linked { number, region, entry: at };
                ran.together(compiled, &mut series, warps, all, (region, waits), &mut next);
            } else {
                ran.one_by_one(compiled, &mut series, warps, all, &mut next);
            }
            if ran.begun < warps.len() && ran.stray.is_none() {
                table.close(Mode::Live, entry);
            }
            self.counters.divisions_by_zero += series.zeros();
        }
        compiled.steps += ran.executed.warp_instructions;
        self.counters.executed.add(ran.executed);
        self.short.exit = ran.exit;
        compiled.sites[number as usize] = sites;
        if let Some(index) = ran.last {
            self.name_cta(index);
            self.cta.live = launch.threads;
        }
        self.cta.live -= ran.ended;
        Some(ran)
    }
}
