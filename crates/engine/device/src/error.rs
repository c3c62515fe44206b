//! Errors of creating and using objects of a device.

use crate::capability::ComputeCapability;
use texunit_forms::Count;
use texunit_memory::{AddressError, AllocError, Block, FreedBlock, OutOfBounds, PlacementError};
use texunit_unit::CreateError;

/// Why an object cannot be created or used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An allocation has failed.
    #[error("cannot allocate `{name}`: {source}")]
    Memory {
        /// The name of the object.
        name: String,
        /// Why the allocation has failed.
        source: AllocError,
    },
    /// A resource, texture or surface that the CUDA runtime would refuse.
    #[error(transparent)]
    Create(#[from] CreateError),
    /// A size exceeds the architecture's limit, or is zero.
    #[error("{}", limit_text(.name, .measure, *.value, *.most, .attribute, *.architecture))]
    Limit {
        /// The name of the object.
        name: String,
        /// The size that is too large: `width`, `number of layers` and so on.
        measure: &'static str,
        /// The requested size.
        value: u64,
        /// The maximum; 0 if the architecture has no such object.
        most: u64,
        /// The name of the limit after `CU_DEVICE_ATTRIBUTE_MAXIMUM_`.
        attribute: &'static str,
        /// The architecture that has this limit.
        architecture: ComputeCapability,
        /// An architecture whose limit is large enough.
        enough: Option<ComputeCapability>,
    },
    /// Every slot of a descriptor table is taken.
    #[error("the device has no room for another {kind}: all {limit} are in use")]
    TooMany {
        /// The kind of descriptor: `texture`, `sampler` or `surface`.
        kind: &'static str,
        /// The number of slots of the table.
        limit: usize,
    },
    /// A copy past the end of an object.
    #[error(
        "{} at offset {offset} do not fit into `{name}` of {}",
        Count(len, "byte"),
        Count(size, "byte")
    )]
    CopyOutside {
        /// The name of the object.
        name: String,
        /// Offset of the first byte.
        offset: u64,
        /// Number of bytes to be copied.
        len: u64,
        /// Size of the object in bytes.
        size: u64,
    },
    /// A device address that is in no allocation.
    #[error(transparent)]
    Address(#[from] AddressError),
    /// Memory that has been freed or unmapped.
    #[error("{0}")]
    Freed(FreedBlock),
    /// A copy to read-only memory.
    #[error("`{0}` may only be read")]
    ReadOnly(String),
    /// A requested address or handle that is already in use.
    #[error("`{name}` cannot be where it was: {reason}")]
    Taken {
        /// The name of the object.
        name: String,
        /// What uses the address or handle.
        reason: String,
    },
    /// A name that the module does not declare.
    #[error("the module has no {kind} `{name}`")]
    Unknown {
        /// The kind of name: `.texref`, `.samplerref`, `.surfref` or `variable`.
        kind: &'static str,
        /// The unknown name.
        name: String,
    },
    /// An attempt to resize the heap after a kernel that uses it has been launched.
    #[error("the size of the device heap cannot change: a kernel that uses it has been launched")]
    HeapInUse,
    /// An object of another device in a call.
    #[error("`{0}` belongs to another device")]
    OtherDevice(String),
}

impl Error {
    /// The error of memory called `name` that cannot be placed at a given address.
    pub(crate) fn placement(name: &str, error: PlacementError) -> Self {
        let name = name.to_owned();
        match error {
            PlacementError::Alloc(source) => Self::Memory { name, source },
            PlacementError::Taken(error) => Self::Taken { name, reason: error.to_string() },
        }
    }

    /// The error of a copy beyond the bytes of a block.
    pub(crate) fn outside(block: &Block, error: OutOfBounds) -> Self {
        let OutOfBounds { offset, len, size } = error;
        Self::CopyOutside { name: block.name().to_owned(), offset, len, size }
    }
}

fn limit_text(
    name: &str,
    measure: &str,
    value: u64,
    most: u64,
    attribute: &str,
    architecture: ComputeCapability,
) -> String {
    let limit = format!("CU_DEVICE_ATTRIBUTE_MAXIMUM_{attribute}");
    match most {
        0 => format!("{architecture} has no such object as `{name}` ({limit} is 0)"),
        _ => format!(
            "the {measure} of `{name}` is {value}, but must be 1 to {most} on {architecture} \
             ({limit})"
        ),
    }
}
