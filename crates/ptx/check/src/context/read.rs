//! Reads the opcode and modifiers of an instruction with the instruction table.

use std::sync::Arc;

use texunit_isa::gate::Variant;
use texunit_isa::requirement::Requirement;
use texunit_isa::{Form, Modifiers, Opcode};

/// The parsed opcode and modifiers of an instruction.
pub(crate) struct ReadModifiers {
    pub(crate) opcode: Opcode,
    pub(crate) mods: Arc<Modifiers>,
    /// The table rows that match; empty for opcodes that are known only by name.
    pub(crate) forms: Vec<&'static Form>,
    /// Version and target requirements of the modifiers.
    pub(crate) gates: Vec<Requirement>,
    /// Requirements on the suffix letter of the target.
    pub(crate) variants: Vec<Variant>,
}
