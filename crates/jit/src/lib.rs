//! Machine code for straight-line arithmetic on warps of 32 lanes.
//!
//! A [`Block`] is a list of operations on registers of 32 lanes; [`compile`] makes a [`Function`] of
//! it, for AVX-512 or AVX2, which [`Call::run`] runs on the register files of a warp. Nothing here
//! knows PTX: what an operation gives is said at [`Op`], [`Test`] and [`Action`], and that is what
//! an interpreter of the same operations gives, on every bit.
//!
//! A block is emitted for each part of the lanes: twice for AVX-512, where 16 lanes fill a vector
//! register, and four times for AVX2. Within a part, each register is loaded at its first use, lives in a vector
//! register as long as it is needed, and is stored once if anything behind the block reads it.

mod block;
#[cfg(target_arch = "x86_64")]
mod compiled;
#[cfg(target_arch = "x86_64")]
mod emit;
#[cfg(target_arch = "x86_64")]
mod function;
#[cfg(target_arch = "x86_64")]
mod limits;
mod machine;
#[cfg(target_arch = "x86_64")]
mod routine;
#[cfg(target_arch = "x86_64")]
mod straight;
#[cfg(target_arch = "x86_64")]
mod uses;

#[cfg(not(target_arch = "x86_64"))]
mod nowhere;
mod op;
pub mod region;

pub use block::{Action, Block, Combine, Place, Predicate, Relation, Source, Step, Test};
#[cfg(target_arch = "x86_64")]
pub use function::{Call, Function, compile};
#[cfg(target_arch = "x86_64")]
use limits::Limits;
#[cfg(not(target_arch = "x86_64"))]
pub use nowhere::{Call, Function, compile};
pub use op::{Float, Op, Rounding};

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

/// What is only read, and the same for many warps.
#[derive(Clone, Copy, Debug)]
pub struct Inputs<'a> {
    /// Numbers, each the same in all lanes.
    pub constants: &'a [Narrow],
    /// Numbers of 64 bits, each the same in all lanes.
    pub wide_constants: &'a [Wide],
    /// Numbers.
    pub words: &'a [u32],
    /// Parameters.
    pub bytes: &'a [u8],
}

/// Which lanes run a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lanes {
    /// All lanes that anybody will ever read: what the others hold may be overwritten.
    Live(u32),
    /// Some of them: the other lanes keep what they hold.
    Some(u32),
}

/// Why a block has no code. It can be interpreted all the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// The processor does not have the instructions, or is of another kind.
    Processor,
    /// A register or an input has a number that no block needs.
    TooFar(Place),
    /// The same of an input.
    InputTooFar(Source),
    /// More predicates than a function has room for.
    Predicates,
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
            Self::Predicates => write!(f, "more predicates than a function has room for"),
            Self::Operands(step) => write!(f, "step {step} has operands of the wrong kinds"),
            Self::Memory(why) => write!(f, "no executable memory: {why}"),
            Self::Encoding(why) => write!(f, "an instruction cannot be encoded: {why}"),
        }
    }
}

impl std::error::Error for Error {}
