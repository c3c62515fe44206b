//! Machine code for warps of 32 lanes.
//!
//! A [`region::Region`] is a graph of blocks of operations on registers of 32 lanes, and accesses to memory;
//! [`region::compile`] makes a [`region::Function`] of it, for AVX-512 or AVX2, which [`region::Running::run`] runs on
//! the register files of a warp. Nothing here knows PTX: what an operation gives is said at [`Op`], [`Test`] and
//! [`region::Action`], and that is what an interpreter of the same operations gives, on every bit.

#[cfg(all(feature = "jit", target_arch = "x86_64"))]
#[cfg_attr(not(unix), path = "mapping.rs")]
mod arena;
#[cfg(all(feature = "jit", target_arch = "x86_64"))]
mod compiled;
#[cfg(all(feature = "jit", target_arch = "x86_64"))]
mod emit;
#[cfg(all(feature = "jit", target_arch = "x86_64"))]
mod links;
#[cfg_attr(
    not(all(feature = "jit", target_arch = "x86_64")),
    allow(dead_code, reason = "what machine code works with, where there is some")
)]
mod machine;
#[cfg(all(feature = "jit", target_arch = "x86_64"))]
mod routine;
#[cfg(all(feature = "jit", target_arch = "x86_64"))]
mod series;

mod op;
mod operand;
pub mod region;
#[cfg(all(feature = "jit", target_arch = "x86_64"))]
pub mod text;
#[cfg(not(all(feature = "jit", target_arch = "x86_64")))]
mod unsupported_target;

pub use op::{Float, Op, Rounding};
pub use operand::{Combine, Place, Predicate, Relation, Source, Test};

/// A register of 32 lanes of 32 bits.
pub type Narrow = [u32; 32];
/// A register of 32 lanes of 64 bits.
pub type Wide = [u64; 32];

/// What a warp brings along.
#[derive(Debug)]
pub struct Registers<'a> {
    /// Registers of 32-bit lanes.
    pub narrow: &'a mut [Narrow],
    /// Registers of 64-bit lanes.
    pub wide: &'a mut [Wide],
    /// A bit for each lane.
    pub predicates: &'a mut [u32],
    /// Lanes that differ; they are only read.
    pub rows: &'a [Narrow],
}

/// Why a region has no code. It can be interpreted all the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// The processor does not have the instructions, or is of another kind.
    Processor,
    /// A register has a number that no region needs.
    TooFar(Place),
    /// The same of an input.
    InputTooFar(Source),
    /// A counter has a number that no region needs.
    Counter(u32),
    /// A place in the frame or in the parameters is too far away.
    Offset(u64),
    /// A block of a region goes on where there is none.
    Target(u32),
    /// A site that is not there, or that two accesses have.
    Site(u32),
    /// A region, or one of its steps, is larger than code is made for.
    Size,
    /// An operation and the kinds of its operands do not go together.
    Operands(usize),
    /// The system gives no executable memory.
    Memory(String),
    /// An instruction could not be encoded.
    Encoding(String),
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Processor => write!(f, "the processor does not have the instructions"),
            Self::TooFar(place) => write!(f, "{place:?} is too far away"),
            Self::InputTooFar(source) => write!(f, "{source:?} is too far away"),
            Self::Counter(i) => write!(f, "counter {i} is too far away"),
            Self::Offset(offset) => write!(f, "offset {offset} is too far away"),
            Self::Site(i) => write!(f, "site {i} is not there, or of two accesses"),
            Self::Target(i) => write!(f, "there is no block {i}"),
            Self::Size => write!(f, "more than code is made for"),
            Self::Operands(step) => write!(f, "step {step} has operands of the wrong kinds"),
            Self::Memory(why) => write!(f, "no executable memory: {why}"),
            Self::Encoding(why) => write!(f, "an instruction cannot be encoded: {why}"),
        }
    }
}

impl std::error::Error for Error {}
