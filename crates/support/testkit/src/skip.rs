//! Reports tests that cannot run on this machine, so that a run shows which parts it has not
//! tested.

use std::io::Write;

/// Reports on standard error that the current test is skipped. A test harness captures the output
/// of passing tests, but not this line, so that a run without such lines has tested everything.
pub fn skipped(reason: &str) {
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("a test");
    // An error is ignored, because standard error may be closed.
    let _ = writeln!(std::io::stderr(), "SKIPPED: {test}: {reason}");
}
