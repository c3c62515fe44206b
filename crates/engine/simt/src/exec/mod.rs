//! Executes warp code.
//!
//! [`launch()`] distributes the CTAs of a grid over host threads. The warps of a CTA run in turns
//! on one thread, and the lanes of a warp execute each instruction together. There are three nested
//! loops: [`Context::step`] executes any instruction, `block` executes compiled regions and
//! frequent instructions, and `decoded` is the inner loop for arithmetic.

mod access;
mod address_fault;
mod async_copy;
mod atomic;
mod bad_fetch;
mod block;
mod builtins;
mod calls;
mod cluster;
mod collective;
mod compiled;
mod context;
mod counters;
mod cross;
mod cta;
mod decoded;
mod format;
mod frames;
mod groups;
mod handles;
mod idle;
mod limits;
pub mod machine;
mod matrix;
mod mbarrier;
mod memory;
mod notify;
mod outcome;
mod output;
mod past_end;
mod prepare;
mod rare;
mod register_file;
mod register_moves;
mod resident;
mod residents;
mod runtime;
mod schedule;
mod shadow;
mod sites;
mod step;
mod surface;
mod target;
mod texels;
mod texture;
mod turns;
mod waiting;
mod warp;
mod words;
mod workers;
mod yielding;

use crate::lower::{KernelId, Program};
use crate::observe::{Events, LaunchConfig};
use crate::stats::{BadFetches, Fault, LaunchStats};
use context::{Context, Launch};
use counters::Counters;
pub use format::general as format_general;
use prepare::prepare;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use waiting::Waits;
pub(crate) use workers::CtaChunk;

/// The state that all workers of a launch share.
struct Shared {
    /// The next CTA that no worker has taken.
    next: AtomicU64,
    /// The lowest CTA with a fault; CTAs from this number on need not run.
    faulted: AtomicU64,
    state: Mutex<Collected>,
    /// The workers that wait, because each of their CTAs waits for memory to change.
    waits: Waits,
}

impl Shared {
    /// The shared state of a launch whose first CTA is `first`.
    fn new(first: u64, workers: usize) -> Self {
        let (next, faulted) = (AtomicU64::new(first), AtomicU64::new(u64::MAX));
        Self { next, faulted, state: Mutex::default(), waits: Waits::new(workers) }
    }

    /// Calls `work` for a worker, and adds the CPU time that it takes.
    fn timed(&self, launch: &Launch<'_>, work: impl FnOnce()) {
        let Some(clock) = launch.config.cpu_clock else { return work() };
        let begin = clock();
        work();
        let used = clock().saturating_sub(begin);
        self.state.lock().unwrap_or_else(PoisonError::into_inner).cpu_time += used;
    }

    /// Counts a finished CTA.
    #[inline(always)]
    fn has_ended(&self, launch: &Launch<'_>) {
        if let Some(progress) = launch.config.progress {
            progress.fetch_add(1, Relaxed);
        }
    }

    /// Ends a CTA before its end. The text that it has printed so far is kept.
    fn leave_cta(&self, index: u64, context: &mut Context<'_>) {
        context.notify_end(None);
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.take_text(index, context);
    }

    /// Ends a CTA, keeping the text that it has printed and its fault, if any.
    fn end_of_cta(&self, index: u64, result: Result<(), Box<Fault>>, context: &mut Context<'_>) {
        context.notify_end(result.as_ref().err().map(|fault| &**fault));
        let printed = !context.output.text.is_empty() || context.output.cut;
        if result.is_ok() {
            self.has_ended(context.launch);
        }
        if result.is_ok() && !printed {
            return;
        }
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.take_text(index, context);
        if let Err(fault) = result {
            self.faulted.fetch_min(index, Relaxed);
            if state.fault.as_ref().is_none_or(|(at, _)| index < *at) {
                state.fault = Some((index, fault));
            }
        }
    }
}

/// Results of a launch, collected from its CTAs and workers.
#[derive(Default)]
struct Collected {
    counters: Counters,
    fault: Option<(u64, Box<Fault>)>,
    printed: output::Printed,
    cpu_time: Duration,
    bad_fetches: BadFetches,
    /// For each instruction: how often it was interpreted because a compiled region was left there.
    left: Vec<u64>,
}

impl Collected {
    /// Adds the counters of a worker.
    fn add(&mut self, context: &mut Context<'_>) {
        self.counters.add(&context.counters);
        self.bad_fetches.add(context.sites.bad.take_recorded());
        let left = context.take_left();
        if self.left.is_empty() {
            self.left = left;
        } else {
            self.left.iter_mut().zip(&left).for_each(|(sum, n)| *sum += n);
        }
    }

    /// Adds the text that a CTA has printed.
    fn take_text(&mut self, index: u64, context: &mut Context<'_>) {
        self.printed.take(index, &mut context.output, context.launch.config.printf_limit);
    }

    /// The statistics of the launch.
    fn into_stats(self, launch: &Launch<'_>) -> LaunchStats {
        LaunchStats {
            bad_fetches: self.bad_fetches.sorted(),
            cpu_time: self.cpu_time,
            gradients: launch.config.gradients.map(|engine| engine.stats()),
            printf: self.printed.into_text(),
            interpreted: compiled::interpreted(launch.code, &self.left),
            fusion: launch.unit.fusion,
            ..self.counters.stats()
        }
    }
}

/// Executes a kernel to its end, or to a fault: that of the lowest CTA among those found.
///
/// The caller has checked the launch against the device's limits and [`Program::unsupported`]; an
/// unsupported instruction is a fault when it is reached.
///
/// # Errors
/// The fault that ended the launch.
pub fn launch(
    program: &Program,
    kernel: KernelId,
    config: &LaunchConfig<'_>,
) -> Result<LaunchStats, Box<Fault>> {
    let Some((threads, ctas)) = config.executed() else { return Ok(LaunchStats::default()) };
    let events = config.observer.map_or(Events::NONE, |observer| {
        observer.prepares(config);
        observer.wants()
    });
    let unit_of = if config.observer.is_some() { Program::observed_unit } else { Program::unit };
    let unit = unit_of(program, kernel, config.arithmetic());
    let observed = config.observer.map(|_| unit.marked.get(&program.source, &unit.code, events));
    let of = (program, kernel, unit);
    let launch = prepare(of, config, (events, observed.as_deref()), (threads, ctas.len()));
    if let Some(observer) = config.observer {
        observer.launch_begins(&launch.info(0));
    }
    let shared = Shared::new(ctas.begin, if config.cooperative { 1 } else { launch.workers });
    if config.schedule.is_some() || config.cooperative || launch.has_clusters() {
        residents::run(&launch, &shared, ctas);
    } else {
        texunit_threads::each(0..launch.workers, |worker| {
            shared.timed(&launch, || workers::work(&launch, &shared, worker, ctas));
        });
    }
    Context::free_buffers(config);
    let mut collected = shared.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    let fault = collected.fault.take().map(|(_, fault)| fault);
    let stats = collected.into_stats(&launch);
    if let Some(observer) = config.observer {
        observer.launch_ends(&launch.info(0), fault.as_deref());
    }
    let Some(mut fault) = fault else { return Ok(stats) };
    fault.stats = stats;
    Err(fault)
}
