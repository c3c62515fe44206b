//! Messages on standard error, and the progress line that a terminal shows until the next one.

use std::collections::BTreeSet;
use std::fmt::Arguments;
use std::io::Write;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::{AcqRel, Relaxed, Release};
use texunit_cuda_abi::lock;

/// Whether messages are coloured; false while the settings are being read.
static IS_COLORED: AtomicBool = AtomicBool::new(false);

/// Whether the terminal shows a progress line.
static HAS_PROGRESS: AtomicBool = AtomicBool::new(false);

/// Sets whether messages are coloured.
pub(crate) fn set_colored(is_colored: bool) {
    IS_COLORED.store(is_colored, Relaxed);
}

/// Prints a line on standard error, the libraries' messages to the user.
pub(crate) fn say(text: Arguments<'_>) {
    write_error(format_args!("texunit: {text}\n"));
}

/// Prints a line as [`say`] does, once in a process.
pub(crate) fn say_once(text: impl Into<String>) {
    static SAID: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let text = text.into();
    if lock(&SAID).insert(text.clone()) {
        say(format_args!("{text}"));
    }
}

/// Writes to standard error. A failure (closed pipe, full disk) is ignored; `eprint!` would panic,
/// which ends a C program.
pub(crate) fn write_error(text: Arguments<'_>) {
    let mut err = std::io::stderr().lock();
    clear(&mut err);
    let text = text.to_string();
    let _ = err.write_all(texunit_report::screen(&text, IS_COLORED.load(Relaxed)).as_bytes());
}

/// Shows a progress line in place of the previous one. The launch is checked under the lock of
/// standard error; one that ends later removes the line itself ([`end_progress`]).
pub(crate) fn show_progress(line: &str, has_ended: impl FnOnce() -> bool) {
    let mut err = std::io::stderr().lock();
    if has_ended() {
        return;
    }
    HAS_PROGRESS.store(true, Release);
    let _ = write!(err, "\r{line}\x1b[K").and_then(|()| err.flush());
}

/// Removes the progress line, if there is one.
pub(crate) fn end_progress() {
    clear(&mut std::io::stderr().lock());
}

fn clear(err: &mut impl Write) {
    if HAS_PROGRESS.swap(false, AcqRel) {
        let _ = err.write_all(b"\r\x1b[K");
    }
}
