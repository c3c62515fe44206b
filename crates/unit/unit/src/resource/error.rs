//! Why there is no such resource, texture or surface.

use texunit_forms::Count;

/// Errors of the CUDA runtime that refused descriptors give.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum CudaError {
    InvalidValue,
    InvalidFilterSetting,
    InvalidNormSetting,
}

impl CudaError {
    /// Number and name.
    fn row(self) -> (u32, &'static str) {
        match self {
            CudaError::InvalidValue => (1, "cudaErrorInvalidValue"),
            CudaError::InvalidFilterSetting => (26, "cudaErrorInvalidFilterSetting"),
            CudaError::InvalidNormSetting => (27, "cudaErrorInvalidNormSetting"),
        }
    }

    /// `cudaError_t`
    pub fn number(self) -> u32 {
        self.row().0
    }

    /// `cudaErrorInvalidValue`
    pub fn name(self) -> &'static str {
        self.row().1
    }
}

impl std::fmt::Display for CudaError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}, {}", self.name(), self.number())
    }
}

/// Why a resource, texture or surface cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CreateError {
    /// An extent of zero, or past the limits of the architecture.
    #[error("{what} is {value}, but must be {}", up_to(*.max))]
    Extent {
        /// `width`, `height`, `depth` or `pitch`.
        what: &'static str,
        /// As given.
        value: u64,
        /// Largest value possible.
        max: u64,
    },
    /// The first texel is not aligned (docs/numerics.md 12).
    #[error("the {what} {} is not a multiple of {}", number(what, *.value), Count(align, "byte"))]
    Alignment {
        /// `base address`, `pitch`.
        what: &'static str,
        /// As given.
        value: u64,
        /// Multiple wanted.
        align: u64,
    },
    /// A cube map whose faces are not square.
    #[error("faces of a cube are square, not {width} x {height}")]
    NotSquare {
        /// As given.
        width: u32,
        /// As given.
        height: u32,
    },
    /// The memory is smaller than the texels.
    #[error(
        "{} of texels do not fit into the {} of the memory",
        Count(needed, "byte"),
        Count(available, "byte")
    )]
    Memory {
        /// Bytes that the extent takes.
        needed: u64,
        /// Bytes there.
        available: u64,
    },
    /// A combination that the CUDA runtime refuses (docs/numerics.md 8.1), and how it calls that.
    #[error("{reason} ({code})")]
    Cuda {
        /// CUDA's error.
        code: CudaError,
        /// What is wrong.
        reason: String,
    },
    /// Another combination that has no meaning.
    #[error("{0}")]
    Refused(String),
}

impl CreateError {
    /// What the CUDA runtime would return: `cudaErrorInvalidValue` but for the settings that have
    /// an error of their own.
    pub fn cuda(&self) -> CudaError {
        match self {
            CreateError::Cuda { code, .. } => *code,
            _ => CudaError::InvalidValue,
        }
    }
}

/// Addresses are hexadecimal, as everywhere.
fn number(what: &str, value: u64) -> String {
    if what.ends_with("address") { format!("{value:#x}") } else { value.to_string() }
}

/// `1`, `1 to 16384`
fn up_to(max: u64) -> String {
    if max == 1 { "1".to_owned() } else { format!("1 to {max}") }
}
