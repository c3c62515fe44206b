//! Races: accesses of different threads to the same bytes, at least one of which stores, with nothing that orders them.
//!
//! # Happens-before
//!
//! What the executor runs in lockstep, or one after the other, is no order. What is one: barriers for those who take
//! part, `__syncwarp` and other `.sync` instructions for the lanes that meet, mbarriers, fences with strong loads,
//! stores and atomics as the PTX memory model has them (with scopes), the waits of `cp.async`, and launches one after
//! the other. Two strong accesses do not race with each other.
//!
//! A grid that a kernel launches comes behind what its thread knows then, and behind nothing else of its parent (`children`).
//!
//! # Shadow
//!
//! Of each word the last store and up to two accesses since then are kept, 16 bytes each: number of the CTA, time,
//! thread, operation (`stamp`). A line of 128 bytes that warps access as a row has one of these for all of its words
//! (`line`), and words or bytes where they do not (`split`). Loads from allocations that nothing has been stored to in
//! the launch are only noted (`loads`), and so is what is done to shared memory where nobody touches what others store (`phase`). Threads have no clocks of their own: `clock`, `known`. Shared memory's shadow is the worker's,
//! global memory's is shared by all, with a lock for each page of 4 KiB; beyond 1 GiB it is forgotten, which can cost
//! findings and makes no wrong ones.
//!
//! # What is left out
//!
//! Accesses of texture and surface instructions, but for those beside copies (`arrays`); local memory; races of which a third access was the nearest to both
//! (two accesses are kept beside the last store).

mod access;
mod arrays;
mod cell;
mod children;
mod clock;
mod cluster;
mod copies;
mod host;
mod known;
mod launch;
mod line;
mod loads;
mod mbarrier;
mod pages;
mod phase;
mod pools;
mod probe;
mod report;
mod shadow;
mod shared;
mod split;
mod stamp;
mod streams;
mod touched;
mod view;

pub use host::{HostRace, Pending, Touched};
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
    /// Whether texels of arrays are looked at (`arrays`).
    is_beside: bool,
}

impl<'l> Race<'l> {
    /// In a stream, where it was submitted before if it was. It tells the sink what it finds; `is_strict`: also what lanes
    /// that store one value by one instruction do.
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
        self.memory.look_early(&order.early, |serial| order.has(serial));
    }
}
