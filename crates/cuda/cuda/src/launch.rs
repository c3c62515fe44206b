//! Kernel launches: checks a launch, runs the kernel to its end in the launching thread, and
//! reports its results.

mod children;
mod done;
mod parameters;

use crate::check_log::QueuePosition;
use crate::context::{Context, MAX_STACK};
use crate::deferred::{self, Order};
use crate::library::Kernel;
use crate::module::{Function, Module, kernel_name};
use crate::occupancy::{self, Block};
use crate::prelude::*;
use crate::record::Recording;
use crate::settings::settings;
use crate::shape::Shape;
use crate::stream::{self, Stream};
use crate::{faults, report, running};
use children::{GridOutcome, GridPosition, ParentGrid};
pub(crate) use parameters::parameters;
use std::time::Instant;
use texunit_device::debug::Debugger;
use texunit_device::observe::Several;
use texunit_device::{
    ArgError, Fault, LaunchError, LaunchOptions, LaunchStats, Observer, Tallies, Tally,
};

/// Stack size in bytes for the threads of a launch. If the kernel's need is known in advance, the
/// driver provides that, whatever the context's limit is. For other kernels (recursion, indirect
/// calls, `alloca`) the limit is added to the need of one call of each function.
fn stack_limit(context: &Context, function: &Function) -> u32 {
    let resources = function.kernel.resources();
    if resources.known_stack {
        return MAX_STACK as u32;
    }
    let limit = resources.reached.saturating_add(context.limit(limit::STACK_SIZE) as u64);
    limit.min(MAX_STACK as u64) as u32
}

/// Checks that the grid of a cooperative launch is no larger than the number of resident CTAs of
/// the multiprocessors. CTAs that do not fit at all are refused for that reason.
fn check_cooperative(
    context: &Context,
    stream: Option<Handle<Stream>>,
    function: &Function,
    shape: &Shape,
) -> Answer {
    let product = |n: [u32; 3]| n.iter().fold(1_u64, |a, &b| a.saturating_mul(b.into()));
    let card = context.gpu.card;
    let threads = u32::try_from(product(shape.block)).unwrap_or(u32::MAX);
    let block = Block { threads, dynamic_shared: shape.shared.into() };
    let all = card.multiprocessors.unsigned_abs();
    let multiprocessors = stream.map_or(all, |stream| stream::multiprocessors(stream, context));
    let held = match occupancy::blocks(function, card, block) {
        0 => return Ok(()),
        each => u64::from(each) * u64::from(multiprocessors),
    };
    let blocks = product(shape.grid);
    ensure!(
        blocks <= held,
        CUresult::COOPERATIVE_LAUNCH_TOO_LARGE,
        "a cooperative grid of {} is more than {held}, as many CTAs of {} of kernel `{}` as the {} of the {} hold at \
         a time",
        Count(blocks, "CTA"),
        Count(threads, "thread"),
        kernel_name(function),
        Count(multiprocessors, "multiprocessor"),
        if multiprocessors == all { "device" } else { "stream's green context" }
    );
    Ok(())
}

/// Checks that the device supports the cluster size; whether it fits the grid and the kernel is
/// checked when the kernel runs.
pub(crate) fn check_cluster(function: &Function, shape: &Shape) -> Answer {
    let Some(cluster) = shape.cluster_of(function) else { return Ok(()) };
    let size = cluster.iter().fold(1_u32, |all, &n| all.saturating_mul(n));
    let most = function.most_in_cluster(function.takes_non_portable());
    if size <= most.unsigned_abs() {
        return Ok(());
    }
    let help = match function.most_in_cluster(true) {
        1 => "clusters need compute capability 9.0 (`--device h100`)".to_owned(),
        all if size > all.unsigned_abs() => format!("no kernel can have more than {all}"),
        _ => "more need the function attribute NON_PORTABLE_CLUSTER_SIZE_ALLOWED".to_owned(),
    };
    Err(CUresult::INVALID_CLUSTER_SIZE.because(format!(
        "clusters of {} are more than the {most} that kernel `{}` can have: {help}",
        Count(size, "CTA"),
        kernel_name(function)
    )))
}

/// The kernel of a `CUfunction` or `CUkernel` handle in a context.
///
/// `CUDA_ERROR_INVALID_HANDLE` if it is neither, or belongs to another context.
pub(crate) fn function(handle: Handle<Function>, context: &Context) -> Answer<Arc<Function>> {
    let function = match Function::registry().find(handle) {
        Some(function) => function,
        None => {
            let kernel = Handle::<Kernel>::of(handle.number());
            if Kernel::registry().find(kernel).is_none() {
                return Err(handle.refusal());
            }
            crate::library::function(kernel, context)?.get()?
        }
    };
    ensure!(
        function.context == context.handle,
        CUresult::INVALID_HANDLE,
        "kernel `{}` is a function of context {:?}, and the launch is in context {:?}",
        kernel_name(&function),
        function.context,
        context.handle
    );
    Ok(function)
}

/// Checks a launch that is executed later, as far as possible. An extent of 0 is accepted, as it
/// may be set before the launch; tinygrad's graphs, which run on GPUs, do so.
pub(crate) fn check(context: &Context, function: &Function, shape: &Shape) -> Answer {
    let [grid, block] = [shape.grid, shape.block].map(|size| size.map(|side| side.max(1)));
    let shape = &Shape { grid, block, ..*shape };
    check_resources(context, None, function, shape)?;
    let options = LaunchOptions::new(grid, block)
        .with_dynamic_shared(shape.shared)
        .with_cluster(shape.cluster_of(function));
    let wrong = |error: ArgError| done::code(&error).because(done::wrong(&error, shape, function));
    function.kernel.check_shape(&options).map_err(wrong)
}

fn check_resources(
    context: &Context,
    stream: Option<Handle<Stream>>,
    function: &Function,
    shape: &Shape,
) -> Answer {
    if u64::from(shape.shared) > function.max_dynamic_shared() as u64 {
        return Err(
            CUresult::INVALID_VALUE.because(done::too_much_shared(context, function, shape))
        );
    }
    check_cluster(function, shape)?;
    match shape.cooperative {
        true => check_cooperative(context, stream, function, shape),
        false => Ok(()),
    }
}

/// Runs a kernel in a stream, immediately or deferred. A fault is reported when it happens and ends
/// the context: this call succeeds, and every later one returns the fault's code, as after an
/// asynchronous launch.
pub(crate) fn launch(
    order: &Order,
    function: &Arc<Function>,
    shape: Shape,
    params: Vec<u8>,
) -> Answer {
    let context = &order.context;
    check_resources(context, order.stream, function, &shape)?;
    let options = LaunchOptions::new(shape.grid, shape.block)
        .with_dynamic_shared(shape.shared)
        .with_cluster(shape.cluster_of(function));
    let takes = function.kernel.accepts(&options);
    let position = match deferred::must_defer(order) && takes {
        true => QueuePosition::submitted(order.queue),
        false if takes && deferred::may_outlive_call() && function.kernel.may_wait() => {
            QueuePosition::now(order.queue)
        }
        false => {
            return run((context, function), &shape, &params, QueuePosition::now(order.queue), 0);
        }
    };
    let (context, function) = (Arc::clone(context), Arc::clone(function));
    deferred::launch(order, move |works| {
        works?;
        run((&context, &function), &shape, &params, position, 0)
    })
}

/// Runs a kernel and its child grids, with the handle of the graph node that it belongs to, if any.
pub(crate) fn run(
    (context, function): (&Context, &Function),
    shape: &Shape,
    params: &[u8],
    position: QueuePosition,
    graph: u64,
) -> Answer {
    run_grid((context, function), shape, params, position, &GridPosition::of_host(context, graph))
        .map(|_| ())
}

/// Runs a grid launched by the host or by a kernel, and its child grids.
fn run_grid(
    (context, function): (&Context, &Function),
    shape: &Shape,
    params: &[u8],
    position: QueuePosition,
    family: &GridPosition<'_>,
) -> GridOutcome {
    let module =
        Module::registry().find(function.module).ok_or_else(|| done::module_gone(function))?;
    let name = function.kernel.name();
    let watch = settings().trace.fetch.then(|| crate::launch_trace::watch(&module, name));
    let tallies = report::counts_wanted().then(Tallies::default);
    let watching = watch.as_ref().map(|watch| watch as &dyn Observer);
    let counting = tallies.as_ref().map(|tallies| tallies as &dyn Observer);
    let covering = module.coverage.as_ref().map(|coverage| &**coverage as &dyn Observer);
    let profile =
        module.profile.as_ref().map(|module| texunit_profile::Launch::new(Arc::clone(module)));
    let profiling = profile.as_ref().map(|profile| profile as &dyn Observer);
    let checks = crate::checks::of_launch(name, position.clone(), context.handle);
    let checking = checks.as_ref().map(|checks| checks as &dyn Observer);
    let all = watching.into_iter().chain(counting).chain(covering).chain(profiling).chain(checking);
    let observers = Several(all.collect());
    for (text, finding) in crate::allocation_trace::pools::news() {
        say(format_args!("{text}"));
        finding.into_iter().for_each(report::library);
    }
    let watched = running::begin(&module, function, shape);
    let peers = context.peer_devices();
    let default = LaunchOptions::default();
    let plain = default
        .with_grid(shape.grid)
        .with_block(shape.block)
        .with_dynamic_shared(shape.shared)
        .with_threads(settings().threads)
        .with_fmad(settings().fmad)
        .with_approximate(settings().approximate)
        .with_stack_limit(stack_limit(context, function))
        .with_cooperative(shape.cooperative)
        .with_graph(family.graph)
        .with_cluster(shape.cluster_of(function))
        .with_peers(&peers)
        .with_bounds(settings().bounds)
        .with_bad_fetch(settings().bad_fetch)
        .with_printf_limit(context.limit(limit::PRINTF_FIFO_SIZE))
        .with_schedule(settings().schedule)
        .with_max_steps(settings().max_steps.unwrap_or(default.max_steps));
    let records = || crate::record::begin(function, &plain, params);
    let recording = if family.is_recorded { None } else { records() };
    let is_recorded = family.is_recorded || recording.as_ref().is_some_and(Recording::is_pending);
    let others = deferred::WaitMonitor::new(is_recorded);
    let options = plain
        .with_observer(observers.any())
        .with_external_writers(Some(&others))
        .with_progress(watched.as_ref().map(|launch| &launch.ctas))
        .with_cancel(watched.as_ref().map(|launch| &launch.cancel))
        .with_cpu_clock(tallies.is_some().then_some(crate::clock::thread));
    let parent = function.kernel.uses_runtime().then(|| ParentGrid {
        context,
        module: &module,
        family,
        position,
        is_recorded,
        failed: Mutex::default(),
    });
    let options = options.with_runtime(parent.as_ref().map(ParentGrid::runtime));
    let debugging = crate::debug::of_launch(name, checks.is_some());
    let options = options.with_debugger(debugging.as_ref().map(|of| of as &dyn Debugger));
    let start = Instant::now();
    // A launch that fails for lack of memory has not run anything, so that it can be repeated.
    let is_full = |error: &LaunchError| matches!(error, LaunchError::Args(error) if done::code(error) == CUresult::OUT_OF_MEMORY);
    let mut result = crate::memory::with_room_if(&context.gpu, is_full, || {
        function.kernel.launch_packed(&options, params)
    });
    let time = start.elapsed();
    drop(others);
    crate::debug::launched();
    let number = watched.as_ref().map_or(0, |launch| launch.number);
    drop(watched);
    let tally = tallies.map_or_else(Tally::default, |tallies| tallies.take());
    crate::memory::tell_unmapped(&context.gpu.device);
    let stats = result.as_ref().map_or_else(LaunchError::stats, Some);
    let bad = stats.filter(|stats| !stats.bad_fetches.is_empty());
    bad.iter().for_each(|stats| crate::checks::bad_fetches(&module, stats));
    if checks.is_some() || bad.is_some() {
        crate::checks::report(&module, number, family.note(&module));
    }
    if checks.is_some() {
        crate::host_access::update();
    }
    // Child grids are part of the parent's recorded job, or are recorded themselves.
    let recording = recording.filter(Recording::is_pending);
    let tell = |stats: &LaunchStats, fault: Option<&Fault>| {
        done::report((&*module, function, family), shape, (number, time), (stats, &tally), fault);
    };
    let failed = parent.as_ref().and_then(|parent| lock(&parent.failed).take());
    let ended = match (&mut result, failed) {
        (Ok(stats), _) => {
            tell(stats, None);
            let children = |parent: &ParentGrid<'_>| parent.run(family.grid.take(), family.text);
            parent.as_ref().map_or(Ok(None), children)
        }
        // A fault of a child grid that the kernel waited for has been reported.
        (Err(LaunchError::Fault(fault)), Some(failed)) => {
            tell(&fault.stats, None);
            failed
        }
        (Err(LaunchError::Fault(fault)), None) => {
            fault.launched_by.clone_from(&family.callers);
            tell(&fault.stats, Some(fault));
            faults::report(fault, module.loaded.source());
            if !faults::stays_usable(&fault.kind) {
                context.fail(faults::refusal(fault, module.loaded.source()));
            }
            Ok(Some(fault.clone()))
        }
        (Err(error), _) => Err(done::refused(error, (&module, function), shape)),
    };
    if let Some(recording) = recording {
        if let Ok(Some(fault)) = &ended {
            result = Err(LaunchError::Fault(fault.clone()));
        }
        recording.end(function, &plain, params, &result);
    }
    ended
}
