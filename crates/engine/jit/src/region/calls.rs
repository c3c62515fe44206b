//! Host functions that steps call.

use crate::operand::{Place, Source};
use crate::{B32, B64};
use std::fmt;
use std::sync::Arc;

/// A host function over registers of 32 lanes. It computes all lanes, and the call discards those that do not execute
/// the step. Where it takes or returns 64 bits, a 32-bit source is zero-extended, and a 32-bit result is the low half.
#[derive(Clone)]
pub enum Routine {
    /// On 32 bits.
    B32(fn(&mut B32, &B32, &B32, &B32)),
    /// On 64 bits.
    B64(fn(&mut B64, &B64, &B64, &B64)),
    /// From 64 bits to 32 bits.
    Cut(fn(&mut B32, &B64)),
    /// A closure over 64 bits.
    Data(Arc<Rows>),
    /// A test of 64 bits: the mask of a predicate.
    TestWide(fn(&B64, &B64) -> u32),
    /// No function: the step notifies the [`Listener`].
    Tell(Tell),
}

/// A notification of a listener.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tell {
    /// Identifies the step for the listener.
    pub number: u32,
    /// How many sources are passed.
    pub rows: u8,
    /// Which sources are passed as 32 bits.
    pub narrow: [bool; 4],
    /// The first source is the base of an access whose cost the code itself counts where it has a closed form.
    pub cost: Option<Cost>,
}

/// The cost of an access of 32 lanes, as counted by the code: where the lanes of each half of the warp are contiguous or have one
/// address, and the halves do not share sectors unless they are the same, or have no banks in common that they need twice. Three
/// counters ([`crate::region::Inputs::counts`]) get 1, the cost, and the least cost of as many different bytes. In all other
/// cases the step notifies the listener.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    /// The first of the counters.
    pub counter: u32,
    /// Bytes of a lane: a power of two up to 16, to which addresses are aligned.
    pub bytes: u32,
    /// Added to the base.
    pub offset: u32,
    /// The bits of addresses above this number of bits, and what they must be.
    pub above: (u32, u32),
    /// What costs: passes over 32 banks of 4 bytes, or else sectors of 32 bytes.
    pub banks: bool,
}

/// A source that is passed to a listener.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Row<'a> {
    /// Of 32 bits.
    B32(&'a B32),
    /// Of 64 bits.
    B64(&'a B64),
}

/// Receives the notifications of steps ([`Routine::Tell`]) while a region runs.
pub trait Listener {
    /// The lanes of a warp execute step `number`. A panic aborts the process, because it cannot unwind through compiled
    /// code.
    fn hear(&mut self, number: u32, warp: u32, lanes: u32, rows: &[Row<'_>]);
}

/// A closure over four sources of 64 bits.
pub type Rows = dyn Fn(&mut B64, [&B64; 4]) + Send + Sync;

impl fmt::Debug for Routine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::B32(_) => "B32",
            Self::B64(_) => "B64",
            Self::Cut(_) => "Cut",
            Self::Data(_) => "Data",
            Self::TestWide(_) => "TestWide",
            Self::Tell(tell) => return tell.fmt(f),
        })
    }
}

impl Routine {
    /// Number of sources.
    pub fn sources(&self) -> usize {
        match self {
            Self::Data(_) => 4,
            Self::B32(_) | Self::B64(_) => 3,
            Self::TestWide(_) => 2,
            Self::Cut(_) => 1,
            Self::Tell(tell) => usize::from(tell.rows.min(4)),
        }
    }
}

/// A call of a host function.
#[derive(Clone, Debug)]
pub struct Call {
    /// The function.
    pub routine: Routine,
    /// Destination.
    pub to: Option<Place>,
    /// Bits of the result that are kept.
    pub keep: u64,
    /// Sources; those beyond the function's number are ignored.
    pub from: [Source; 4],
}
