//! Helpers for tests, benchmarks, fuzz targets and `xtask`: random numbers from a seed, temporary
//! folders, text around PTX kernels, comparison with C headers, and the report of skipped tests.
//!
//! Its only dependency is `tempfile`, so that the tests of every crate can use it at almost no
//! build time. It makes no promises of stability.
#![forbid(unsafe_code)]

mod choices;
pub mod findings;
pub mod header;
pub mod pages;
pub mod ptx;
mod random;
#[cfg(not(target_family = "wasm"))]
mod temp_dir;

pub use choices::Choices;
pub use random::{Number, Random};
#[cfg(not(target_family = "wasm"))]
pub use temp_dir::TempDir;

use std::io::Write;

/// Reports on standard error that the current test cannot run on this machine. A test harness
/// captures the output of passing tests, but not this line, so that a run without such lines has
/// tested everything.
pub fn skipped(reason: &str) {
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("a test");
    // An error is ignored, because standard error may be closed.
    let _ = writeln!(std::io::stderr(), "SKIPPED: {test}: {reason}");
}
