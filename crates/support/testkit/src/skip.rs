//! Reports tests that cannot run on this machine.

use std::io::Write;

/// Reports on standard error that the current test is skipped. A test harness captures the output
/// of passing tests, but not this: a run without these lines has tested everything.
pub fn skipped(reason: &str) {
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("a test");
    // Standard error may be closed.
    let _ = writeln!(std::io::stderr(), "SKIPPED: {test}: {reason}");
}
