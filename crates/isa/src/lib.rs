//! The PTX instruction table as data: words, opcodes, modifiers, forms.

mod modifiers;
mod opcode;
mod types;

pub use modifiers::{Modifiers, MulPart};
pub use opcode::Opcode;
pub use types::*;
