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
mod skip;
#[cfg(not(target_family = "wasm"))]
mod temp_dir;

pub use choices::Choices;
pub use random::{Number, Random};
pub use skip::skipped;
#[cfg(not(target_family = "wasm"))]
pub use temp_dir::TempDir;
