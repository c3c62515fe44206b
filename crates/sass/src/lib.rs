//! Maxwell's texture fetch with derivatives, TXD, as 64-bit machine words (sm_50 to sm_62).
//!
//! [`txd`] has one table of the fields of the word, in its order. Reading a word, building one, its
//! text ([`print`]) and the reading of text ([`parse`]) all go by that table; [`rules`] says what
//! the instruction's page forbids. [`control`] is the scheduling information that stands beside
//! three words, and [`listing`] takes a file of code apart.

pub mod arch;
pub mod codes;
pub mod control;
pub mod decode;
pub mod descriptor;
pub mod field;
pub mod listing;
pub mod other;
pub mod parse;
pub mod print;
pub mod rules;
pub mod txd;

pub use arch::Arch;
pub use control::Control;
pub use decode::Word;
pub use txd::{DecodeError, Txd};
