//! A launch that somebody steps through: it stops before any PTX instruction, is looked at, changed, put down and
//! taken up again.
//!
//! [`debug`] runs a kernel as [`launch`](super::launch) does, in one thread and interpreted, but gives the [`Machine`]
//! to its caller, who says how far it runs. Its code is lowered once more: each register of the PTX has a row of its own,
//! and a mark stands before each instruction (`observe::marks`, `Events::STEPS`), at which the executor asks the
//! `Stepper` whether to go on. To stop, the executor returns from where it is, leaves the split that runs as the first
//! one of its warp, and keeps how the turn goes on (`Resume`); so a launch that has been stopped
//! goes on exactly as one that has not, in the order that all launches have (`exec::turns`), and [`Saved`] with the bytes
//! of memory is all that it takes to do so a second time.
//!
//! A launch without a debugger has nothing of this: there are no marks in its code.

mod answers;
mod fast;
mod look;
mod places;
mod saved;
pub(super) mod stepper;
mod stops;

pub use fast::Fast;
pub use look::{Standing, Waits};
pub use places::{FrameAt, RegisterAt};
pub use saved::Saved;
use stepper::Stepper;
pub use stepper::{Caught, Filter, Position, Range, Stand, block_of};

use super::context::Launch;
use super::limits::{CTA_TURN, RESIDENT_TURN};
use super::outcome::CtaTurn;
use super::output::Printed;
use super::prepare::prepare;
use super::resident::Stage;
use super::residents::{Residents, have_looked};
use super::warp::Warp;
use crate::fault::FaultKind;
use crate::launch::{CtaRange, LaunchConfig};
use crate::lower::{KernelId, Program};
use crate::observe::{Events, Listing, Observer};
use crate::regions::JitMode;
use crate::stats::{BadFetches, Fault, LaunchStats};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

/// Why a launch that waits ends under a debugger.
const ALONE: &str =
    "a launch that is stepped through waits for no other CTA, launch or host thread";

/// Who steps through launches.
pub trait Debugger: Sync + std::fmt::Debug {
    /// A launch is about to begin; the machine stands before its first instruction. When this returns, the launch goes
    /// on to its end, unless the machine has ended it.
    fn debugs(&self, machine: &mut Machine<'_>);
}

/// Why a machine does not go on.
#[derive(Clone, Debug)]
pub enum Stop {
    /// It stands before an instruction that the stepper was asked to stop at.
    Stands(Stand),
    /// A thread has gone wrong at this instruction: the launch has ended with a fault, and what it left can be looked at.
    Faulted(Stand, Box<Fault>),
    /// All CTAs have ended.
    Ended,
    /// A CTA has ended, and the next one has not begun.
    Between,
    /// Somebody has asked it to stop.
    Interrupted,
}

/// A launch that is stepped through.
pub struct Machine<'a> {
    launch: &'a Launch<'a>,
    residents: Residents<'a>,
    stepper: Box<Stepper>,
    printed: Printed,
    bad_fetches: BadFetches,
    /// Step numbers at which turns begin, as far as they are known.
    bases: BTreeMap<u64, u64>,
    fault: Option<(Stand, Box<Fault>)>,
    has_ended: bool,
    is_dropped: bool,
    stops_between: bool,
    /// What has gone wrong at speed.
    fast_fault: Option<Box<Fault>>,
    /// How code is made where nothing stops.
    jit: Option<JitMode>,
    /// Who is told of what a launch does that nobody steps through.
    observer: Option<&'a dyn Observer>,
}

/// Runs a kernel for somebody who steps through it.
///
/// # Errors
/// Those of [`launch`](super::launch).
pub fn debug(
    program: &Program,
    kernel: KernelId,
    config: &LaunchConfig<'_>,
    debugger: &dyn Debugger,
) -> Result<LaunchStats, Box<Fault>> {
    let threads = config.block.iter().map(|&n| u64::from(n)).product::<u64>();
    let all = CtaRange::of_grid(config.grid);
    let ctas = match config.ctas {
        Some(some) if !config.cooperative && config.cluster.is_none() => some.within(all),
        _ => all,
    };
    if threads == 0 || ctas.is_empty() {
        return Ok(LaunchStats::default());
    }
    let unit = program.debug_unit(kernel, config.arithmetic());
    let events = Events::STEPS | Events::ACCESSES;
    let observed = unit.observed(program, events);
    let alone =
        LaunchConfig { jit: Some(JitMode::Off), observer: None, threads: 1, ..config.clone() };
    let of = (program, kernel, &unit);
    let threads = threads.min(1024) as u32;
    let launch = prepare(of, &alone, (events, Some(&observed)), (threads, ctas.len()));
    let mut machine = Machine::new(&launch, ctas, config);
    debugger.debugs(&mut machine);
    machine.finish()
}

impl<'a> Machine<'a> {
    fn new(launch: &'a Launch<'a>, ctas: CtaRange, config: &LaunchConfig<'a>) -> Self {
        Self {
            residents: Residents::new(launch, 0, ctas.begin..ctas.end),
            stepper: Box::new(Stepper::new(launch.code.insts.len(), launch.config.grid)),
            printed: Printed::default(),
            bad_fetches: BadFetches::default(),
            bases: BTreeMap::from([(0, 0)]),
            fault: None,
            has_ended: false,
            is_dropped: false,
            stops_between: false,
            fast_fault: None,
            jit: config.jit,
            observer: config.observer,
            launch,
        }
    }

    /// How it was launched.
    pub fn config(&self) -> &'a LaunchConfig<'a> {
        self.launch.config
    }

    /// Name of the kernel.
    pub fn kernel(&self) -> &'a str {
        self.launch.program.kernel_name(self.launch.kernel)
    }

    /// The module.
    pub fn program(&self) -> &'a Program {
        self.launch.program
    }

    /// The code, as it is without marks.
    pub fn listing(&self) -> Listing<'a> {
        Listing::of_unit(self.launch.program, self.launch.unit)
    }

    /// Threads of a CTA.
    pub fn threads(&self) -> u32 {
        self.launch.threads
    }

    /// First bytes of the instructions that it may stop at, in the order of the code.
    pub fn places(&self) -> Vec<u32> {
        self.stepped().map(|(_, at)| at).collect()
    }

    fn stepped(&self) -> impl Iterator<Item = (usize, u32)> {
        let insts = self.launch.code.insts.iter().enumerate();
        insts.filter_map(|(pc, inst)| match &inst.op {
            crate::code::Op::Mark(mark) if mark.tells.has(Events::STEPS) => {
                Some((pc, inst.span.start))
            }
            _ => None,
        })
    }

    /// Makes it stop before the instructions whose first bytes these are.
    pub fn set_breaks(&mut self, at: &dyn Fn(u32) -> bool) {
        let marks: Vec<(usize, u32)> = self.stepped().collect();
        self.stepper.breaks.fill(false);
        for (pc, place) in marks {
            self.stepper.breaks[pc] = at(place);
        }
    }

    /// Makes it stop before each instruction that these threads come to; `None`: only at those that have been set.
    pub fn set_filter(&mut self, filter: Option<Filter>) {
        self.stepper.filter = filter;
    }

    /// Makes it stop when it has come so far; `None`: never.
    pub fn set_end(&mut self, end: Option<Position>) {
        self.stepper.end = end;
    }

    /// Makes it stop behind accesses to memory in one of these ranges, which [`Self::caught`] tells of then.
    pub fn set_watched(&mut self, ranges: Vec<Range>, stops: bool) {
        self.stepper.watch(ranges, stops);
        let probe = self.stepper.probe();
        let has_texels = self.stepper.has_texels();
        let events = if has_texels { Events::ANSWERS } else { Events::NONE };
        for resident in &mut self.residents.all {
            resident.context.probe = probe.as_ref().map(|of| Box::new(of.clone()) as Box<_>);
            resident.context.events = self.launch.events | events;
            resident.context.is_unobserved = !has_texels && self.launch.config.gradients.is_none();
        }
    }

    /// Accesses that were seen since this was asked last.
    pub fn caught(&mut self) -> Vec<Caught> {
        let mut all = self.stepper.take_caught();
        let insts = &self.launch.unit.code.insts;
        for caught in &mut all {
            // The probe knows operations by their numbers.
            caught.at = insts.get(caught.at as usize).map_or(0, |inst| inst.span.start);
        }
        all
    }

    /// Whether it stands before an instruction, of which it has told.
    pub fn is_stopped(&self) -> bool {
        self.stepper.passes
    }

    /// Where it stands in the course of the launch.
    pub fn position(&self) -> Position {
        self.stepper.position
    }

    /// The number of a position: what threads have executed before its CTA began, and warps since.
    pub fn number(&self, position: Position) -> u64 {
        let base = self.bases.range(..=position.turn).next_back();
        base.map_or(0, |(_, base)| base + position.step)
    }

    /// The position of a number, as far as it is known where CTAs begin; it may be one behind the end of its CTA.
    pub fn position_of(&self, number: u64) -> Position {
        let found = self.bases.iter().rev().find(|(_, base)| **base <= number);
        let (turn, base) = found.map_or((0, 0), |(turn, base)| (*turn, *base));
        Position { turn, step: number - base }
    }

    /// Goes on to the next stop.
    pub fn run(&mut self) -> Stop {
        if let Some((stand, fault)) = &self.fault {
            return Stop::Faulted(*stand, fault.clone());
        }
        if self.has_ended {
            return Stop::Ended;
        }
        loop {
            if self.launch.is_cancelled() || self.stepper.is_interrupted() {
                return Stop::Interrupted;
            }
            if let Some(stop) = self.turn() {
                return stop;
            }
        }
    }

    /// Whether CTAs run one after the other.
    fn is_sequential(&self) -> bool {
        let config = self.config();
        !config.cooperative && config.schedule.is_none() && !self.launch.has_clusters()
    }

    /// Goes on with the turn that is due.
    fn turn(&mut self) -> Option<Stop> {
        let is_sequential = self.is_sequential();
        let budget = if is_sequential { CTA_TURN } else { RESIDENT_TURN };
        let Self { residents, stepper, printed, launch, .. } = self;
        let (mut has_ended, is_random) = (false, launch.config.schedule.is_some());
        let came = residents.turn(budget, |resident, deal| {
            let blank = Box::new(Stepper::new(0, launch.config.grid));
            stepper.cta = resident.index;
            resident.context.debug = Some(std::mem::replace(stepper, blank));
            let came = resident.turn(deal);
            if let Some(own) = resident.context.debug.take() {
                *stepper = own;
            }
            // In a random order a CTA that is watched has other turns, and positions would not be those of the first time.
            if matches!(came, Ok(CtaTurn::Over)) && !is_random && !resident.waits_for_cluster() {
                resident.patience.round(&mut resident.context, &mut resident.warps);
            }
            if matches!(came, Ok(CtaTurn::Ended)) {
                has_ended = true;
                resident.patience.end(&mut resident.context);
                resident.stage = Stage::Ended;
                printed.take(
                    resident.index,
                    &mut resident.context.output,
                    launch.config.printf_limit,
                );
                launch.config.progress.inspect(|progress| _ = progress.fetch_add(1, Relaxed));
            }
            came
        });
        match came {
            Some(Ok(CtaTurn::Stopped)) => Some(Stop::Stands(self.stepper.stand)),
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
        if have_looked(&mut running) == Some(true) {
            let fault = running[0].context.waits_alone(&running[0].warps, ALONE);
            return self.faults(fault);
        }
        let begun = self.residents.begin_round(|resident, index| {
            // What functions find in their registers before they write them is the same whoever ran here before.
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
        let stand = self.stepper.stand;
        self.fault = Some((stand, fault.clone()));
        Some(Stop::Faulted(stand, fault))
    }

    /// Something that another thread sets to make it stop.
    pub fn interrupt(&self) -> Arc<std::sync::atomic::AtomicBool> {
        Arc::clone(&self.stepper.interrupted)
    }

    /// Whether it has come to its end, or to its fault.
    pub fn is_over(&self) -> bool {
        self.has_ended || self.fault.is_some()
    }

    /// Ends the launch where it is, as one that is cancelled.
    pub fn kill(&mut self) {
        self.is_dropped = true;
    }

    /// What the CTAs that have ended have printed, in the order of their numbers.
    pub fn printed(&self) -> Vec<u8> {
        self.printed.clone().into_text()
    }

    fn finish(mut self) -> Result<LaunchStats, Box<Fault>> {
        self.set_breaks(&|_| false);
        self.set_filter(None);
        self.set_end(None);
        self.set_watched(Vec::new(), false);
        self.set_between(false);
        self.stepper.interrupted.store(false, Relaxed);
        let mut fault = match self.fault.take() {
            Some((_, fault)) => Some(fault),
            None if self.is_dropped && !self.has_ended => Some(self.cancelled()),
            None => match self.run_out() {
                Stop::Faulted(_, fault) => Some(fault),
                Stop::Interrupted => Some(self.cancelled()),
                Stop::Ended | Stop::Stands(_) | Stop::Between => None,
            },
        };
        let stats = self.stats();
        match &mut fault {
            Some(fault) => fault.stats = stats,
            None => return Ok(stats),
        }
        fault.map_or_else(|| Ok(LaunchStats::default()), Err)
    }

    /// Runs to the end: what the launch was stopped in step by step, all else at speed.
    fn run_out(&mut self) -> Stop {
        self.set_between(true);
        loop {
            if self.is_between() && self.left() > 0 {
                // What goes wrong there goes wrong at the same place as in any launch.
                if let Fast::Hit(_) = self.skip(None, u64::MAX)
                    && let Some(fault) = self.fast_fault.take()
                {
                    return Stop::Faulted(self.stepper.stand, fault);
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
            // No thread is anywhere: it ends where the kernel begins.
            resident.warps[0].frames.start(self.launch.entry, 0);
        }
        resident.context.cancelled(&resident.warps[0])
    }

    fn stats(&mut self) -> LaunchStats {
        let mut counters = super::counters::Counters::default();
        let limit = self.launch.config.printf_limit;
        for resident in &mut self.residents.all {
            counters.add(&resident.context.counters);
            self.bad_fetches.add(resident.context.sites.bad.take_told());
            if resident.runs() {
                self.printed.take(resident.index, &mut resident.context.output, limit);
            }
        }
        LaunchStats {
            warp_instructions: counters.executed.warp_instructions,
            thread_instructions: counters.executed.thread_instructions,
            fetches: counters.fetches,
            surface_accesses: counters.surface_accesses,
            divisions_by_zero: counters.divisions_by_zero,
            past_end: counters.past_end,
            bad_fetches: std::mem::take(&mut self.bad_fetches).sorted(),
            gradients: self.launch.config.gradients.map(|engine| engine.stats()),
            printf: std::mem::take(&mut self.printed).into_text(),
            fusion: self.launch.unit.fusion,
            ..LaunchStats::default()
        }
    }
}
