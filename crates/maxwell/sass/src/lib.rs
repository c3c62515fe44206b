//! Maxwell's texture and surface instructions as 64-bit machine words (sm_50 to sm_62), and the headers that they read:
//! a codec, which executes nothing.
//!
//! [`txd`] has one table of the fields of TXD, the texture fetch with derivatives, in the order of its word. Reading a word,
//! building one, its text ([`mod@print`]) and the reading of text ([`parse`]) all go by that table; [`rules`] says what
//! the instruction's page forbids. [`texture_words`] reads the other texture and surface words. [`control`] is the
//! scheduling information that stands beside three words, and [`listing`] takes a file of code apart. [`descriptor`] has
//! the headers of textures and samplers. The crate `texunit-txd` makes TXD of PTX, and executes it.

pub mod arch;
pub mod codes;
pub mod control;
pub mod decode;
pub mod descriptor;
pub mod field;
pub mod listing;
pub mod memory;
pub mod parse;
pub mod print;
pub mod rules;
pub mod texture_words;
pub mod txd;

pub use arch::Arch;
pub use control::Control;
pub use decode::Word;
pub use txd::{DecodeError, Txd};
