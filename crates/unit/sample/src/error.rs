//! Errors in arrays, options and operands. Each variant names the rule that was broken
//! (docs/python-conventions.md).

#[cfg(feature = "files")]
use texunit_files::FileError;
use texunit_forms::{CHANNELS, Count};
use texunit_texel::Dtype;
use texunit_unit::{AccessFault, CreateError, PlanError};

/// The Python exception class to which an error is mapped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The error becomes Python's `TypeError`.
    Type,
    /// The error becomes Python's `ValueError`.
    Value,
    /// The error becomes Python's `MemoryError`.
    Memory,
}

/// Result of creating a texture, or of executing its fetches and surface accesses.
pub type Result<T, E = SampleError> = std::result::Result<T, E>;

/// Why a texture could not be made, or a fetch or surface access could not be executed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)]
pub enum SampleError {
    /// Rule A12: textures have no texels of this element type.
    #[error(
        "texels of {found} are not texels of any texture, and nothing is narrowed silently: convert them, for example \
         `a.astype(numpy.{instead})`"
    )]
    TexelType { found: Dtype, instead: Dtype },
    /// An operand has the wrong type.
    #[error("{what} of {found}: {rule}")]
    OperandType { what: &'static str, found: Dtype, rule: &'static str },
    /// A required operand is missing, or an operand is given that the texture or instruction does
    /// not take.
    #[error("{0}")]
    Operand(String),
    /// An option is given under both of its names, or conflicts with another option.
    #[error("{0}")]
    Option(String),
    /// An invalid value of an option.
    #[error("{option}: expected {expected}, found `{found}`")]
    Word { option: &'static str, found: String, expected: String },
    /// Rule A6: the array has three channels, which textures do not have.
    #[error(
        "the array of shape {shape} has 3 channels: texels have {CHANNELS}, or make layers of one channel each, \
         `numpy.moveaxis(a, -1, 0)` with layered=True"
    )]
    ThreeChannels { shape: String },
    /// The shape of an array is not that of a texture.
    #[error("an array of shape {shape}: {rule}")]
    Shape { shape: String, rule: String },
    /// The shapes of operands do not broadcast.
    #[error(
        "{what} of shape {shape} does not broadcast with {others}, the shape of the other operands"
    )]
    Broadcast { what: &'static str, shape: String, others: String },
    /// Rule C3: with `strict`, a coordinate is not exactly a float32.
    #[error(
        "{what} {value:?} is not a float32, and strict is asked for: convert it, or leave strict out"
    )]
    Inexact { what: &'static str, value: f64 },
    /// A value out of the range of its operand.
    #[error("{what} {value}: {rule}")]
    Range { what: &'static str, value: i128, rule: &'static str },
    /// Rule R7: the output array has the wrong size.
    #[error("out has {}, but the results take {needed}", Count(found, "byte"))]
    Out { found: usize, needed: usize },
    /// The strides of an array lead outside its memory.
    #[error("the strides of an array lead out of its {} of memory", Count(.0, "byte"))]
    Memory(usize),
    /// Not enough memory for an array or texture of this number of bytes.
    #[error("{} of memory cannot be had", Count(.0, "byte"))]
    Room(u64),
    /// Rule A16: the texture cannot share the array's memory.
    #[error(
        "{0}: the texture cannot share the array's memory (copy=False); copy=None copies where it has to"
    )]
    NotShared(String),
    /// The CUDA runtime would refuse to create the texture.
    #[error(transparent)]
    Create(#[from] CreateError),
    /// The result of the fetch is undefined.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A surface access is outside the surface.
    #[error("access {index}: {fault}")]
    Access { index: usize, fault: AccessFault },
    /// A file cannot be read.
    #[cfg(feature = "files")]
    #[error(transparent)]
    File(#[from] FileError),
    /// The texels of a file do not fit the requested texture.
    #[cfg(feature = "files")]
    #[error("{0}")]
    Texels(String),
}

impl SampleError {
    /// The Python exception class to which this error is mapped.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::TexelType { .. }
            | Self::OperandType { .. }
            | Self::Operand(_)
            | Self::Option(_) => ErrorKind::Type,
            Self::Room(_) => ErrorKind::Memory,
            #[cfg(feature = "files")]
            Self::File(file) if file.is_out_of_memory() => ErrorKind::Memory,
            _ => ErrorKind::Value,
        }
    }
}

/// A shape in Python's notation, such as `(2, 3)` or `(2,)`.
pub(crate) fn shape_text(shape: &[usize]) -> String {
    let axes: Vec<String> = shape.iter().map(usize::to_string).collect();
    format!("({}{})", axes.join(", "), if axes.len() == 1 { "," } else { "" })
}
