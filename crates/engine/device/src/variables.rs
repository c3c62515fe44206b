//! The variables of a module: memory, and references to textures, samplers and surfaces.

use crate::buffer::copy_in;
use crate::error::Error;
use crate::handles::{OpaqueKind, Slots};
use crate::texture::TextureDescriptor;
use std::collections::HashMap;
use std::sync::Arc;
use texunit_memory::Block;

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

/// A module-scope `.global` or `.const` variable.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Global {
    pub(crate) block: Arc<Block>,
    pub(crate) address: u64,
}

impl Global {
    /// Device address.
    pub fn address(&self) -> u64 {
        self.address
    }

    /// Size in bytes.
    pub fn size(&self) -> u64 {
        self.block.size() as u64
    }

    /// A copy of all bytes.
    pub fn read(&self) -> Vec<u8> {
        self.block.to_vec()
    }

    /// Copies bytes to the variable, from `offset` on.
    ///
    /// # Errors
    /// [`Error::CopyOutside`] if the bytes do not fit.
    pub fn write(&self, offset: u64, bytes: &[u8]) -> Result<(), Error> {
        copy_in(&self.block, offset, bytes)
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
