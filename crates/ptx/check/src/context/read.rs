//! Opcode and modifiers of an instruction, read against the table.

use std::sync::Arc;

use texunit_isa::requirement::Requirement;
use texunit_isa::variant::Variant;
use texunit_isa::{Form, Modifiers, Opcode};

/// Opcode and modifiers of an instruction.
pub(crate) struct ReadModifiers {
    pub(crate) opcode: Opcode,
    pub(crate) mods: Arc<Modifiers>,
    /// The rows that they fit; none for opcodes that are known by name only.
    pub(crate) forms: Vec<&'static Form>,
    /// What the words ask of version and target.
    pub(crate) gates: Vec<Requirement>,
    /// What they ask of the target's letter.
    pub(crate) variants: Vec<&'static Variant>,
}
