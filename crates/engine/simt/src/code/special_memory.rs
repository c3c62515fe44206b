//! Operand structures of asynchronous copies, mbarriers, matrix loads and stores, matrix products
//! of a warp, and stack operations.

use super::{MemSpace, Slot};
use std::sync::Arc;
use texunit_isa::{AtomOp, ScalarType};
use texunit_tensor::{BitOperation, ElementType, Operation, Product, Shape};

/// A memory operand: state space, base register or constant (or none), and offset.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Located {
    pub(crate) mem_space: MemSpace,
    pub(crate) base: Slot,
    pub(crate) offset: u64,
}

/// `cp.async` from global to shared memory; `cp.async.bulk` between both, or between the shared
/// memories of a cluster; `cp.reduce.async.bulk`.
#[derive(Clone, Debug, Default)]
pub(crate) struct AsyncCopy {
    pub(crate) to: Located,
    pub(crate) from: Located,
    /// Bytes that are written.
    pub(crate) size: Slot,
    /// Alignment of addresses and sizes: 16 for a bulk copy, the size for others.
    pub(crate) grain: u8,
    pub(crate) is_bulk: bool,
    /// Number of bytes that are read. The remaining bytes are written as zeros. `Slot::NONE`: all
    /// bytes are read.
    pub(crate) read: Slot,
    /// Predicate of the lanes that read nothing and write zeros.
    pub(crate) ignore: Slot,
    /// Mask of the CTAs of the cluster that receive the data (`.multicast::cluster`); `Slot::NONE`:
    /// the CTA of the address.
    pub(crate) ranks: Slot,
    /// Mask of the bytes that are written in each 16 bytes (`.cp_mask`); `Slot::NONE`: all.
    pub(crate) bytes: Slot,
    /// Operation and type of a reduction with the elements at the destination.
    pub(crate) reduce: Option<(AtomOp, ScalarType)>,
}

impl AsyncCopy {
    pub(crate) fn new((to, from): (Located, Located), size: Slot, grain: u8) -> Self {
        Self { to, from, size, grain, ignore: Slot::FALSE, ..Self::default() }
    }
}

/// The operation of an mbarrier instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MbarrierAction {
    /// `mbarrier.init`
    Init {
        /// Whether the layout is `.layout::v1`, not `.layout::v0`.
        v1: bool,
    },
    /// `mbarrier.check_layout`
    CheckLayout {
        /// Whether the instruction asks for `.layout::v1`, not `.layout::v0`.
        v1: bool,
    },
    /// `mbarrier.inval`
    #[default]
    Inval,
    /// `mbarrier.expect_tx`
    ExpectTx,
    /// `mbarrier.complete_tx`
    CompleteTx,
    /// `mbarrier.arrive`, `.arrive_drop`
    Arrive {
        /// Whether the thread leaves the barrier (`.arrive_drop`).
        drops: bool,
        /// Whether the thread announces bytes of a transfer (`.expect_tx`).
        expects: bool,
        /// Whether the arrival may complete its phase.
        completes: bool,
    },
    /// `cp.async.mbarrier.arrive`. Copies are executed immediately, so the arrival takes place at
    /// once.
    CopyArrive {
        /// Whether the expected arrivals are incremented by one, which then arrives immediately.
        increments: bool,
    },
    /// `mbarrier.test_wait`, `.try_wait`
    Test {
        /// Whether the phase is given by parity, not by token.
        parity: bool,
    },
    /// `mbarrier.pending_count`
    PendingCount,
}

/// Operands of an mbarrier instruction.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mbarrier {
    pub(crate) action: MbarrierAction,
    /// Address of the mbarrier; unused for `pending_count`.
    pub(crate) at: Located,
    pub(crate) d: Slot,
    /// Count, bytes, token or parity; `Slot::NONE`: 1.
    pub(crate) value: Slot,
    /// Mask of the CTAs of the cluster whose mbarriers at this address the instruction accesses;
    /// `Slot::NONE`: the CTA of the address.
    pub(crate) ranks: Slot,
}

/// `ldmatrix`, `stmatrix` or `movmatrix`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MatrixAction {
    Load,
    Store,
    Transpose,
}

/// Operands for matrices of 8 x 8 elements of 16 bits, distributed over the lanes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Matrix {
    pub(crate) action: MatrixAction,
    pub(crate) transposed: bool,
    /// Addresses of the matrix rows, one for each lane.
    pub(crate) at: Located,
    /// A register for each matrix; for a transposition the source.
    pub(crate) parts: Vec<Slot>,
    pub(crate) d: Slot,
    /// The member mask, which must name all lanes.
    pub(crate) members: Slot,
}

/// Operands of `mma` and `wmma.mma`: the registers of the matrices.
#[derive(Clone, Debug)]
pub(crate) struct Mma {
    pub(crate) operation: Arc<Operation>,
    /// Registers of A, B and C.
    pub(crate) sources: [Vec<Slot>; 3],
    pub(crate) d: Vec<Slot>,
    /// Metadata of a sparse A; `Slot::NONE` if A is dense.
    pub(crate) metadata: Slot,
    /// The member mask, which must name all lanes.
    pub(crate) members: Slot,
}

impl Default for Mma {
    fn default() -> Self {
        let (a, shape) = (ElementType::F16, Shape { m: 16, n: 16, k: 16 });
        let (saturate, operation, sparse, wmma) = (false, BitOperation::Xor, false, true);
        let product = Product { shape, a, b: a, c: a, d: a, saturate, operation, sparse, wmma };
        let (sources, d, metadata, members) = Default::default();
        Self { operation: Arc::new(Operation::wmma(product)), sources, d, metadata, members }
    }
}

/// `alloca`, `stacksave`, `stackrestore`. The hidden word at offset `at` of the call frame holds
/// the number of bytes that a lane has allocated beyond `end`, the end of the frame's variables.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Stack {
    pub(crate) action: StackAction,
    pub(crate) at: u32,
    pub(crate) end: u32,
}

/// The operation of a stack instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) enum StackAction {
    Allocate { d: Slot, size: Slot, align: u64 },
    Save { d: Slot },
    Restore { a: Slot },
}
