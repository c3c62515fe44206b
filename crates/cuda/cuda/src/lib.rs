//! The CUDA driver API (`cuda.h`) over [`texunit_device`]: what becomes `libcuda.so.1`.
//!
//! `cargo run --release -p xtask -- libs` links it. Programs that load it run their PTX on the texture
//! unit in software, and nothing else of a GPU is there.
//!
//! # What it promises
//!
//! * Work is done in the calling thread, before the call returns. Streams are therefore always in
//!   order, an event has happened when it was recorded, and no call waits. Threads that call at the same time
//!   run at the same time. With `--schedule`, work of streams is done late instead (`late`).
//! * A kernel's fault is reported as the driver does: the launch itself succeeds, and every later call
//!   in the context answers the error. The diagnostic goes to standard error.
//! * Handles are never used again, so that stale ones, those of another kind and garbage get the
//!   driver's error code. Pointers to host memory are trusted, as they must be.
//! * No function is missing: what is not provided says so once, by name, and answers
//!   `CUDA_ERROR_NOT_SUPPORTED`. docs/cuda-api.md lists all.
//!
//! # Where things are
//!
//! [`functions`] is the table of all functions, `call` what each does around its own work, `args`
//! the pointers of C, `handle` the numbers given out for objects; `state` the devices, `context`
//! contexts and which is current; `graph` work that is described and captured; `api` the functions themselves, one file for each section of the
//! driver API.

#![allow(unsafe_code)]

mod api;
mod args;
mod array;
mod asked;
mod attributes;
mod call;
mod checks;
mod clock;
mod context;
mod coverage;
mod crash;
mod debug;
mod error;
mod exported;
pub mod facts;
mod fatbin;
mod faults;
mod foreign;
mod format;
pub mod functions;
mod graph;
mod green;
mod handle;
mod image;
mod ipc;
mod late;
mod launch;
mod launch_trace;
mod library;
mod line_profile;
#[cfg(test)]
mod linked;
mod log;
mod marker;
mod memory;
mod module;
mod module_options;
mod occupancy;
mod older;
mod origin;
mod profile;
mod record;
mod refused;
mod report;
mod running;
mod saved;
mod settings;
mod sparse;
mod state;
mod stream;
mod tables;
mod texref;
mod texture;
mod virtual_memory;
mod words;
mod work;
