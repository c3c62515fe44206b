//! References of a module to textures, samplers and surfaces, and requested places of variables.

use crate::handles::{OpaqueKind, Slots};
use crate::texture::TextureDescriptor;
use std::collections::HashMap;

/// A module-scope `.texref`, `.samplerref` or `.surfref`, and the state that its initialiser gives.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct OpaqueVariable {
    /// The variable's name.
    pub name: String,
    /// The kind of reference.
    pub kind: OpaqueKind,
    /// The state of the static initialiser; omitted fields have PTX's defaults.
    pub initial: TextureDescriptor,
    /// Whether something is bound to the reference (a `.samplerref` always has its initial state).
    pub bound: bool,
    /// The slots in the descriptor tables of headers and samplers.
    pub(crate) slots: Slots,
    /// The initialiser's fields as written, to be compared with a bound resource.
    pub(crate) fields: Vec<(String, i64)>,
}

impl OpaqueVariable {
    /// The handle that is the variable's value.
    pub fn handle(&self) -> u64 {
        self.kind.handle(self.slots)
    }
}

/// Requested addresses and handles of a module's variables, by name. Variables without an entry get
/// free ones.
#[derive(Clone, Debug, Default)]
pub struct VariableAddresses {
    /// Addresses of `.global` and `.const` variables.
    pub memory: HashMap<String, u64>,
    /// Handles of `.texref`, `.samplerref` and `.surfref` variables.
    pub handles: HashMap<String, u64>,
}
