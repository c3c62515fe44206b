//! The state of the race check that all launches of a process share: the shadow memory of global
//! memory, the serial numbers of CTAs, and the streams.
//!
//! Uses of pool memory (`cudaMallocAsync`) are found by work that is not ordered after the
//! allocation. In texunit an allocation takes effect when it is called, so that kernels of all
//! streams can use the memory. On a GPU a kernel of another stream may run before the allocation,
//! and use memory that still has other contents. An allocation is recorded until the host has
//! waited for it, its memory is freed, or its stream is destroyed.

use super::arrays::{ArrayTexels, WorkerTexels};
use super::fasttrack::AccessRecord;
use super::loads::Loads;
use super::order::{Children, CtaRanges, Order};
use super::queue::Queue;
use super::shadow::Shadow;
use super::streams::{PoolAllocation, Streams, Submitted, Work};
use crate::end::End;
use crate::lock;
use std::mem::take;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard};
use texunit_simt::observe::LaunchInfo;

/// Maximum size in bytes of the deferred loads of earlier launches. Beyond it, those of the oldest
/// launches are dropped, which can hide races.
const MAX_NOTES: usize = 256 << 20;

/// The race check's state that all launches of a process share.
#[derive(Debug, Default)]
pub struct Memory {
    pub(super) shadow: Shadow,
    /// The serial number of the last launch's last CTA.
    last: AtomicU32,
    streams: Mutex<Streams>,
    /// Deferred loads of earlier launches, which are not in the shadow memory.
    loads: Mutex<Vec<Arc<Loads>>>,
    /// Texels of CUDA arrays that launches have accessed.
    arrays: Mutex<ArrayTexels>,
    /// Uses of pool memory by launches that are not ordered after the allocation of the memory.
    pool_uses: Mutex<Vec<PoolUse>>,
    /// Whether host accesses through pointers are checked.
    pub(super) is_host_watched: AtomicBool,
    /// Vector clocks of grids that kernels launch.
    pub(super) children: Mutex<Children>,
}

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

/// What is known of a launch when it begins.
#[derive(Clone, Debug, Default)]
pub(super) struct Begun {
    pub(super) order: Order,
    /// The deferred loads of the launch; `None` if none of its loads can be deferred.
    pub(super) loads: Option<Arc<Loads>>,
    /// Pool memory whose allocation is not ordered before the launch.
    pub(super) early: Vec<PoolAllocation>,
}

impl Memory {
    /// The streams and events of the process, to which the host's submissions and waits are
    /// reported.
    pub fn streams(&self) -> MutexGuard<'_, Streams> {
        lock(&self.streams)
    }

    /// Begins a launch in a stream, at its reserved position if the host submitted it earlier.
    pub(super) fn begin(
        &self,
        queue: Queue,
        submitted: Option<&Submitted>,
        info: &LaunchInfo<'_>,
    ) -> Begun {
        let ctas = info.config.grid.iter().map(|&n| u64::from(n)).product::<u64>();
        let ctas = u32::try_from(ctas).unwrap_or(u32::MAX / 2).min(u32::MAX / 2);
        // The streams are locked, so that launches begin in the order of their serial numbers.
        let mut streams = self.streams();
        let mut first = self.last.fetch_add(ctas, Relaxed).wrapping_add(1);
        if first == 0 || first.checked_add(ctas).is_none() {
            // The serial numbers are exhausted and start again from 1.
            self.shadow.clear();
            lock(&self.loads).clear();
            *lock(&self.arrays) = ArrayTexels::default();
            *streams = Streams::default();
            first = 1;
            self.last.store(ctas, Relaxed);
        }
        let is_told = self.is_host_watched.load(Relaxed);
        let own = first..=first + ctas.saturating_sub(1);
        let submitted = submitted.cloned().unwrap_or_else(|| streams.submit(queue));
        let (others, early) = streams.begin(submitted, own, info, is_told);
        if others.is_empty() && self.shadow.is_large() {
            self.shadow.forget();
        }
        let below = others.first().map_or(first, |other| other.min(first));
        let mut noted = lock(&self.loads);
        if !others.is_empty() {
            noted.iter().for_each(|loads| loads.materialize_all(&self.shadow));
        }
        // Records of launches that the host has waited for are dropped.
        noted.retain(|loads| streams.is_open(loads.first()));
        lock(&self.arrays).retain(|first| streams.is_open(first));
        while noted.iter().map(|loads| loads.bytes()).sum::<usize>() > MAX_NOTES {
            noted.remove(0);
        }
        let order = Order { first, ctas, below, others, knows: lock(&self.children).of(queue) };
        let loads = Loads::of(&order, info).map(Arc::new);
        noted.extend(loads.clone());
        Begun { order, loads, early }
    }

    /// Begins a child grid in a stream of its own. The grid is ordered after launch number `work`
    /// in the stream `parent`, and after the work in the streams `behind`.
    pub fn child_begins(&self, queue: Queue, (parent, work): (Queue, u64), behind: &[Queue]) {
        lock(&self.children).begin(queue, (parent, work), behind);
    }

    /// The child grids of a parent, in the streams `queues`, have ended.
    pub fn children_end(&self, parent: Queue, queues: &[Queue]) {
        lock(&self.children).end(parent, queues);
    }

    /// Adds the array texels of a worker to those of its launch, whose first CTA has the serial
    /// number `first`.
    pub(super) fn used(&self, first: u32, own: &mut WorkerTexels) {
        lock(&self.arrays).add(first, own);
    }

    /// The launch that races with a copy of bytes of an array at a host address: a thread that has
    /// accessed the bytes, and whether it stored. `None` if all launches that accessed the bytes
    /// are ordered before the copy. The copy stores to the array if `writes`.
    pub fn array_accessed(
        &self,
        by: Work<'_>,
        bytes: (usize, u64, u64),
        writes: bool,
    ) -> Option<(End, bool)> {
        if lock(&self.arrays).is_empty() {
            return None;
        }
        // The streams are locked before the arrays, in the same order as at the beginning of a
        // launch.
        let others = self.streams().not_before(Some(by));
        let stamp = lock(&self.arrays).find(&others, bytes, writes)?;
        Some((self.end(stamp)?, stamp.kind().writes()))
    }

    /// A copy in a stream, or the host (`None`), reads or (if `writes`) writes device memory.
    /// Returns a thread of a concurrent launch that has accessed the memory, and whether the thread
    /// has stored.
    pub fn accessed(
        &self,
        by: Option<Work<'_>>,
        range: (u64, u64),
        writes: bool,
    ) -> Option<(End, bool)> {
        let others = self.streams().not_before(by);
        self.found(&others, range, writes)
    }

    /// A conflicting access to memory by launches in the given streams, and whether it stores.
    pub fn accessed_in(
        &self,
        queues: &[Queue],
        range: (u64, u64),
        writes: bool,
    ) -> Option<(End, bool)> {
        let launches = self.streams().launches_of(queues);
        self.found(&launches, range, writes)
    }

    /// A conflicting access to memory by one of the launches `others`, and whether it stores.
    fn found(&self, others: &CtaRanges, range: (u64, u64), writes: bool) -> Option<(End, bool)> {
        if others.is_empty() {
            return None;
        }
        self.materialize();
        let found = self.shadow.find(range, |stamp: AccessRecord| {
            others.has(stamp.serial) && (writes || stamp.kind().writes())
        })?;
        let end = self.end(found)?;
        Some((end, found.kind().writes()))
    }

    /// Moves all deferred loads of all launches into the shadow memory.
    pub(super) fn materialize(&self) {
        let noted = lock(&self.loads).clone();
        noted.iter().for_each(|loads| loads.materialize_all(&self.shadow));
    }

    /// The thread and instruction of an access, if the launch is still recorded.
    pub(super) fn end(&self, stamp: AccessRecord) -> Option<End> {
        self.streams().end(stamp.serial, stamp.thread(), stamp.op())
    }

    /// Records a pool allocation in a stream.
    pub fn pool_allocated(
        &self,
        (queue, submitted): Work<'_>,
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
        (queue, submitted): Work<'_>,
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
        take(&mut *lock(&self.pool_uses))
    }
}
