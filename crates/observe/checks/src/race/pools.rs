//! Uses of pool memory (`cudaMallocAsync`) by work that is not ordered after the allocation.
//!
//! In texunit an allocation takes effect when it is called, so that kernels of all streams can use
//! the memory. On a GPU a kernel of another stream may run before the allocation, and use memory
//! that still has other contents. An allocation is recorded until the host has waited for it, its
//! memory is freed, or its stream is destroyed.

use super::launch::Memory;
use super::queue::Queue;
use super::record::AccessRecord;
use super::streams::{StreamPositions, Submitted};
use crate::finding::End;

/// A pool allocation, with its position in its stream.
#[derive(Clone, Debug)]
pub(super) struct Allocated {
    pub(super) queue: Queue,
    pub(super) at: u64,
    pub(super) address: u64,
    pub(super) len: u64,
    pub(super) number: u64,
}

/// Maximum number of recorded allocations.
const MAX: usize = 1 << 16;

/// A use of pool memory by a kernel that is not ordered after the allocation.
#[derive(Clone, Debug)]
pub struct PoolUse {
    /// The thread that uses the memory, if the kernel's text is known.
    pub end: Option<End>,
    /// Whether the use is a store.
    pub stores: bool,
    /// The number of the allocation.
    pub number: u64,
}

/// Pool memory whose allocation is not ordered before a launch: address, length, allocation number.
pub(super) type UnorderedPools = Vec<(u64, u64, u64)>;

/// Whether an allocation is ordered before work that is ordered after the positions `known`.
pub(super) fn is_known(known: &StreamPositions, allocated: &Allocated) -> bool {
    known.get(&allocated.queue).is_some_and(|&at| at >= allocated.at)
}

impl Memory {
    /// Records a pool allocation in a stream, at its reserved position if the host submitted it
    /// earlier.
    pub fn pool_allocated(
        &self,
        queue: Queue,
        submitted: Option<&Submitted>,
        (address, len): (u64, u64),
        number: u64,
    ) {
        let mut streams = self.streams();
        let at = match submitted {
            Some(submitted) => submitted.at(),
            None => streams.submit(queue).at(),
        };
        streams.forget_allocated();
        if streams.allocated.len() < MAX {
            streams.allocated.push(Allocated { queue, at, address, len, number });
        }
    }

    /// The host frees pool memory.
    pub fn pool_freed(&self, number: u64) {
        self.streams().allocated.retain(|allocated| allocated.number != number);
    }

    /// A copy or fill in a stream accesses bytes. Returns the number of a pool allocation that
    /// contains bytes and is not ordered before the copy.
    pub fn pool_used(
        &self,
        queue: Queue,
        submitted: Option<&Submitted>,
        (address, len): (u64, u64),
    ) -> Option<u64> {
        let streams = self.streams();
        if streams.allocated.is_empty() {
            return None;
        }
        let known = submitted.map_or_else(|| streams.before(queue), Submitted::known);
        let meets = |of: &&Allocated| {
            of.address < address.saturating_add(len) && address < of.address + of.len
        };
        let mut found = streams.allocated.iter().filter(meets);
        found.find(|allocated| !is_known(&known, allocated)).map(|allocated| allocated.number)
    }

    /// Searches the shadow memory for accesses of a launch to pool memory whose allocation is not
    /// ordered before it, and records one access for each allocation.
    pub(super) fn find_pool_uses(&self, early: &UnorderedPools, is_own: impl Fn(u32) -> bool) {
        if early.is_empty() {
            return;
        }
        self.materialize();
        for &(address, len, number) in early {
            let is = |stamp: AccessRecord| is_own(stamp.serial);
            let Some(found) = self.shadow.find((address, len), is) else { continue };
            let (end, stores) = (self.end(found), found.kind().writes());
            self.pool_uses().push(PoolUse { end, stores, number });
        }
    }

    /// Returns the recorded uses of pool memory, and removes them.
    pub fn take_pool_uses(&self) -> Vec<PoolUse> {
        std::mem::take(&mut *self.pool_uses())
    }
}
