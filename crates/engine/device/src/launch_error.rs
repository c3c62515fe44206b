//! Why a launch is refused, or has failed.

use crate::error::Error;
use texunit_forms::Count;
use texunit_simt::{Fault, LaunchStats};
use texunit_syntax::Diagnostic;

/// The statistics of a launch, or why there are none.
pub(crate) type LaunchResult = Result<LaunchStats, LaunchError>;

/// Arguments or sizes that are invalid for a launch.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ArgError {
    /// A grid or block dimension that is 0 or too large.
    #[error("{what} {axis} is {value}, but must be 1 to {max}")]
    Dimension {
        /// `grid` or `block`.
        what: &'static str,
        /// The axis: `x`, `y` or `z`.
        axis: char,
        /// The requested dimension.
        value: u32,
        /// The maximum of this dimension.
        max: u32,
    },
    /// A range of CTAs that is not in the grid, or a part of a launch whose CTAs must all run.
    #[error("{0}")]
    Ctas(String),
    /// Cluster dimensions that do not divide the grid, or that differ from the kernel's.
    #[error("{0}")]
    Cluster(String),
    /// A block with too many threads, or another block size than the kernel requires.
    #[error("{0}")]
    Block(String),
    /// A CTA needs more shared memory than it can have.
    #[error("{} of shared memory are more than the {max} of a CTA", Count(size, "byte"))]
    Shared {
        /// Bytes of static and dynamic shared memory.
        size: u64,
        /// The maximum number of bytes.
        max: u64,
    },
    /// A cooperative launch has more CTAs than can run at the same time.
    #[error(
        "{} cannot run at the same time, but at most {max} can of this kernel",
        Count(ctas, "CTA")
    )]
    CooperativeLaunchTooLarge {
        /// Number of CTAs in the grid.
        ctas: u64,
        /// The maximum number of CTAs.
        max: u64,
    },
    /// The device heap or the workspace of a cooperative launch does not fit into device memory.
    #[error(transparent)]
    Memory(#[from] Error),
    /// The launch needs more local memory than the device has left.
    #[error(
        "{} need {} of local memory each, {} in all, but the device has {available} left", Count(threads, "thread"), Count(each, "byte"), .each.saturating_mul(*.threads))]
    LocalMemory {
        /// Bytes of local memory per thread.
        each: u64,
        /// Number of threads that must run at the same time: those of a CTA, or of a cooperative
        /// grid.
        threads: u64,
        /// Bytes that are left.
        available: u64,
    },
    /// The number of arguments is wrong.
    #[error(
        "{} {} given, but the kernel has {}",
        Count(given, "argument"),
        Count(given, "argument").are(),
        Count(wanted, "parameter")
    )]
    Count {
        /// The number of arguments.
        given: usize,
        /// The number of parameters.
        wanted: usize,
    },
    /// The size of the parameter buffer is wrong.
    #[error("{} of parameters {} given, but the kernel has {wanted}", Count(given, "byte"), Count(given, "byte").are())]
    PackedSize {
        /// Bytes of the buffer.
        given: usize,
        /// Bytes of the kernel's parameters.
        wanted: u32,
    },
    /// An argument has another type than its parameter.
    #[error("parameter `{param}` was given {given}")]
    Type {
        /// The parameter's declaration.
        param: String,
        /// A description of the argument.
        given: String,
    },
    /// An argument is an object of another device.
    #[error("the object for parameter `{param}` belongs to another device")]
    OtherDevice {
        /// The parameter's declaration.
        param: String,
    },
}

/// Why a launch has failed.
#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    /// Invalid arguments; nothing has run.
    #[error(transparent)]
    Args(#[from] ArgError),
    /// The kernel contains instructions that are not supported, which are all listed; nothing has
    /// run.
    #[error("the kernel contains {} that texunit does not execute", Count(.0.len(), "instruction"))]
    Unsupported(Vec<Diagnostic>),
    /// A fault occurred in the kernel.
    #[error("{}", .0.kind)]
    Fault(Box<Fault>),
}

impl LaunchError {
    /// Statistics of the launch up to the fault; `None` if nothing has run.
    pub fn stats(&self) -> Option<&LaunchStats> {
        match self {
            Self::Fault(fault) => Some(&fault.stats),
            Self::Args(_) | Self::Unsupported(_) => None,
        }
    }
}
