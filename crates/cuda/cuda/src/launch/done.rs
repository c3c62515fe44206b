//! Reports about a launch that has ended or was refused: printed text, trace and report, the
//! reasons of refusals, and warnings about PTX that is older than the device. Such PTX runs, but
//! lacks the code that the source has for newer devices only (`#if __CUDA_ARCH__ >= 800`), so that
//! some kernels are empty.

use super::*;

/// Handles the results of a launch: printed text, a line of the trace, an entry of the report.
pub(super) fn report(
    (module, function, family): (&Module, &Function, &GridPosition<'_>),
    shape: &Shape,
    (number, time): (u64, Duration),
    (stats, tally): (&LaunchStats, &Tally),
    fault: Option<&Fault>,
) {
    match family.text {
        None => print(&stats.printf),
        Some(text) => lock(text).extend_from_slice(&stats.printf),
    }
    if fault.is_none() {
        warn_of_older_ptx(function, shape, stats);
    }
    if settings().trace.launch {
        let Shape { grid, block, shared, .. } = shape;
        say(format_args!(
            "launch {}{} grid {}x{}x{} block {}x{}x{} shared {shared}+{}: {:.3} ms, {}, \
             {}, {}{}{}",
            crate::launch_trace::kernel(function),
            family.launched_by(module).map_or_else(String::new, |by| format!(" by {by}")),
            grid[0],
            grid[1],
            grid[2],
            block[0],
            block[1],
            block[2],
            function.kernel.static_shared(),
            time.as_secs_f64() * 1000.0,
            Count(stats.thread_instructions, "instruction"),
            Count(stats.fetches, "fetch"),
            Count(stats.surface_accesses, "surface access"),
            function.older().map_or_else(String::new, |(sm, _)| format!(", PTX for sm_{sm}")),
            fault.map_or_else(String::new, |fault| crate::launch_trace::fault(function, fault)),
        ));
    }
    let parent = family.callers.first().map(|caller| caller.kernel.as_str());
    report::launched((module, function, parent), shape, (number, time), (stats, tally), fault);
}

/// The refusal of a launch that did not run.
pub(super) fn refused(
    error: &LaunchError,
    (module, function): (&Module, &Function),
    shape: &Shape,
) -> Refusal {
    match error {
        LaunchError::Args(error) => code(error).because(wrong(error, shape, function)),
        LaunchError::Unsupported(diagnostics) => {
            let source = (module.loaded.source(), &**module.loaded.sources());
            let errors = texunit_report::human(source, diagnostics, settings().color);
            say(format_args!(
                "kernel `{}` is not launched: it contains instructions that texunit does not execute\n{}",
                kernel_name(function),
                errors.trim_end()
            ));
            let first = diagnostics.iter().find(|d| d.is_error()).or(diagnostics.first());
            let first = first.map_or_else(String::new, |first| format!(": {}", first.message));
            let more = match diagnostics.len() {
                0 | 1 => String::new(),
                n => format!(", and {} more", n - 1),
            };
            CUresult::NOT_SUPPORTED.because(format!(
                "kernel `{}` contains instructions that texunit does not execute{first}{more}",
                kernel_name(function)
            ))
        }
        LaunchError::Fault(fault) => crate::faults::refusal(fault, module.loaded.source()),
    }
}

/// Prints a kernel's text through the C library's buffer, so that it appears in order with the
/// program's own output.
fn print(text: &[u8]) {
    unsafe extern "C" {
        static stdout: *mut c_void;
        fn fwrite(from: *const c_void, size: usize, count: usize, to: *mut c_void) -> usize;
        fn fflush(file: *mut c_void) -> c_int;
    }
    if text.is_empty() {
        return;
    }
    // SAFETY: `stdout` is an open file of the C library, unless the program has closed it, in which
    // case its own `printf` would be invalid, too; the text has this length.
    unsafe {
        fwrite(text.as_ptr().cast(), 1, text.len(), stdout);
        fflush(stdout);
    }
}

/// Warns once about each kernel that is empty because its PTX is older than the device. The program
/// must have machine code for the device, as otherwise a GPU would run the same PTX. A kernel
/// without parameters, as programs use to initialise a device or to measure launches, is assumed to
/// be empty in the source, too.
fn warn_of_older_ptx(function: &Function, shape: &Shape, stats: &LaunchStats) {
    let may_be_newer = || {
        function.has_later_code && is_empty(shape, stats) && !function.kernel.params().is_empty()
    };
    let Some((target, device)) = function.older().filter(|_| may_be_newer()) else { return };
    say_once(format!(
        "warning: kernel `{}` is empty, though it has parameters. Its PTX is for sm_{target}; an sm_{device} takes machine code of the \
             program, which may have what the source has for newer devices (`__CUDA_ARCH__`); compile with `-arch=compute_{device}`, or \
             run with `--device sm_{target}` (TEXUNIT_DEVICE=sm_{target})",
        crate::module::kernel_name(function)
    ));
}

/// Whether no thread executed more than a return.
fn is_empty(shape: &Shape, stats: &LaunchStats) -> bool {
    let all = shape.grid.iter().chain(&shape.block);
    stats.thread_instructions <= all.fold(1_u64, |product, &n| product.saturating_mul(n.into()))
}

/// The refusal because the function's module has been unloaded meanwhile.
pub(super) fn module_gone(function: &Function) -> Refusal {
    CUresult::INVALID_HANDLE
        .because(format!("the module of kernel `{}` has been unloaded", kernel_name(function)))
}

/// The reason for refusing more dynamic shared memory than a launch may have.
pub(super) fn too_much_shared(context: &Context, function: &Function, shape: &Shape) -> String {
    let (most, fixed) = (function.max_dynamic_shared(), function.static_shared());
    let optin = context.gpu.card.shared_optin * 1024;
    format!(
        "sharedMemBytes {} is more than {most}, the dynamic shared memory of kernel `{}` (beside {} of static); \
         CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES (cudaFuncAttributeMaxDynamicSharedMemorySize) raises that \
         up to {}",
        shape.shared,
        kernel_name(function),
        Count(fixed, "byte"),
        i64::from(optin).saturating_sub(i64::from(fixed)).max(0)
    )
}

/// The reason for refusing invalid arguments or an invalid shape.
pub(super) fn wrong(error: &ArgError, shape: &Shape, function: &Function) -> String {
    match error {
        ArgError::Dimension { what, axis, value, max } => {
            let axis = axis.to_ascii_uppercase();
            format!(
                "{what}Dim{axis} {value} is not from 1 to {max}, the sizes of a {what} on this device"
            )
        }
        ArgError::Block(reason) => format!("kernel `{}`: {reason}", kernel_name(function)),
        ArgError::Shared { size, max } => format!(
            "sharedMemBytes {} and {} of static shared memory of kernel `{}` are {}, more than the {max} \
             that a CTA can have on this device",
            shape.shared,
            Count(function.static_shared(), "byte"),
            kernel_name(function),
            Count(size, "byte")
        ),
        other => format!("kernel `{}`: {other}", kernel_name(function)),
    }
}

/// Code of a refused launch.
pub(super) fn code(error: &ArgError) -> CUresult {
    match error {
        ArgError::CooperativeLaunchTooLarge { .. } => CUresult::COOPERATIVE_LAUNCH_TOO_LARGE,
        ArgError::Cluster(_) => CUresult::INVALID_CLUSTER_SIZE,
        ArgError::Memory(error) => crate::error::code(error),
        // More threads than `.maxntid` have the same code, as numba-cuda's tests, which run on
        // GPUs, expect.
        _ => CUresult::INVALID_VALUE,
    }
}
