//! Happens-before between launches. The module is given the submissions to streams, the events, and
//! the waits of the host, and decides which work is ordered before which.
//!
//! The work of a stream has ascending positions. For each stream the module keeps the position of
//! each other stream until which all work is ordered before the stream's next launch. Such an order
//! comes from events, from the default stream (which waits for all blocking streams), and from the
//! host, which submits the launch after it has waited for other work. All threads of the host count
//! as one.

mod locations;

use super::order::CtaRanges;
use super::queue::{Position, Positions, Queue};
use locations::Text;
use std::collections::{HashMap, HashSet};
use std::ops::RangeInclusive;
use std::sync::Arc;
use texunit_simt::observe::LaunchInfo;

/// A reserved position in a stream, for work that is submitted now and executed later.
#[derive(Clone, Debug)]
pub struct Submitted {
    pub(super) position: Position,
    /// The positions of the work that is ordered before the submitted work.
    pub(super) before: Arc<Positions>,
}

/// Work of a stream: the next work, or work that was submitted earlier.
pub type Work<'a> = (Queue, Option<&'a Submitted>);

/// Maximum number of recorded launches, and of recorded copies.
const MAX: usize = 1024;
/// Maximum number of recorded pool allocations.
const MAX_POOLS: usize = 1 << 16;
/// Maximum number of recorded ranges of a copy.
const MAX_PIECES: usize = 64;

#[derive(Clone, Debug, Default)]
struct Stream {
    launches: u64,
    knows: Positions,
}

/// A launch that the host has not waited for.
#[derive(Clone, Debug)]
struct RecordedLaunch {
    position: Position,
    /// The serial numbers of the launch's CTAs.
    ctas: RangeInclusive<u32>,
    grid: [u32; 3],
    block: [u32; 3],
    text: Option<Arc<Text>>,
}

/// A copy or fill that the host has submitted to a stream.
#[derive(Clone, Debug)]
pub(super) struct RecordedCopy {
    position: Position,
    pub(super) what: String,
    /// Ranges that are read or written: address, length, and whether the range is written.
    pub(super) pieces: Vec<(u64, u64, bool)>,
}

/// A pool allocation, with its position in its stream.
#[derive(Clone, Debug)]
pub(super) struct PoolAllocation {
    pub(super) position: Position,
    pub(super) address: u64,
    pub(super) len: u64,
    pub(super) number: u64,
}

/// The streams, events and launches of a process.
#[derive(Debug, Default)]
pub struct Streams {
    streams: HashMap<Queue, Stream>,
    host: Positions,
    events: HashMap<u64, Positions>,
    /// Destroyed streams, whose launches may still be running.
    ended: Vec<Queue>,
    /// Launches that the host has not waited for, in the order of their serial numbers.
    past: Vec<RecordedLaunch>,
    /// Copies and fills that the host has not waited for.
    copies: Vec<RecordedCopy>,
    texts: Vec<Arc<Text>>,
    /// For each node of a graph, which has a stream of its own, the node's name.
    names: HashMap<Queue, String>,
    /// Pool allocations that the host has not waited for.
    pub(super) pools: Vec<PoolAllocation>,
}

impl Streams {
    /// The positions that are ordered before the next work of a stream.
    pub(super) fn before(&self, queue: Queue) -> Positions {
        let mut known = self.host.clone();
        for (&other, stream) in &self.streams {
            if other == queue || queue.waits_for(other) {
                known.join(&stream.knows);
                known.add(Position { queue: other, at: stream.launches });
            }
        }
        known
    }

    /// Reserves the next position in a stream, for work that the host submits now.
    pub fn submit(&mut self, queue: Queue) -> Submitted {
        let before = self.before(queue);
        let stream = self.streams.entry(queue).or_default();
        stream.knows.clone_from(&before);
        stream.launches += 1;
        let position = Position { queue, at: stream.launches };
        Submitted { position, before: Arc::new(before) }
    }

    /// Records a copy or fill in a stream; `what` describes it. `pieces` are its ranges of memory
    /// that the host can access: address, length, and whether the range is written.
    pub fn copies(&mut self, queue: Queue, what: String, pieces: &[(u64, u64, bool)]) {
        let position = self.submit(queue).position;
        self.copies.retain(|copy| !self.host.knows(copy.position));
        if self.copies.len() >= MAX {
            self.copies.remove(0);
        }
        let pieces = pieces.iter().copied().take(MAX_PIECES).collect();
        self.copies.push(RecordedCopy { position, what, pieces });
    }

    /// Records a pool allocation.
    pub(super) fn allocated(&mut self, allocation: PoolAllocation) {
        self.pools.retain(|of| !self.host.knows(of.position));
        if self.pools.len() < MAX_POOLS {
            self.pools.push(allocation);
        }
    }

    /// Whether there is a stream besides the default stream, so that work may be concurrent.
    pub(super) fn are_several(&self) -> bool {
        self.streams.keys().any(|queue| *queue != Queue::DEFAULT)
    }

    /// Whether the host has not waited for the launch whose first CTA has this serial number.
    pub(super) fn is_open(&self, first: u32) -> bool {
        self.past.binary_search_by_key(&first, |past| *past.ctas.start()).is_ok()
    }

    /// The copies and fills that the host has not waited for.
    pub(super) fn copies_not_before_host(&self) -> impl Iterator<Item = &RecordedCopy> {
        self.copies.iter().filter(|copy| !self.host.knows(copy.position))
    }

    /// The host has read a flag that a launch has stored, so that it is ordered after the launch
    /// and the preceding work of the launch's stream.
    pub(super) fn host_saw(&mut self, serial: u32) {
        if let Some(position) = self.launch_of(serial).map(|launch| launch.position) {
            self.host.add(position);
        }
    }

    /// The recorded launch that has the CTA with this serial number.
    fn launch_of(&self, serial: u32) -> Option<&RecordedLaunch> {
        self.past.iter().find(|past| past.ctas.contains(&serial))
    }

    /// Begins the launch with the CTAs `own` (serial numbers). Returns the CTAs of concurrent
    /// launches, and the pool memory whose allocation is not ordered before the launch. The
    /// kernel's source locations are recorded if the report of a later race may need them.
    pub(super) fn begin(
        &mut self,
        submitted: Submitted,
        ctas: RangeInclusive<u32>,
        info: &LaunchInfo<'_>,
        is_told: bool,
    ) -> (CtaRanges, Vec<PoolAllocation>) {
        let Submitted { position, before } = submitted;
        self.pools.retain(|of| !self.host.knows(of.position));
        let early = self.pools.iter().filter(|of| !before.knows(of.position)).cloned().collect();
        self.past.retain(|past| !self.host.knows(past.position));
        if self.past.len() >= MAX {
            self.past.remove(0);
        }
        self.forget();
        let others = self.not_among(&before);
        // Launches of the default stream alone are all ordered, so that source locations are not
        // needed, except for host accesses (`is_told`) and for grids that kernels launch.
        let is_told = is_told
            || self.streams.len() > 1
            || position.queue != Queue::DEFAULT
            || info.config.runtime.is_some();
        let text = is_told.then(|| self.text(info));
        let (grid, block) = (info.config.grid, info.config.block);
        self.past.push(RecordedLaunch { position, ctas, grid, block, text });
        (others, early)
    }

    /// Sets the name of the graph node that has this stream.
    pub fn named(&mut self, queue: Queue, name: String) {
        self.names.insert(queue, name);
    }

    /// The name of the graph node that has this stream.
    pub fn name(&self, queue: Queue) -> Option<String> {
        self.names.get(&queue).cloned()
    }

    /// The name of the graph node whose launch contains the CTA with this serial number.
    pub(super) fn name_of(&self, serial: u32) -> Option<String> {
        self.name(self.launch_of(serial)?.position.queue)
    }

    /// The launches of the given streams.
    pub(super) fn launches_of(&self, queues: &[Queue]) -> CtaRanges {
        let those = self.past.iter().filter(|past| queues.contains(&past.position.queue));
        those.map(|past| past.ctas.clone()).collect()
    }

    /// The launches that are not ordered before work of a stream or (`None`) before the next action
    /// of the host.
    pub(super) fn not_before(&self, work: Option<Work<'_>>) -> CtaRanges {
        match work {
            Some((_, Some(work))) => self.not_among(&work.before),
            Some((queue, None)) => self.not_among(&self.before(queue)),
            None => self.not_among(&self.host),
        }
    }

    fn not_among(&self, known: &Positions) -> CtaRanges {
        let those = self.past.iter().filter(|past| !known.knows(past.position));
        those.map(|past| past.ctas.clone()).collect()
    }

    /// The host waits for all present work of a stream.
    pub fn synchronize(&mut self, queue: Queue) {
        self.host = self.before(queue);
    }

    /// The host destroys a stream: its work continues, and no further work is submitted.
    pub fn end_stream(&mut self, queue: Queue) {
        if !self.streams.contains_key(&queue) {
            self.names.remove(&queue);
        } else {
            self.ended.push(queue);
            self.past.retain(|past| !self.host.knows(past.position));
            self.copies.retain(|copy| !self.host.knows(copy.position));
            self.forget();
        }
    }

    /// The host destroys an event. Waits for the event have already taken effect.
    pub fn end_event(&mut self, event: u64) {
        self.events.remove(&event);
    }

    /// Number of recorded streams, events, launches and positions, by which tests show that state
    /// is freed.
    pub fn state_count(&self) -> usize {
        let known = self.streams.values().map(|stream| stream.knows.len());
        let known = known.chain(self.events.values().map(Positions::len)).sum::<usize>();
        let work = self.past.len() + self.copies.len();
        self.streams.len() + self.events.len() + work + self.host.len() + known
    }

    /// Removes the destroyed streams whose work can no longer race.
    fn forget(&mut self) {
        if self.ended.is_empty() {
            return;
        }
        let copies = self.copies.iter().map(|copy| copy.position.queue);
        let used = self.past.iter().map(|past| past.position.queue);
        let used: HashSet<Queue> = used.chain(copies).collect();
        let gone: HashSet<Queue> =
            self.ended.extract_if(.., |queue| !used.contains(queue)).collect();
        if gone.is_empty() {
            return;
        }
        self.streams.retain(|queue, _| !gone.contains(queue));
        self.names.retain(|queue, _| !gone.contains(queue));
        self.pools.retain(|of| !gone.contains(&of.position.queue));
        let knows = self.streams.values_mut().map(|stream| &mut stream.knows);
        let all = knows.chain(self.events.values_mut()).chain([&mut self.host]);
        all.for_each(|known| known.forget(&gone));
    }

    /// The host waits for all present work of a device.
    pub fn synchronize_device(&mut self, device: u32) {
        let all: Vec<Queue> = self.streams.keys().copied().collect();
        let there = all.into_iter().filter(|queue| queue.device == device);
        there.for_each(|queue| self.synchronize(queue));
    }

    /// Records an event in a stream.
    pub fn record(&mut self, event: u64, queue: Queue) {
        let known = self.before(queue);
        self.events.insert(event, known);
    }

    /// Records an event in a stream, at a position before the stream's last launch.
    pub fn record_before_last(&mut self, event: u64, queue: Queue) {
        let mut known = self.before(queue);
        known.step_back(queue);
        self.events.insert(event, known);
    }

    /// A stream waits for an event, or the host does (`None`).
    pub fn wait(&mut self, event: u64, queue: Option<Queue>) {
        let Some(known) = self.events.get(&event) else { return };
        match queue {
            Some(queue) => self.streams.entry(queue).or_default().knows.join(known),
            None => self.host.join(known),
        }
    }

    fn of_device(&self, device: u32) -> Vec<Queue> {
        let default = Queue { device, own: None };
        let others = self.streams.keys().copied().filter(|queue| *queue != default);
        others.filter(|queue| queue.device == device).chain([default]).collect()
    }

    /// The positions that are ordered before the next work of all the given streams.
    fn before_all(&self, queues: &[Queue]) -> Positions {
        let mut known = Positions::default();
        queues.iter().for_each(|&queue| known.join(&self.before(queue)));
        known
    }

    /// Records an event behind the present work of all streams of a device.
    pub fn record_on(&mut self, event: u64, device: u32) {
        let known = self.before_all(&self.of_device(device));
        self.events.insert(event, known);
    }

    /// All streams of a device wait for an event.
    pub fn wait_on(&mut self, event: u64, device: u32) {
        self.of_device(device).into_iter().for_each(|queue| self.wait(event, Some(queue)));
    }

    /// Each of the given streams waits for the present work of the other given streams.
    pub fn join(&mut self, queues: &[Queue]) {
        let known = self.before_all(queues);
        for &queue in queues {
            self.streams.entry(queue).or_default().knows.join(&known);
        }
    }
}
