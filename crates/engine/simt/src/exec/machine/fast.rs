//! Executes CTAs without debugger stops at full speed: with compiled code, and with marks only at
//! breakpoints.
//!
//! A CTA that reaches a mark is abandoned there, with memory in an intermediate state. The caller
//! restores memory to the state before the first CTA, executes the CTAs before the abandoned one
//! again, and steps through that one.

use super::super::prepare::prepare;
use super::super::resident::Resident;
use super::super::workers::CtaEnd;
use super::super::{CtaChunk, Shared};
use super::{ALONE, Machine, Position, Stepper};
use crate::fault::FaultKind;
use crate::marks::marked;
use crate::observe::{Events, LaunchConfig};
use std::sync::atomic::Ordering::Relaxed;

/// Number of CTAs between checks for an interruption.
const AT_ONCE: u64 = 512;

/// How the execution of CTAs at full speed has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fast {
    /// All requested CTAs have ended.
    Done,
    /// After this many CTAs, one has reached a breakpoint or a fault, or was interrupted. The
    /// contents of memory are undefined.
    Hit(u64),
}

impl Machine<'_> {
    /// Whether the launch is stopped between two sequential CTAs.
    pub fn is_between(&self) -> bool {
        self.is_sequential()
            && !self.residents.all[0].runs()
            && !self.stepper.passes
            && !self.is_over()
    }

    /// Enables stops between CTAs.
    pub fn set_between(&mut self, stops: bool) {
        self.stops_between = stops && self.is_sequential();
    }

    /// Number of CTAs that have not begun.
    pub fn left(&self) -> u64 {
        self.residents.order.left.end - self.residents.order.left.start
    }

    /// Executes up to `most` CTAs, from between two CTAs, until one reaches an instruction whose
    /// source offset is in `places`. An interruption takes effect after a CTA; with `places`, it
    /// also abandons the current one, which may be in an infinite loop.
    pub fn skip(&mut self, places: Option<&dyn Fn(u32) -> bool>, most: u64) -> Fast {
        let (program, kernel) = (self.launch.program, self.launch.kernel);
        let unit = program.unit(kernel, self.launch.config.arithmetic());
        let interrupted = self.interrupt();
        let mut config = LaunchConfig { jit: self.jit, ..self.launch.config.clone() };
        config.options.cancel = config.options.cancel.or(places.map(|_| &*interrupted));
        let observed =
            places.map(|places| marked(&program.source, &unit.code, Events::STEPS, places));
        let of = (program, kernel, unit);
        let left = self.residents.order.left.clone();
        let (begin, end) = (left.start, left.start.saturating_add(most).min(left.end));
        let shape = (self.launch.threads, end - begin);
        let launch = prepare(of, &config, (Events::NONE, observed.as_ref()), shape);
        let mut resident = Resident::new(&launch, 0);
        if observed.is_some() {
            let mut stepper = Stepper::new(launch.code.insts.len(), launch.config.grid);
            stepper.ends = true;
            stepper.breaks.fill(true);
            resident.context.debug = Some(Box::new(stepper));
        }
        let shared = Shared::new(begin, 1);
        let taken = CtaChunk::new(&launch, &shared);
        let is_over = || interrupted.load(Relaxed) || launch.is_cancelled();
        let mut ended = begin;
        while ended < end && !is_over() {
            let until = end.min(ended + AT_ONCE);
            while let Some(index) = taken.take(until) {
                let mut result = resident.run_cta(index, &taken, || false);
                while resident.wait_detector.shares() {
                    result = resident.run_on(|| false);
                }
                let fault = match result {
                    Ok(CtaEnd::Done) => None,
                    Ok(CtaEnd::Waits) => Some(resident.context.waits_alone(&resident.warps, ALONE)),
                    Err(fault) => Some(fault),
                };
                if let Some(fault) = fault {
                    self.residents.all[0].context.counters.add(&resident.context.counters);
                    self.fast_fault =
                        Some(fault).filter(|fault| !matches!(fault.kind, FaultKind::Cancelled));
                    return Fast::Hit(taken.running.get() - begin);
                }
                shared.has_ended(&launch);
                self.collected.take_text(taken.running.get(), &mut resident.context);
            }
            ended = until;
        }
        self.collected.bad_fetches.add(resident.context.sites.bad.take_recorded());
        self.residents.all[0].context.counters.add(&resident.context.counters);
        self.residents.order.left.start = ended;
        let turn = self.stepper.position.turn + (ended - begin);
        self.stepper.position = Position { turn, step: 0 };
        self.begins(turn);
        Fast::Done
    }

    /// Executes the whole launch once at full speed for its observer, which is not notified of
    /// single steps. The caller restores memory and heap afterwards, as with [`Self::restore`].
    /// Returns false if there is no observer, or if the kernel may launch grids, which must not be
    /// launched twice.
    pub fn rehearse(&self) -> bool {
        let (Some(observer), None) = (self.observer, &self.launch.config.runtime) else {
            return false;
        };
        let mut config = LaunchConfig { jit: self.jit, ..self.launch.config.clone() };
        (config.options.observer, config.options.progress) = (Some(observer), None);
        // The result is ignored, because a fault recurs when the launch is stepped through.
        let _ = super::super::launch(self.launch.program, self.launch.kernel, &config);
        true
    }

    /// Called at the begin of a CTA's turn. Its number follows from the executed instructions, in
    /// whatever way they were executed.
    pub(super) fn begins(&mut self, turn: u64) {
        let executed = self.residents.all[0].context.counters.executed.thread_instructions;
        self.bases.insert(turn, executed);
    }
}
