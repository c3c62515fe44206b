//! Memory of pools that a stream allocates: it is there for work that comes behind the allocation.
//!
//! Here an allocation is done in its call, and so is what a kernel of any stream does with it afterwards; on a GPU the kernel
//! may come first, and uses what was there before. An allocation is kept until the host has waited for it, its memory is freed or its
//! stream is destroyed.

use super::launch::Memory;
use super::stamp::Stamp;
use super::streams::{Known, Queue, Submitted};
use crate::finding::End;

/// An allocation of a pool, in the order of its stream.
#[derive(Clone, Debug)]
pub(super) struct Allocated {
    pub(super) queue: Queue,
    pub(super) at: u64,
    pub(super) address: u64,
    pub(super) len: u64,
    pub(super) number: u64,
}

/// Allocations that are kept.
const MAX: usize = 1 << 16;

/// A kernel uses memory of a pool, and does not come behind the allocation.
#[derive(Clone, Debug)]
pub struct PoolUse {
    /// Who uses it, if the text of the kernel is known.
    pub end: Option<End>,
    /// Whether it stores.
    pub stores: bool,
    /// The number of the allocation.
    pub number: u64,
}

/// Memory that a launch must not use, and has not been seen to use: address, length, number.
pub(super) type Early = Vec<(u64, u64, u64)>;

/// Whether an allocation comes before what is known.
pub(super) fn is_known(known: &Known, allocated: &Allocated) -> bool {
    known.get(&allocated.queue).is_some_and(|&at| at >= allocated.at)
}

impl Memory {
    /// Memory of a pool is allocated in a stream, now or when it was submitted there.
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

    /// Memory of a pool is freed.
    pub fn pool_freed(&self, number: u64) {
        self.streams().allocated.retain(|allocated| allocated.number != number);
    }

    /// A copy or fill in a stream, now or where it was submitted, uses bytes: the number of an allocation that it does not
    /// come behind.
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

    /// What a launch has used of memory that it must not use: of each allocation one use.
    pub(super) fn look_early(&self, early: &Early, is_own: impl Fn(u32) -> bool) {
        if early.is_empty() {
            return;
        }
        self.settle();
        for &(address, len, number) in early {
            let is = |stamp: Stamp| is_own(stamp.serial);
            let Some(found) = self.shadow.find((address, len), is) else { continue };
            let (end, stores) = (self.end(found), found.kind().writes());
            self.pool_uses().push(PoolUse { end, stores, number });
        }
    }

    /// Uses that were found since this was last asked.
    pub fn take_pool_uses(&self) -> Vec<PoolUse> {
        std::mem::take(&mut *self.pool_uses())
    }
}
