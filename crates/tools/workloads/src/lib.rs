//! The workloads of `texunit bench` and of the workspace's benchmarks: named cases with their
//! textures, coordinates and kernels, run through the Rust API or through PTX, and timed.
//!
//! The first run of each measurement is compared with the reference sampler. Command lines, tables
//! and baselines belong to the callers.

pub mod api;
pub mod cases;
pub mod measure;
pub mod points;
pub mod ptx;
pub mod workload;
