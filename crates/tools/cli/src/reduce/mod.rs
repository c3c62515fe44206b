//! `texunit reduce`: reduces a job or PTX file to a small one that fails in the same way.
//! docs/reduce.md describes it.
//!
//! The search is in the crate `texunit-reduce`; this module has the input, the first run, progress,
//! and the result.

mod args;
mod first;
mod input;
mod result;

pub use args::{Keep, ReduceArgs};

use crate::args::{OutputFormat, name_of};
use crate::color::Stream;
use crate::failure::Stopped;
use crate::progress::StatusLine;
use first::First;
use input::Input;
use result::Summary;
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};
use texunit_forms::Count;
use texunit_reduce::{Limits, Progress, Reduced, statements};

/// Runs the command; returns the exit code.
pub fn run(args: &ReduceArgs) -> u8 {
    match reduce(args) {
        Ok(summary) => {
            let printed = match (args.format, args.quiet) {
                (OutputFormat::Json, _) => crate::json::print(&summary.json()),
                (OutputFormat::Human, true) => Ok(()),
                (OutputFormat::Human, false) => crate::out::print(&summary.text()),
            };
            crate::exit(printed, true)
        }
        Err(Stopped::Usage(message)) => crate::usage_error("reduce", &message),
        Err(Stopped::Failed(text)) => {
            let printed = match args.format {
                OutputFormat::Human => {
                    crate::out::stderr_text(&text, crate::color::wanted(Stream::Stderr))
                }
                OutputFormat::Json => {
                    let text = text.trim_start_matches("error: ").trim_end();
                    crate::json::print(&json!({ "succeeded": false, "error": text }))
                }
            };
            crate::exit(printed, false)
        }
    }
}

fn reduce(args: &ReduceArgs) -> Result<Summary, Stopped> {
    if let Some(keep) = args.keep.filter(|&keep| keep != Keep::Exit && !args.command.is_empty()) {
        let message = format!("--keep {} has no meaning with --command", name_of(&keep));
        return Err(Stopped::Usage(message));
    }
    let input = Input::read(args)?;
    let out = input.out(args)?;
    let stop = Arc::new(AtomicBool::new(false));
    until_interrupted(&stop);
    let mut first = first::run(args, &input, &stop)?;
    let start = Instant::now();
    let before = statements(&input.case.ptx);
    let deadline = start + Duration::from_secs(args.time);
    let reduced = timed(deadline, &stop, || search(args, &input, &mut first, deadline, &stop));
    let seconds = start.elapsed().as_secs_f64();
    // The end of the search must not cancel the remaining work.
    stop.store(false, Ordering::Relaxed);
    Summary::write(args, &input, &out, &mut first, before, reduced, seconds)
}

/// Searches, and repeats the search with a higher step limit if the result does not fail with the
/// full limit.
fn search(
    args: &ReduceArgs,
    input: &Input,
    first: &mut First<'_>,
    deadline: Instant,
    stop: &AtomicBool,
) -> Reduced {
    let show = !args.quiet && args.format == OutputFormat::Human;
    let mut bar = (show && Stream::Stderr.is_terminal()).then(|| StatusLine::new(Instant::now()));
    let mut tell = |progress: &Progress<'_>| {
        let Some(bar) = &mut bar else { return };
        bar.show(|| {
            let statements = Count(statements(&progress.best.ptx), "statement");
            format!("{}: {statements}, {}", Count(progress.tries, "attempt"), progress.step)
        });
    };
    let (mut tries, mut case) = (0, input.case.clone());
    loop {
        let limits =
            Limits { deadline: Some(deadline), tries: args.max_tries.saturating_sub(tries), stop };
        let mut reduced = texunit_reduce::reduce(
            case,
            &first.contents,
            first.judge.as_judge(),
            &limits,
            &mut tell,
        );
        reduced.tries += tries;
        tries = reduced.tries;
        if first.judge.is_final(&reduced.case) || stop.load(Ordering::Relaxed) {
            break reduced;
        }
        case = input.case.clone();
    }
}

/// Lets the first SIGINT, SIGTERM or SIGHUP end the search, and the second one the work on its
/// result; the best result is written in either case, and no temporary files remain.
fn until_interrupted(stop: &Arc<AtomicBool>) {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    texunit_files::leave_signals();
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        // If handlers cannot be installed, the signals end the program as usual. Shells make
        // background jobs ignore SIGINT, which is not intended for programs that handle it; an
        // ignored SIGHUP is intended (`nohup`).
        if signal != SIGHUP || !texunit_files::is_ignored(signal) {
            let _ = signal_hook::flag::register(signal, Arc::clone(stop));
        }
    }
}

/// Calls `work`, and sets `stop` at the deadline, so that a running attempt ends too.
fn timed<T>(deadline: Instant, stop: &AtomicBool, work: impl FnOnce() -> T) -> T {
    let (finished, wait) = channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let left = deadline.saturating_duration_since(Instant::now());
            if wait.recv_timeout(left) == Err(RecvTimeoutError::Timeout) {
                stop.store(true, Ordering::Relaxed);
            }
        });
        let _finished = finished;
        work()
    })
}
