//! Maxwell's texture fetch with derivatives, TXD, as 64-bit machine words (sm_50 to sm_62).
//!
//! [`txd`] has one table of the fields of the word, in its order. Reading a word, building one, its
//! text ([`mod@print`]) and the reading of text ([`parse`]) all go by that table; [`rules`] says what
//! the instruction's page forbids. [`control`] is the scheduling information that stands beside
//! three words, and [`listing`] takes a file of code apart. [`descriptor`] has the headers of
//! textures and samplers, and [`exec`] executes the instruction with the texture unit.

pub mod arch;
pub mod codes;
pub mod control;
pub mod decode;
pub mod descriptor;
pub mod exec;
pub mod field;
pub mod listing;
pub mod lower;
pub mod memory;
pub mod other;
pub mod parse;
pub mod print;
pub mod rules;
pub mod state_file;
pub mod txd;

pub use arch::Arch;
pub use control::Control;
pub use decode::Word;
pub use exec::{State, execute};
pub use txd::{DecodeError, Txd};
