//! Check `race`: conflicting accesses of different threads to the same bytes, at least one of which
//! stores, that no synchronisation orders.
//!
//! # Happens-before
//!
//! That the executor runs something in lockstep or sequentially does not order it. Ordering comes
//! from barriers, for their participants; from `__syncwarp` and other `.sync` instructions, for the
//! lanes that meet; from mbarriers; from fences with strong loads, stores and atomics, as the PTX
//! memory model defines them with their scopes; from the waits of `cp.async`; and from the order of
//! launches. Two morally strong accesses do not race.
//!
//! A grid that a kernel launches is ordered after what the launching thread knew then, and
//! concurrent with the rest of its parent (`children`).
//!
//! # Shadow
//!
//! For each word the last store and up to two later accesses are recorded in 16 bytes each: the
//! CTA's serial number, time, thread and operation (`stamp`). A line of 128 bytes that warps access
//! as coalesced rows has one such record for all its words (`line`), other lines have cells for
//! words or bytes (`split`). Two optimisations defer records until they are needed: loads from
//! allocations without stores in the launch (`loads`), and accesses to shared memory without
//! conflicts between barriers (`phase`). Clocks are shared by threads as far as possible (`clock`,
//! `happens_before`). The shadow of shared memory belongs to the worker; that of global memory is
//! shared, with a lock for each page of 4 KiB. Above 1 GiB it is cleared, which can hide races but
//! causes no false reports.
//!
//! # Limits
//!
//! Not checked: texture and surface accesses, except against copies (`arrays`); local memory; a
//! race whose earlier access was displaced by more than two later ones.

mod access;
mod arrays;
mod cell;
mod children;
mod clock;
mod cluster;
mod copies;
mod happens_before;
mod host;
mod launch;
mod line;
mod loads;
mod mbarrier;
mod pages;
mod phase;
mod pools;
mod probe;
mod recycled;
mod report;
mod shadow;
mod shared;
mod split;
mod stamp;
mod streams;
mod touched;
mod view;

pub use host::{HostRace, Pending, PendingAccess};
pub use launch::Memory;
pub use pools::PoolUse;
pub use streams::{Queue, Submitted};

use crate::sink::Sink;
use cluster::Clusters;
use launch::{Launch, Order};
use shadow::lock;
use std::sync::{Arc, Mutex};
use texunit_simt::Fault;
use texunit_simt::observe::{Events, LaunchInfo, Observer, Probe};

/// The race check of a launch.
#[derive(Debug)]
pub struct Race<'l> {
    sink: Arc<Sink>,
    is_strict: bool,
    memory: &'l Memory,
    queue: Queue,
    submitted: Option<Submitted>,
    order: Mutex<Order>,
    clusters: Mutex<Clusters>,
    /// Whether texels of arrays are observed (`arrays`).
    is_beside: bool,
}

impl<'l> Race<'l> {
    /// The check of a launch in a stream, at its reserved position if it was submitted earlier.
    /// Findings go to the sink; `is_strict` also reports stores of one value by one instruction's
    /// lanes.
    pub fn new(
        (sink, is_strict): (Arc<Sink>, bool),
        memory: &'l Memory,
        queue: Queue,
        submitted: Option<Submitted>,
    ) -> Self {
        let is_own = queue != Queue::Default;
        let is_beside = is_own || memory.streams().are_several();
        Self {
            sink,
            is_strict,
            memory,
            queue,
            submitted,
            order: Mutex::default(),
            clusters: Mutex::default(),
            is_beside,
        }
    }
}

impl Observer for Race<'_> {
    fn wants(&self) -> Events {
        let all =
            Events::ACCESSES | Events::STRONG_RESULTS | Events::SYNCHRONIZATION | Events::HEAP;
        if self.is_beside { all | Events::ANSWERS } else { all }
    }

    fn probe<'a>(&'a self, launch: &LaunchInfo<'a>) -> Box<dyn Probe + 'a> {
        Box::new(probe::Worker::new(Launch {
            sink: Arc::clone(&self.sink),
            is_strict: self.is_strict,
            memory: self.memory,
            shadow: &self.memory.shadow,
            order: lock(&self.order).clone(),
            grid: launch.config.grid,
            block: launch.config.block,
            clusters: launch.config.cluster.map(|_| &self.clusters),
            queue: self.queue,
            info: *launch,
        }))
    }

    fn launch_begins(&self, launch: &LaunchInfo<'_>) {
        *lock(&self.clusters) = Clusters::default();
        *lock(&self.order) = self.memory.begin(self.queue, self.submitted.as_ref(), launch);
    }

    fn launch_ends(&self, _: &LaunchInfo<'_>, _: Option<&Fault>) {
        let order = lock(&self.order).clone();
        order.loads.iter().for_each(|loads| loads.measure());
        self.memory.look_early(&order.early, |serial| order.has(serial));
    }
}
