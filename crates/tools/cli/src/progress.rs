//! The progress bar of a long launch.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Launches shorter than this show nothing.
const PATIENCE: Duration = Duration::from_secs(1);
const REFRESH: Duration = Duration::from_millis(100);

/// Runs `work`, which counts up to `total`, and shows on standard error how far it is, if that
/// is a terminal.
pub(crate) fn with_bar<T>(show: bool, total: u64, work: impl FnOnce(&AtomicU64) -> T) -> T {
    let done = AtomicU64::new(0);
    if !show || !std::io::stderr().is_terminal() {
        return work(&done);
    }
    let (finished, wait) = channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let wait = wait;
            let start = Instant::now();
            let mut bar: Option<ProgressBar> = None;
            // The sender is dropped when the work is over, or has panicked.
            while wait.recv_timeout(REFRESH) == Err(RecvTimeoutError::Timeout) {
                if start.elapsed() >= PATIENCE {
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

fn new_bar(total: u64, start: Instant) -> ProgressBar {
    let style = "{elapsed_precise} [{bar:40}] {pos}/{len} CTAs, {eta} left";
    let style =
        ProgressStyle::with_template(style).unwrap_or_else(|_| ProgressStyle::default_bar());
    let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
    bar.with_style(style.progress_chars("=> ")).with_elapsed(start.elapsed())
}
