//! Launches. A kernel runs to its end in the thread that launches it.

mod children;
mod done;
mod reasons;

use crate::args::{Answer, In, Raw};
use crate::checks::Stand;
use crate::context::{Context, Limit, MAX_STACK};
use crate::handle::{Handle, Object};
use crate::late::{self, Order};
use crate::library::Kernel;
use crate::module::{Function, Module};
use crate::occupancy::{self, Block};
use crate::record::Recording;
use crate::settings::settings;
use crate::{faults, report, running};
use children::{Ended, Family, Parent};
pub(crate) use reasons::shown;
use std::sync::{Arc, Mutex};
use std::time::Instant;
use texunit_cuda_abi::{
    CU_LAUNCH_PARAM_BUFFER_POINTER, CU_LAUNCH_PARAM_BUFFER_SIZE, CU_LAUNCH_PARAM_END, CUresult,
};
use texunit_device::observe::Several;
use texunit_device::{Fault, LaunchError, LaunchOptions, LaunchStats, Observer, Tallies, Tally};
use texunit_forms::Count;

/// Grid, block and shared memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    /// CTAs.
    pub(crate) grid: [u32; 3],
    /// Threads of a CTA.
    pub(crate) block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub(crate) shared: u32,
    /// All CTAs run at the same time.
    pub(crate) cooperative: bool,
    /// CTAs of a cluster along x, y, z, where the launch says so.
    pub(crate) cluster: Option<[u32; 3]>,
}

/// Bytes of stack that a thread of a launch may use. Of a kernel whose need is known before it runs
/// the driver provides that, whatever the limit of the context is; of others (recursion, calls through
/// registers, `alloca`) the limit is what is added to what each function needs once.
fn stack_limit(context: &Context, function: &Function) -> u32 {
    let resources = function.kernel.resources();
    if resources.known_stack {
        return MAX_STACK as u32;
    }
    let limit = resources.reached.saturating_add(context.limit(Limit::StackSize) as u64);
    limit.min(MAX_STACK as u64) as u32
}

/// The grid of a cooperative launch is no larger than what the card holds at a time. Blocks that
/// do not run at all are refused for that.
fn check_cooperative(context: &Context, function: &Function, shape: &Shape) -> Answer {
    let product = |n: [u32; 3]| n.iter().fold(1_u64, |a, &b| a.saturating_mul(b.into()));
    let profile = context.gpu.profile;
    let threads = u32::try_from(product(shape.block)).unwrap_or(u32::MAX);
    let block = Block { threads, dynamic_shared: shape.shared.into() };
    let held = match occupancy::blocks(function, profile, block) {
        0 => return Ok(()),
        each => u64::from(each) * u64::from(profile.multiprocessors.unsigned_abs()),
    };
    match product(shape.grid) {
        blocks if blocks > held => Err(CUresult::COOPERATIVE_LAUNCH_TOO_LARGE.because(format!(
            "a cooperative grid of {} is more than {held}, as many CTAs of {} of kernel \
                 `{}` as the {} of the device hold at a time",
            Count(blocks, "CTA"),
            Count(threads, "thread"),
            reasons::shown(function),
            Count(profile.multiprocessors, "multiprocessor")
        ))),
        _ => Ok(()),
    }
}

/// The clusters of a launch are no larger than its device takes; whether they fit the grid and the kernel is looked at when
/// it runs.
pub(crate) fn check_cluster(function: &Function, shape: &Shape) -> Answer {
    let Some(cluster) = shape.cluster else { return Ok(()) };
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
        reasons::shown(function)
    )))
}

/// The kernel of a handle, of `CUfunction` or of `CUkernel`, in a context.
///
/// `CUDA_ERROR_INVALID_HANDLE` if it is neither, or of another context.
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
    match function.context == context.handle {
        true => Ok(function),
        false => Err(CUresult::INVALID_HANDLE.because(format!(
            "kernel `{}` is a function of context {:?}, and the launch is in context {:?}",
            reasons::shown(&function),
            function.context,
            context.handle
        ))),
    }
}

/// The parameter buffer of a launch, from `kernelParams` or from `extra`.
///
/// `CUDA_ERROR_INVALID_VALUE` if both are given, if neither is and there are parameters, or if the
/// buffer is too small.
///
/// # Safety
/// `each` is null, or has a pointer to an argument for each parameter; `extra` is null, or a list that `CU_LAUNCH_PARAM_END`
/// ends, whose pointers lead to what their keys say.
pub(crate) unsafe fn parameters(
    function: &Function,
    each: In<'_, Raw<'_>>,
    extra: In<'_, u64>,
) -> Answer<Vec<u8>> {
    let size = function.kernel.param_size() as usize;
    let mut buffer = vec![0; size];
    match (each.is_null(), extra.is_null()) {
        (false, false) => {
            return Err(CUresult::INVALID_VALUE
                .because("kernelParams and extra are both given; arguments come by one of them"));
        }
        (true, true) if size == 0 => {}
        (true, true) => {
            return Err(CUresult::INVALID_VALUE.because(format!(
                "kernelParams and extra are both null, but kernel `{}` has {}",
                reasons::shown(function),
                Count(function.kernel.params().len(), "parameter")
            )));
        }
        (false, true) => {
            let params = function.kernel.params();
            // SAFETY: as the caller promises.
            let each = unsafe { each.elements(params.len()) };
            for (i, param) in params.iter().enumerate() {
                let (start, end) = (param.offset as usize, (param.offset + param.size) as usize);
                let place = buffer.get_mut(start..end).ok_or_else(|| {
                    CUresult::INVALID_VALUE.because(format!(
                        "parameter {i} of kernel `{}` is not inside its {} of parameters",
                        reasons::shown(function),
                        Count(size, "byte")
                    ))
                })?;
                // SAFETY: each points to as many bytes as the parameter has.
                let argument = unsafe { each.at(i)?.bytes(place.len()) }.read(0, place);
                argument.map_err(|refusal| refusal.named(&format!("kernelParams[{i}]")))?;
            }
        }
        // SAFETY: as the caller promises.
        (true, false) => unsafe { packed(extra, &mut buffer)? },
    }
    Ok(buffer)
}

/// Reads the buffer that a list `extra` points to. It may be longer than the parameters, as a
/// structure of C is that ends with padding.
///
/// # Safety
/// That of [`parameters`] for `extra`.
unsafe fn packed(extra: In<'_, u64>, buffer: &mut [u8]) -> Answer {
    let (mut pointer, mut size) = (0, None);
    // SAFETY: the list ends with CU_LAUNCH_PARAM_END, and no element before this one was that.
    let at = |i: usize| unsafe { extra.elements(i + 1) }.at(i);
    for i in 0.. {
        match at(2 * i)? {
            CU_LAUNCH_PARAM_END => break,
            CU_LAUNCH_PARAM_BUFFER_POINTER => pointer = at(2 * i + 1)?,
            CU_LAUNCH_PARAM_BUFFER_SIZE => {
                // SAFETY: the list holds a pointer to a `size_t` here.
                let given = unsafe { Raw::of(at(2 * i + 1)?).bytes(8) }.array(0);
                let bytes = given.map_err(|refusal| {
                    refusal.named("the pointer after CU_LAUNCH_PARAM_BUFFER_SIZE in extra")
                })?;
                size = Some(u64::from_le_bytes(bytes));
            }
            other => {
                return Err(CUresult::INVALID_VALUE.because(format!(
                    "extra[{}] is {other:#x}, not CU_LAUNCH_PARAM_BUFFER_POINTER (1), CU_LAUNCH_PARAM_BUFFER_SIZE (2) or \
                     CU_LAUNCH_PARAM_END (0)",
                    2 * i
                )));
            }
        }
    }
    let needed = buffer.len() as u64;
    if size.is_none_or(|size| size < needed) {
        let given = match size {
            None => "extra has no CU_LAUNCH_PARAM_BUFFER_SIZE".to_owned(),
            Some(size) => format!("CU_LAUNCH_PARAM_BUFFER_SIZE in extra is {size}"),
        };
        return Err(CUresult::INVALID_VALUE.because(format!(
            "{given}, and the parameters of the kernel have {}",
            Count(needed, "byte")
        )));
    }
    // SAFETY: the list holds a pointer to a buffer of that size.
    let read = unsafe { Raw::of(pointer).bytes(buffer.len()) }.read(0, buffer);
    read.map_err(|refusal| {
        refusal.named("the pointer after CU_LAUNCH_PARAM_BUFFER_POINTER in extra")
    })
}

/// Runs a kernel in a stream, now or later. A fault is told when it happens, and ends the context: this call succeeds,
/// and every later one answers its code, as those of an asynchronous launch do.
pub(crate) fn launch(
    order: &Order,
    function: &Arc<Function>,
    shape: Shape,
    params: Vec<u8>,
) -> Answer {
    let context = &order.context;
    if u64::from(shape.shared) > function.max_dynamic_shared() as u64 {
        return Err(
            CUresult::INVALID_VALUE.because(reasons::too_much_shared(context, function, &shape))
        );
    }
    let shape = Shape { cluster: shape.cluster.or_else(|| function.required_cluster()), ..shape };
    check_cluster(function, &shape)?;
    if shape.cooperative {
        check_cooperative(context, function, &shape)?;
    }
    let options = LaunchOptions::new(shape.grid, shape.block)
        .with_dynamic_shared(shape.shared)
        .with_cluster(shape.cluster);
    let takes = function.kernel.takes(&options);
    let stand = match late::keeps(order) && takes {
        true => Stand::submitted(order.queue),
        false if takes && late::may_go_on() && function.kernel.may_wait() => {
            Stand::now(order.queue)
        }
        false => return run(context, function, &shape, &params, Stand::now(order.queue)),
    };
    let (context, function) = (Arc::clone(context), Arc::clone(function));
    late::launch(order, move |works| {
        works?;
        run(&context, &function, &shape, &params, stand)
    })
}

/// Runs a kernel, and what it launches.
fn run(
    context: &Context,
    function: &Function,
    shape: &Shape,
    params: &[u8],
    stand: Stand,
) -> Answer {
    run_grid((context, function), shape, params, stand, &Family::of_host(context)).map(|_| ())
}

/// Runs a grid that the host or a kernel has launched, and what it launches itself.
fn run_grid(
    (context, function): (&Context, &Function),
    shape: &Shape,
    params: &[u8],
    stand: Stand,
    family: &Family<'_>,
) -> Answer<Ended> {
    let module =
        Module::registry().find(function.module).ok_or_else(|| reasons::module_gone(function))?;
    let name = function.kernel.name();
    let watch = settings().trace.fetch.then(|| crate::launch_trace::watch(&module, name));
    let tallies = report::counts_wanted().then(Tallies::default);
    let watching = watch.as_ref().map(|watch| watch as &dyn Observer);
    let counting = tallies.as_ref().map(|tallies| tallies as &dyn Observer);
    let covering = module.coverage.as_ref().map(|coverage| &**coverage as &dyn Observer);
    let checks = crate::checks::of_launch(name, stand.clone(), context.handle);
    let checking = checks.as_ref().map(|checks| checks as &dyn Observer);
    let all = watching.into_iter().chain(counting).chain(covering).chain(checking);
    let observers = Several(all.collect());
    crate::asked::pools::tell();
    let watched = running::begin(&module, function, shape);
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
        .with_cluster(shape.cluster)
        .with_bounds(settings().bounds)
        .with_bad_fetch(settings().bad_fetch)
        .with_printf_limit(context.limit(Limit::PrintfFifoSize))
        .with_schedule(settings().schedule)
        .with_max_steps(settings().max_steps.unwrap_or(default.max_steps));
    let records = || crate::record::begin(function, &plain, params);
    let recording = if family.is_recorded { None } else { records() };
    let is_recorded = family.is_recorded || recording.as_ref().is_some_and(Recording::is_pending);
    let others = late::Company::new(is_recorded);
    let options = plain
        .with_observer(observers.any())
        .with_others(Some(&others))
        .with_progress(watched.as_ref().map(|launch| &launch.ctas))
        .with_cancel(watched.as_ref().map(|launch| &launch.cancel))
        .with_cpu_clock(tallies.is_some().then_some(crate::clock::thread));
    let parent = function.kernel.uses_runtime().then(|| Parent {
        context,
        module: &module,
        family,
        stand,
        is_recorded,
        failed: Mutex::default(),
    });
    let options = options.with_runtime(parent.as_ref().map(Parent::runtime));
    let start = Instant::now();
    // Refused before anything has run.
    let is_full = |error: &LaunchError| matches!(error, LaunchError::Args(error) if reasons::refused(error) == CUresult::OUT_OF_MEMORY);
    let mut result = crate::memory::with_room_if(&context.gpu, is_full, || {
        function.kernel.launch_packed(&options, params)
    });
    let time = start.elapsed();
    drop(others);
    let number = watched.as_ref().map_or(0, |launch| launch.number);
    drop(watched);
    let tally = tallies.map_or_else(Tally::default, |tallies| tallies.take());
    crate::memory::tell_unmapped(&context.gpu.device);
    let stats = result.as_ref().map_or_else(LaunchError::stats, Some);
    let bad = stats.filter(|stats| !stats.bad_fetches.is_empty());
    bad.iter().for_each(|stats| crate::checks::bad_fetches(&module, stats));
    if checks.is_some() || bad.is_some() {
        crate::checks::tell(&module, number, family.note(&module));
    }
    if checks.is_some() {
        crate::checks::watch_host();
    }
    // What it launches is a part of its job, or is recorded by itself.
    let recording = recording.filter(Recording::is_pending);
    let tell = |stats: &LaunchStats, fault: Option<&Fault>| {
        let what = (&*module, function, family);
        done::tell(what, shape, (number, time), (stats, &tally), fault);
    };
    let failed = parent.as_ref().and_then(Parent::take_failed);
    let ended = match (&mut result, failed) {
        (Ok(stats), _) => {
            tell(stats, None);
            parent
                .as_ref()
                .map_or(Ok(Ended::Done), |parent| parent.run(family.grid.take(), family.text))
        }
        // Of what it has waited for, the fault has been told.
        (Err(LaunchError::Fault(fault)), Some(failed)) => {
            tell(&fault.stats, None);
            failed
        }
        (Err(LaunchError::Fault(fault)), None) => {
            fault.launched_by.clone_from(&family.callers);
            tell(&fault.stats, Some(fault));
            faults::tell(fault, module.loaded.source());
            if !faults::stays_usable(&fault.kind) {
                context.fail(faults::refusal(fault, module.loaded.source()));
            }
            Ok(Ended::Faulted(fault.clone()))
        }
        (Err(error), _) => Err(done::refused(error, (&module, function), shape)),
    };
    if let Some(recording) = recording {
        if let Ok(Ended::Faulted(fault)) = &ended {
            result = Err(LaunchError::Fault(fault.clone()));
        }
        recording.end(function, &plain, params, &result);
    }
    ended
}
