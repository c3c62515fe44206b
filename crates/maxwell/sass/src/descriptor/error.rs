//! Why a descriptor cannot be used, or made.

use super::{Bits, Descriptor};
use texunit_forms::Count;
use texunit_unit::CreateError;

/// Why a descriptor does not become a resource or a sampler of the unit, or the other way round.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DescriptorError {
    /// A number that has no meaning. Fetches treat such a descriptor as invalid.
    #[error("{field}: the number {value:#x} has no meaning")]
    Undefined {
        /// The field.
        field: &'static str,
        /// What stands there.
        value: u32,
    },
    /// Something with a meaning that the unit does not have.
    #[error("{field} is {value}: {reason}")]
    Unsupported {
        /// The field.
        field: &'static str,
        /// What it says.
        value: String,
        /// Why not.
        reason: &'static str,
    },
    /// Something of the unit's for which a descriptor has no bits.
    #[error("{field}: {reason}")]
    Inexpressible {
        /// The field that would have to hold it.
        field: &'static str,
        /// Why it cannot.
        reason: String,
    },
    /// Texels or a descriptor outside of memory.
    #[error("the {} at {address:#x} {} not all in memory", Count(bytes, "byte"), Count(bytes, "byte").are())]
    Memory {
        /// First byte.
        address: u64,
        /// How many.
        bytes: u64,
    },
    /// More texels than are read.
    #[error("{} of texels are more than the {max} that are read", Count(bytes, "byte"))]
    TooLarge {
        /// How many.
        bytes: u64,
        /// Limit.
        max: u64,
    },
    /// The unit makes no such resource or texture.
    #[error(transparent)]
    Create(#[from] CreateError),
}

impl DescriptorError {
    /// Whether the descriptor as such is undefined, so that fetches return zeros.
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
