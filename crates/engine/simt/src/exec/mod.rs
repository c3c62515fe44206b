//! Runs warp code: CTAs spread over threads, warps in turns, lanes together.

mod access;
mod address_fault;
mod async_copy;
mod atomic;
mod bad_fetch;
mod block;
mod bulk_copy;
mod calls;
mod cluster;
mod collective;
mod compiled;
mod context;
mod contiguous;
mod cooperative;
mod counters;
mod cross;
mod cta;
mod decoded;
mod elements;
mod fill;
mod format;
mod frames;
mod groups;
mod handles;
mod heap;
mod limits;
pub mod machine;
mod matrix;
mod mbarrier;
mod memory;
mod outcome;
mod output;
mod parting;
mod past_end;
mod prepare;
mod printf;
mod rare;
mod register_file;
mod register_moves;
mod resident;
mod schedule;
mod shadow;
mod sites;
mod stack;
mod step;
mod surface;
mod tell;
mod tensor;
mod texels;
mod texture;
mod turns;
mod warp;
mod words;
mod yielding;

use crate::launch::{CtaRange, LaunchConfig};
use crate::lower::{KernelId, Program};
use crate::observe::Events;
use crate::stats::{BadFetches, Fault, LaunchStats};
use context::{Context, Launch};
use counters::{Counters, Counts};
pub use mbarrier::MbarrierState;
use prepare::prepare;
use std::cell::Cell;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
pub(crate) use surface::lane_of;
pub(crate) use warp::Warp;

/// What the workers share.
struct Shared {
    /// The next CTA that nobody runs yet.
    next: AtomicU64,
    /// The lowest CTA with a fault; CTAs from it on need not run.
    faulted: AtomicU64,
    state: Mutex<Collected>,
}

impl Shared {
    /// Of a launch whose CTAs begin at this one.
    fn new(first: u64) -> Self {
        let (next, faulted) = (AtomicU64::new(first), AtomicU64::new(u64::MAX));
        Self { next, faulted, state: Mutex::default() }
    }

    /// The next CTAs of a worker. What CTAs beside each other read and write is often together, so it takes a few of
    /// them; who is alone takes all.
    fn take(&self, workers: u64, end: u64) -> Range<u64> {
        let share = |left: u64| match workers {
            1 => left,
            _ => (left / (PART * workers)).clamp(1, MAX_TAKEN).min(left),
        };
        let next = |next: u64| Some(next + share(end.saturating_sub(next)));
        let first = self.next.fetch_update(Relaxed, Relaxed, next).unwrap_or(end);
        first..next(first).unwrap_or(end)
    }

    /// Does a worker's work, and adds the time that it takes of a core.
    fn timed(&self, launch: &Launch<'_>, work: impl FnOnce()) {
        let Some(clock) = launch.config.cpu_clock else { return work() };
        let begin = clock();
        work();
        let used = clock().saturating_sub(begin);
        self.state.lock().unwrap_or_else(PoisonError::into_inner).cpu_time += used;
    }

    /// A CTA has come to its end.
    #[inline(always)]
    fn has_ended(&self, launch: &Launch<'_>) {
        if let Some(progress) = launch.config.progress {
            progress.fetch_add(1, Relaxed);
        }
    }

    /// Keeps what a CTA that has ended printed, and its fault if there was one.
    fn end_of_cta(&self, index: u64, result: Result<(), Box<Fault>>, context: &mut Context<'_>) {
        let config = context.launch.config;
        context.tell_end(result.as_ref().err().map(|fault| &**fault));
        let printed = !context.output.text.is_empty() || context.output.cut;
        if result.is_ok() {
            self.has_ended(context.launch);
        }
        if result.is_ok() && !printed {
            return;
        }
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.printed.take(index, &mut context.output, config.printf_limit);
        if let Err(fault) = result {
            self.faulted.fetch_min(index, Relaxed);
            if state.fault.as_ref().is_none_or(|(at, _)| index < *at) {
                state.fault = Some((index, fault));
            }
        }
    }
}

/// What has been collected from the CTAs.
#[derive(Default)]
struct Collected {
    counters: Counters,
    fault: Option<(u64, Box<Fault>)>,
    printed: output::Printed,
    cpu_time: Duration,
    bad_fetches: BadFetches,
    /// By instruction: how often it was interpreted in the middle of compiled code.
    left: Vec<u64>,
}

impl Collected {
    /// Adds what a worker has counted.
    fn add(&mut self, context: &mut Context<'_>) {
        self.counters.add(&context.counters);
        self.bad_fetches.add(context.sites.bad.take_told());
        let left = context.take_left();
        if self.left.is_empty() {
            self.left = left;
        } else {
            self.left.iter_mut().zip(&left).for_each(|(sum, n)| *sum += n);
        }
    }
}

/// Runs a kernel to its end, or to its first fault: that of the lowest CTA among those found.
///
/// The caller has checked the launch against the device's limits and [`Program::unsupported`];
/// an instruction that is not executed faults when it is reached.
pub fn launch(
    program: &Program,
    kernel: KernelId,
    config: &LaunchConfig<'_>,
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
    let events = config.observer.map_or(Events::NONE, |observer| {
        observer.prepares(config);
        observer.wants()
    });
    let unit = match config.observer {
        Some(_) => program.observed_unit(kernel, config.arithmetic()),
        None => program.unit(kernel, config.arithmetic()),
    };
    let observed = config.observer.map(|_| unit.observed(program, events));
    let threads = threads.min(1024) as u32;
    let of = (program, kernel, unit);
    let launch = prepare(of, config, (events, observed.as_deref()), (threads, ctas.len()));
    if let Some(observer) = config.observer {
        observer.launch_begins(&launch.info(0));
    }
    let shared = Shared::new(ctas.begin);
    if let Some(seed) = config.schedule {
        shared.timed(&launch, || schedule::run(&launch, &shared, ctas, seed));
    } else if config.cooperative {
        cooperative::run(&launch, &shared, ctas.end);
    } else if cluster::is_needed(&launch) {
        shared.next.store(0, Relaxed);
        texunit_threads::each(0..launch.workers, |worker| {
            shared.timed(&launch, || cluster::run(&launch, &shared, worker, ctas.end));
        });
    } else {
        texunit_threads::each(0..launch.workers, |worker| {
            shared.timed(&launch, || work(&launch, &shared, worker, ctas));
        });
    }
    let collected = shared.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    let c = collected.counters;
    let stats = LaunchStats {
        warp_instructions: c.executed.warp_instructions,
        thread_instructions: c.executed.thread_instructions,
        fetches: c.fetches,
        surface_accesses: c.surface_accesses,
        divisions_by_zero: c.divisions_by_zero,
        past_end: c.past_end,
        bad_fetches: collected.bad_fetches.sorted(),
        cpu_time: collected.cpu_time,
        gradients: config.gradients.map(|engine| engine.stats()),
        printf: collected.printed.into_text(),
        interpreted: compiled::interpreted(launch.code, &collected.left),
        fusion: unit.fusion,
    };
    if let Some(observer) = config.observer {
        observer.launch_ends(&launch.info(0), collected.fault.as_ref().map(|(_, fault)| &**fault));
    }
    match collected.fault {
        Some((_, mut fault)) => {
            fault.stats = stats;
            Err(fault)
        }
        None => Ok(stats),
    }
}

/// CTAs that a worker takes at once: at most so many, and of those that are left so small a part of what would be its
/// share that all come to their ends at about the same time.
const MAX_TAKEN: u64 = 512;
const PART: u64 = 16;

/// CTAs that a worker has taken.
pub(crate) struct Taken<'s> {
    launch: &'s Launch<'s>,
    shared: &'s Shared,
    /// The one that runs, and those that have not begun.
    running: Cell<u64>,
    next: Cell<u64>,
    end: Cell<u64>,
}

impl<'s> Taken<'s> {
    fn new(launch: &'s Launch<'s>, shared: &'s Shared) -> Self {
        Self { launch, shared, running: Cell::new(0), next: Cell::new(0), end: Cell::new(0) }
    }

    /// The next one, of those that have been taken or of those that nobody has taken.
    fn take(&self, end: u64) -> Option<u64> {
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

    /// Those that may follow the one that runs.
    fn upcoming(&self) -> Range<u64> {
        let end = self.end.get().min(self.shared.faulted.load(Relaxed));
        if self.launch.is_cancelled() { 0..0 } else { self.next.get()..end }
    }

    /// So many of them have begun, and those before the last of these have ended, as has the one that ran.
    fn begin(&self, ctas: u64) {
        (0..ctas).for_each(|_| self.shared.has_ended(self.launch));
        self.next.set(self.next.get() + ctas);
        self.running.set(self.next.get() - 1);
    }
}

/// Runs CTAs until none is left.
fn work(launch: &Launch<'_>, shared: &Shared, worker: usize, ctas: CtaRange) {
    let mut context = Context::new(launch, worker);
    context.counts = Counts::new(launch.counters);
    let mut warps: Vec<Warp> = (0..launch.warps).map(|_| Warp::default()).collect();
    let taken = Taken::new(launch, shared);
    while let Some(index) = taken.take(ctas.end) {
        if index >= shared.faulted.load(Relaxed) {
            break;
        }
        // A fault of a lower CTA ends this one; of a higher one does not.
        let stop = || shared.faulted.load(Relaxed) < taken.running.get();
        let result = context.run_cta(index, &mut warps, &taken, stop);
        shared.end_of_cta(taken.running.get(), result, &mut context);
        context.tell_counts_at_times();
    }
    if launch.counters != 0 {
        context.tell_counts();
    }
    let mut state = shared.state.lock().unwrap_or_else(PoisonError::into_inner);
    state.add(&mut context);
}
