//! Maxwell's texture fetch with derivatives, TXD: generated from PTX, and executed.
//!
//! [`lower`] converts each `tex.grad` of a module to the TXD that NVIDIA's assembler generates,
//! with the surrounding instructions. [`exec`] executes a TXD with the texture unit, on the
//! registers, headers and memory of a [`State`], which [`state_file`] reads from TOML. Instruction
//! words are encoded by `texunit-sass`.

pub mod exec;
pub mod lower;
pub mod state_file;

pub use exec::{State, execute};
