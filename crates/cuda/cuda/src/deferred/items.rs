//! Stored items of work and their dependencies, also across streams: events, events of whole
//! contexts, and streams that wait for each other.

use super::*;
use crate::ipc::SharedEvent;
use crate::stream::Event;

/// Work that is executed later, given the state of the context by then.
pub(super) struct Work(pub(super) Box<dyn FnOnce(Answer) -> Answer>);

// SAFETY: work of a stream may be executed by any thread: device memory and objects are shared, and
// the program guarantees that its pointers stay valid until it has waited for the stream.
unsafe impl Send for Work {}

/// Number of an item, in order of submission.
pub(super) type Id = u64;

/// A stream of a context; each context has its own default stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct StreamKey {
    pub(super) context: usize,
    pub(super) queue: Queue,
}

pub(super) struct Item {
    pub(super) context: Arc<Context>,
    /// Items on which the item depends and that are not done.
    after: Vec<Id>,
    pub(super) work: Work,
}

/// The deferred work items of all queues.
#[derive(Default)]
pub(super) struct State {
    pub(super) last: Id,
    pub(super) waiting: BTreeMap<Id, Item>,
    /// Items that threads are executing, with their contexts.
    pub(super) running: BTreeMap<Id, usize>,
    /// Dependencies of the next item of each stream.
    pub(super) tails: HashMap<StreamKey, Vec<Id>>,
    /// Dependencies that each event stands for, by its handle.
    pub(super) events: HashMap<usize, Vec<Id>>,
    pub(super) random: Random,
}

/// Random choices (SplitMix64) for an order of execution, seeded by `--schedule`.
#[derive(Default)]
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) as usize % bound.max(1)
    }
}

impl State {
    pub(super) fn is_open(&self, id: Id) -> bool {
        self.waiting.contains_key(&id) || self.running.contains_key(&id)
    }

    pub(super) fn tail(&self, line: StreamKey) -> impl Iterator<Item = Id> {
        self.tails.get(&line).into_iter().flatten().copied().filter(|&id| self.is_open(id))
    }

    /// Items that an event stands for.
    pub(super) fn of_event(&self, event: usize) -> Vec<Id> {
        self.events.get(&event).cloned().unwrap_or_default()
    }

    /// Makes the next item of a stream depend on more items.
    pub(super) fn wait(&mut self, line: StreamKey, ids: &[Id]) {
        let open = ids.iter().copied().filter(|&id| self.is_open(id));
        let tail = self.tail(line).chain(open).collect();
        self.tails.insert(line, tail);
    }

    /// Dependencies of the next item of a stream.
    pub(super) fn before(&self, line: StreamKey) -> Vec<Id> {
        let waits = |other: &StreamKey| match (line.queue, other.queue) {
            _ if other.context != line.context => false,
            (queue, other_queue) => queue.waits_for(other_queue) || *other == line,
        };
        let lines = self.tails.keys().copied().filter(waits);
        let ids: BTreeSet<Id> = lines.flat_map(|line| self.tail(line)).collect();
        ids.into_iter().collect()
    }

    pub(super) fn add(&mut self, line: StreamKey, context: &Arc<Context>, work: Work) -> Id {
        self.last += 1;
        let (id, after) = (self.last, self.before(line));
        self.waiting.insert(id, Item { context: Arc::clone(context), after, work });
        self.tails.insert(line, vec![id]);
        id
    }

    /// Registers an item without dependencies as running.
    pub(super) fn begin_new(
        &mut self,
        line: StreamKey,
        context: &Arc<Context>,
        work: Work,
    ) -> (Id, Item) {
        let id = self.add(line, context, work);
        let item = self.begin(id);
        (id, item.expect("it has just been added"))
    }

    /// The next item without dependencies, which becomes running.
    pub(super) fn begin_ready(&mut self) -> Option<(Id, Item)> {
        let ready = self.waiting.iter().find(|(_, item)| item.after.is_empty());
        let id = ready.map(|(&id, _)| id)?;
        Some((id, self.begin(id)?))
    }

    /// Items with all their dependencies.
    pub(super) fn with_all_before(&self, ids: &[Id]) -> BTreeSet<Id> {
        let (mut all, mut more) = (BTreeSet::new(), ids.to_vec());
        while let Some(id) = more.pop() {
            if self.is_open(id) && all.insert(id) {
                more.extend(self.waiting.get(&id).iter().flat_map(|item| &item.after));
            }
        }
        all
    }

    /// Chooses a ready item among the wanted ones or, now and then, among the others.
    pub(super) fn choose(&mut self, wanted: &BTreeSet<Id>) -> Option<Id> {
        let ready = self.waiting.iter().filter(|(_, item)| item.after.is_empty());
        let (ours, others): (Vec<Id>, Vec<Id>) =
            ready.map(|(&id, _)| id).partition(|id| wanted.contains(id));
        let from = if !others.is_empty() && self.random.below(4) == 0 { others } else { ours };
        from.get(self.random.below(from.len())).copied()
    }

    pub(super) fn begin(&mut self, id: Id) -> Option<Item> {
        let item = self.waiting.remove(&id)?;
        self.running.insert(id, item.context.handle.number());
        Some(item)
    }

    pub(super) fn end(&mut self, id: Id) {
        self.running.remove(&id);
        self.waiting.values_mut().for_each(|item| item.after.retain(|&other| other != id));
        if self.waiting.is_empty() && self.running.is_empty() {
            self.tails.clear();
            self.events.clear();
        }
    }
}

fn lines(state: &State, context: &Context) -> Vec<StreamKey> {
    let number = context.handle.number();
    state.tails.keys().copied().filter(|line| line.context == number).collect()
}

/// Dependencies of the next items of several streams, without those that are done.
fn tails(state: &State, lines: &[StreamKey]) -> Vec<Id> {
    let ids: BTreeSet<Id> = lines.iter().flat_map(|&line| state.before(line)).collect();
    ids.into_iter().collect()
}

/// Records an event after all work submitted to a context.
pub(crate) fn recorded_in_context(event: usize, context: &Context) {
    if has_any() {
        with(|state| {
            state.events.insert(event, tails(state, &lines(state, context)));
        });
    }
}

/// Makes all later work of a context depend on an event.
pub(crate) fn context_waits(event: usize, order: &Order) {
    if has_any() {
        with(|state| {
            let ids = state.of_event(event);
            for line in lines(state, &order.context).into_iter().chain([order.line()]) {
                state.wait(line, &ids);
            }
        });
    }
}

/// Makes later work of several streams depend on all their preceding work.
pub(crate) fn joined(orders: &[Order]) {
    if has_any() {
        with(|state| {
            let lines: Vec<StreamKey> = orders.iter().map(Order::line).collect();
            let ids = tails(state, &lines);
            for line in lines {
                state.tails.insert(line, ids.clone());
            }
        });
    }
}

/// Records a valid event: it completes when the preceding work of the stream is done.
pub(crate) fn record_event(event: Handle<Event>, order: &Order) {
    let Some(object) = Event::registry().find(event) else { return };
    capture::recorded_outside(event.number());
    crate::check_log::with_race(|race| race.streams().record(event.number() as u64, order.queue));
    let time = object.shared.as_ref().map(SharedEvent::recorded);
    let is_shared = time.is_some();
    record(event.number(), order, move || {
        object.record();
        if let (Some(shared), Some(time)) = (&object.shared, time) {
            shared.happens(time);
        }
    });
    // The process that waits for an interprocess event cannot request the work before it.
    if is_shared && is_on() {
        wait_for_event(event.number());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::Gpu;
    use texunit_device::cards::CARDS;

    fn own(id: u64, is_blocking: bool) -> StreamKey {
        StreamKey { context: 1, queue: Queue::new(id, is_blocking) }
    }

    const DEFAULT: StreamKey = StreamKey { context: 1, queue: Queue::DEFAULT };

    fn context() -> Arc<Context> {
        Context::create(&Arc::new(Gpu::new((0, 0), &CARDS[0], 1)), 0)
    }

    fn nothing() -> Work {
        Work(Box::new(|state| state))
    }

    #[test]
    fn streams_wait_for_themselves_and_the_default_stream_for_blocking_ones() {
        let (context, mut state) = (context(), State::default());
        let (free, blocking) = (own(16, false), own(32, true));
        let add = |state: &mut State, line| state.add(line, &context, nothing());
        let a = [free, free].map(|line| add(&mut state, line));
        let b = add(&mut state, blocking);
        let other = StreamKey { context: 2, ..DEFAULT };
        let c = add(&mut state, other);
        assert_eq!(state.before(free), [a[1]]);
        assert_eq!(state.before(DEFAULT), [b]);
        let d = add(&mut state, DEFAULT);
        assert_eq!(state.before(blocking), [b, d]);
        assert_eq!(state.before(other), [c]);
        assert_eq!(state.with_all_before(&[d]), BTreeSet::from([b, d]));
        assert_eq!(state.with_all_before(&[a[1]]), BTreeSet::from(a));
        // Items in progress are waited for; those that are done are not.
        assert!(state.begin(b).is_some() && state.begin(b).is_none());
        assert_eq!(state.with_all_before(&[d]), BTreeSet::from([b, d]));
        state.end(b);
        assert_eq!(state.with_all_before(&[d]), BTreeSet::from([d]));
        assert_eq!(state.before(blocking), [d]);
    }

    /// The order in which a seed executes all items.
    fn order(seed: u64) -> Vec<Id> {
        let (context, mut state) = (context(), State { random: Random(seed), ..State::default() });
        for i in 0..12 {
            let line = if i == 6 { DEFAULT } else { own(16 * (1 + i % 3), i % 3 == 0) };
            state.add(line, &context, nothing());
        }
        let mut done = Vec::new();
        while let Some(id) = state.choose(&state.waiting.keys().copied().collect()) {
            let after = state.waiting.get(&id).map(|item| item.after.clone());
            assert_eq!(after, Some(Vec::new()));
            assert!(state.begin(id).is_some());
            state.end(id);
            done.push(id);
        }
        assert!(state.tails.is_empty() && state.running.is_empty());
        done
    }

    #[test]
    fn a_seed_says_the_order_of_what_is_not_ordered() {
        let orders: BTreeSet<Vec<Id>> = (0..8).map(order).collect();
        assert!(orders.len() > 6, "{orders:?}");
        for order in &orders {
            assert_eq!(order.len(), 12);
            // Order within a stream, and dependencies of the default stream.
            let at = |id: Id| order.iter().position(|&other| other == id);
            assert!(at(2) < at(5) && at(5) < at(8) && at(1) < at(4) && at(4) < at(7));
            assert!(at(7) < at(10));
        }
        assert_eq!(order(3), order(3));
    }
}
