//! A mark: an operation in marked code that notifies an observer of another operation.

use super::{Events, MbarrierAction, Order};
use texunit_alu::L64;

/// A mark and the operation that it reports.
#[derive(Clone, Debug)]
pub(crate) struct Mark {
    /// Event kinds that the mark reports.
    pub(crate) reports: Events,
    /// Index of the reported operation in the marked code.
    pub(crate) target: u32,
    /// Number of the reported operation in the program's code.
    pub(crate) op: u32,
    /// Whether the mark follows the reported operation.
    pub(crate) after: bool,
    /// Memory order of the instruction.
    pub(crate) order: Order,
    /// Whether the observer only adds up costs ([`Events::COSTS`]).
    pub(crate) sums_costs: bool,
    /// Counters of the access's cost (`AccessCost::counter`).
    pub(crate) cost: Option<u32>,
    /// The synchronisation of a fence or copy-group instruction, which has no operation of its own.
    pub(crate) fence: Option<Synchronization<'static>>,
}

/// A synchronisation event.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Synchronization<'a> {
    /// `bar`, `barrier`: lanes arrive.
    Arrives {
        /// Number of the barrier.
        barrier: u32,
        /// Number of participating threads as written; `None`: all threads of the CTA.
        threads: Option<u32>,
        /// Whether the lanes wait, or continue immediately (`.arrive`).
        waits: bool,
        /// Whether some of the lanes had waited at a reconvergence point and were released because
        /// other lanes of the warp did not arrive for a long time, for example because these wait
        /// for another CTA. On a GPU the lanes would arrive at the barrier together.
        released_early: bool,
    },
    /// The barrier is complete, and these lanes continue. All waiting lanes are reported in
    /// succession, without any other event of the CTA in between.
    Passes {
        /// Number of the barrier.
        barrier: u32,
    },
    /// Lanes arrive at a `.sync` instruction (`bar.warp.sync`, `shfl.sync` and so on) with this
    /// member mask.
    Joins {
        /// The member mask.
        members: u32,
    },
    /// All member lanes have arrived and continue together.
    Joined,
    /// The lanes arrive at the barrier of the cluster (`barrier.cluster.arrive`).
    ClusterArrives,
    /// `barrier.cluster.wait`: all threads of the cluster have arrived, and these lanes continue.
    ClusterPasses,
    /// A memory fence (`fence`, `membar`), with its order.
    Fence(Order),
    /// The lanes commit their asynchronous copies as a group (`cp.async.commit_group`).
    CommitsCopies,
    /// `cp.async.wait_group`: lanes wait for all groups except the last `but`. `.wait_all`: for all
    /// copies, including those in no group.
    WaitsForCopies {
        /// Number of groups that are not waited for; `None`: `.wait_all`.
        but: Option<u32>,
    },
    /// An mbarrier instruction has been executed.
    Mbarrier {
        /// Operation of the instruction.
        action: MbarrierAction,
        /// Memory order, if the instruction specifies one.
        order: Order,
        /// Address of the mbarrier in shared memory, for each lane; with the CTA's rank if it is in
        /// another CTA of the cluster ([`crate::split_shared_address`]).
        addresses: &'a L64,
        /// Operand of each lane: count, bytes, token or parity.
        operands: &'a L64,
        /// Result of each lane: the token of an arrival, or 1 if the phase is complete.
        results: &'a L64,
        /// The mbarrier's state after the instruction
        /// ([`MbarrierState`](crate::observe::MbarrierState)).
        states: &'a L64,
    },
}

/// A load that is reported in a group with a preceding load of the same lanes
/// ([`Probe::loads`](crate::observe::Probe::loads)).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupedLoad {
    /// Number of the operation.
    pub op: u32,
    /// Distance of its addresses from those of the preceding load.
    pub offset: u64,
    /// Bytes of an element.
    pub size: u32,
    /// Number of elements of a lane.
    pub elements: u32,
}
