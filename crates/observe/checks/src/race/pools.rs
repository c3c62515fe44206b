//! Uses of pool memory (`cudaMallocAsync`) by work that is not ordered after the allocation.
//!
//! In texunit an allocation takes effect when it is called, so that kernels of all streams can use
//! the memory. On a GPU a kernel of another stream may run before the allocation, and use memory
//! that still has other contents. An allocation is recorded until the host has waited for it, its
//! memory is freed, or its stream is destroyed.

use super::fasttrack::AccessRecord;
use super::memory::{Memory, PoolUse};
use super::order::Order;
use super::queue::Queue;
use super::streams::{PoolAllocation, Submitted};
use crate::lock;
use std::sync::Arc;

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
        let position = submitted.map_or_else(|| streams.submit(queue).position, |s| s.position);
        streams.allocated(PoolAllocation { position, address, len, number });
    }

    /// The host frees pool memory.
    pub fn pool_freed(&self, number: u64) {
        self.streams().pools.retain(|allocation| allocation.number != number);
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
        if streams.pools.is_empty() {
            return None;
        }
        let known =
            submitted.map_or_else(|| Arc::new(streams.before(queue)), |s| Arc::clone(&s.before));
        let meets = |of: &&PoolAllocation| {
            of.address < address.saturating_add(len) && address < of.address + of.len
        };
        let mut found = streams.pools.iter().filter(meets);
        found.find(|of| !known.knows(of.position)).map(|of| of.number)
    }

    /// Searches the shadow memory for accesses of a launch to pool memory whose allocation is not
    /// ordered before it, and records one access for each allocation.
    pub(super) fn find_pool_uses(&self, early: &[PoolAllocation], order: &Order) {
        if early.is_empty() {
            return;
        }
        self.materialize();
        for &PoolAllocation { address, len, number, .. } in early {
            let is = |stamp: AccessRecord| order.has(stamp.serial);
            let Some(found) = self.shadow.find((address, len), is) else { continue };
            let (end, stores) = (self.end(found), found.kind().writes());
            lock(&self.pool_uses).push(PoolUse { end, stores, number });
        }
    }

    /// Returns the recorded uses of pool memory, and removes them.
    pub fn take_pool_uses(&self) -> Vec<PoolUse> {
        std::mem::take(&mut *lock(&self.pool_uses))
    }
}
