//! Operations that move data between lanes and shared memory in ways of their own, and products of matrices of a warp.

use super::{Place, Slot};
use std::sync::Arc;
use texunit_isa::{AtomOp, ScalarType};
use texunit_tensor::Operation;

/// An address: state space, register or constant (or none), offset.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Located {
    pub(crate) place: Place,
    pub(crate) base: Slot,
    pub(crate) offset: u64,
}

/// cp.async of global to shared memory; cp.async.bulk between both, or between the shared memories of a cluster;
/// cp.reduce.async.bulk.
#[derive(Clone, Debug)]
pub(crate) struct AsyncCopy {
    pub(crate) to: Located,
    pub(crate) from: Located,
    /// Bytes written.
    pub(crate) size: Slot,
    /// Addresses and sizes are multiples of it: of a bulk copy 16, of others the size.
    pub(crate) grain: u8,
    pub(crate) is_bulk: bool,
    /// Bytes read, the others are zero; `Slot::NONE`: all.
    pub(crate) read: Slot,
    /// Lanes that read nothing.
    pub(crate) ignore: Slot,
    /// CTAs of the cluster that receive it (`.multicast::cluster`), a bit each; `Slot::NONE`: the one of the address.
    pub(crate) ranks: Slot,
    /// Which of each 16 bytes are written (`.cp_mask`), a bit each; `Slot::NONE`: all.
    pub(crate) bytes: Slot,
    /// What is made of the elements there and those that come.
    pub(crate) reduce: Option<(AtomOp, ScalarType)>,
}

impl AsyncCopy {
    pub(crate) fn new(
        (to, from): (Located, Located),
        size: Slot,
        grain: u8,
        is_bulk: bool,
    ) -> Self {
        let (read, ranks, bytes) = (Slot::NONE, Slot::NONE, Slot::NONE);
        Self {
            to,
            from,
            size,
            grain,
            is_bulk,
            read,
            ignore: Slot::FALSE,
            ranks,
            bytes,
            reduce: None,
        }
    }
}

/// What is done to an mbarrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MbarrierAction {
    /// `mbarrier.init`
    Init,
    /// `mbarrier.inval`
    Inval,
    /// `mbarrier.expect_tx`
    ExpectTx,
    /// `mbarrier.complete_tx`
    CompleteTx,
    /// `mbarrier.arrive`, `.arrive_drop`
    Arrive {
        /// Whether the thread drops out.
        drops: bool,
        /// Whether it announces bytes.
        expects: bool,
        /// Whether it may be the last arrival of its phase.
        completes: bool,
    },
    /// `cp.async.mbarrier.arrive`: copies are done at once.
    CopyArrive {
        /// Whether one more arrival is expected, which comes at once.
        increments: bool,
    },
    /// `mbarrier.test_wait`, `.try_wait`
    Test {
        /// Whether it asks by parity, not by token.
        parity: bool,
    },
    /// `mbarrier.pending_count`
    PendingCount,
}

/// An mbarrier instruction.
#[derive(Clone, Debug)]
pub(crate) struct Mbarrier {
    pub(crate) action: MbarrierAction,
    /// Where it lies; not looked at for a pending count.
    pub(crate) at: Located,
    pub(crate) d: Slot,
    /// Count, bytes, token or parity; `Slot::NONE`: 1.
    pub(crate) value: Slot,
    /// CTAs of the cluster whose mbarriers at this place are meant, a bit each; `Slot::NONE`: the one of the address.
    pub(crate) ranks: Slot,
}

/// ldmatrix, stmatrix, movmatrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MatrixAction {
    Load,
    Store,
    Transpose,
}

/// Matrices of 8 x 8 elements of 16 bits, spread over the lanes.
#[derive(Clone, Debug)]
pub(crate) struct Matrix {
    pub(crate) action: MatrixAction,
    pub(crate) transposed: bool,
    /// Rows of the matrices, an address a lane.
    pub(crate) at: Located,
    /// A register for each matrix; of a transposition the source.
    pub(crate) parts: Vec<Slot>,
    pub(crate) d: Slot,
    /// All lanes.
    pub(crate) members: Slot,
}

/// mma, wmma.mma: registers of the matrices.
#[derive(Clone, Debug)]
pub(crate) struct Mma {
    pub(crate) operation: Arc<Operation>,
    /// Of A, B and C.
    pub(crate) sources: [Vec<Slot>; 3],
    pub(crate) d: Vec<Slot>,
    /// Of a sparse A; `Slot::NONE`: it is not.
    pub(crate) metadata: Slot,
    /// All lanes.
    pub(crate) members: Slot,
}

impl Mma {
    /// Calls `f` with each register that it reads.
    pub(crate) fn each_source(&self, mut f: impl FnMut(Slot)) {
        self.sources.iter().flatten().copied().for_each(&mut f);
        [self.metadata, self.members].into_iter().for_each(f);
    }
}

/// alloca, stacksave, stackrestore. The hidden word at `at` of the frame holds how many bytes a
/// lane has beyond `end`, the end of the frame's variables.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stack {
    pub(crate) action: StackAction,
    pub(crate) at: u32,
    pub(crate) end: u32,
}

/// What is done to the stack.
#[derive(Clone, Copy, Debug)]
pub(crate) enum StackAction {
    Allocate { d: Slot, size: Slot, align: u64 },
    Save { d: Slot },
    Restore { a: Slot },
}
