//! Runs fetches, surface accesses and kernels on a real NVIDIA GPU through its driver, and compares
//! the results with those of crate `unit`.
//!
//! The driver library is opened at run time, so that programs that link this crate need no driver.
//! What the driver API cannot express (multi-sample arrays, depth compare, `clamp_ogl`, sampler
//! objects, sparse arrays) is a [`GpuError::NotExpressible`].

#![allow(unsafe_code, reason = "calls of the CUDA driver API")]

pub mod approx;
pub mod compare;
mod driver;
mod ffi;
mod mirror;
mod object;
mod open;
mod ptx;
mod run;

pub use driver::{Buffer, Gpu, GpuError, LaunchShape, Module};
pub use mirror::{CardResource, Uses};
pub use object::CardObject;
pub use open::LIBRARY_VARIABLE;
pub use ptx::{fetch_kernel, surface_kernel};
pub use run::Runner;

#[cfg(any(test, feature = "test-card"))]
pub use fake::gpu as test_card;

#[cfg(any(test, feature = "test-card"))]
mod fake;
#[cfg(test)]
mod tests;
