//! Happens-before between launches, and the state that all launches of a process share: the shadow
//! memory of global memory, the serial numbers of CTAs, and the streams.

use super::arrays::LaunchTexels;
use super::children::Children;
use super::clock::Clock;
use super::cluster::Clusters;
use super::loads::Loads;
use super::pools::{PoolUse, UnorderedPools};
use super::queue::Queue;
use super::record::AccessRecord;
use super::recycled::lock;
use super::shadow::Shadow;
use super::streams::{Streams, Submitted, place_of};
use crate::finding::End;
use crate::sink::{Sink, Spot};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard};
use texunit_simt::observe::LaunchInfo;

/// Maximum size in bytes of the deferred loads of earlier launches. Beyond it, those of the oldest
/// launches are dropped, which can hide races.
const MAX_NOTES: usize = 256 << 20;

/// The race check's state that all launches of a process share.
#[derive(Debug)]
pub struct Memory {
    pub(super) shadow: Shadow,
    /// The serial number of the next launch's first CTA.
    next: AtomicU32,
    streams: Mutex<Streams>,
    /// Deferred loads of earlier launches, which are not in the shadow memory.
    loads: Mutex<Vec<Arc<Loads>>>,
    /// Texels of CUDA arrays that launches have accessed.
    pub(super) arrays: Mutex<Vec<LaunchTexels>>,
    /// Uses of pool memory by launches that are not ordered after the allocation of the memory.
    pool_uses: Mutex<Vec<PoolUse>>,
    /// Whether host accesses through pointers are checked.
    pub(super) is_host_watched: AtomicBool,
    /// Vector clocks of grids that kernels launch.
    pub(super) children: Mutex<Children>,
}

impl Default for Memory {
    fn default() -> Self {
        let (streams, loads, arrays, pool_uses, is_host_watched) = Default::default();
        let (shadow, next) = (Shadow::default(), AtomicU32::new(1));
        let children = Mutex::default();
        Self { shadow, next, streams, loads, arrays, pool_uses, is_host_watched, children }
    }
}

/// Which other launches are ordered before a launch.
#[derive(Clone, Debug, Default)]
pub(super) struct Order {
    /// Serial number of the launch's first CTA.
    first: u32,
    /// Number of the launch's CTAs.
    ctas: u32,
    /// All accesses of CTAs with lower serial numbers are ordered before the launch.
    pub(super) below: u32,
    /// The CTAs of concurrent launches, as ranges of serial numbers.
    others: Arc<[(u32, u32)]>,
    /// The vector clock of the launching thread, if a kernel launched the grid.
    pub(super) knows: Option<Arc<Clock>>,
    /// The deferred loads of the launch; `None` if none of its loads can be deferred.
    pub(super) loads: Option<Arc<Loads>>,
    /// Pool memory whose allocation is not ordered before the launch.
    pub(super) early: Arc<UnorderedPools>,
}

impl Memory {
    pub(super) fn streams(&self) -> MutexGuard<'_, Streams> {
        lock(&self.streams)
    }

    pub(super) fn pool_uses(&self) -> MutexGuard<'_, Vec<PoolUse>> {
        lock(&self.pool_uses)
    }

    /// Reserves a position in a stream for work that is executed later.
    pub fn submit(&self, queue: Queue) -> Submitted {
        self.streams().submit(queue)
    }

    /// Begins a launch in a stream, at its reserved position if the host submitted it earlier.
    pub(super) fn begin(
        &self,
        queue: Queue,
        submitted: Option<&Submitted>,
        info: &LaunchInfo<'_>,
    ) -> Order {
        let ctas = info.config.grid.iter().map(|&n| u64::from(n)).product::<u64>();
        let ctas = u32::try_from(ctas).unwrap_or(u32::MAX / 2).min(u32::MAX / 2);
        // The streams are locked, so that launches begin in the order of their serial numbers.
        let mut streams = self.streams();
        let mut first = self.next.fetch_add(ctas, Relaxed);
        if first == 0 || first.checked_add(ctas).is_none() {
            // The serial numbers are exhausted and start again from 1.
            self.shadow.clear();
            lock(&self.loads).clear();
            lock(&self.arrays).clear();
            *streams = Streams::default();
            first = 1;
            self.next.store(1 + ctas, Relaxed);
        }
        let is_told = self.is_host_watched.load(Relaxed);
        let own = (first, first + ctas.saturating_sub(1));
        let submitted = submitted.cloned().unwrap_or_else(|| streams.submit(queue));
        let (others, early) = streams.begin(submitted, own, info, is_told);
        if others.is_empty() && self.shadow.is_large() {
            self.shadow.forget();
        }
        let below =
            others.iter().map(|other| other.0).min().map_or(first, |other| other.min(first));
        let mut noted = lock(&self.loads);
        if !others.is_empty() {
            noted.iter().for_each(|loads| loads.materialize_all(&self.shadow));
        }
        // Records of launches that the host has waited for are dropped.
        noted.retain(|loads| streams.is_open(loads.first()));
        lock(&self.arrays).retain(|used| streams.is_open(used.first));
        while noted.iter().map(|loads| loads.bytes()).sum::<usize>() > MAX_NOTES {
            noted.remove(0);
        }
        let (others, early) = (others.into(), early.into());
        let knows = lock(&self.children).of(queue);
        let mut order = Order { first, ctas, below, others, knows, loads: None, early };
        order.loads = Loads::of(&order, info).map(Arc::new);
        noted.extend(order.loads.clone());
        order
    }

    /// The host records an event in a stream, at a position before the stream's last launch.
    pub fn event_recorded_before_last(&self, event: u64, queue: Queue) {
        self.streams().record_before_last(event, queue);
    }

    /// The host has waited for all work of a stream.
    pub fn synchronized(&self, queue: Queue) {
        self.streams().synchronize(queue);
    }

    /// The host has waited for all work of the process.
    pub fn all_synchronized(&self) {
        self.streams().synchronize_all();
    }

    /// The host has waited for all work of a device.
    pub fn device_synchronized(&self, device: u32) {
        self.streams().synchronize_device(device);
    }

    /// The host destroys a stream.
    pub fn stream_ended(&self, queue: Queue) {
        self.streams().end_stream(queue);
    }

    /// The host destroys an event.
    pub fn event_ended(&self, event: u64) {
        self.streams().end_event(event);
    }

    /// The host records an event behind all work of a device.
    pub fn event_recorded_on(&self, event: u64, device: u32) {
        self.streams().record_on(event, device);
    }

    /// All streams of a device wait for an event.
    pub fn event_waited_on(&self, event: u64, device: u32) {
        self.streams().wait_on(event, device);
    }

    /// Each of the streams waits for the present work of the others.
    pub fn joined(&self, queues: &[Queue]) {
        self.streams().join(queues);
    }

    /// Number of streams, events and launches with recorded state. Tests use it to show that state
    /// is freed.
    pub fn kept(&self) -> usize {
        self.streams().kept()
    }

    /// The host records an event, by its number, in a stream.
    pub fn event_recorded(&self, event: u64, queue: Queue) {
        self.streams().record(event, queue);
    }

    /// A stream waits for an event, or the host does (`None`).
    pub fn event_waited(&self, event: u64, queue: Option<Queue>) {
        self.streams().wait(event, queue);
    }

    /// A copy in a stream, or the host (`None`), reads or (if `writes`) writes device memory.
    /// Returns a thread of a concurrent launch that has accessed the memory, and whether the thread
    /// has stored.
    pub fn accessed(
        &self,
        queue: Option<Queue>,
        (address, len): (u64, u64),
        writes: bool,
    ) -> Option<(End, bool)> {
        let others = self.streams().not_before(queue);
        self.found(&others, (address, len), writes)
    }

    /// Sets the name that findings use for the graph node whose launch has this stream.
    pub fn named(&self, queue: Queue, name: String) {
        self.streams().named(queue, name);
    }

    /// The name of the graph node whose launch has this stream.
    pub fn name(&self, queue: Queue) -> Option<String> {
        self.streams().name(queue)
    }

    /// The name of the graph node whose launch contains the CTA with this serial number.
    pub(super) fn name_of(&self, serial: u32) -> Option<String> {
        self.streams().name_of(serial)
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

    /// A copy that was submitted earlier reads or (if `writes`) writes device memory. Returns a
    /// thread of a concurrent launch that has accessed the memory, and whether the thread has
    /// stored.
    pub fn accessed_by(
        &self,
        work: &Submitted,
        range: (u64, u64),
        writes: bool,
    ) -> Option<(End, bool)> {
        let others = self.streams().not_before_work(work);
        self.found(&others, range, writes)
    }

    /// A conflicting access to memory by one of the launches `others` (ranges of CTA serial
    /// numbers), and whether it stores.
    fn found(&self, others: &[(u32, u32)], range: (u64, u64), writes: bool) -> Option<(End, bool)> {
        if others.is_empty() {
            return None;
        }
        self.materialize();
        let is_other = |serial: u32| others.iter().any(|o| (o.0..=o.1).contains(&serial));
        let found = self.shadow.find(range, |stamp: AccessRecord| {
            is_other(stamp.serial) && (writes || stamp.kind().writes())
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
}

impl Order {
    /// The serial number of a CTA of the launch, by its number in the grid.
    pub(super) fn serial(&self, index: u64) -> u32 {
        self.first.wrapping_add(index as u32)
    }

    /// The serial number of the launch's first CTA.
    pub(super) fn first(&self) -> u32 {
        self.first
    }

    /// The order for loads that were made during the launch and are entered into the shadow memory
    /// later: launches that have begun since are concurrent with the launch.
    pub(super) fn before_later(&self) -> Self {
        let later = (self.first.saturating_add(self.ctas), u32::MAX);
        let others = self.others.iter().copied().chain([later]).collect();
        Self { others, ..self.clone() }
    }

    /// Whether all other launches are ordered before this one.
    pub(super) fn is_alone(&self) -> bool {
        self.others.is_empty()
    }

    /// Whether a serial number belongs to a CTA of this launch.
    pub(super) fn has(&self, serial: u32) -> bool {
        serial.wrapping_sub(self.first) < self.ctas
    }

    /// Whether an access of another launch is ordered before this launch.
    pub(super) fn is_after(&self, stamp: AccessRecord) -> bool {
        let is_other = |other: &(u32, u32)| (other.0..=other.1).contains(&stamp.serial);
        let knows = |clock: &Arc<Clock>| {
            !stamp.kind().is_async() && clock.knows(stamp.serial, stamp.thread(), stamp.time())
        };
        !self.others.iter().any(is_other) || self.knows.as_ref().is_some_and(knows)
    }
}

/// The launch whose CTAs a worker executes.
pub(super) struct Launch<'a> {
    pub(super) sink: Arc<Sink>,
    /// Whether stores of one value by lanes of one instruction are reported.
    pub(super) is_strict: bool,
    pub(super) memory: &'a Memory,
    pub(super) shadow: &'a Shadow,
    pub(super) order: Order,
    pub(super) grid: [u32; 3],
    pub(super) block: [u32; 3],
    /// The clocks of the launch's clusters; `None` if it has no clusters.
    pub(super) clusters: Option<&'a Mutex<Clusters>>,
    /// The stream of the launch.
    pub(super) queue: Queue,
    pub(super) info: LaunchInfo<'a>,
}

impl Launch<'_> {
    /// Number of a CTA in the grid.
    pub(super) fn index(&self, cta: [u32; 3]) -> u64 {
        let ([x, y, z], [w, h, _]) = (cta.map(u64::from), self.grid.map(u64::from));
        x + w * (y + h * z)
    }

    /// The thread of a CTA, by the CTA's serial number, at an operation.
    pub(super) fn spot(&self, serial: u32, thread: u32, op: u32) -> Spot {
        let index = u64::from(serial.wrapping_sub(self.order.first));
        let [cta, thread] = place_of(index, thread, (self.grid, self.block));
        Spot { cta, thread, op }
    }
}
