//! Tests that cannot be done here.

use std::io::Write;

/// Says on standard error that the test of this thread is skipped, and why. A test harness keeps what tests that
/// pass print to itself, but not this: a run without these lines has tested everything.
pub fn skipped(reason: &str) {
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("a test");
    // Nobody may be there to read it.
    let _ = writeln!(std::io::stderr(), "SKIPPED: {test}: {reason}");
}
