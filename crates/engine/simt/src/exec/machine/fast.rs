//! CTAs in which nothing stops, at the speed of a launch that nobody looks at: with machine code, and with marks before the
//! instructions of breakpoints only.
//!
//! A CTA that comes to a mark ends there, with memory that it has changed half: whoever asks takes memory up again from where
//! the first CTA began, has those before it executed once more, and steps through that one.

use super::super::prepare::prepare;
use super::super::resident::Resident;
use super::super::workers::Ends;
use super::super::{CtaChunk, Shared};
use super::{ALONE, Machine, Position, Stepper};
use crate::launch::LaunchConfig;
use crate::observe::Events;
use crate::observe::marks::at_places;

/// CTAs after which it is asked whether somebody has interrupted it.
const AT_ONCE: u64 = 512;

/// What came of CTAs that were executed at speed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fast {
    /// All that were asked for have ended.
    Done,
    /// Behind so many, one has come to an instruction to stop at, or has gone wrong. Memory is nobody's.
    Hit(u64),
}

impl Machine<'_> {
    /// Whether it stands between two CTAs that run one after the other.
    pub fn is_between(&self) -> bool {
        self.is_sequential()
            && !self.residents.all[0].runs()
            && !self.stepper.passes
            && !self.is_over()
    }

    /// Makes it stop between CTAs.
    pub fn set_between(&mut self, stops: bool) {
        self.stops_between = stops && self.is_sequential();
    }

    /// CTAs that have not begun.
    pub fn left(&self) -> u64 {
        self.residents.order.left.end - self.residents.order.left.start
    }

    /// Executes at most so many CTAs, from between two of them on, up to one that comes to an instruction whose first byte is
    /// one of these. An interruption ends it behind a CTA.
    pub fn skip(&mut self, places: Option<&dyn Fn(u32) -> bool>, most: u64) -> Fast {
        let (program, kernel) = (self.launch.program, self.launch.kernel);
        let unit = program.unit(kernel, self.launch.config.arithmetic());
        let config = LaunchConfig { jit: self.jit, ..self.launch.config.clone() };
        let observed = places.map(|places| at_places(program, unit, places));
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
        let is_over = || self.stepper.is_interrupted() || launch.is_cancelled();
        let mut ended = begin;
        while ended < end && !is_over() {
            let until = end.min(ended + AT_ONCE);
            while let Some(index) = taken.take(until) {
                let fault = match resident.run_cta(index, &taken, || false) {
                    Ok(Ends::Done) => None,
                    Ok(Ends::Waits) => Some(resident.context.waits_alone(&resident.warps, ALONE)),
                    Err(fault) => Some(fault),
                };
                if let Some(fault) = fault {
                    self.residents.all[0].context.counters.add(&resident.context.counters);
                    self.fast_fault = Some(fault);
                    return Fast::Hit(taken.running.get() - begin);
                }
                shared.has_ended(&launch);
                let limit = launch.config.printf_limit;
                self.printed.take(taken.running.get(), &mut resident.context.output, limit);
            }
            ended = until;
        }
        self.bad_fetches.add(resident.context.sites.bad.take_told());
        self.residents.all[0].context.counters.add(&resident.context.counters);
        self.residents.order.left.start = ended;
        let turn = self.stepper.position.turn + (ended - begin);
        self.stepper.position = Position { turn, step: 0 };
        self.begins(turn);
        Fast::Done
    }

    /// Runs the launch once, from its first instruction on and not step by step, for its observer, who hears nothing of the
    /// steps. What that does to memory and to the heap is the caller's affair, as in [`Self::restore`]. False: there is no observer, or the
    /// kernel may launch others, which it is not to do twice.
    pub fn rehearse(&self) -> bool {
        let (Some(observer), None) = (self.observer, &self.launch.config.runtime) else {
            return false;
        };
        let config = LaunchConfig {
            jit: self.jit,
            observer: Some(observer),
            progress: None,
            ..self.launch.config.clone()
        };
        // A thread that goes wrong does so again when it is stepped through.
        let _ = super::super::launch(self.launch.program, self.launch.kernel, &config);
        true
    }

    /// A turn begins: its number follows from what has been executed, however that was.
    pub(super) fn begins(&mut self, turn: u64) {
        let executed = self.residents.all[0].context.counters.executed.thread_instructions;
        self.bases.insert(turn, executed);
    }
}
