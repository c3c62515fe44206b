//! The order in which the warps of a CTA run: by number, each to the end of its turn, then again
//! from the first one. Interpreter and compiled code keep the same order, so the results of a
//! launch do not depend on the tier even if the program has races. With a schedule, the order of a
//! round is random instead ([`Policy::Random`]).
//!
//! A turn ends if the warp's threads have exited or wait (for example at a barrier), if the warp
//! yields in a waiting loop (`yielding`), and at the first backward jump or barrier after the
//! budget of instructions is used up. A converged warp also ends its turn before a fetch or surface
//! access, unless it is the only warp of its CTA. When all other warps have had their turns, the
//! accesses of all waiting warps are executed (in compiled code by one call of the texture unit,
//! which loads texels for one warp while filtering for another). A barrier opens when its last
//! thread has arrived. Atomics are counted for each turn (`yielding`).

use super::context::Context;
use super::counters::Done;
use super::outcome::{At, CtaTurn, Resume, Stop, Turn};
use super::schedule::Random;
use super::warp::{Batch, Split, State, Warp, count, is_converged, lanes};
use crate::code::{Inst, Op, Slot};
use crate::fault::FaultKind;
use crate::observe::{Events, Synchronization};
use crate::stats::Fault;
use texunit_jit::region::Mode;

/// Progress of a batch of warps in a region.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BatchEnd {
    /// The first warp that has not had its turn. Earlier warps are at the instruction that ended
    /// their turns.
    pub(super) next: usize,
    /// State of the turn of warp `next`, if it has begun.
    pub(super) resume: Option<Resume>,
}

/// A round, in which each warp of a CTA is executed for one turn. A round can be interrupted and
/// resumed.
#[derive(Clone, Debug, Default)]
pub(super) struct Round {
    has_begun: bool,
    /// Number of finished turns of the round, and the state of the next turn if it was interrupted.
    next: usize,
    resume: Option<Resume>,
    /// Whether anything other than executed instructions counts as progress, and the instruction
    /// counts before the round.
    opened: bool,
    before: (Done, u32),
    /// For a random round: the order of warps, and the minimum number of warps that get turns.
    order: Vec<usize>,
    part: usize,
}

/// Scheduling policy of warps.
#[derive(Debug)]
pub(super) enum Policy<'r> {
    /// In order of their numbers, with turns of about this many steps.
    InOrder(u64),
    /// The warps have their turns in random order.
    Random(&'r mut Random),
}

/// The split of a converged warp that can run.
#[inline]
fn place(warp: &Warp) -> Option<Split> {
    match warp.splits[..] {
        [split] if split.state == State::Ready && is_converged(warp, &split) => Some(split),
        _ => None,
    }
}

/// Whether a warp can run.
#[inline]
pub(super) fn is_ready(warp: &Warp) -> bool {
    warp.live != 0 && (place(warp).is_some() || can_run(warp))
}

/// Whether a diverged warp can run; its groups are opened if no other lanes can.
#[cold]
fn can_run(warp: &Warp) -> bool {
    warp.splits.iter().any(|split| split.state == State::Ready)
        || warp.groups.iter().any(|group| group.arrived != 0)
}

/// Whether an instruction ends the turn of each converged warp that reaches it.
#[inline]
pub(super) fn ends_turn(inst: &Inst) -> bool {
    match &inst.op {
        Op::Exit => inst.guard == Slot::TRUE,
        Op::Barrier(barrier) => inst.guard == Slot::TRUE && barrier.is_plain(),
        _ => inst.calls_unit(),
    }
}

impl Context<'_> {
    /// The state of a round after the first warps have had their turns in a region.
    pub(super) fn round_after(
        &mut self,
        warps: &mut [Warp],
        BatchEnd { next, resume }: BatchEnd,
        budget: u64,
    ) -> Result<Round, Box<Fault>> {
        if next == 0 && resume.is_none() {
            return Ok(Round::default());
        }
        if let [warp] = &*warps
            && let Some(split) = place(warp).filter(|_| resume.is_none() && !self.waits_at_unit)
            && self.launch.code.insts[split.pc as usize].calls_unit()
        {
            // The only warp of a CTA continues its turn at a fetch or surface access.
            let resume = Some(Resume { limit: warp.end, over: false, yielded: 0 });
            return Ok(Round { has_begun: true, opened: true, resume, ..Round::default() });
        }
        let those = (u64::from(u32::MAX) >> (32 - next.min(32))) as u32;
        self.end_turns(warps, those, budget)?;
        Ok(Round { has_begun: true, opened: true, next, resume, ..Round::default() })
    }

    /// Continues a round, or begins the next one, in which each warp has a turn. `stop` ends the
    /// round early.
    pub(super) fn turn_cta(
        &mut self,
        warps: &mut [Warp],
        round: &mut Round,
        mut policy: Policy<'_>,
        stop: impl Fn() -> bool,
    ) -> Result<CtaTurn, Box<Fault>> {
        if !round.has_begun {
            *round = Round { has_begun: true, before: self.progress(), ..Round::default() };
            if let Policy::Random(random) = &mut policy {
                let order = &mut round.order;
                order.extend((0..warps.len()).filter(|&i| warps[i].live != 0));
                random.shuffle(order);
                // Only some of the warps get turns, so that some get ahead. All of them do if none
                // of these can continue.
                round.part = 1 + random.below(order.len().max(1) as u64) as usize;
            }
            self.execute_unit_accesses(warps)?;
        }
        // If one warp leaves a region in the middle of its turn, the others usually do so as well.
        let mut alone = round.resume.is_some();
        while round.next < warps.len() {
            let (i, budget) = match &mut policy {
                Policy::InOrder(budget) => {
                    let budget = *budget;
                    if round.resume.is_none() && !alone {
                        let (done, begun) = self.run_batch(warps, round.next, budget);
                        (round.next, round.resume) = (begun.next, begun.resume);
                        round.opened |= self.end_turns(warps, done, budget)?;
                        if round.next == warps.len() {
                            break;
                        }
                        alone = round.resume.is_some() && done == 0;
                    }
                    (round.next, budget)
                }
                Policy::Random(random) => {
                    // A turn that a debugger has stopped is continued: its own steps do not end it.
                    let is_over = round.resume.is_none()
                        && round.next >= round.part
                        && self.has_progressed(round);
                    let Some(&i) = round.order.get(round.next).filter(|_| !is_over) else { break };
                    if round.resume.is_none() {
                        warps[i].end = warps[i].steps.saturating_add(random.budget());
                    }
                    (i, 0)
                }
            };
            let resume = round.resume.take();
            if resume.is_none() {
                warps[i].begin_turn(budget);
            }
            if resume.is_some() || matches!(policy, Policy::Random(_)) || is_ready(&warps[i]) {
                round.opened |= self.run_turn(warps, i, resume, budget)?;
                round.resume = self.take_stopped();
                if round.resume.is_some() {
                    return Ok(CtaTurn::Stopped);
                }
            }
            if self.launch.is_cancelled() {
                return Err(self.cancelled(&warps[i]));
            }
            if stop() {
                return Ok(CtaTurn::Ended);
            }
            round.next += 1;
        }
        round.has_begun = false;
        if self.launch.is_cancelled() {
            return Err(self.cancelled(&warps[0]));
        }
        if self.cta.live == 0 {
            return Ok(CtaTurn::Ended);
        }
        if !self.has_progressed(round)
            && !self.open_barriers(warps)
            && !self.waits_for_cluster(warps)
        {
            if let Some((warp, split)) = warps.iter().find_map(|w| Some((w, *w.splits.first()?))) {
                self.stands(warp, split);
            }
            return Err(self.deadlock(warps));
        }
        Ok(if stop() { CtaTurn::Ended } else { CtaTurn::Over })
    }

    fn progress(&self) -> (Done, u32) {
        (self.counters.executed, self.cta.live)
    }

    /// Whether any warp has made progress in a round.
    fn has_progressed(&self, round: &Round) -> bool {
        round.opened || self.cta.at_unit || round.before != self.progress()
    }

    /// Executes a warp to the end of its turn. Returns whether the turn counts as progress, because
    /// its steps are used up or a barrier has opened.
    pub(super) fn run_turn(
        &mut self,
        warps: &mut [Warp],
        i: usize,
        resume: Option<Resume>,
        budget: u64,
    ) -> Result<bool, Box<Fault>> {
        let (warp, max_steps) = (&mut warps[i], self.launch.config.max_steps);
        warp.end = warp.end.min(max_steps);
        let turn = match self.run(warp, resume) {
            Ok(turn) => turn,
            Err(at) => {
                self.keep_stopped(warp, at.split);
                return Err(self.fault(warp, at));
            }
        };
        match turn {
            Turn::Over if warp.steps >= max_steps => {
                Err(self.fault_of(warp, FaultKind::StepLimit { limit: max_steps }))
            }
            Turn::Over => {
                if warp.steps >= warp.end {
                    warp.end = warp.steps.saturating_add(budget);
                }
                // A turn that ends with a yield counts as progress, too.
                Ok(true)
            }
            Turn::AtUnit => {
                self.cta.at_unit = true;
                Ok(false)
            }
            Turn::Stopped => Ok(false),
            Turn::Done | Turn::Blocked => Ok(self.open_barriers(warps)),
        }
    }

    /// Executes a batch: converged warps from `from` on at the same region entry, if there are
    /// several. Returns the mask of warps whose turns have ended, and where the round continues.
    fn run_batch(&mut self, warps: &mut [Warp], from: usize, budget: u64) -> (u32, BatchEnd) {
        let mut beside = self.batch.take().unwrap_or_default();
        let outcome = self.try_batch(warps, (from, budget), &mut beside);
        self.batch = Some(beside);
        outcome
    }

    fn try_batch(
        &mut self,
        warps: &mut [Warp],
        (from, budget): (usize, u64),
        Batch { splits, ends }: &mut Batch,
    ) -> (u32, BatchEnd) {
        let none = |next| (0, BatchEnd { next, resume: None });
        let Some(first) = (from..warps.len()).find(|&i| is_ready(&warps[i])) else {
            return none(warps.len());
        };
        let at = place(&warps[first]).filter(|split| self.has_region_entry(split.pc));
        let Some(Split { pc, frame, .. }) = at else { return none(first) };
        let mut on = 0_u32;
        for i in first..warps.len() {
            let warp = &mut warps[i];
            match place(warp) {
                Some(split) if (split.pc, split.frame) == (pc, frame) => {
                    warp.begin_turn(budget);
                    warp.end = warp.end.min(self.launch.config.max_steps);
                    (splits[i], ends[i]) = (split, warp.end);
                    on |= 1 << i;
                }
                // An earlier warp may open the barrier at which this warp waits.
                _ if warp.live != 0 => break,
                _ => {}
            }
        }
        if on.count_ones() == 1 {
            return none(first);
        }
        lanes(on).for_each(|i| warps[i].enter(frame));
        let Some(number) = self.region_entry(pc) else { return none(first) };
        let (ran, rest) = self.run_region(warps, splits, ends, on, (Mode::Live, number));
        // The running split comes before the splits of diverged lanes.
        lanes(on).for_each(|i| warps[i].splits[0] = splits[i]);
        if rest == 0 {
            // The batch ends here, because later warps may be able to continue after the turns of
            // the warps so far.
            return (on, BatchEnd { next: 32 - on.leading_zeros() as usize, resume: None });
        }
        let next = rest.trailing_zeros() as usize;
        let limit = ends[next];
        let resume = ran.map(|stop| Resume { limit, over: stop == Stop::Over, yielded: 0 });
        (on & !rest, BatchEnd { next, resume })
    }

    /// Executes the instruction that ended the turns of warps in a region: an exit or a barrier.
    /// Returns whether a barrier has opened.
    fn end_turns(&mut self, warps: &mut [Warp], those: u32, left: u64) -> Result<bool, Box<Fault>> {
        if those == 0 {
            return Ok(false);
        }
        let code = self.launch.code;
        if self.all_pass(warps, those) {
            return Ok(true);
        }
        let mut opened = false;
        for i in lanes(those) {
            let Some(mut split) = warps.get(i).and_then(place) else { continue };
            let inst = &code.insts[split.pc as usize];
            match &inst.op {
                // The batch was stopped by a fault of another warp.
                _ if !ends_turn(inst) => {}
                Op::Exit => {
                    let warp = &mut warps[i];
                    self.exit_all(warp, &mut split, inst);
                    warp.splits.clear();
                    warp.has_initial_state = split.frame == 0 && warp.has_initial_frames();
                    opened |= self.has_complete_barrier() && self.open_barriers(warps);
                }
                Op::Barrier(_) => {
                    let resume = Resume { limit: warps[i].end, over: false, yielded: 0 };
                    opened |= self.run_turn(warps, i, Some(resume), left)?;
                }
                _ => self.cta.at_unit = true,
            }
        }
        Ok(opened)
    }

    /// Passes a barrier at which all threads of the CTA arrive together. Returns false if they do
    /// not, and then nothing has been changed.
    fn all_pass(&mut self, warps: &mut [Warp], those: u32) -> bool {
        let Some(first) = place(&warps[those.trailing_zeros() as usize]) else { return false };
        let (code, pc) = (self.launch.code, first.pc);
        let inst = &code.insts[pc as usize];
        let Op::Barrier(barrier) = &inst.op else { return false };
        let Some(id) = barrier.plain(&self.launch.constants) else { return false };
        let comes = |i: usize| {
            let warp = &warps[i];
            place(warp).is_some_and(|split| split.pc == pc) && warp.steps < warp.end
        };
        let threads: u64 = lanes(those).map(|i| count(warps[i].live)).sum();
        let is_alone = self.cta.barriers[usize::from(id)].arrived == 0;
        if threads != u64::from(self.cta.live) || !is_alone || !lanes(those).all(comes) {
            return false;
        }
        if self.events.intersects(Events::SYNCHRONIZATION) {
            self.notify_passes(warps, (those, pc), id.into());
        }
        let counted = u64::from(inst.count);
        for i in lanes(those) {
            let warp = &mut warps[i];
            warp.splits[0].pc = pc + 1;
            let live = warp.live;
            self.counters.executed.count_lanes(warp, counted, live);
        }
        // These steps were not interpreted, so they do not count for compilation.
        self.count_with_regions(counted * u64::from(those.count_ones()));
        true
    }

    #[cold]
    fn notify_passes(&mut self, warps: &mut [Warp], (those, pc): (u32, u32), barrier: u32) {
        let arrives =
            Synchronization::Arrives { barrier, threads: None, waits: true, released_early: false };
        for what in [arrives, Synchronization::Passes { barrier }] {
            for i in lanes(those) {
                warps[i].released_early = 0;
                self.notify_synchronized(&warps[i], (warps[i].live, pc), &what);
            }
        }
    }

    /// Executes the fetches and surface accesses at which warps wait, in the order of the warps.
    pub(super) fn execute_unit_accesses(&mut self, warps: &mut [Warp]) -> Result<(), Box<Fault>> {
        if !std::mem::take(&mut self.cta.at_unit) {
            return Ok(());
        }
        for warp in warps {
            let Some(mut split) = place(warp) else { continue };
            let inst = &self.launch.code.insts[split.pc as usize];
            if !inst.calls_unit() {
                continue;
            }
            warp.enter(split.frame);
            warp.splits.clear();
            if let Err(pending) = self.step(warp, &mut split, inst) {
                self.keep_stopped(warp, split);
                return Err(self.fault(warp, At { split, pending }));
            }
            warp.splits.push(split);
        }
        Ok(())
    }
}
