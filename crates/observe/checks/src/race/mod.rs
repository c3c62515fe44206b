//! Check `race`: a race is a pair of accesses of different threads to the same bytes, at least one
//! of which stores, that no synchronisation orders.
//!
//! # Happens-before
//!
//! The simulator executes much in lockstep or sequentially, which does not order accesses. Accesses
//! are ordered by barriers, for their participants; by `__syncwarp` and other `.sync` instructions,
//! for the participating lanes; by mbarriers; by fences with strong loads, stores and atomics, as
//! the PTX memory model defines them with their scopes; by the waits of `cp.async`; and by the
//! order of launches. Two morally strong accesses do not race.
//!
//! A grid that a kernel launches is ordered after the accesses that were ordered before its launch
//! in the launching thread, and is concurrent with the rest of its parent grid (`order`).
//!
//! # Algorithm
//!
//! `fasttrack` has the algorithm and its source: epochs, the recorded accesses of a word or byte,
//! and when two accesses race. The modules are layers; each uses only those before it:
//!
//! | | |
//! |---|---|
//! | vector clocks | `clock`; of streams `queue` |
//! | synchronisation | `happens_before`, `mbarrier`; of launches `order`, `streams` |
//! | algorithm | `fasttrack`, with shortcuts in `cell` |
//! | shadow memory | `split` and `line`; `shadow` of global memory, `lines` of shared memory |
//! | accesses of a warp | `access`, `pages`; deferred ones in `loads`, `phase` |
//! | the process | `memory`, `host` |
//! | a worker thread | `probe`, `report` |
//!
//! # Shadow memory
//!
//! For each word the shadow memory records the last store and up to two later accesses in 16 bytes
//! each: the CTA's serial number, time, thread and operation. A line of 128 bytes that
//! warps access as a whole has one such record for all its words (`line`); other lines have cells
//! for words or bytes (`split`). Two optimisations defer records until they are needed: loads from
//! allocations without stores in the launch (`loads`), and accesses to shared memory without
//! conflicts between barriers (`phase`). Threads share vector clocks as far as possible (`clock`,
//! `happens_before`). Each worker thread has a shadow memory for the shared memory of its CTA. The
//! shadow memory for global memory is common to all workers, with a lock for each page of 4 KiB. It
//! is cleared when it exceeds 1 GiB, which can hide races but causes no false reports.
//!
//! # Limits
//!
//! Three kinds of races are not found: those of texture and surface accesses, except with copies
//! (`arrays`); those in local memory; and those whose earlier access was displaced from the shadow
//! memory by more than two later ones.

mod access;
mod arrays;
mod cell;
mod clock;
mod copies;
mod fasttrack;
mod happens_before;
mod host;
mod line;
mod lines;
mod loads;
mod mbarrier;
mod memory;
mod order;
mod pages;
mod phase;
mod probe;
mod queue;
mod recycled;
mod report;
mod shadow;
mod shape;
mod split;
mod streams;
mod touched;

pub use host::{HostRace, Pending, PendingAccess};
pub use memory::{Memory, PoolUse};
pub use queue::Queue;
pub use streams::{Streams, Submitted, Work};

use crate::end::Spot;
use crate::lock;
use crate::sink::Sink;
use mbarrier::Clusters;
use memory::Begun;
use order::Order;
use std::sync::{Arc, Mutex};
use texunit_simt::Fault;
use texunit_simt::observe::{Events, LaunchInfo, Observer, Probe, linear_index};

/// The check `race` of one launch.
#[derive(Debug)]
pub struct Race<'l> {
    sink: Arc<Sink>,
    is_strict: bool,
    memory: &'l Memory,
    queue: Queue,
    submitted: Option<Submitted>,
    begun: Mutex<Begun>,
    clusters: Mutex<Clusters>,
    /// Whether texels of CUDA arrays are observed (`arrays`), because the launch may be concurrent
    /// with others.
    is_beside: bool,
}

impl<'l> Race<'l> {
    /// The check of a launch in a stream, at its reserved position if the host submitted it
    /// earlier. The sink receives the findings. If `is_strict`, stores of one value by lanes of one
    /// instruction are reported as well.
    pub fn new(
        (sink, is_strict): (Arc<Sink>, bool),
        memory: &'l Memory,
        queue: Queue,
        submitted: Option<Submitted>,
    ) -> Self {
        let is_own = queue != Queue::DEFAULT;
        let is_beside = is_own || memory.streams().are_several();
        let (begun, clusters) = Default::default();
        Self { sink, is_strict, memory, queue, submitted, begun, clusters, is_beside }
    }
}

impl Observer for Race<'_> {
    fn wants(&self) -> Events {
        let all =
            Events::ACCESSES | Events::STRONG_RESULTS | Events::SYNCHRONIZATION | Events::HEAP;
        if self.is_beside { all | Events::ANSWERS } else { all }
    }

    fn probe<'a>(&'a self, launch: &LaunchInfo<'a>) -> Box<dyn Probe + 'a> {
        let Begun { order, loads, .. } = lock(&self.begun).clone();
        let launch = Launch {
            sink: Arc::clone(&self.sink),
            is_strict: self.is_strict,
            memory: self.memory,
            order,
            clusters: launch.config.cluster.map(|_| &self.clusters),
            queue: self.queue,
            info: *launch,
        };
        Box::new(probe::Worker::new(launch, loads))
    }

    fn launch_begins(&self, launch: &LaunchInfo<'_>) {
        *lock(&self.clusters) = Clusters::default();
        *lock(&self.begun) = self.memory.begin(self.queue, self.submitted.as_ref(), launch);
    }

    fn launch_ends(&self, _: &LaunchInfo<'_>, _: Option<&Fault>) {
        let Begun { order, loads, early } = &*lock(&self.begun);
        loads.iter().for_each(|loads| loads.measure());
        self.memory.find_pool_uses(early, order);
    }
}

/// The launch whose CTAs a worker executes.
struct Launch<'a> {
    sink: Arc<Sink>,
    /// Whether stores of one value by lanes of one instruction are reported.
    is_strict: bool,
    memory: &'a Memory,
    order: Order,
    /// The clocks of the launch's clusters; `None` if it has no clusters.
    clusters: Option<&'a Mutex<Clusters>>,
    /// The stream of the launch.
    queue: Queue,
    info: LaunchInfo<'a>,
}

impl Launch<'_> {
    /// Number of a CTA in the grid.
    fn index(&self, cta: [u32; 3]) -> u64 {
        linear_index(cta, self.info.config.grid)
    }

    /// The thread of a CTA, by the CTA's serial number, at an operation.
    fn spot(&self, serial: u32, thread: u32, op: u32) -> Spot {
        let index = u64::from(serial.wrapping_sub(self.order.first));
        let config = self.info.config;
        Spot::numbered([index, thread.into()], op, (config.grid, config.block))
    }
}
