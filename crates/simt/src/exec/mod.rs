//! Runs warp code: CTAs spread over threads, warps in turns, lanes together.

mod access;
mod atomic;
mod block;
mod calls;
mod collective;
mod compiled;
mod context;
mod cooperative;
mod cross;
mod cta;
mod elements;
mod fill;
mod format;
mod frames;
mod groups;
mod handles;
mod heap;
mod lockstep;
mod mbarrier;
mod memory;
mod nearest;
mod output;
mod parting;
mod past_end;
mod printf;
mod quick;
mod rare;
mod row;
mod rows;
mod schedule;
mod shadow;
mod step;
mod surface;
mod tell;
mod texels;
mod texture;
mod transfer;
mod transport;
mod warp;
mod words;
mod yielding;

use crate::clock::Moment;
use crate::code::Func;
use crate::cores::cores;
use crate::fault::Fault;
use crate::launch::{Bounds, CtaRange, LaunchConfig, LaunchStats, SHARED_ROUNDING};
use crate::lower::{KernelId, Program, Unit};
use crate::observe::Events;
use crate::observe::marks::Observed;
use crate::regions::{JitMode, Setting};
use context::{Context, Counters, Counts, Launch};
pub(crate) use lockstep::is_quiet;
pub use mbarrier::MbarrierState;
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
    /// Does a worker's work, and adds the time that it takes of a core.
    fn timed(&self, launch: &Launch<'_>, work: impl FnOnce()) {
        let Some(clock) = launch.config.cpu_clock else { return work() };
        let begin = clock();
        work();
        let used = clock().saturating_sub(begin);
        self.state.lock().unwrap_or_else(PoisonError::into_inner).cpu_time += used;
    }

    /// Keeps what a CTA that has ended printed, and its fault if there was one.
    fn end_of_cta(&self, index: u64, result: Result<(), Box<Fault>>, context: &mut Context<'_>) {
        let config = context.launch.config;
        context.tell_end(result.as_ref().err().map(|fault| &**fault));
        let printed = !context.output.text.is_empty() || context.output.cut;
        if result.is_ok()
            && let Some(progress) = config.progress
        {
            progress.fetch_add(1, Relaxed);
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
    /// By instruction: how often it was interpreted in the middle of compiled code.
    left: Vec<u64>,
}

impl Collected {
    /// Adds what a worker has counted.
    fn add(&mut self, context: &mut Context<'_>) {
        self.counters.add(&context.counters);
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
        Some(some) if !config.cooperative => some.within(all),
        _ => all,
    };
    if threads == 0 || ctas.is_empty() {
        return Ok(LaunchStats::default());
    }
    let events = config.observer.map_or(Events::NONE, |observer| observer.wants());
    let unit = match config.observer {
        Some(_) => program.observed_unit(kernel, config.fmad),
        None => program.unit(kernel, config.fmad),
    };
    let observed = config.observer.map(|_| unit.observed(program, events));
    let threads = threads.min(1024) as u32;
    let of = (program, kernel, unit);
    let launch = prepare(of, config, (events, observed.as_deref()), (threads, ctas.len()));
    if let Some(observer) = config.observer {
        observer.launch_begins(&launch.info(0));
    }
    let shared = Shared {
        next: AtomicU64::new(ctas.begin),
        faulted: AtomicU64::new(u64::MAX),
        state: Mutex::new(Collected::default()),
    };
    if let Some(seed) = config.schedule {
        shared.timed(&launch, || schedule::run(&launch, &shared, ctas, seed));
    } else if config.cooperative {
        cooperative::run(&launch, &shared, ctas.end);
    } else if launch.workers == 1 {
        shared.timed(&launch, || work(&launch, &shared, 0, ctas));
    } else {
        std::thread::scope(|scope| {
            for worker in 0..launch.workers {
                let (launch, shared) = (&launch, &shared);
                scope.spawn(move || {
                    shared.timed(launch, || work(launch, shared, worker, ctas));
                });
            }
        });
    }
    let collected = shared.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    let c = collected.counters;
    let stats = LaunchStats {
        warp_instructions: c.warp_instructions,
        thread_instructions: c.thread_instructions,
        fetches: c.fetches,
        surface_accesses: c.surface_accesses,
        divisions_by_zero: c.divisions_by_zero,
        past_end: c.past_end,
        cpu_time: collected.cpu_time,
        gradients: config.gradients.map(|engine| engine.stats()),
        printf: collected.printed.into_text(),
        interpreted: compiled::interpreted(launch.code, &collected.left),
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

/// Bytes of registers, local and shared memory that the CTAs which run at a time may take
/// together; one runs in any case.
const MOST_CTA_MEMORY: u64 = 2 << 30;

/// Bytes of a warp's registers and local memory while it is in no call.
fn warp_size(kernel: &Func) -> u64 {
    let [narrow, wide, predicates, frame] =
        [kernel.narrow, kernel.wide, kernel.predicates, kernel.frame].map(u64::from);
    narrow * 32 * 4 + wide * 32 * 8 + predicates * 4 + frame * 32
}

/// Bytes of shared memory that are reserved for the system: barriers and scratch of cooperative
/// groups of several warps.
const RESERVED_SHARED: usize = 1024;

impl Program {
    /// Most CTAs of a cooperative launch of a kernel that can run at the same time, as the memory
    /// for their registers, local and shared variables goes.
    pub fn most_cooperative(&self, kernel: KernelId, threads: u32, dynamic_shared: u32) -> u64 {
        let func = &self.unit(kernel, false).code.funcs[0];
        let shared = self.shared_layout(kernel).dynamic.saturating_add(dynamic_shared.into());
        let warps = u64::from(threads.div_ceil(32).max(1));
        let size = (warps * warp_size(func)).saturating_add(shared) + CTA_OVERHEAD;
        (MOST_CTA_MEMORY / size).max(1)
    }
}

/// Bytes that we keep for a CTA besides its memory, about.
const CTA_OVERHEAD: u64 = 16 * 1024;

fn prepare<'a>(
    (program, kernel, unit): (&'a Program, KernelId, &'a Unit),
    config: &'a LaunchConfig<'a>,
    (events, observed): (Events, Option<&'a Observed>),
    (threads, ctas): (u32, u64),
) -> Launch<'a> {
    let marked = observed.and_then(|observed| observed.code.as_ref());
    let code = marked.unwrap_or(&unit.code);
    let regions = match observed {
        Some(observed) if marked.is_some() => &observed.regions,
        _ => &unit.regions,
    };
    let jit = if config.schedule.is_some() { Some(JitMode::Off) } else { config.jit };
    let regions = Setting::of(jit).map(|how| (regions.begin(code), how));
    let entry = unit.number(kernel.0).unwrap_or(0);
    let layout = program.shared_layout(kernel);
    let mut constants = code.constants.clone();
    for patch in &code.patches {
        let at = layout.offsets.get(&patch.variable).copied().unwrap_or(0);
        let address = at.wrapping_add(patch.addend);
        if patch.slot.is_wide() {
            constants.wide[patch.slot.index()] = [address; 32];
        } else {
            constants.narrow[patch.slot.index()] = [address as u32; 32];
        }
    }
    // No device has more than a few hundred KiB; the loader has checked.
    let shared_size = layout.dynamic.saturating_add(u64::from(config.dynamic_shared)).min(1 << 30);
    let warps = threads.div_ceil(32);
    let cta_size = u64::from(warps) * warp_size(&code.funcs[entry as usize]) + shared_size;
    let rounded = u64::from(config.dynamic_shared).next_multiple_of(SHARED_ROUNDING.into());
    let shared_rounded = layout.dynamic.saturating_add(rounded).min(1 << 30);
    let end = match config.bounds {
        Bounds::Exact => shared_size,
        Bounds::Hardware => shared_rounded,
    };
    let reserved_at = end.next_multiple_of(16) as usize;
    let reserved = if program.uses_reserved_shared(kernel) { RESERVED_SHARED } else { 0 };
    let fit = MOST_CTA_MEMORY / cta_size.max(1);
    let workers = match (config.schedule, config.threads) {
        (Some(_), _) => 1,
        (None, 0) => cores() as u64,
        (None, threads) => threads as u64,
    };
    let workers = workers.min(fit).min(ctas).clamp(1, 1024) as usize;
    let reserved = if reserved == 0 { (end as usize, 0) } else { (reserved_at, reserved) };
    let shared_len = match config.bounds {
        Bounds::Exact => reserved.0 + reserved.1,
        Bounds::Hardware => shared_size as usize,
    };
    let mut launch = Launch {
        program,
        kernel,
        unit,
        entry,
        config,
        code,
        events,
        observed,
        constants,
        shared_size: shared_size as usize,
        shared_rounded,
        shared_len,
        reserved,
        shared: layout,
        threads,
        warps,
        workers,
        fit,
        counters: observed.map_or(0, |observed| observed.counters),
        start: Moment::now(),
        regions,
        shadows: None,
    };
    launch.shadows = shadow::Shadows::of(&launch);
    launch
}

/// CTAs that a worker takes at once: at most so many, and few enough for so many shares of each worker.
const MOST_TAKEN: u64 = 8;
const SHARES: u64 = 64;

/// Runs CTAs until none is left.
fn work(launch: &Launch<'_>, shared: &Shared, worker: usize, ctas: CtaRange) {
    let mut context = Context::new(launch, worker);
    context.counts = Counts::new(launch.counters);
    let mut warps: Vec<Warp> = (0..launch.warps).map(|_| Warp::default()).collect();
    // What CTAs beside each other read and write is often together: one worker takes a few of them.
    let share = (ctas.len() / (SHARES * launch.workers as u64)).clamp(1, MOST_TAKEN);
    let mut own = 0..0;
    loop {
        if own.is_empty() {
            let first = shared.next.fetch_add(share, Relaxed);
            own = first..ctas.end.min(first.saturating_add(share));
        }
        let Some(index) = own.next() else { break };
        if index >= shared.faulted.load(Relaxed) {
            break;
        }
        // A fault of a lower CTA ends this one; of a higher one does not.
        let stop = || shared.faulted.load(Relaxed) < index;
        let result = context.run_cta(index, &mut warps, stop);
        shared.end_of_cta(index, result, &mut context);
        context.tell_counts_at_times();
    }
    if launch.counters != 0 {
        context.tell_counts();
    }
    let mut state = shared.state.lock().unwrap_or_else(PoisonError::into_inner);
    state.add(&mut context);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lower::Symbols;
    use texunit_memory::MemoryMap;
    use texunit_syntax::SourceFile;
    use texunit_testkit::ptx;

    fn workers(registers: usize, block: u32, threads: usize) -> usize {
        use std::fmt::Write;
        let mut body = format!(".reg .b64 %rd<{registers}>;\n");
        for i in 1..registers {
            let _ = writeln!(body, "add.u64 %rd{i}, %rd{}, 1;", i - 1);
        }
        let text = ptx::kernel(ptx::SM_75, "", &(body + "ret;"));
        let source = SourceFile::new("t.ptx", &text);
        let module = texunit_check::check(&source, &texunit_syntax::parse(&source).module).module;
        let program = crate::lower(module, Symbols::default(), source);
        let kernel = program.kernel("k").expect("declared");
        let config = LaunchConfig {
            grid: [64, 1, 1],
            ctas: None,
            block: [block, 1, 1],
            dynamic_shared: 0,
            params: &[],
            memory: &MemoryMap::default(),
            descriptors: &Default::default(),
            threads,
            max_steps: 1,
            fmad: false,
            bounds: Bounds::Exact,
            stack_limit: 0,
            grid_id: 0,
            cooperative: false,
            grid_workspace: 0,
            heap: None,
            printf_limit: crate::launch::PRINTF_LIMIT,
            progress: None,
            cancel: None,
            cpu_clock: None,
            observer: None,
            gradients: None,
            jit: None,
            schedule: None,
            fill: None,
        };
        let of = (&program, kernel, program.unit(kernel, false));
        prepare(of, &config, (Events::NONE, None), (block, 64)).workers
    }

    #[test]
    fn workers_are_fewer_where_ctas_are_huge() {
        assert_eq!(workers(10, 1024, 40), 40);
        assert_eq!(workers(10, 32, 1000), 64, "no more than CTAs");
        // 20,000 registers of 8 bytes in 1024 threads: 160 MB each.
        assert_eq!(workers(20_000, 1024, 40), 13);
        assert_eq!(workers(20_000, 32, 40), 40);
    }
}
