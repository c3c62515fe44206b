//! Shows the progress of a long launch: a bar on a terminal, otherwise a line every ten seconds if
//! the launch is checked.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Launches shorter than this show nothing.
const PATIENCE: Duration = Duration::from_secs(1);
const REFRESH: Duration = Duration::from_millis(100);
/// Seconds between two lines.
const LINES: u64 = 10;

/// How progress is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shown {
    /// Nothing.
    Not,
    /// A bar, only on a terminal.
    Bar,
    /// A bar on a terminal, lines elsewhere.
    BarOrLines,
}

/// Calls `work`, which counts CTAs (or other items) up to `total`, and shows its progress on
/// standard error.
pub(crate) fn with_bar<T>(show: Shown, total: u64, work: impl FnOnce(&AtomicU64) -> T) -> T {
    let done = AtomicU64::new(0);
    let has_lines = !std::io::stderr().is_terminal();
    if show == Shown::Not || has_lines && show == Shown::Bar {
        return work(&done);
    }
    let (finished, wait) = channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let wait = wait;
            let start = Instant::now();
            let mut bar: Option<ProgressBar> = None;
            let mut told = 0;
            // The sender is dropped when the work has ended or panicked.
            while wait.recv_timeout(REFRESH) == Err(RecvTimeoutError::Timeout) {
                let seconds = start.elapsed().as_secs();
                if has_lines && seconds / LINES > told {
                    told = seconds / LINES;
                    crate::out::tell(&line(done.load(Ordering::Relaxed), total, seconds));
                } else if !has_lines && start.elapsed() >= PATIENCE {
                    bar.get_or_insert_with(|| new_bar(total, start))
                        .set_position(done.load(Ordering::Relaxed));
                }
            }
            if let Some(bar) = bar {
                bar.finish_and_clear();
            }
        });
        let _finished = finished;
        work(&done)
    })
}

fn line(done: u64, total: u64, seconds: u64) -> String {
    let of = if total == 1 { "CTA" } else { "CTAs" };
    format!("texunit: {done} of {total} {of} in {seconds} s")
}

fn new_bar(total: u64, start: Instant) -> ProgressBar {
    let style = "{elapsed_precise} [{bar:40}] {pos}/{len} CTAs, {eta} left";
    let style =
        ProgressStyle::with_template(style).unwrap_or_else(|_| ProgressStyle::default_bar());
    let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
    bar.with_style(style.progress_chars("=> ")).with_elapsed(start.elapsed())
}
