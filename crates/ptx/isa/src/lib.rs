//! The PTX instruction table as data: opcodes, modifiers, instruction forms.
//!
//! [`forms`] has a row for every form of every instruction that texunit checks; [`read_modifiers`]
//! parses the modifiers of an instruction with these rows; [`texture`] has operands and
//! requirements of texture and surface instructions. Opcodes without rows ([`forms_of`] is empty)
//! are known only by name. What instructions compute is defined in other crates.

pub mod describe;
mod fidelity;
pub mod form;
pub mod gate;
mod modifiers;
mod opcode;
mod reading;
pub mod requirement;
mod table;
pub mod texture;
mod types;

pub use fidelity::{Fidelity, MEASURED_ON, fidelities, fidelity, fidelity_of_register};
pub use form::{
    AsPredicate, Braces, Class, Form, FormRow, Limit, OperandRule, OperandType, Pointee, Property,
    Role, Shape, Slot,
};
pub use modifiers::{Modifiers, MulPart, Selector, VideoOperands, columns};
pub use opcode::Opcode;
pub use reading::{ModifierError, read_modifiers, slots};
pub use table::{forms, forms_of};
pub use types::*;

#[cfg(test)]
mod tests;
