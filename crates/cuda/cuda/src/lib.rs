//! The CUDA driver API (`cuda.h`) over [`texunit_device`]: what becomes `libcuda.so.1`.
//!
//! `cargo run --release -p xtask -- libs` links it. Programs that load it run their PTX on the
//! software texture unit; no GPU is needed.
//!
//! # What it promises
//!
//! * Work is executed in the calling thread before the call returns. Streams are therefore always
//!   in order, an event completes when it is recorded, and no call waits. Calls of several threads
//!   run concurrently. With `--schedule`, work of streams is deferred instead (`late`).
//! * A kernel's fault is reported as the driver does: the launch itself succeeds, and every later
//!   call in the context returns the error. The diagnostic goes to standard error.
//! * Handles are never reused, so that stale handles, handles of another kind and garbage get the
//!   driver's error code. Pointers to host memory cannot be checked and are trusted.
//! * All functions are exported: one that is not provided prints its name once and returns
//!   `CUDA_ERROR_NOT_SUPPORTED`. docs/cuda-api.md lists all.
//!
//! # Modules
//!
//! [`functions`] is the table of all functions, `call` the wrapper around each, `args` the pointer
//! types of parameters, `handle` the registries of objects; `state` has the devices, `context` the
//! contexts and which is current; `graph` contains graphs and stream capture; `api` the functions
//! themselves, one module for each section of the driver API.

#![allow(unsafe_code)]

mod allocation_trace;
mod api;
mod args;
mod array;
mod attributes;
mod call;
mod capture;
mod check_log;
mod checks;
mod clock;
mod context;
mod copy;
mod coverage;
mod crash;
mod current_call;
mod debug;
mod deferred;
mod error;
mod exit;
mod exported;
mod external;
pub mod facts;
mod fatbin;
mod faults;
mod fill;
mod format;
pub mod functions;
mod graph;
mod green;
mod handle;
mod host_access;
mod image;
mod ipc;
mod launch;
mod launch_trace;
mod leaks;
mod library;
mod line_profile;
#[cfg(test)]
mod linked;
mod log;
mod marker;
mod memory;
mod memory_ops;
mod message;
mod module;
mod module_options;
mod occupancy;
mod origin;
mod profile;
mod ptx_version;
mod record;
mod refused;
mod report;
mod running;
mod saved;
mod settings;
mod shape;
mod signals;
mod sparse;
mod state;
mod stream;
mod tables;
mod teardown;
mod texref;
mod texture;
mod work;
