//! Deferred work (`--schedule SEED`): kernels, copies, memory sets and host functions of streams
//! are stored when they are submitted, and executed in a random order when the program waits for
//! them or for other work.
//!
//! An item of work depends on the previous item of its stream, on items of streams that the legacy
//! default stream and blocking streams wait for, and on items recorded by an event that its stream
//! waits for. When the program waits, the required items are executed in an order that these
//! dependencies allow and the seed selects; now and then other ready items are executed, too.
//!
//! Without `--schedule` work is executed during the call. The exception is a launch that waits for
//! other work (`aside`): its call returns, the launch continues in a thread of its own, and
//! dependent work is stored until it has ended and then executed immediately.

mod branches;
mod items;
mod waiting_launches;

use crate::capture::{self, CapturedStream};
use crate::check_log::QueuePosition;
use crate::context::{self, Context};
use crate::exit::Owner;
use crate::prelude::*;
use crate::settings::settings;
use crate::stream::{self, Stream};

pub(crate) use branches::{StepNeeds, branches};
use items::{Id, Item, State, StreamKey, Work};
pub(crate) use items::{Random, context_waits, joined, record_event, recorded_in_context};
use std::cell::Cell;
use std::sync::{Condvar, PoisonError};
pub(crate) use waiting_launches::{WaitMonitor, may_outlive_call};

/// The stream in which work is submitted, with its context.
#[derive(Clone, Debug)]
pub(crate) struct Order {
    pub(crate) context: Arc<Context>,
    pub(crate) queue: Queue,
    /// The stream that the work was submitted to; `None` for a call or a graph node without one.
    pub(crate) stream: Option<Handle<Stream>>,
    /// Whether the call returns only when the work is done.
    pub(crate) waits: bool,
    /// The capture whose graph gets the work as a node instead of its execution ([`capture`]).
    pub(crate) capture: Option<CapturedStream>,
}

impl Order {
    /// The order of a stream ([`stream::on`]). A captured stream is refused.
    pub(crate) fn of(stream: Handle<Stream>) -> Answer<Self> {
        let order = Self::capturable(stream)?;
        match order.capture {
            None => Ok(order),
            Some(place) => Err(place.forbidden()),
        }
    }

    /// The order of a stream that may be captured; the caller must check `capture`.
    pub(crate) fn capturable(stream: Handle<Stream>) -> Answer<Self> {
        let (context, queue) = (stream::on(stream)?, stream::queue(stream));
        let capture = capture::of(&context, queue)?;
        Ok(Self { stream: Some(stream), capture, ..Self::on(context, queue) })
    }

    /// The order of a call without a stream: the default stream of the current context.
    pub(crate) fn current() -> Answer<Self> {
        let context = context::current()?;
        let queue = stream::default_of(&context);
        capture::of(&context, queue)?;
        Ok(Self { waits: true, ..Self::on(context, queue) })
    }

    /// The order of work in a queue, without a stream.
    pub(crate) fn on(context: Arc<Context>, queue: Queue) -> Self {
        Self { context, queue, stream: None, waits: false, capture: None }
    }

    fn line(&self) -> StreamKey {
        StreamKey { context: self.context.handle.number(), queue: self.queue }
    }
}

/// Maximum number of stored items; beyond it the older half is executed, as queues of a GPU are
/// finite, too.
const MAX_WAITING: usize = 1024;

static STATE: LazyLock<Mutex<State>> = LazyLock::new(Mutex::default);
/// Notified when an item has been executed.
static DONE: Condvar = Condvar::new();
/// Process that owns the stored items, which a forked child does not execute.
static OWNER: Owner = Owner::none();

/// Whether everything has been executed because the process is ending: its destructors may free
/// memory that copies write. Work that they submit is executed immediately.
static HAS_ENDED: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// Whether the thread is executing an item.
    static IS_INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// Whether all work is deferred until the program waits for it.
fn is_on() -> bool {
    settings().schedule.is_some() && !IS_INSIDE.get() && !HAS_ENDED.load(Relaxed)
}

/// Whether work of a stream is stored now: always with `--schedule`, or because it depends on a
/// launch in progress.
pub(crate) fn must_defer(order: &Order) -> bool {
    is_on() || has_any() && with(|state| !state.before(order.line()).is_empty())
}

/// The position of work of a stream for the race detector: that of its execution, now or later.
pub(crate) fn position(order: &Order) -> QueuePosition {
    match must_defer(order) {
        true => QueuePosition::submitted(order.queue),
        false => QueuePosition::now(order.queue),
    }
}

/// Functions that wait for all work, because it may use what they change or destroy.
const WAITING: &str = include_str!("../data/waiting.txt");

/// Called at the start of each driver function.
pub(crate) fn called(name: &str) {
    let waits =
        |name: &str| WAITING.lines().any(|known| known == name) || name.starts_with("cuTexRefSet");
    if (settings().schedule.is_some() || waiting_launches::is_busy()) && waits(name) {
        wait_for_all();
    }
}

fn state() -> MutexGuard<'static, State> {
    let mut state = lock(&STATE);
    if OWNER.take() {
        let random = Random(settings().schedule.unwrap_or_default());
        *state = State { random, ..State::default() };
        waiting_launches::forget();
    }
    state
}

/// Calls a function with the locked state of the deferred items.
fn with<T>(work: impl FnOnce(&mut State) -> T) -> T {
    work(&mut state())
}

/// Executes work of a stream immediately, or defers it. `work` gets the error of the context at the
/// time of its execution, if there is one; an error of deferred work is returned by every later
/// call.
pub(crate) fn submit(order: &Order, work: impl FnOnce(Answer) -> Answer + 'static) -> Answer {
    if !must_defer(order) {
        return work(Ok(()));
    }
    defer(order, Work(Box::new(work)));
    Ok(())
}

/// As [`submit`] for a launch that may wait for other work: if all its running CTAs wait, the call
/// returns and the launch continues.
pub(crate) fn launch(order: &Order, work: impl FnOnce(Answer) -> Answer + 'static) -> Answer {
    if must_defer(order) {
        defer(order, Work(Box::new(work)));
        return Ok(());
    }
    let begun = with(|state| state.begin_new(order.line(), &order.context, Work(Box::new(work))));
    waiting_launches::run_until_it_waits(begun)
}

/// Registers the execution of stored items at the end of the program.
fn watch_exit() {
    static AT_EXIT: Once = Once::new();
    AT_EXIT.call_once(|| crate::exit::at_exit(end));
}

fn defer(order: &Order, work: Work) -> Id {
    watch_exit();
    let (id, oldest) = with(|state| {
        let id = state.add(order.line(), &order.context, work);
        let is_full = state.waiting.len() > MAX_WAITING;
        let oldest: Vec<Id> = match is_full {
            true => state.waiting.keys().copied().take(MAX_WAITING / 2).collect(),
            false => Vec::new(),
        };
        (id, oldest)
    });
    if !oldest.is_empty() {
        execute_with_dependencies(&oldest);
    }
    id
}

/// Executes items with all their dependencies.
fn execute_with_dependencies(ids: &[Id]) {
    if !is_on() {
        return wait_until_done(ids);
    }
    let mut state = state();
    let mut wanted = state.with_all_before(ids);
    loop {
        wanted.retain(|&id| state.is_open(id));
        if wanted.is_empty() {
            return;
        }
        let chosen = state.choose(&wanted);
        let Some((id, item)) = chosen.and_then(|id| Some((id, state.begin(id)?))) else {
            // The remaining items are being executed by other threads, for which this thread waits.
            state = DONE.wait(state).unwrap_or_else(PoisonError::into_inner);
            continue;
        };
        drop(state);
        run_late(id, item);
        state = self::state();
    }
}

/// Waits until threads of texunit have executed items.
fn wait_until_done(ids: &[Id]) {
    let _blocked = waiting_launches::Counted::blocked();
    let are_open = |state: &mut State| ids.iter().any(|&id| state.is_open(id));
    drop(DONE.wait_while(state(), are_open));
}

/// Executes an item and returns its result.
fn run(id: Id, item: Item) -> Answer {
    IS_INSIDE.set(true);
    let _ends = OnDrop(|| {
        IS_INSIDE.set(false);
        with(|state| state.end(id));
        if settings().schedule.is_none() {
            waiting_launches::run_what_is_ready();
        }
        DONE.notify_all();
    });
    (item.work.0)(item.context.check())
}

/// Executes an item whose call has returned; an error is returned by every later call.
fn run_late(id: Id, item: Item) {
    let context = Arc::clone(&item.context);
    if let Err(refusal) = run(id, item) {
        context.fail(refusal);
    }
}

/// Whether deferred work may exist, for which a caller would have to wait.
fn has_any() -> bool {
    (is_on() || waiting_launches::is_busy() && !IS_INSIDE.get() && !HAS_ENDED.load(Relaxed))
        && with(|state| !state.waiting.is_empty() || !state.running.is_empty())
}

/// `CUDA_ERROR_NOT_READY` if work of a stream is in progress. With `--schedule` the query waits
/// instead.
pub(crate) fn check_stream(order: &Order) -> Answer {
    let is_open = || has_any() && with(|state| state.tail(order.line()).next().is_some());
    ensure!(
        is_on() || !is_open(),
        CUresult::NOT_READY,
        "a kernel of the stream waits for something, or work comes behind one that does"
    );
    Ok(())
}

/// `CUDA_ERROR_NOT_READY` if an event has not completed since it was recorded.
pub(crate) fn check_event(event: usize) -> Answer {
    let is_open = |state: &mut State| state.of_event(event).into_iter().any(|id| state.is_open(id));
    ensure!(
        is_on() || !has_any() || !with(is_open),
        CUresult::NOT_READY,
        "the event comes behind a kernel that waits for something"
    );
    Ok(())
}

/// Waits for the work of a stream.
pub(crate) fn wait_for_stream(order: &Order) {
    wait_for(|state| match order.queue.is_default() {
        true => state.before(order.line()),
        false => state.tail(order.line()).collect(),
    });
}

/// Waits for the items that `select` chooses.
fn wait_for(select: impl FnOnce(&mut State) -> Vec<Id>) {
    if has_any() {
        execute_with_dependencies(&with(select));
    }
}

/// Executes work during which nothing is deferred.
pub(crate) fn at_once<T>(work: impl FnOnce() -> T) -> T {
    let before = IS_INSIDE.replace(true);
    let _restores = OnDrop(|| IS_INSIDE.set(before));
    work()
}

/// Waits for all work that precedes an operation of a stream which is executed immediately.
pub(crate) fn wait_before(order: &Order) {
    wait_for(|state| state.before(order.line()));
}

pub(crate) fn wait_for_event(event: usize) {
    wait_for(|state| state.of_event(event));
}

/// Waits for all work of a context.
pub(crate) fn wait_for_context(context: &Context) {
    let number = context.handle.number();
    wait_for(|state| {
        let waiting = state.waiting.iter().map(|(&id, item)| (id, item.context.handle.number()));
        let running = state.running.iter().map(|(&id, &of)| (id, of));
        waiting.chain(running).filter(|(_, of)| *of == number).map(|(id, _)| id).collect()
    });
}

/// Waits for all work.
pub(crate) fn wait_for_all() {
    wait_for(|state| state.waiting.keys().chain(state.running.keys()).copied().collect());
}

/// Records an event in a stream; `happens` is called when the preceding work is done.
fn record(event: usize, order: &Order, happens: impl FnOnce() + 'static) {
    if !must_defer(order) {
        return happens();
    }
    let work = move |_| {
        happens();
        Ok(())
    };
    let id = defer(order, Work(Box::new(work)));
    with(|state| state.events.insert(event, vec![id]));
}

/// Associates events with the last item of a stream, which records them.
pub(crate) fn recorded_by_last(order: &Order, events: &[usize]) {
    if !events.is_empty() && has_any() {
        with(|state| {
            let ids: Vec<Id> = state.tail(order.line()).collect();
            state.events.extend(events.iter().map(|&event| (event, ids.clone())));
        });
    }
}

/// Makes a stream wait for the last record of an event.
pub(crate) fn stream_waits(order: &Order, event: usize) {
    if has_any() {
        with(|state| state.wait(order.line(), &state.of_event(event)));
    }
}

/// Handles the destruction of an event.
pub(crate) fn event_ended(event: usize) {
    if has_any() {
        with(|state| state.events.remove(&event));
    }
}

/// Called when the program ends.
extern "C" fn end() {
    // After a fork, the thread that held a lock may not exist in the child process.
    if OWNER.is_this_process() {
        // Waiting kernels end with the process.
        if is_on() {
            wait_for_all();
        }
        HAS_ENDED.store(true, Relaxed);
    }
}
