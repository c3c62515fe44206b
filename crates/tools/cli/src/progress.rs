//! Shows the progress of a long launch: a bar on a terminal, otherwise a line every ten seconds if
//! the launch is checked.

use console::Term;
use std::io::IsTerminal;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};
use texunit_forms::Count;

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
            let mut bar = None;
            let mut printed = 0;
            // The sender is dropped when the work has ended or panicked.
            while wait.recv_timeout(REFRESH) == Err(RecvTimeoutError::Timeout) {
                let seconds = start.elapsed().as_secs();
                if has_lines && seconds / LINES > printed {
                    printed = seconds / LINES;
                    crate::out::stderr_line(&line(done.load(Ordering::Relaxed), total, seconds));
                } else if !has_lines && start.elapsed() >= PATIENCE {
                    let bar = bar.get_or_insert_with(|| StatusLine::new(start));
                    bar.show(|| filled(done.load(Ordering::Relaxed), total, start.elapsed()));
                }
            }
        });
        let _finished = finished;
        work(&done)
    })
}

fn line(done: u64, total: u64, seconds: u64) -> String {
    format!("texunit: {done} of {} in {seconds} s", Count(total, "CTA"))
}

/// A line of the terminal on standard error, which begins with the time; it is cleared at the end.
pub(crate) struct StatusLine {
    term: Term,
    start: Instant,
    shown: Option<Instant>,
}

impl StatusLine {
    /// A line that counts its time from `start`; nothing is written yet.
    pub(crate) fn new(start: Instant) -> Self {
        Self { term: Term::stderr(), start, shown: None }
    }

    /// Shows a text in place of the last one, unless that is too new to be read.
    pub(crate) fn show(&mut self, text: impl FnOnce() -> String) {
        if self.shown.is_some_and(|shown| shown.elapsed() < REFRESH / 2) {
            return;
        }
        self.shown = Some(Instant::now());
        let line = format!("{} {}", clock(self.start.elapsed()), text());
        // A line that the terminal breaks could not be cleared.
        let columns = usize::from(self.term.size().1).saturating_sub(1);
        let line: String = line.chars().take(columns).collect();
        // If standard error is closed, nobody waits for the line.
        let _ = self.term.write_str(&format!("\r\x1b[2K{line}"));
    }
}

impl Drop for StatusLine {
    fn drop(&mut self) {
        if self.shown.is_some() {
            let _ = self.term.clear_line();
        }
    }
}

/// A time as `00:01:30`.
fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

/// A bar that is filled as far as the work is done, and the time that is left at this rate.
fn filled(done: u64, total: u64, elapsed: Duration) -> String {
    const WIDTH: usize = 40;
    let part = done as f64 / total.max(1) as f64;
    let full = ((part * WIDTH as f64) as usize).min(WIDTH);
    let head = if full < WIDTH { ">" } else { "" };
    let left = match done {
        0 => String::new(),
        _ => format!(", {} left", clock(elapsed.mul_f64((1.0 / part - 1.0).max(0.0)))),
    };
    format!("[{:<WIDTH$}] {done}/{}{left}", "=".repeat(full) + head, Count(total, "CTA"))
}

#[cfg(test)]
mod tests {
    use super::{Duration, filled};

    #[test]
    fn the_bar_is_filled_as_far_as_the_work_is_done() {
        let minute = Duration::from_secs(60);
        let (full, empty) = ("=".repeat(10), " ".repeat(29));
        let quarter = format!("[{full}>{empty}] 8/32 CTAs, 00:03:00 left");
        assert_eq!(filled(8, 32, minute), quarter);
        assert_eq!(filled(0, 0, minute), format!("[>{}] 0/0 CTAs", " ".repeat(39)));
        assert_eq!(filled(3, 2, minute), format!("[{}] 3/2 CTAs, 00:00:00 left", "=".repeat(40)));
    }
}
