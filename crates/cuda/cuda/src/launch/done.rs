//! Reports about a launch that has ended or was refused: printed text, trace and report.

use super::children::GridPosition;
use super::reasons;
use crate::message::say;
use crate::module::{Function, Module, kernel_name};
use crate::prelude::*;
use crate::settings::settings;
use crate::shape::Shape;
use crate::{ptx_version, report};
use texunit_device::{Fault, LaunchError, LaunchStats, Tally};

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
        Some(text) => {
            lock(text).extend_from_slice(&stats.printf);
        }
    }
    if fault.is_none() {
        ptx_version::note(function, shape, stats);
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
            ptx_version::traced(function),
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
        LaunchError::Args(error) => {
            reasons::refused(error).because(reasons::wrong(error, shape, function))
        }
        LaunchError::Unsupported(diagnostics) => {
            say(format_args!(
                "kernel `{}` is not launched: it contains instructions that texunit does not execute\n{}",
                kernel_name(function),
                texunit_report::human(
                    (module.loaded.source(), &**module.loaded.sources()),
                    diagnostics,
                    settings().color
                )
                .trim_end()
            ));
            CUresult::NOT_SUPPORTED.because(reasons::unsupported(function, diagnostics))
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
