//! Compiled regions: machine code for parts of functions, beside the warp code for the interpreter.
//!
//! A program's code has a [`Regions`], with a [`Table`] for each kind of block shape. For each
//! instruction the table has the region that can be entered there, or the number of instructions
//! that were interpreted from there. If that number exceeds the cost of compilation by far, a part
//! of the function is compiled as a region ([`cut`]): a loop, or the code that follows. A region
//! consists of the same instructions in the same order; unsupported instructions, rare cases and
//! faults leave the region and are executed by the interpreter.
//!
//! `TEXUNIT_JIT` is `on`, `off`, or `always` (compile immediately). The memory for compiled code of
//! all programs is limited; the program that was not executed for the longest time loses its code.

mod access;
mod action;
mod chunks;
mod code_bytes;
mod cut;
mod limit;
mod moves;
mod notify;
mod operand;
mod operation;
mod parts;
mod setting;
mod shadow;
mod table;
#[cfg(test)]
mod tests;
mod yield_point;

pub(crate) use limit::Regions;
pub(crate) use notify::LoadGroups;
pub(crate) use setting::Setting;
pub use setting::{JitError, JitMode};
#[cfg(all(feature = "jit", target_arch = "x86_64"))]
pub(crate) use table::regions_of;
pub(crate) use table::{Compiled, Table};
pub(crate) use yield_point::{HandleAt, YieldKind};
