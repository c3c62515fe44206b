//! The text form of regions, which `texunit dump` prints and file tests are written in.
//! [`fmt::Display`] of a region prints it, [`parse()`] reads it, and [`disassemble`] prints the
//! region's machine code.
//!
//! ```text
//! region sites 1
//! block 0 @10 entry keeps n2 p0
//!   10: add n1, n0, 4
//!   11: if p0 load.global.4x1 n2, [param64[8] + 16] site 0
//!   branch @12 counted p0 ? 1 : out 20 meets none
//! block 1 @20
//!   leave @20
//! ```
//!
//! `entry` marks a block to which control can come from elsewhere than the ends of other blocks. A
//! step begins with the number of its instruction; `helper` marks a step that does not count as an
//! instruction. Registers are `n` (32 bits), `w` (64 bits) and `p` (predicates). [`parse()`]
//! reads all that [`fmt::Display`] prints, except calls of host functions and `lookup`, whose
//! tables of constants have no names.

mod disassembly;
mod names;
mod parse;
mod print;

pub use disassembly::disassemble;
pub use parse::{ParseError, parse};
#[cfg(doc)]
use std::fmt;
pub use texunit_simd::Processor;
