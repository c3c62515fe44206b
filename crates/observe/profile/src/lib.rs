//! Counts of kernels: how often each PTX instruction and each source line was executed, by how many threads, and what its
//! accesses cost in sectors, wavefronts and texels.
//!
//! A [`Module`] belongs to a loaded module, a [`Launch`] of it is the observer of one launch. How often warps and lanes come
//! by is counted by operations in the marked code (`simt::observe`: `BlockCounters`, `Issues`), which call nobody, and so are loads
//! and stores of rows and of one address (`Costs`). Other accesses, and fetches, are told to a `probe` for each worker, which
//! adds them up by instruction with the rules of [`cost`]. At the end of a launch all become [`Counts`] of instructions; a [`Profile`] has them by kernel, with the sums of each line. A
//! [`Recorder`] writes what a process has counted, [`Profile::add`] merges processes, [`callgrind`] writes the form that
//! KCachegrind reads.
//!
//! All numbers are counts of what happened, the same on each run (docs/profile.md says what each is, and what Nsight
//! Compute calls it). There are no cycles: a CPU that executes a kernel cannot know those of a card.

pub mod callgrind;
mod class;
pub mod cost;
mod counts;
mod data;
mod launch;
mod lines;
mod module;
mod probe;
mod recorder;
mod rows;
mod table;
mod unit;

pub use class::Class;
pub use counts::{Atomics, Constant, Counts, Requests, Shared, Surface, Texture};
pub use data::{Instruction, Kernel, Key, LaunchCounts, Place, Profile, Unreadable};
pub use launch::Launch;
pub use lines::{Line, OverLaunches};
pub use module::Module;
pub use recorder::{EXTENSION, Format, Recorder, Target};
