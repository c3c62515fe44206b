//! What is wrong with an array, an option or an operand: each variant says the rule that it breaks
//! (docs/python-conventions.md).

use crate::input::Dtype;
#[cfg(feature = "files")]
use texunit_files::FileError;
use texunit_forms::{CHANNELS, Count};
use texunit_unit::{AccessFault, CreateError, PlanError};

/// Whether an error is about the type of something or about its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// Python's `TypeError`.
    Type,
    /// Python's `ValueError`.
    Value,
    /// Python's `MemoryError`.
    Memory,
}

/// Why there is no texture, or no result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)]
pub enum SampleError {
    /// A12: elements that textures do not have.
    #[error(
        "texels of {found} are not texels of any texture, and nothing is narrowed silently: convert them, for example \
         `a.astype(numpy.{instead})`"
    )]
    TexelType { found: Dtype, instead: Dtype },
    /// An operand of another type than it has to be.
    #[error("{what} of {found}: {rule}")]
    OperandType { what: &'static str, found: Dtype, rule: &'static str },
    /// An operand that has to be there, or must not be.
    #[error("{0}")]
    Operand(String),
    /// A word in two forms, or one that does not go with another.
    #[error("{0}")]
    Option(String),
    /// A word that an option does not have.
    #[error("{option}: expected {expected}, found `{found}`")]
    Word { option: &'static str, found: String, expected: String },
    /// A6.
    #[error(
        "the array of shape {shape} has 3 channels: texels have {CHANNELS}, or make layers of one channel each, \
         `numpy.moveaxis(a, -1, 0)` with layered=True"
    )]
    ThreeChannels { shape: String },
    /// An array whose shape is none of a texture.
    #[error("an array of shape {shape}: {rule}")]
    Shape { shape: String, rule: String },
    /// Operands that do not broadcast.
    #[error(
        "{what} of shape {shape} does not broadcast with {others}, the shape of the other operands"
    )]
    Broadcast { what: &'static str, shape: String, others: String },
    /// C3: a coordinate that float32 does not hold, under `strict`.
    #[error(
        "{what} {value:?} is not a float32, and strict is asked for: convert it, or leave strict out"
    )]
    Inexact { what: &'static str, value: f64 },
    /// A value that an operand cannot have.
    #[error("{what} {value}: {rule}")]
    Range { what: &'static str, value: i128, rule: &'static str },
    /// R7.
    #[error("out has {}, but the results take {needed}", Count(found, "byte"))]
    Out { found: usize, needed: usize },
    /// An array whose strides lead out of its memory.
    #[error("the strides of an array lead out of its {} of memory", Count(.0, "byte"))]
    Memory(usize),
    /// There is not so much memory for what sizes ask for.
    #[error("{} of memory cannot be had", Count(.0, "byte"))]
    Room(u64),
    /// A16: memory that a texture cannot share.
    #[error(
        "{0}: the texture cannot share the array's memory (copy=False); copy=None copies where it has to"
    )]
    NotShared(String),
    /// What the CUDA runtime refuses.
    #[error(transparent)]
    Create(#[from] CreateError),
    /// What has no defined answer.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A surface access outside.
    #[error("access {index}: {fault}")]
    Access { index: usize, fault: AccessFault },
    /// A file that cannot be read.
    #[cfg(feature = "files")]
    #[error(transparent)]
    File(#[from] FileError),
}

impl SampleError {
    /// Which of Python's errors it is.
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

/// `(2, 3)`, `(2,)`
pub(crate) fn shape_text(shape: &[usize]) -> String {
    let axes: Vec<String> = shape.iter().map(usize::to_string).collect();
    format!("({}{})", axes.join(", "), if axes.len() == 1 { "," } else { "" })
}
