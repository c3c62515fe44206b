//! What tests, benchmarks, fuzz targets and `xtask` share: random numbers that a seed decides, folders that end
//! with the test, texts around PTX kernels, what headers say, and how a test says that it was skipped.
//!
//! It is the lowest crate of all, with no dependency but `tempfile`: every crate's tests can have it, and it adds next to
//! nothing to a build. It promises nothing to anybody outside of this repository.
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
