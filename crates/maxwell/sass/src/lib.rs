//! A codec for Maxwell's texture and surface instructions, as 64-bit machine words (sm_50 to
//! sm_62), and for the texture and sampler headers that they read. It executes nothing.
//!
//! [`txd`] has one table of the fields of TXD, the texture fetch with derivatives. Decoding and
//! encoding a word, printing ([`mod@print`]) and parsing ([`parse`]) use that table; [`rules`] has
//! the restrictions of the instruction's page. [`texture_words`] decodes the other texture and
//! surface instructions. [`control`] is the scheduling information of three instructions, and
//! [`listing`] splits a code file into instructions. [`descriptor`] has texture and sampler
//! headers. The crate `texunit-txd` generates TXD from PTX, and executes it.

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

pub use control::Control;
pub use decode::Word;
pub use field::Arch;
pub use txd::{DecodeError, Txd};
