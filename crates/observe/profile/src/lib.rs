//! A profiler of kernels that counts: executions of each PTX instruction and source line by warps
//! and threads, and the cost of their accesses in sectors, wavefronts and texels.
//!
//! A [`Module`] belongs to a loaded module; a [`Launch`] made from it observes one launch.
//! Executions are counted by operations inserted into the code (`simt::observe`: `BlockCounters`,
//! `Issues`) without callbacks, and so are loads and stores of coalesced rows and of single
//! addresses (`Costs`). Other accesses, and fetches, are reported to each worker's `probe`, which
//! sums them by instruction with the rules of [`cost`]. At the end of a launch all these sums
//! become [`Counts`] of instructions. A [`Profile`] holds the counts by kernel, with sums by line.
//! A [`Recorder`] writes the profile of a process, [`Profile::add`] merges processes, and
//! [`callgrind`] writes the format that KCachegrind reads.
//!
//! All numbers count events and are the same in each run (docs/profile.md defines each, with Nsight
//! Compute's name for it). There are no cycles, because the emulation has no timing model of a GPU.

pub mod callgrind;
mod class;
pub mod cost;
mod counts;
mod data;
mod probe;
mod recorder;
mod rows;
mod table;
mod unit;

pub use class::Class;
pub use counts::{Atomics, Constant, Counts, Requests, Shared, Surface, Texture};
pub use data::{Instruction, Kernel, Key, LaunchCounts, Line, OverLaunches, Place, Profile};
pub use recorder::{EXTENSION, Format, Launch, Module, Recorder, Target};
