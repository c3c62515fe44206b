//! Debugging of a launch: the launch can be stopped before any PTX instruction, inspected,
//! modified, saved and resumed.
//!
//! [`debug`] executes a kernel as [`launch`](super::launch) does, interpreted and in one thread,
//! under the control of its caller, which is given a [`Machine`]. The code is lowered separately:
//! each PTX register has storage of its own, and before each instruction there is a mark
//! (`crate::marks`, `Events::STEPS`), at which the executor asks the `Stepper` whether to
//! continue. To stop, the executor returns, leaves the running split as the first one of its warp,
//! and stores the state of the turn (`Resume`). A stopped launch therefore continues exactly as one
//! that was not stopped, in the execution order of all launches (`exec::turns`), and [`Saved`]
//! together with the contents of memory suffices to repeat it.
//!
//! A launch without a debugger has no marks and no overhead.

mod answers;
mod dominance;
mod fast;
mod look;
mod places;
mod saved;
pub(super) mod stepper;
mod stops;

pub use dominance::Dominance;
pub use fast::Fast;
pub use look::{LanePosition, Waits};
pub use places::{FrameAt, RegisterAt};
pub use saved::Saved;
use stepper::Stepper;
pub use stepper::{Filter, Position, Range, StopPoint, WatchHit, block_of};

use super::Collected;
use super::context::Launch;
use super::limits::{CTA_TURN, RESIDENT_TURN};
use super::outcome::CtaTurn;
use super::prepare::prepare;
use super::resident::{Resident, Stage};
use super::residents::{Residents, have_polled};
use super::warp::Warp;
use crate::fault::FaultKind;
use crate::lower::{KernelId, Program};
use crate::observe::{Events, LaunchConfig, Listing, Observer, Probe};
use crate::regions::JitMode;
use crate::stats::{Fault, LaunchStats};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

/// Message of the fault of a CTA that waits under a debugger.
const ALONE: &str =
    "a launch that is stepped through waits for no other CTA, launch or host thread";

/// Controls launches step by step.
pub trait Debugger: Sync + std::fmt::Debug {
    /// Called at the begin of a launch, with the machine before its first instruction. After the
    /// return the launch runs to its end, unless the machine has ended it.
    fn debugs(&self, machine: &mut Machine<'_>);
}

/// Why a debugged launch has stopped.
#[derive(Clone, Debug)]
pub enum Stop {
    /// Before an instruction at which a stop was requested.
    At(StopPoint),
    /// A thread has a fault at this instruction. The launch has ended, but its state can be
    /// inspected.
    Faulted(StopPoint, Box<Fault>),
    /// All CTAs have ended.
    Ended,
    /// A CTA has ended, and the next one has not begun.
    Between,
    /// An interruption was requested.
    Interrupted,
}

/// A launch under the control of a debugger.
pub struct Machine<'a> {
    launch: &'a Launch<'a>,
    residents: Residents<'a>,
    stepper: Box<Stepper>,
    /// Printed text and counters of the CTAs that have ended.
    collected: Collected,
    /// Step numbers at the begin of turns, as far as they are known.
    bases: BTreeMap<u64, u64>,
    fault: Option<(StopPoint, Box<Fault>)>,
    has_ended: bool,
    is_dropped: bool,
    stops_between: bool,
    /// The fault of CTAs that were executed at full speed.
    fast_fault: Option<Box<Fault>>,
    /// The JIT mode for CTAs executed at full speed.
    jit: Option<JitMode>,
    /// The launch's observer, for execution at full speed.
    observer: Option<&'a dyn Observer>,
}

/// Executes a kernel under the control of a debugger.
///
/// # Errors
/// The errors of [`launch`](super::launch).
pub fn debug(
    program: &Program,
    kernel: KernelId,
    config: &LaunchConfig<'_>,
    debugger: &dyn Debugger,
) -> Result<LaunchStats, Box<Fault>> {
    let Some((threads, ctas)) = config.executed() else { return Ok(LaunchStats::default()) };
    let unit = program.debug_unit(kernel, config.arithmetic());
    let events = Events::STEPS | Events::ACCESSES | Events::CONSTANTS;
    let observed = unit.marked.get(&program.source, &unit.code, events);
    let mut alone = LaunchConfig { jit: Some(JitMode::Off), ..config.clone() };
    (alone.options.observer, alone.options.threads) = (None, 1);
    let of = (program, kernel, &unit);
    let launch = prepare(of, &alone, (events, Some(&observed)), (threads, ctas.len()));
    let mut machine = Machine {
        residents: Residents::new(&launch, 0, ctas.begin..ctas.end),
        stepper: Box::new(Stepper::new(launch.code.insts.len(), launch.config.grid)),
        collected: Collected::default(),
        bases: BTreeMap::new(),
        fault: None,
        has_ended: false,
        is_dropped: false,
        stops_between: false,
        fast_fault: None,
        jit: config.jit,
        observer: config.observer,
        launch: &launch,
    };
    debugger.debugs(&mut machine);
    machine.finish()
}

impl<'a> Machine<'a> {
    /// The configuration of the launch.
    pub fn config(&self) -> &'a LaunchConfig<'a> {
        self.launch.config
    }

    /// Name of the kernel.
    pub fn kernel(&self) -> &'a str {
        self.launch.program.kernel_name(self.launch.kernel)
    }

    /// The kernel's module.
    pub fn program(&self) -> &'a Program {
        self.launch.program
    }

    /// The code without marks.
    pub fn listing(&self) -> Listing<'a> {
        Listing::of_unit(self.launch.program, self.launch.unit)
    }

    /// Number of threads of a CTA.
    pub fn threads(&self) -> u32 {
        self.launch.threads
    }

    /// Source offsets of the instructions at which the launch can stop, in code order.
    pub fn places(&self) -> Vec<u32> {
        self.stepped().map(|(_, at)| at).collect()
    }

    fn stepped(&self) -> impl Iterator<Item = (usize, u32)> {
        let insts = self.launch.code.insts.iter().enumerate();
        insts.filter_map(|(pc, inst)| match &inst.op {
            crate::code::Op::Mark(mark) if mark.reports.intersects(Events::STEPS) => {
                Some((pc, inst.span.start))
            }
            _ => None,
        })
    }

    /// Sets breakpoints at the instructions with these source offsets.
    pub fn set_breaks(&mut self, at: &dyn Fn(u32) -> bool) {
        let marks: Vec<(usize, u32)> = self.stepped().collect();
        self.stepper.breaks.fill(false);
        for (pc, place) in marks {
            self.stepper.breaks[pc] = at(place);
        }
    }

    /// Stops before each instruction of these threads; `None`: only at breakpoints.
    pub fn set_filter(&mut self, filter: Option<Filter>) {
        self.stepper.filter = filter;
    }

    /// Stops when the launch reaches this position; `None`: never.
    pub fn set_end(&mut self, end: Option<Position>) {
        self.stepper.end = end;
    }

    /// Watches accesses to these ranges of memory, which [`Self::watch_hits`] returns, and
    /// optionally stops after each.
    pub fn set_watched(&mut self, ranges: Vec<Range>, stops: bool) {
        self.stepper.watch(ranges, stops);
        let probe = self.stepper.probe();
        self.set_probes(self.stepper.has_texels(), || Some(Box::new(probe.clone()?)));
    }

    /// Sets the probe of each CTA, which is notified of results of fetches and surface accesses if
    /// it wants `answers`.
    fn set_probes(&mut self, answers: bool, probe: impl Fn() -> Option<Box<dyn Probe>>) {
        let Launch { config, events, .. } = self.launch;
        for Resident { context, .. } in &mut self.residents.all {
            context.probe = probe().map(|probe| probe as Box<_>);
            context.events = *events | if answers { Events::ANSWERS } else { Events::NONE };
            context.is_unobserved = !answers && config.gradients.is_none();
        }
    }

    /// Watched accesses since the last call.
    pub fn watch_hits(&mut self) -> Vec<WatchHit> {
        let mut all = self.stepper.take_hits();
        let insts = &self.launch.unit.code.insts;
        for hits in &mut all {
            // The probe identifies instructions by number.
            hits.at = insts.get(hits.at as usize).map_or(0, |inst| inst.span.start);
        }
        all
    }

    /// Whether the launch is stopped before an instruction that was already reported.
    pub fn is_stopped(&self) -> bool {
        self.stepper.passes
    }

    /// The current position.
    pub fn position(&self) -> Position {
        self.stepper.position
    }

    /// The linear number of a position: instructions of threads before the CTA began, plus those of
    /// warps since then.
    pub fn number(&self, position: Position) -> u64 {
        let base = self.bases.range(..=position.turn).next_back();
        base.map_or(0, |(_, base)| *base) + position.step
    }

    /// The position with a linear number, as far as the begins of CTAs are known; it may be after
    /// the end of its CTA.
    pub fn position_of(&self, number: u64) -> Position {
        let found = self.bases.iter().rev().find(|(_, base)| **base <= number);
        let (turn, base) = found.map_or((0, 0), |(turn, base)| (*turn, *base));
        Position { turn, step: number - base }
    }

    /// Continues to the next stop.
    pub fn run(&mut self) -> Stop {
        if let Some((stop_point, fault)) = &self.fault {
            return Stop::Faulted(*stop_point, fault.clone());
        }
        if self.has_ended {
            return Stop::Ended;
        }
        // Between two CTAs, a pending interruption is that of the next one, which did not end at
        // full speed: the CTA begins, and its first turn stops inside of it.
        let mut entering = if self.is_between() { 2_u32 } else { 0 };
        loop {
            let is_interrupted = entering == 0 && self.stepper.is_interrupted();
            if self.launch.is_cancelled() || is_interrupted {
                return Stop::Interrupted;
            }
            entering = entering.saturating_sub(1);
            if let Some(stop) = self.turn() {
                return stop;
            }
        }
    }

    /// Whether CTAs are executed sequentially.
    fn is_sequential(&self) -> bool {
        let config = self.config();
        !config.cooperative && config.schedule.is_none() && !self.launch.has_clusters()
    }

    /// Continues the current turn.
    fn turn(&mut self) -> Option<Stop> {
        let is_sequential = self.is_sequential();
        let budget = if is_sequential { CTA_TURN } else { RESIDENT_TURN };
        let Self { residents, stepper, collected, launch, .. } = self;
        let (mut has_ended, is_random) = (false, launch.config.schedule.is_some());
        let outcome = residents.turn(budget, |resident, policy| {
            let blank = Box::new(Stepper::new(0, launch.config.grid));
            stepper.cta = resident.index;
            resident.context.debug = Some(std::mem::replace(stepper, blank));
            let outcome = resident.turn(policy);
            if let Some(own) = resident.context.debug.take() {
                *stepper = own;
            }
            // Watching changes the turns of a random order, and so the positions of a replay.
            if matches!(outcome, Ok(CtaTurn::Over)) && !is_random && !resident.waits_for_cluster() {
                resident.wait_detector.round(&mut resident.context, &mut resident.warps);
            }
            if matches!(outcome, Ok(CtaTurn::Ended)) {
                has_ended = true;
                resident.wait_detector.end(&mut resident.context);
                resident.stage = Stage::Ended;
                collected.take_text(resident.index, &mut resident.context);
                launch.config.progress.inspect(|progress| _ = progress.fetch_add(1, Relaxed));
            }
            outcome
        });
        match outcome {
            Some(Ok(CtaTurn::Stopped)) => Some(Stop::At(self.stepper.stop_point)),
            Some(Ok(_)) if has_ended && is_sequential => {
                let turn = self.stepper.position.turn + 1;
                self.stepper.position = Position { turn, step: 0 };
                self.begins(turn);
                self.stops_between.then_some(Stop::Between)
            }
            Some(Ok(_)) => None,
            Some(Err((_, fault))) => self.faults(fault),
            None => self.next_round(),
        }
    }

    fn next_round(&mut self) -> Option<Stop> {
        let mut running: Vec<_> = self.residents.running().collect();
        if have_polled(&mut running) == Some(true) {
            let fault = running[0].context.waits_alone(&running[0].warps, ALONE);
            return self.faults(fault);
        }
        let begun = self.residents.begin_round(|resident, index| {
            // A new warp makes uninitialised registers independent of earlier CTAs.
            resident.warps.fill_with(Warp::default);
            resident.begin(index)
        });
        match begun {
            Ok(true) => None,
            Ok(false) => {
                self.has_ended = true;
                Some(Stop::Ended)
            }
            Err(fault) => self.faults(fault),
        }
    }

    fn faults(&mut self, fault: Box<Fault>) -> Option<Stop> {
        if matches!(fault.kind, FaultKind::Cancelled) {
            return Some(Stop::Interrupted);
        }
        let stop_point = self.stepper.stop_point;
        self.fault = Some((stop_point, fault.clone()));
        Some(Stop::Faulted(stop_point, fault))
    }

    /// A flag that another thread can set to interrupt the launch.
    pub fn interrupt(&self) -> Arc<std::sync::atomic::AtomicBool> {
        Arc::clone(&self.stepper.interrupted)
    }

    /// Whether the launch has ended, with or without a fault.
    pub fn is_over(&self) -> bool {
        self.has_ended || self.fault.is_some()
    }

    /// Ends the launch at its current position, as if cancelled.
    pub fn kill(&mut self) {
        self.is_dropped = true;
    }

    /// Text printed by the CTAs that have ended, ordered by CTA.
    pub fn printed(&self) -> Vec<u8> {
        self.collected.printed.clone().into_text()
    }

    fn finish(mut self) -> Result<LaunchStats, Box<Fault>> {
        self.set_breaks(&|_| false);
        self.set_filter(None);
        self.set_end(None);
        self.set_watched(Vec::new(), false);
        self.set_between(false);
        self.stepper.interrupted.store(false, Relaxed);
        let fault = match self.fault.take() {
            Some((_, fault)) => Some(fault),
            None if self.is_dropped && !self.has_ended => Some(self.cancelled()),
            None => match self.run_out() {
                Stop::Faulted(_, fault) => Some(fault),
                Stop::Interrupted => Some(self.cancelled()),
                Stop::Ended | Stop::At(_) | Stop::Between => None,
            },
        };
        let stats = self.stats();
        let Some(mut fault) = fault else { return Ok(stats) };
        fault.stats = stats;
        Err(fault)
    }

    /// Runs to the end: the stopped CTA step by step, the others at full speed.
    fn run_out(&mut self) -> Stop {
        self.set_between(true);
        loop {
            if self.is_between() && self.left() > 0 {
                // A fault in a CTA that is executed at full speed occurs at the same instruction as
                // in any launch.
                if let Fast::Hit(_) = self.skip(None, u64::MAX)
                    && let Some(fault) = self.fast_fault.take()
                {
                    return Stop::Faulted(self.stepper.stop_point, fault);
                }
            }
            match self.run() {
                Stop::Between => {}
                stop => return stop,
            }
        }
    }

    fn cancelled(&mut self) -> Box<Fault> {
        let resident = &mut self.residents.all[0];
        if !resident.runs() {
            // If no CTA is running, the debugger shows the launch as ended at the start of the
            // kernel.
            resident.warps[0].frames.start(self.launch.entry, 0, 0);
        }
        resident.context.cancelled(&resident.warps[0])
    }

    fn stats(&mut self) -> LaunchStats {
        for resident in &mut self.residents.all {
            self.collected.add(&mut resident.context);
            if resident.runs() {
                self.collected.take_text(resident.index, &mut resident.context);
            }
        }
        std::mem::take(&mut self.collected).into_stats(self.launch)
    }
}
