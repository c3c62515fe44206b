//! The CUDA runtime API over the driver API: `libcudart.so.13`, and with the feature `cuda-12`
//! `libcudart.so.12`.
//!
//! Every function calls the driver API, in the `libcuda.so.1` of the same folder. All functions are
//! exported: one that is not provided prints its name once and returns `cudaErrorNotSupported`
//! (docs/cuda-api.md lists all).

#![allow(unsafe_code)]
#![allow(non_camel_case_types, non_snake_case, reason = "names of CUDA's headers")]

mod api;
mod call;
mod codes;
mod listed;
mod registry;
mod report;
mod state;
mod types;

use texunit_client::driver;

/// Major version of this runtime.
const MAJOR: u32 = if cfg!(feature = "cuda-12") { 12 } else { 13 };
