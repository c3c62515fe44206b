//! The CUDA driver API (`cuda.h`) over [`texunit_device`]: what becomes `libcuda.so.1`.
//!
//! `cargo run --release -p xtask -- libs` links it. Programs that load it run their PTX on the
//! software texture unit; no GPU is needed.
//!
//! # What it promises
//!
//! * Work is executed in the calling thread before the call returns. Streams are therefore always
//!   in order, an event completes when it is recorded, and no call waits. Calls of several threads
//!   run concurrently. With `--schedule`, work of streams is deferred instead (`deferred`).
//! * A kernel's fault is reported as the driver does: the launch itself succeeds, and every later
//!   call in the context returns the error. The diagnostic goes to standard error.
//! * Handles are never reused, so that stale handles, handles of another kind and garbage get the
//!   driver's error code. Pointers to host memory cannot be checked and are trusted.
//! * All functions are exported: one that is not provided prints its name once and returns
//!   `CUDA_ERROR_NOT_SUPPORTED`. docs/cuda-api.md lists all.
//!
//! # Modules
//!
//! From below to above; a module imports none of a later line (a test of `xtask` holds that):
//!
//! * `args`, `handle`, `message`, `settings`, `exit`, `signals`, `current_call`: parameters,
//!   registries of objects, messages to the user and the user's settings.
//! * `check_log`, `state`, `context`, `stream`, `capture`, `host_access`, `deferred`: findings,
//!   devices, contexts and which is current, streams and which are captured, stored work.
//! * `memory`, `array`, `texture`, `module`, `library`: the objects of a context.
//! * `report`, `refused`, `checks`, `running`: what is told about launches and calls.
//! * `copy`, `fill`, `work`, `memory_ops`, `launch`: work in streams.
//! * `graph`, `leaks`, `teardown`: graphs with their capture, and the end of contexts.
//! * `call`, `api`, `tables`, [`functions`]: the wrapper around each exported function, the
//!   functions by section of the driver API, and the table of all.

#![allow(unsafe_code)]

mod allocation_trace;
mod api;
mod array;
mod call;
mod capture;
mod cards;
mod check_log;
mod checks;
mod clock;
mod context;
mod copy;
mod coverage;
mod current_call;
mod debug;
mod deferred;
mod error;
mod exit;
mod external;
pub mod facts;
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
mod log;
mod memory;
mod memory_ops;
mod message;
mod module;
mod module_options;
mod occupancy;
mod origin;
mod prelude;
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
