//! Maxwell's texture fetch with derivatives, TXD: made of PTX, and executed.
//!
//! [`lower`] makes of each `tex.grad` of a module the TXD that NVIDIA's assembler makes of it, with the instructions
//! around it. [`exec`] executes one TXD with the texture unit, on the registers, headers and memory of a [`State`], which
//! [`state_file`] reads from TOML. The words themselves are those of `texunit-sass`.

pub mod exec;
pub mod lower;
pub mod state_file;

pub use exec::{State, execute};
