//! Happens-before between launches. The module is given the submissions to streams, the events, and
//! the waits of the host, and decides which work is ordered before which.
//!
//! The work of a stream has ascending positions. For each stream the module keeps the position of
//! each other stream until which all work is ordered before the stream's next launch. Such an order
//! comes from events, from the default stream (which waits for all blocking streams), and from the
//! host, which submits the launch after it has waited for other work. All threads of the host count
//! as one.

mod locations;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use texunit_simt::observe::LaunchInfo;

use super::host::RecordedCopy;
use super::pools::{self, Allocated, UnorderedPools};
use super::queue::Queue;
use locations::Text;

/// A reserved position in a stream, for work that is submitted now and executed later.
#[derive(Clone, Debug)]
pub struct Submitted {
    queue: Queue,
    at: u64,
    before: Arc<StreamPositions>,
}

/// Maximum number of recorded launches.
const MAX: usize = 1024;

/// For each stream, a position: the stream's work until this position is ordered before an event or
/// a launch.
pub(super) type StreamPositions = BTreeMap<Queue, u64>;

#[derive(Clone, Debug, Default)]
struct Stream {
    launches: u64,
    knows: StreamPositions,
}

/// A launch that the host has not waited for.
#[derive(Clone, Debug)]
struct RecordedLaunch {
    first: u32,
    last: u32,
    queue: Queue,
    at: u64,
    grid: [u32; 3],
    block: [u32; 3],
    text: Option<Arc<Text>>,
}

/// The streams, events and launches of a process.
#[derive(Debug, Default)]
pub(super) struct Streams {
    streams: HashMap<Queue, Stream>,
    host: StreamPositions,
    events: HashMap<u64, StreamPositions>,
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
    pub(super) allocated: Vec<Allocated>,
}

impl Submitted {
    /// The position of the work in its stream.
    pub(super) fn at(&self) -> u64 {
        self.at
    }

    /// For each stream, the position until which its work is ordered before this work.
    pub(super) fn known(&self) -> StreamPositions {
        StreamPositions::clone(&self.before)
    }
}

fn join(known: &mut StreamPositions, other: &StreamPositions) {
    for (&queue, &at) in other {
        let mine = known.entry(queue).or_default();
        *mine = at.max(*mine);
    }
}

/// The CTA and the thread in it as three coordinates each, from the CTA's number in the grid and
/// the thread's number in the CTA.
pub(super) fn place_of(
    index: u64,
    thread: u32,
    (grid, block): ([u32; 3], [u32; 3]),
) -> [[u32; 3]; 2] {
    let [x, y, _] = grid.map(|n| u64::from(n.max(1)));
    let cta = [index % x, index / x % y, index / x / y].map(|n| n as u32);
    let [w, h, _] = block.map(|n| n.max(1));
    [cta, [thread % w, thread / w % h, thread / w / h]]
}

impl Streams {
    /// The positions that are ordered before work which waits for the whole present work of a
    /// stream.
    fn all_of(&self, queue: Queue) -> StreamPositions {
        let Some(stream) = self.streams.get(&queue) else { return StreamPositions::new() };
        let mut known = stream.knows.clone();
        known.insert(queue, stream.launches);
        known
    }

    /// The positions that are ordered before the next work of a stream.
    pub(super) fn before(&self, queue: Queue) -> StreamPositions {
        let mut known = self.host.clone();
        join(&mut known, &self.all_of(queue));
        for &other in self.streams.keys() {
            if queue.waits_for(other) {
                join(&mut known, &self.all_of(other));
            }
        }
        known
    }

    /// Reserves the next position in a stream, for work that the host submits now.
    pub(super) fn submit(&mut self, queue: Queue) -> Submitted {
        let before = self.before(queue);
        let stream = self.streams.entry(queue).or_default();
        stream.knows.clone_from(&before);
        stream.launches += 1;
        Submitted { queue, at: stream.launches, before: Arc::new(before) }
    }

    /// Records a copy or fill in a stream.
    pub(super) fn copies(&mut self, queue: Queue, what: String, pieces: &[(u64, u64, bool)]) {
        let at = self.submit(queue).at;
        let host = &self.host;
        self.copies.retain(|copy| host.get(&copy.queue).is_none_or(|&at| at < copy.at));
        if self.copies.len() >= MAX {
            self.copies.remove(0);
        }
        self.copies.push(RecordedCopy::new((queue, at), what, pieces));
    }

    /// Whether there is a stream besides the default stream, so that work may be concurrent.
    pub(super) fn are_several(&self) -> bool {
        self.streams.keys().any(|queue| *queue != Queue::Default)
    }

    /// Whether the host has not waited for the launch whose first CTA has this serial number.
    pub(super) fn is_open(&self, first: u32) -> bool {
        self.past.binary_search_by_key(&first, |past| past.first).is_ok()
    }

    /// The copies and fills that the host has not waited for.
    pub(super) fn copies_not_before_host(&self) -> impl Iterator<Item = &RecordedCopy> {
        let is_open =
            |copy: &&RecordedCopy| self.host.get(&copy.queue).is_none_or(|&at| at < copy.at);
        self.copies.iter().filter(is_open)
    }

    /// The host has read a flag that a launch has stored, so that it is ordered after the launch
    /// and the preceding work of the launch's stream.
    pub(super) fn host_saw(&mut self, serial: u32) {
        let past = self.past.iter().find(|past| (past.first..=past.last).contains(&serial));
        if let Some((queue, at)) = past.map(|past| (past.queue, past.at)) {
            join(&mut self.host, &StreamPositions::from([(queue, at)]));
        }
    }

    /// Begins the launch with the CTAs `own` (serial numbers). Returns the CTAs of concurrent
    /// launches, and the pool memory whose allocation is not ordered before the launch. The
    /// kernel's source locations are recorded if the report of a later race may need them.
    pub(super) fn begin(
        &mut self,
        submitted: Submitted,
        own: (u32, u32),
        info: &LaunchInfo<'_>,
        is_told: bool,
    ) -> (Vec<(u32, u32)>, UnorderedPools) {
        let Submitted { queue, at, before } = submitted;
        self.forget_allocated();
        let early = self.allocated.iter().filter(|allocated| !pools::is_known(&before, allocated));
        let early = early.map(|of| (of.address, of.len, of.number)).collect();
        let host = &self.host;
        let is_known = |known: &StreamPositions, past: &RecordedLaunch| {
            known.get(&past.queue).is_some_and(|&at| at >= past.at)
        };
        self.past.retain(|past| !is_known(host, past));
        if self.past.len() >= MAX {
            self.past.remove(0);
        }
        self.forget();
        let others = self.past.iter().filter(|past| !is_known(&before, past));
        let others = others.map(|past| (past.first, past.last)).collect();
        // Launches of the default stream alone are all ordered, so that source locations are not
        // needed, except for host accesses (`is_told`) and for grids that kernels launch.
        let is_told = is_told
            || self.streams.len() > 1
            || queue != Queue::Default
            || info.config.runtime.is_some();
        let text = is_told.then(|| self.text(info));
        let (first, last) = own;
        let (grid, block) = (info.config.grid, info.config.block);
        self.past.push(RecordedLaunch { first, last, queue, at, grid, block, text });
        (others, early)
    }

    /// Removes the pool allocations that the host has waited for.
    pub(super) fn forget_allocated(&mut self) {
        let host = &self.host;
        self.allocated.retain(|allocated| !pools::is_known(host, allocated));
    }

    /// Sets the name of the graph node that has this stream.
    pub(super) fn named(&mut self, queue: Queue, name: String) {
        self.names.insert(queue, name);
    }

    /// The name of the graph node that has this stream.
    pub(super) fn name(&self, queue: Queue) -> Option<String> {
        self.names.get(&queue).cloned()
    }

    /// The name of the graph node whose launch contains the CTA with this serial number.
    pub(super) fn name_of(&self, serial: u32) -> Option<String> {
        let past = self.past.iter().find(|past| (past.first..=past.last).contains(&serial))?;
        self.names.get(&past.queue).cloned()
    }

    /// The launches of the given streams, as ranges of CTA serial numbers.
    pub(super) fn launches_of(&self, queues: &[Queue]) -> Vec<(u32, u32)> {
        let is_one = |past: &&RecordedLaunch| queues.contains(&past.queue);
        self.past.iter().filter(is_one).map(|past| (past.first, past.last)).collect()
    }

    /// The launches that are not ordered before the next work of a stream or (`None`) before the
    /// next action of the host.
    pub(super) fn not_before(&self, queue: Option<Queue>) -> Vec<(u32, u32)> {
        match queue {
            Some(queue) => self.not_among(&self.before(queue)),
            None => self.not_among(&self.host),
        }
    }

    /// The launches that are not ordered before work that was submitted earlier.
    pub(super) fn not_before_work(&self, work: &Submitted) -> Vec<(u32, u32)> {
        self.not_among(&work.before)
    }

    fn not_among(&self, known: &StreamPositions) -> Vec<(u32, u32)> {
        let is_known =
            |past: &&RecordedLaunch| known.get(&past.queue).is_some_and(|&at| at >= past.at);
        self.past.iter().filter(|past| !is_known(past)).map(|p| (p.first, p.last)).collect()
    }

    /// The host waits for all present work of a stream.
    pub(super) fn synchronize(&mut self, queue: Queue) {
        let all = self.before(queue);
        join(&mut self.host, &all);
    }

    /// The host destroys a stream: its work continues, and no further work is submitted.
    pub(super) fn end_stream(&mut self, queue: Queue) {
        if !self.streams.contains_key(&queue) {
            self.names.remove(&queue);
        } else {
            self.ended.push(queue);
            let host = &self.host;
            self.past.retain(|past| host.get(&past.queue).is_none_or(|&at| at < past.at));
            self.copies.retain(|copy| host.get(&copy.queue).is_none_or(|&at| at < copy.at));
            self.forget();
        }
    }

    /// The host destroys an event. Waits for the event have already taken effect.
    pub(super) fn end_event(&mut self, event: u64) {
        self.events.remove(&event);
    }

    /// Number of recorded streams, events, launches and positions, by which tests show that state
    /// is freed.
    pub(super) fn kept(&self) -> usize {
        let known = self.streams.values().map(|stream| stream.knows.len());
        let known = known.chain(self.events.values().map(BTreeMap::len)).sum::<usize>();
        let work = self.past.len() + self.copies.len();
        self.streams.len() + self.events.len() + work + self.host.len() + known
    }

    /// Removes the destroyed streams whose work can no longer race.
    fn forget(&mut self) {
        if self.ended.is_empty() {
            return;
        }
        let used = self.past.iter().map(|past| past.queue);
        let used: HashSet<Queue> = used.chain(self.copies.iter().map(|copy| copy.queue)).collect();
        let gone: HashSet<Queue> =
            self.ended.extract_if(.., |queue| !used.contains(queue)).collect();
        if gone.is_empty() {
            return;
        }
        self.streams.retain(|queue, _| !gone.contains(queue));
        self.names.retain(|queue, _| !gone.contains(queue));
        self.allocated.retain(|allocated| !gone.contains(&allocated.queue));
        let knows = self.streams.values_mut().map(|stream| &mut stream.knows);
        for known in knows.chain(self.events.values_mut()).chain([&mut self.host]) {
            known.retain(|queue, _| !gone.contains(queue));
        }
    }

    /// The host waits for all present work of the process.
    pub(super) fn synchronize_all(&mut self) {
        let all: Vec<Queue> = self.streams.keys().copied().collect();
        all.into_iter().for_each(|queue| self.synchronize(queue));
    }

    /// The host waits for all present work of a device.
    pub(super) fn synchronize_device(&mut self, device: u32) {
        let all: Vec<Queue> = self.streams.keys().copied().collect();
        let there = all.into_iter().filter(|queue| queue.device() == device);
        there.for_each(|queue| self.synchronize(queue));
    }

    /// Records an event in a stream.
    pub(super) fn record(&mut self, event: u64, queue: Queue) {
        let known = self.before(queue);
        self.events.insert(event, known);
    }

    /// Records an event in a stream, at a position before the stream's last launch.
    pub(super) fn record_before_last(&mut self, event: u64, queue: Queue) {
        let mut known = self.before(queue);
        if let Some(launches) = known.get_mut(&queue) {
            *launches = launches.saturating_sub(1);
        }
        self.events.insert(event, known);
    }

    /// A stream waits for an event, or the host does (`None`).
    pub(super) fn wait(&mut self, event: u64, queue: Option<Queue>) {
        let Some(known) = self.events.get(&event) else { return };
        match queue {
            Some(queue) => join(&mut self.streams.entry(queue).or_default().knows, known),
            None => join(&mut self.host, known),
        }
    }

    fn of_device(&self, device: u32) -> Vec<Queue> {
        let default = Queue::on(device, None);
        let others = self.streams.keys().copied().filter(|queue| *queue != default);
        others.filter(|queue| queue.device() == device).chain([default]).collect()
    }

    /// The positions that are ordered before the next work of all the given streams.
    fn before_all(&self, queues: &[Queue]) -> StreamPositions {
        let mut known = StreamPositions::new();
        queues.iter().for_each(|&queue| join(&mut known, &self.before(queue)));
        known
    }

    /// Records an event behind the present work of all streams of a device.
    pub(super) fn record_on(&mut self, event: u64, device: u32) {
        let known = self.before_all(&self.of_device(device));
        self.events.insert(event, known);
    }

    /// All streams of a device wait for an event.
    pub(super) fn wait_on(&mut self, event: u64, device: u32) {
        self.of_device(device).into_iter().for_each(|queue| self.wait(event, Some(queue)));
    }

    /// Each of the given streams waits for the present work of the others.
    pub(super) fn join(&mut self, queues: &[Queue]) {
        let known = self.before_all(queues);
        for &queue in queues {
            join(&mut self.streams.entry(queue).or_default().knows, &known);
        }
    }
}
