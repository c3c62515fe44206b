//! Why an object of a device cannot be made or used.

use crate::capability::ComputeCapability;
use texunit_forms::Count;
use texunit_memory::{AddressError, AllocError, EndedMemory};
use texunit_unit::CreateError;

/// Why an object cannot be made or used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No memory.
    #[error("cannot allocate `{name}`: {source}")]
    Memory {
        /// What was to be allocated.
        name: String,
        /// Why not.
        source: AllocError,
    },
    /// A resource, texture or surface that the CUDA runtime would refuse.
    #[error(transparent)]
    Create(#[from] CreateError),
    /// Larger than the architecture allows, or empty.
    #[error("{}", limit_text(.name, .measure, *.value, *.most, .attribute, *.architecture))]
    Limit {
        /// What was to be made.
        name: String,
        /// `width`, `number of layers` and so on.
        measure: &'static str,
        /// As given.
        value: u64,
        /// Most that there can be; 0: there are none at all.
        most: u64,
        /// Name of the limit, after `CU_DEVICE_ATTRIBUTE_MAXIMUM_`.
        attribute: &'static str,
        /// Whose limit it is.
        architecture: ComputeCapability,
        /// An architecture that has room for it.
        enough: Option<ComputeCapability>,
    },
    /// Every slot of a descriptor table is taken.
    #[error("the device has no room for another {kind}: all {limit} are in use")]
    TooMany {
        /// `texture`, `sampler`, `surface`.
        kind: &'static str,
        /// How many a handle can name.
        limit: usize,
    },
    /// A copy past the end of an object.
    #[error(
        "{} at offset {offset} do not fit into `{name}` of {}",
        Count(len, "byte"),
        Count(size, "byte")
    )]
    CopyOutside {
        /// The object.
        name: String,
        /// First byte.
        offset: u64,
        /// Bytes to be copied.
        len: u64,
        /// Size of the object in bytes.
        size: u64,
    },
    /// A device address where nothing is.
    #[error(transparent)]
    Address(#[from] AddressError),
    /// Memory that was freed, or is not there any more.
    #[error("{0}")]
    Ended(EndedMemory),
    /// A copy into memory that may only be read.
    #[error("`{0}` may only be read")]
    ReadOnly(String),
    /// A place that was asked for and that something else has.
    #[error("`{name}` cannot be where it was: {reason}")]
    Taken {
        /// What was to be made.
        name: String,
        /// What is there.
        reason: String,
    },
    /// A name that the module does not declare.
    #[error("the module has no {kind} `{name}`")]
    Unknown {
        /// `.texref`, `.samplerref`, `.surfref`, `variable`.
        kind: &'static str,
        /// The name.
        name: String,
    },
    /// A new size for a heap that kernels use already.
    #[error("the size of the device heap cannot change: a kernel that uses it has been launched")]
    HeapInUse,
    /// Objects of two devices in one call.
    #[error("`{0}` belongs to another device")]
    OtherDevice(String),
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
