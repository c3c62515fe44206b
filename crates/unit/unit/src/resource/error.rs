//! Errors of the construction of resources, textures and surfaces.

use texunit_forms::{Count, words};

words! {
    /// Errors that the CUDA runtime returns for refused descriptors; the numbers are those of
    /// `cudaError_t`.
    CudaError {
        InvalidValue(1) = "cudaErrorInvalidValue",
        InvalidFilterSetting(26) = "cudaErrorInvalidFilterSetting",
        InvalidNormSetting(27) = "cudaErrorInvalidNormSetting",
    }
}

/// Why a resource, texture or surface cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CreateError {
    /// An extent is 0 or exceeds the limit of the architecture.
    #[error("{what} is {value}, but must be {}", up_to(*.max))]
    Extent {
        /// The checked quantity: `width`, `height`, `depth` or `pitch`.
        what: &'static str,
        /// The given value.
        value: u64,
        /// Largest valid value.
        max: u64,
    },
    /// The base address or the pitch is not aligned (docs/numerics.md 12).
    #[error("the {what} {} is not a multiple of {}", number(what, *.value), Count(align, "byte"))]
    Alignment {
        /// The checked quantity: `base address` or `pitch`.
        what: &'static str,
        /// The given value.
        value: u64,
        /// Required alignment in bytes.
        align: u64,
    },
    /// A cube map whose faces are not square.
    #[error("faces of a cube are square, not {width} x {height}")]
    NotSquare {
        /// The given width.
        width: u32,
        /// The given height.
        height: u32,
    },
    /// The memory is smaller than the texels.
    #[error(
        "{} of texels do not fit into the {} of the memory",
        Count(needed, "byte"),
        Count(available, "byte")
    )]
    Memory {
        /// Size of the texels in bytes.
        needed: u64,
        /// Size of the memory in bytes.
        available: u64,
    },
    /// The CUDA runtime refuses the combination of properties (docs/numerics.md 8.1).
    #[error("{reason} ({code}, {})", *.code as u32)]
    Cuda {
        /// CUDA's error.
        code: CudaError,
        /// Description of the problem.
        reason: String,
    },
    /// Combination of properties is not valid for a reason that CUDA has no error of its own for.
    #[error("{0}")]
    Refused(String),
}

impl CreateError {
    /// The error that the CUDA runtime would return. It is `cudaErrorInvalidValue`, except for
    /// settings that have an error of their own.
    pub fn cuda(&self) -> CudaError {
        match self {
            CreateError::Cuda { code, .. } => *code,
            _ => CudaError::InvalidValue,
        }
    }
}

/// Formats a number for messages. Addresses are hexadecimal.
fn number(what: &str, value: u64) -> String {
    if what.ends_with("address") { format!("{value:#x}") } else { value.to_string() }
}

/// A range from 1 as text: `1` or `1 to 16384`.
fn up_to(max: u64) -> String {
    if max == 1 { "1".to_owned() } else { format!("1 to {max}") }
}
