//! Host functions that steps call: routines that compute registers, and notifications of a
//! listener.

use crate::operand::{Source, VReg};
use crate::{B32, B64};
use std::fmt;
use std::sync::Arc;

/// A host function over registers of 32 lanes. It computes all lanes, and the call discards the
/// results of lanes that do not execute the step. Where it takes or returns 64 bits, a 32-bit
/// source is zero-extended, and a 32-bit result is the low half.
#[derive(Clone)]
pub enum Routine {
    /// A function of three 32-bit sources.
    B32(fn(&mut B32, &B32, &B32, &B32)),
    /// A function of three 64-bit sources.
    B64(fn(&mut B64, &B64, &B64, &B64)),
    /// A function of one 64-bit source with a 32-bit result.
    Narrow(fn(&mut B32, &B64)),
    /// A closure of four 64-bit sources.
    Closure(Arc<RoutineFn>),
    /// A test of two 64-bit sources, whose result is the mask of a predicate register.
    TestWide(fn(&B64, &B64) -> u32),
    /// Notifies the [`Listener`] instead of computing anything.
    Notify(Notification),
}

/// A notification that compiled code sends to the [`Listener`] (an observer of the kernel) when
/// lanes execute an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Notification {
    /// The number by which the listener knows the instruction.
    pub number: u32,
    /// The number of sources that are passed to the listener.
    pub sources: u8,
    /// For each source, whether it is passed as 32 bits.
    pub narrow: [bool; 4],
    /// If the step is an access whose cost is counted: how the code counts it. The first source is
    /// the base address.
    pub cost: Option<Cost>,
}

/// The cost of an access by the lanes of a warp, in passes over the banks of shared memory or in
/// sectors of global memory. The code counts the cost itself if the lanes of each half of the warp
/// have contiguous addresses or one address, and the two halves share no sector (unless they are
/// identical) or have no bank conflict with each other. It adds 1, the cost, and the lowest
/// possible cost of an access to that many distinct bytes to three counters
/// ([`crate::region::Inputs::counts`]). In all other cases the step notifies the listener.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    /// The number of the first of the three counters.
    pub counter: u32,
    /// Bytes that each lane accesses: a power of two up to 16. Addresses are aligned to it.
    pub bytes: u32,
    /// The offset that is added to the base address.
    pub offset: u32,
    /// A shift, and the value that addresses must have when shifted right by it, to belong to the
    /// state space.
    pub above: (u32, u32),
    /// The unit of cost: passes over 32 banks of 4 bytes if true, sectors of 32 bytes if false.
    pub banks: bool,
}

/// A source as it is passed to a listener.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaneValues<'a> {
    /// 32 bits in each lane.
    B32(&'a B32),
    /// 64 bits in each lane.
    B64(&'a B64),
}

/// Receives the notifications of steps ([`Routine::Notify`]) while a region runs.
pub trait Listener {
    /// The lanes of a warp execute step `number`. A panic aborts the process, because it cannot
    /// unwind through compiled code.
    fn notify(&mut self, number: u32, warp: u32, lanes: u32, sources: &[LaneValues<'_>]);
}

/// A closure over four sources of 64 bits.
pub type RoutineFn = dyn Fn(&mut B64, [&B64; 4]) + Send + Sync;

impl fmt::Debug for Routine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::B32(_) => "B32",
            Self::B64(_) => "B64",
            Self::Narrow(_) => "Narrow",
            Self::Closure(_) => "Closure",
            Self::TestWide(_) => "TestWide",
            Self::Notify(notification) => return notification.fmt(f),
        })
    }
}

impl Routine {
    /// The number of sources that the function takes.
    pub fn sources(&self) -> usize {
        match self {
            Self::Closure(_) => 4,
            Self::B32(_) | Self::B64(_) => 3,
            Self::TestWide(_) => 2,
            Self::Narrow(_) => 1,
            Self::Notify(notification) => usize::from(notification.sources.min(4)),
        }
    }
}

/// A call of a host function.
#[derive(Clone, Debug)]
pub struct Call {
    /// The function.
    pub routine: Routine,
    /// Destination register; `None` if there is no result.
    pub to: Option<VReg>,
    /// The mask of result bits that are kept; the other bits become zero.
    pub keep: u64,
    /// Sources; those that the function does not take are ignored.
    pub from: [Source; 4],
}
