//! Asynchronous work that is done late (`--schedule SEED`): kernels, copies, fills and host functions of streams are
//! kept when they are asked for, and done when the program waits for them, or for others in a random order.
//!
//! Each item has others behind which it comes: the one before it in its stream, those of streams that the legacy
//! default stream and blocking streams wait for, and what an event that its stream waits for was recorded behind. When
//! the program waits, what it waits for is done, in an order that these allow and the seed decides; now and then other
//! work that could be done is done, too.
//!
//! Without `--schedule` work is done in the call. A launch that waits for somebody is the exception (`aside`): its call returns, it goes
//! on in a thread of its own, and what comes behind it is kept until it has ended, and then done at once.

mod aside;
mod branches;
mod kept;
mod several;

use crate::args::Answer;
use crate::call::Owner;
use crate::context::{self, Context};
use crate::graph::capture::{self, Place};
use crate::green;
use crate::handle::Handle;
use crate::settings::settings;
use crate::stream::{self, Stream};
pub(crate) use aside::{Company, may_go_on};
pub(crate) use branches::branches;
use kept::{Id, Item, Line, State, Work};
pub(crate) use several::{context_waits, joined, recorded_in_context};
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, Once, PoisonError};
use texunit_checks::race::Queue;
use texunit_cuda_abi::CUresult;

/// Where work is asked for.
#[derive(Clone, Debug)]
pub(crate) struct Order {
    pub(crate) context: Arc<Context>,
    pub(crate) queue: Queue,
    /// Multiprocessors for a kernel: those of the stream's green context, or all.
    pub(crate) multiprocessors: u32,
    /// Whether the call returns when the work is done.
    pub(crate) waits: bool,
    /// Where the work becomes a node of a graph instead of being done ([`capture`]).
    pub(crate) capture: Option<Place>,
}

impl Order {
    /// In a stream; as [`stream::on`]. A stream that is captured is refused.
    pub(crate) fn of(stream: Handle<Stream>) -> Answer<Self> {
        let order = Self::capturable(stream)?;
        match order.capture {
            None => Ok(order),
            Some(place) => Err(place.forbidden()),
        }
    }

    /// In a stream that may be captured: the caller looks at `capture`.
    pub(crate) fn capturable(stream: Handle<Stream>) -> Answer<Self> {
        let (context, queue) = (stream::on(stream)?, stream::queue(stream));
        let capture = capture::of(&context, queue)?;
        let multiprocessors = green::multiprocessors(stream, &context);
        Ok(Self { multiprocessors, capture, ..Self::on(context, queue) })
    }

    /// Of a call that is not of a stream: in the default stream of the current context.
    pub(crate) fn current() -> Answer<Self> {
        let context = context::current()?;
        let queue = stream::default_of(&context);
        capture::of(&context, queue)?;
        Ok(Self { waits: true, ..Self::on(context, queue) })
    }

    /// In a queue, on all of its device.
    pub(crate) fn on(context: Arc<Context>, queue: Queue) -> Self {
        let multiprocessors = context.gpu.profile.multiprocessors.unsigned_abs();
        Self { context, queue, multiprocessors, waits: false, capture: None }
    }

    fn line(&self) -> Line {
        Line { context: self.context.handle.number(), queue: self.queue }
    }
}

/// Items that are kept, as the queues of a GPU have an end; then the oldest half is done.
const MAX_WAITING: usize = 1024;

static STATE: Mutex<Option<State>> = Mutex::new(None);
/// An item is done.
static DONE: Condvar = Condvar::new();
/// Whose items these are: not those of a process that was forked off.
static OWNER: Owner = Owner::none();

/// Whether all has been done because the process ends: its destructors may free what copies wrote to. What they ask for is
/// done at once.
static HAS_ENDED: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// Whether the thread does an item.
    static IS_INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// Whether all work is kept until the program waits for it.
fn is_on() -> bool {
    settings().schedule.is_some() && !IS_INSIDE.get() && !HAS_ENDED.load(Relaxed)
}

/// Whether work of a stream is kept now: always, or because it comes behind a launch that goes on.
pub(crate) fn keeps(order: &Order) -> bool {
    is_on() || has_any() && with(|state| !state.before(order.line()).is_empty())
}

fn state() -> MutexGuard<'static, Option<State>> {
    let mut state = STATE.lock().unwrap_or_else(PoisonError::into_inner);
    if !OWNER.is_this_process() {
        OWNER.take();
        *state = None;
        aside::forget();
    }
    state.get_or_insert_with(|| State {
        random: settings().schedule.unwrap_or_default(),
        ..State::default()
    });
    state
}

/// Works with what is kept.
fn with<T>(work: impl FnOnce(&mut State) -> T) -> T {
    work(state().get_or_insert_default())
}

/// Does work in a stream: now, or (`--schedule`) later. It is given what the context answers by then, and what it
/// answers when it is late is what every later call answers.
pub(crate) fn submit(order: &Order, work: impl FnOnce(Answer) -> Answer + 'static) -> Answer {
    if !keeps(order) {
        return work(Ok(()));
    }
    keep(order, Work(Box::new(work)));
    Ok(())
}

/// Does a launch that may wait for somebody: as [`submit`], but if all that can run of it waits, it goes on when the call has
/// returned.
pub(crate) fn launch(order: &Order, work: impl FnOnce(Answer) -> Answer + 'static) -> Answer {
    if keeps(order) {
        keep(order, Work(Box::new(work)));
        return Ok(());
    }
    let begun = with(|state| state.begin_new(order.line(), &order.context, Work(Box::new(work))));
    aside::run_until_it_waits(begun)
}

/// Has the end of the program told.
fn watch_exit() {
    static AT_EXIT: Once = Once::new();
    AT_EXIT.call_once(|| crate::call::at_exit(end));
}

fn keep(order: &Order, work: Work) -> Id {
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
        settle(&oldest);
    }
    id
}

/// Does what these items are, and what they come behind.
fn settle(ids: &[Id]) {
    if !is_on() {
        return wait_until_done(ids);
    }
    let mut guard = state();
    let Some(state) = guard.as_mut() else { return };
    let mut wanted = state.with_all_before(ids);
    loop {
        let Some(state) = guard.as_mut() else { return };
        wanted.retain(|&id| state.is_open(id));
        if wanted.is_empty() {
            return;
        }
        let chosen = state.choose(&wanted);
        let Some((id, item)) = chosen.and_then(|id| Some((id, state.begin(id)?))) else {
            // Other threads do the rest.
            guard = DONE.wait(guard).unwrap_or_else(PoisonError::into_inner);
            continue;
        };
        drop(guard);
        run_late(id, item);
        guard = self::state();
    }
}

/// Waits until threads of their own have done these items.
fn wait_until_done(ids: &[Id]) {
    let _blocked = aside::Blocked::begin();
    let mut guard = state();
    while let Some(state) = guard.as_mut() {
        if !ids.iter().any(|&id| state.is_open(id)) {
            break;
        }
        guard = DONE.wait(guard).unwrap_or_else(PoisonError::into_inner);
    }
}

/// Does an item; what it has answered.
fn run(id: Id, item: Item) -> Answer {
    /// The item is done, whatever has come of it.
    struct Ends(Id);
    impl Drop for Ends {
        fn drop(&mut self) {
            IS_INSIDE.set(false);
            with(|state| state.end(self.0));
            if settings().schedule.is_none() {
                aside::run_what_is_ready();
            }
            DONE.notify_all();
        }
    }
    IS_INSIDE.set(true);
    let _ends = Ends(id);
    (item.work.0)(item.context.check())
}

/// Does an item whose call has returned: what it answers is what every later call answers.
fn run_late(id: Id, item: Item) {
    let context = Arc::clone(&item.context);
    if let Err(refusal) = run(id, item) {
        context.fail(refusal);
    }
}

/// Whether there may be anything to wait for.
fn has_any() -> bool {
    (is_on() || aside::is_busy() && !IS_INSIDE.get() && !HAS_ENDED.load(Relaxed))
        && with(|state| !state.waiting.is_empty() || !state.running.is_empty())
}

const NOT_READY: CUresult = CUresult::NOT_READY;

/// `CUDA_ERROR_NOT_READY` if something of a stream goes on. With `--schedule` a question waits.
pub(crate) fn check_stream(order: &Order) -> Answer {
    let is_open = || has_any() && with(|state| state.tail(order.line()).next().is_some());
    match !is_on() && is_open() {
        true => Err(NOT_READY.because(
            "a kernel of the stream waits for something, or work comes behind one that does",
        )),
        false => Ok(()),
    }
}

/// `CUDA_ERROR_NOT_READY` if an event has not happened since it was recorded.
pub(crate) fn check_event(event: usize) -> Answer {
    let is_open = |state: &mut State| {
        let ids = state.events.get(&event).cloned().unwrap_or_default();
        ids.into_iter().any(|id| state.is_open(id))
    };
    match !is_on() && has_any() && with(is_open) {
        true => Err(NOT_READY.because("the event comes behind a kernel that waits for something")),
        false => Ok(()),
    }
}

/// The program waits for a stream.
pub(crate) fn wait_for_stream(order: &Order) {
    if has_any() {
        let ids = with(|state| match order.queue.is_default() {
            true => state.before(order.line()),
            false => state.tail(order.line()).collect(),
        });
        settle(&ids);
    }
}

/// Does work of which nothing is kept.
pub(crate) fn at_once<T>(work: impl FnOnce() -> T) -> T {
    /// From here on as before, whatever has come of it.
    struct Ends(bool);
    impl Drop for Ends {
        fn drop(&mut self) {
            IS_INSIDE.set(self.0);
        }
    }
    let _ends = Ends(IS_INSIDE.replace(true));
    work()
}

/// Something that a stream would do is done at once: all that comes before it is done.
pub(crate) fn wait_before(order: &Order) {
    if has_any() {
        settle(&with(|state| state.before(order.line())));
    }
}

/// The program waits for an event.
pub(crate) fn wait_for_event(event: usize) {
    if has_any() {
        settle(&with(|state| state.events.get(&event).cloned().unwrap_or_default()));
    }
}

/// What comes before an event of several processes is not kept: the process that waits for the event cannot ask for it.
pub(crate) fn push(event: usize) {
    if is_on() {
        wait_for_event(event);
    }
}

/// The program waits for a context.
pub(crate) fn wait_for_context(context: &Context) {
    if has_any() {
        let number = context.handle.number();
        settle(&with(|state| {
            let waiting =
                state.waiting.iter().map(|(&id, item)| (id, item.context.handle.number()));
            let running = state.running.iter().map(|(&id, &of)| (id, of));
            let all = waiting.chain(running).filter(|(_, of)| *of == number);
            all.map(|(id, _)| id).collect::<Vec<_>>()
        }));
    }
}

/// The program waits for everything.
pub(crate) fn wait_for_all() {
    if has_any() {
        settle(&with(|state| {
            state.waiting.keys().chain(state.running.keys()).copied().collect::<Vec<_>>()
        }));
    }
}

/// An event is recorded in a stream: `happens` when what comes before it is done.
pub(crate) fn record(event: usize, order: &Order, happens: impl FnOnce() + 'static) {
    if !keeps(order) {
        return happens();
    }
    let work = move |_| {
        happens();
        Ok(())
    };
    let id = keep(order, Work(Box::new(work)));
    with(|state| state.events.insert(event, vec![id]));
}

/// Events that the last item of a stream records.
pub(crate) fn recorded_by_last(order: &Order, events: &[usize]) {
    if !events.is_empty() && has_any() {
        with(|state| {
            let ids: Vec<Id> = state.tail(order.line()).collect();
            state.events.extend(events.iter().map(|&event| (event, ids.clone())));
        });
    }
}

/// A stream waits for an event, or for what was recorded in it last.
pub(crate) fn stream_waits(order: &Order, event: usize) {
    if has_any() {
        with(|state| {
            let ids = state.events.get(&event).cloned().unwrap_or_default();
            let mut tail: Vec<Id> = state.tail(order.line()).collect();
            tail.extend(ids.into_iter().filter(|&id| state.is_open(id)));
            state.tails.insert(order.line(), tail);
        });
    }
}

/// An event is destroyed.
pub(crate) fn event_ended(event: usize) {
    if has_any() {
        with(|state| state.events.remove(&event));
    }
}

/// Calls that wait for all work: what they change or take away may be in use.
const WAITING: &[&str] = &[
    "cuArrayDestroy",
    "cuCtxDestroy",
    "cuCtxDestroy_v2",
    "cuCtxDetach",
    "cuCtxDisablePeerAccess",
    "cuCtxSetLimit",
    "cuDevicePrimaryCtxRelease",
    "cuDevicePrimaryCtxRelease_v2",
    "cuDevicePrimaryCtxReset",
    "cuDevicePrimaryCtxReset_v2",
    "cuFuncSetAttribute",
    "cuKernelSetAttribute",
    "cuLibraryUnload",
    "cuMemFree_v2",
    "cuMemFreeHost",
    "cuMemHostUnregister",
    "cuMemMapArrayAsync",
    "cuMemSetAccess",
    "cuMemUnmap",
    "cuMipmappedArrayDestroy",
    "cuModuleUnload",
    "cuSurfObjectDestroy",
    "cuSurfRefSetArray",
    "cuTexObjectDestroy",
];

/// A function of the driver is called.
pub(crate) fn called(name: &str) {
    let waits = |name: &str| WAITING.contains(&name) || name.starts_with("cuTexRefSet");
    if (settings().schedule.is_some() || aside::is_busy()) && waits(name) {
        wait_for_all();
    }
}

/// The program ends.
extern "C" fn end() {
    // In a process that was forked off, whoever held a lock may not be there.
    if OWNER.is_this_process() {
        // Kernels that wait end with the process.
        if is_on() {
            wait_for_all();
        }
        HAS_ENDED.store(true, Relaxed);
    }
}
