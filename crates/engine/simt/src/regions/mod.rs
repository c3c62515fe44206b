//! Compiled regions: machine code for parts of functions, beside the warp code for the interpreter.

mod access;
mod action;
mod code_bytes;
mod cut;
mod limit;
mod moves;
mod notify;
mod operand;
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
