//! Progress of a long launch: a line that is updated on a terminal, or else, with checks, a line
//! every ten seconds.

use super::*;
use crate::message;
use std::io::IsTerminal;
use texunit_report::place::function_name;

/// Minimum duration of launches that are shown.
const SHOWN_AFTER: Duration = Duration::from_secs(1);
/// Interval of the lines without a terminal.
const TOLD_EVERY: Duration = Duration::from_secs(10);
/// Number of columns that every terminal has.
const COLUMNS: usize = 79;

/// Whether standard error is a terminal on which progress can be shown.
pub(super) fn is_shown() -> bool {
    static SHOWN: OnceLock<bool> = OnceLock::new();
    *SHOWN.get_or_init(|| {
        let is_dumb = std::env::var_os("TERM").is_none_or(|term| term.is_empty() || term == "dumb");
        std::io::stderr().is_terminal() && !is_dumb
    })
}

/// Whether lines are printed about long launches: with checks, which make launches long.
pub(super) fn is_told() -> bool {
    !is_shown() && settings().checks.is_some()
}

/// Number of the line that is due after some time, if fewer lines have been printed.
fn due(time: Duration, reported: u64) -> Option<u64> {
    Some(time.as_secs() / TOLD_EVERY.as_secs()).filter(|&number| number > reported)
}

/// Prints progress lines that are due.
pub(super) fn print_due_lines(launches: &[Arc<Launch>]) {
    for launch in launches.iter().filter(|_| is_told()) {
        let time = launch.start.elapsed();
        let Some(number) = due(time, launch.lines.load(Ordering::Relaxed)) else { continue };
        launch.lines.store(number, Ordering::Relaxed);
        let done = launch.ctas.load(Ordering::Relaxed);
        message::say(format_args!("{}", line(&launch.kernel, done, launch.total(), time)));
    }
}

/// Shows the progress of the launch that has been running longest.
pub(super) fn show(launches: &[Arc<Launch>]) {
    let Some(launch) = launches.first().filter(|_| is_shown()) else { return };
    let time = launch.start.elapsed();
    if time < SHOWN_AFTER {
        return;
    }
    let line = line(&launch.kernel, launch.ctas.load(Ordering::Relaxed), launch.total(), time);
    message::show_progress(&line, || launch.reported.load(Ordering::Acquire) == OVER);
}

/// Handles the end of a launch of this duration.
pub(super) fn end(time: Duration) {
    if time >= SHOWN_AFTER && is_shown() {
        message::end_progress();
    }
}

/// The progress line: `kernel(int*): 37 of 100 CTAs in 12 s, about 20 s left`.
fn line(kernel: &str, done: u64, total: u64, time: Duration) -> String {
    let left =
        (done > 0).then(|| time.as_secs_f64() / done as f64 * total.saturating_sub(done) as f64);
    let left = left.map_or_else(String::new, |left| format!(", about {} left", seconds(left)));
    let of = if total == 1 { "CTA" } else { "CTAs" };
    let rest = format!(": {done} of {total} {of} in {}{left}", seconds(time.as_secs_f64()));
    let name = texunit_report::visible(&function_name(kernel));
    let room = COLUMNS.saturating_sub(rest.chars().count());
    let name: String = match name.chars().count() <= room {
        true => name,
        false => name.chars().take(room.saturating_sub(3)).chain("...".chars()).collect(),
    };
    name + &rest
}

fn seconds(seconds: f64) -> String {
    match seconds.round().min(1e12) as u64 {
        s @ 0..100 => format!("{s} s"),
        s @ 100..6000 => format!("{} min", (s + 30) / 60),
        s => format!("{} h", (s + 1800) / 3600),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_every_ten_seconds() {
        let at = |seconds: f64, reported| due(Duration::from_secs_f64(seconds), reported);
        assert_eq!(
            [at(9.9, 0), at(10.0, 0), at(10.1, 1), at(19.9, 1)],
            [None, Some(1), None, None]
        );
        // A line that the watching thread has missed is not printed later.
        assert_eq!([at(20.0, 1), at(45.0, 2), at(45.1, 4)], [Some(2), Some(4), None]);
    }

    #[test]
    fn lines() {
        let time = Duration::from_secs(12);
        assert_eq!(
            line("_Z4fillPi", 30, 100, time),
            "fill(int*): 30 of 100 CTAs in 12 s, about 28 s left"
        );
        assert_eq!(line("k", 0, 1, time), "k: 0 of 1 CTA in 12 s");
        let long = line(&"k".repeat(500), 1, u64::MAX, Duration::from_secs(7000));
        assert_eq!(long.chars().count(), COLUMNS);
        assert!(long.contains("...: 1 of 18446744073709551615 CTAs in 2 h, about "), "{long}");
    }
}
