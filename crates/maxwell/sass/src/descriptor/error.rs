//! The errors of converting descriptors to resources and samplers of the texture unit, and of the
//! reverse conversion.

use super::{Bits, Descriptor};
use crate::memory::MemoryError;
use texunit_forms::Count;
use texunit_unit::CreateError;

/// The result of converting a descriptor.
pub type Result<T, E = DescriptorError> = std::result::Result<T, E>;

/// Why a descriptor cannot be converted to a resource or sampler of the texture unit, or the
/// reverse.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DescriptorError {
    /// A field has an undefined value. Fetches treat such a descriptor as invalid.
    #[error("{field}: the number {value:#x} has no meaning")]
    Undefined {
        /// Name of the descriptor's field.
        field: &'static str,
        /// Value of the field.
        value: u32,
    },
    /// A field has a defined value that the texture unit does not support.
    #[error("{field} is {value}: {reason}")]
    Unsupported {
        /// Name of the descriptor's field.
        field: &'static str,
        /// Meaning of the field's value.
        value: String,
        /// Why the texture unit does not support the value.
        reason: &'static str,
    },
    /// The texture unit supports something that a descriptor cannot express.
    #[error("{field}: {reason}")]
    Inexpressible {
        /// The descriptor's field that would have to express it.
        field: &'static str,
        /// Why the field cannot express it.
        reason: String,
    },
    /// Texels or a descriptor are outside of memory.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// The texels exceed the size limit.
    #[error("{} of texels are more than the {max} that are read", Count(bytes, "byte"))]
    TooLarge {
        /// Size of the texels in bytes.
        bytes: u64,
        /// The limit in bytes.
        max: u64,
    },
    /// The texture unit rejects the resource or texture.
    #[error(transparent)]
    Create(#[from] CreateError),
}

impl DescriptorError {
    /// Whether a field of the descriptor has an undefined value, so that fetches return zeros.
    pub fn is_undefined(&self) -> bool {
        matches!(self, Self::Undefined { .. })
    }

    pub(super) fn undefined(bits: &Bits, descriptor: &Descriptor) -> Self {
        Self::Undefined { field: bits.name, value: bits.get(descriptor) }
    }

    pub(super) fn unsupported(bits: &Bits, descriptor: &Descriptor, reason: &'static str) -> Self {
        Self::Unsupported { field: bits.name, value: bits.explain(descriptor), reason }
    }

    pub(super) fn inexpressible(bits: &Bits, reason: impl Into<String>) -> Self {
        Self::Inexpressible { field: bits.name, reason: reason.into() }
    }
}
