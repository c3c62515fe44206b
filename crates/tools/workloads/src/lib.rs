//! What `texunit bench` and the benchmarks of the workspace measure: cases by name, what they fetch
//! from and where, through the Rust API and through PTX, and how long a run takes.
//!
//! The first run of each measurement is compared with the reference sampler. Command lines, tables and
//! baselines are matters of those who call this.

pub mod api;
pub mod cases;
pub mod effort;
pub mod line;
pub mod measure;
pub mod points;
pub mod ptx;
pub mod workload;
