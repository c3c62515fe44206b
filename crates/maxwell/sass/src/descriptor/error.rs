//! The errors of converting descriptors to resources and samplers of the unit, and back.

use super::{Bits, Descriptor};
use texunit_forms::Count;
use texunit_unit::CreateError;

/// Why a descriptor cannot be converted to a resource or sampler of the unit, or the reverse.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DescriptorError {
    /// A field has an undefined value. Fetches treat such a descriptor as invalid.
    #[error("{field}: the number {value:#x} has no meaning")]
    Undefined {
        /// The field.
        field: &'static str,
        /// The value.
        value: u32,
    },
    /// A field has a defined value that the unit does not support.
    #[error("{field} is {value}: {reason}")]
    Unsupported {
        /// The field.
        field: &'static str,
        /// The meaning of the value.
        value: String,
        /// The reason.
        reason: &'static str,
    },
    /// The unit supports something that a descriptor cannot express.
    #[error("{field}: {reason}")]
    Inexpressible {
        /// The field that would have to express it.
        field: &'static str,
        /// The reason.
        reason: String,
    },
    /// Texels or a descriptor are outside of memory.
    #[error("the {} at {address:#x} {} not all in memory", Count(bytes, "byte"), Count(bytes, "byte").are())]
    Memory {
        /// The first byte.
        address: u64,
        /// Number of bytes.
        bytes: u64,
    },
    /// The texels exceed the size limit.
    #[error("{} of texels are more than the {max} that are read", Count(bytes, "byte"))]
    TooLarge {
        /// Size of the texels in bytes.
        bytes: u64,
        /// The limit in bytes.
        max: u64,
    },
    /// The unit rejects the resource or texture.
    #[error(transparent)]
    Create(#[from] CreateError),
}

impl DescriptorError {
    /// Whether the descriptor itself is undefined, so that fetches return zeros.
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
