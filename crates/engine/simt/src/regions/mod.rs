//! Compiled regions: machine code of parts of functions, beside the code that the interpreter runs.
//!
//! A code has a [`Regions`], which has a [`Table`] for blocks of each kind of shape: for each instruction, the region that can be entered
//! there, or how much has been interpreted from there on. Where that is much more than making code takes, a part of
//! the function becomes a region ([`cut`]): a loop, or what follows. What is compiled is the same instructions, one
//! by one; the others, rare cases and faults are the interpreter's, in the middle of a region.
//!
//! `TEXUNIT_JIT` is `on`, `off`, or `always`: at once. Code of all programs together takes a limited number of bytes;
//! a program that has not run for the longest time loses its own.

mod access;
mod action;
mod chunks;
mod cut;
mod limit;
mod moves;
mod operand;
mod operation;
mod parts;
mod pause;
mod room;
mod setting;
mod shadow;
mod table;
#[cfg(test)]
mod tests;
mod told;

pub(crate) use limit::Regions;
pub(crate) use pause::{HandleAt, Wait};
pub(crate) use setting::Setting;
pub use setting::{JitError, JitMode};
#[cfg(all(feature = "jit", target_arch = "x86_64"))]
pub(crate) use table::regions_of;
pub(crate) use table::{Compiled, Table};
pub(crate) use told::Together;
