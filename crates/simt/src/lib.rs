//! Runs typed PTX on the CPU.
//!
//! [`lower`] turns a typed module into warp code once; [`launch`] runs a kernel of it: warps of 32
//! lanes over structure-of-arrays registers, CTAs spread over threads. A program that goes wrong
//! ends in a [`Fault`] value, never in a panic.

pub mod alu;
pub mod fault;
pub mod launch;

pub use fault::{Fault, FaultKind};
pub use launch::{Descriptors, LaunchConfig, LaunchStats};
