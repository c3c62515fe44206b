//! The workers of a launch. A worker executes CTAs one after the other, and sets waiting CTAs
//! (`idle`) aside so that others can begin. When no other CTA is left, it polls the waiting ones.

use super::Shared;
use super::context::Launch;
use super::counters::Counts;
use super::limits::CTA_TURN;
use super::outcome::CtaTurn;
use super::resident::Resident;
use super::turns::{Policy, Round};
use crate::launch::CtaRange;
use crate::stats::Fault;
use std::cell::Cell;
use std::ops::Range;
use std::sync::PoisonError;
use std::sync::atomic::Ordering::Relaxed;

/// Guided self-scheduling: a worker takes at most [`MAX_TAKEN`] CTAs at once, and at most this
/// fraction of its share of the remaining ones, so that all workers end at about the same time.
const MAX_TAKEN: u64 = 512;
const PART: u64 = 16;
/// Maximum number of waiting CTAs of all workers together, about as many as CTAs can be resident on
/// a large GPU.
const MAX_ASIDE: u64 = 4096;

impl Shared {
    /// Takes the next CTAs for a worker. A worker takes several, because neighbouring CTAs often
    /// access neighbouring memory. A single worker takes all.
    fn take(&self, workers: u64, end: u64) -> Range<u64> {
        let share = |left: u64| match workers {
            1 => left,
            _ => (left / (PART * workers)).clamp(1, MAX_TAKEN).min(left),
        };
        let next = |next: u64| Some(next + share(end.saturating_sub(next)));
        let first = self.next.fetch_update(Relaxed, Relaxed, next).unwrap_or(end);
        first..next(first).unwrap_or(end)
    }
}

/// A range of CTAs taken by a worker.
pub(crate) struct CtaChunk<'s> {
    launch: &'s Launch<'s>,
    shared: &'s Shared,
    /// The running CTA, and the range of CTAs that have not begun.
    pub(super) running: Cell<u64>,
    next: Cell<u64>,
    end: Cell<u64>,
}

impl<'s> CtaChunk<'s> {
    pub(super) fn new(launch: &'s Launch<'s>, shared: &'s Shared) -> Self {
        Self { launch, shared, running: Cell::new(0), next: Cell::new(0), end: Cell::new(0) }
    }

    /// Takes the next CTA, from a new range if this one is empty.
    pub(super) fn take(&self, end: u64) -> Option<u64> {
        if self.next == self.end {
            let own = self.shared.take(self.launch.workers as u64, end);
            self.next.set(own.start);
            self.end.set(own.end);
        }
        let index = self.next.get();
        (index != self.end.get()).then(|| {
            self.next.set(index + 1);
            self.running.set(index);
            index
        })
    }

    /// CTAs that may follow the running one.
    pub(super) fn upcoming(&self) -> Range<u64> {
        let end = self.end.get().min(self.shared.faulted.load(Relaxed));
        if self.launch.is_cancelled() { 0..0 } else { self.next.get()..end }
    }

    /// Marks the next `ctas` CTAs as begun. All but the last of them have ended, as has the CTA
    /// that ran before.
    pub(super) fn begin(&self, ctas: u64) {
        (0..ctas).for_each(|_| self.shared.has_ended(self.launch));
        self.next.set(self.next.get() + ctas);
        self.running.set(self.next.get() - 1);
    }
}

/// The reasons for which a worker stops executing a CTA without a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CtaEnd {
    /// All threads of the CTA have exited, or the launch has ended for another reason.
    Done,
    /// The CTA waits in a loop for a store of another CTA, another launch or the host, or may wait
    /// ([`super::idle::WaitDetector::shares`]).
    Waits,
}

impl<'a> Resident<'a> {
    /// A slot for a CTA of a worker, with counters of blocks and branches of its own.
    fn counting(launch: &'a Launch<'a>, worker: usize) -> Self {
        let mut place = Self::new(launch, worker);
        place.context.counts = Counts::new(launch.counters);
        place
    }

    /// Executes CTA number `index` to its end, and then further CTAs of the range while the loop in
    /// compiled code applies. A fault is that of the CTA that began last. `stop` ends the run
    /// early.
    pub(super) fn run_cta(
        &mut self,
        index: u64,
        taken: &CtaChunk<'_>,
        stop: impl Fn() -> bool,
    ) -> Result<CtaEnd, Box<Fault>> {
        let Self { context, warps, round, .. } = self;
        if context.can_loop() && !context.launch.is_cancelled() {
            context.start_cta(index);
            context.begin_loop(warps)?;
            context.counts.enter(context.launch.entry, context.launch.threads.into());
            let begun = context.run_loop(warps, taken);
            if context.cta.live == 0 {
                return Ok(CtaEnd::Done);
            }
            *round = context.round_after(warps, begun, CTA_TURN)?;
        } else {
            *round = Round::default();
            context.cta_loop.all_begun = false;
            context.begin_cta(index, warps)?;
            if context.launch.is_cancelled() {
                return Err(context.cancelled(&warps[0]));
            }
        }
        self.run_on(stop)
    }

    /// Executes a CTA that has begun, to its end or until it waits for others.
    pub(super) fn run_on(&mut self, stop: impl Fn() -> bool) -> Result<CtaEnd, Box<Fault>> {
        let Self { context, warps, round, wait_detector, .. } = self;
        let ends = loop {
            match context.turn_cta(warps, round, Policy::InOrder(CTA_TURN), &stop) {
                Ok(CtaTurn::Over) => {}
                ends => break ends.map(|_| CtaEnd::Done),
            }
            context.notify_counts_at_times();
            if wait_detector.round(context, warps) {
                return Ok(CtaEnd::Waits);
            }
        };
        wait_detector.end(context);
        ends
    }

    /// Ends a CTA, after which its slot is not used again.
    fn is_done(&mut self, shared: &Shared, result: Result<(), Box<Fault>>) {
        shared.end_of_cta(self.index, result, &mut self.context);
        self.context.notify_counts_at_times();
    }

    /// Adds the slot's counters at the end of its use.
    fn leave(&mut self, shared: &Shared) {
        if self.context.launch.counters != 0 {
            self.context.notify_counts();
        }
        let mut state = shared.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.add(&mut self.context);
    }

    /// Executes another iteration of a waiting CTA's loop. Returns whether it still waits.
    fn look(&mut self, shared: &Shared) -> bool {
        let (waited, index) = (self.wait_detector.polls(), self.index);
        match self.run_on(|| shared.faulted.load(Relaxed) < index) {
            // The count of polls restarts at 0 after progress.
            Ok(CtaEnd::Waits) => self.wait_detector.polls() > waited,
            result => {
                self.is_done(shared, result.map(|_| ()));
                false
            }
        }
    }
}

/// Executes CTAs until none is left.
pub(super) fn work(launch: &Launch<'_>, shared: &Shared, worker: usize, ctas: CtaRange) {
    let mut place = Resident::counting(launch, worker);
    let mut aside: Vec<Resident<'_>> = Vec::new();
    let most = (MAX_ASIDE.min(launch.fit) / launch.workers as u64).max(1) as usize;
    let taken = CtaChunk::new(launch, shared);
    loop {
        let faulted = shared.faulted.load(Relaxed);
        let next = if aside.len() < most { taken.take(ctas.end) } else { None };
        let Some(index) = next.filter(|&index| index < faulted) else {
            if aside.is_empty() {
                break;
            }
            poll_waiting((launch, shared, worker), &mut aside);
            continue;
        };
        // Only a fault of a CTA with a lower number ends this CTA, so that the reported fault is
        // that of the lowest one.
        let stop = || shared.faulted.load(Relaxed) < taken.running.get();
        let result = place.run_cta(index, &taken, stop);
        place.index = taken.running.get();
        match result {
            Ok(CtaEnd::Waits) => {
                aside.push(std::mem::replace(&mut place, Resident::counting(launch, worker)))
            }
            result => place.is_done(shared, result.map(|_| ())),
        }
    }
    shared.waits.done(worker);
    place.leave(shared);
}

/// Polls all waiting CTAs. If none of them makes progress, the launch may be over.
fn poll_waiting<'a>(
    (launch, shared, worker): (&'a Launch<'a>, &Shared, usize),
    aside: &mut Vec<Resident<'a>>,
) {
    let mut goes_on = false;
    aside.retain_mut(|place| {
        let waits = place.look(shared);
        goes_on |= !waits;
        let is_over = place.context.cta.live == 0 || !place.is_aside();
        if is_over {
            place.leave(shared);
        }
        !is_over
    });
    if goes_on {
        return shared.waits.go_on(worker, launch.config.external_writers);
    }
    if shared.end_if_in_vain((launch, worker), &mut aside.iter_mut().collect::<Vec<_>>()) {
        aside.drain(..).for_each(|mut place| place.leave(shared));
    }
}
