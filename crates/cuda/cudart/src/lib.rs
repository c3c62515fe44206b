//! The CUDA runtime API over the driver API: `libcudart.so.13`, and with the feature `cuda-12`
//! `libcudart.so.12`.
//!
//! Everything is done by calls of the driver API, in the `libcuda.so.1` that lies beside it. No function
//! is missing: what is not provided says so once, by name, and answers `cudaErrorNotSupported`
//! (docs/cuda-api.md lists all).

#![allow(unsafe_code)]

mod abi;
mod api;
mod call;
mod codes;
mod refused;
mod registry;
mod state;
mod told;
mod types;

use texunit_client::driver;

/// The major version of CUDA whose runtime this is.
const MAJOR: u32 = if cfg!(feature = "cuda-12") { 12 } else { 13 };
