//! Names, types and rules: from the syntax tree to a typed module.

pub mod ir;
