//! Streams and events.
//!
//! Work is done before the call that asks for it returns, so that a stream is never busy, unless it is done late
//! ([`crate::late`]). A stream is what it was made with, and the context in which its work is done.

use crate::args::Answer;
use crate::context::{self, Context};
use crate::graph::capture;
use crate::green::GreenContext;
use crate::handle::{Handle, Object, object};
use crate::ipc::event::SharedEvent;
use crate::late::{self, Order};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;
use texunit_checks::race::Queue;
use texunit_cuda_abi::CUresult;

/// Handle of the default stream that waits for all others (`CU_STREAM_LEGACY`); null is the same.
const LEGACY: usize = 1;
/// Handle of the default stream of the calling thread (`CU_STREAM_PER_THREAD`).
const PER_THREAD: usize = 2;

/// A stream that was created.
#[derive(Debug)]
pub(crate) struct Stream {
    /// Its context.
    pub(crate) context: Handle<Context>,
    /// Its green context, null if it was made in none.
    pub(crate) green: Handle<GreenContext>,
    /// `CU_STREAM_DEFAULT`, `CU_STREAM_NON_BLOCKING`.
    pub(crate) flags: u32,
    /// From 0, the least, to [`GREATEST_PRIORITY`].
    pub(crate) priority: i32,
    /// Attributes that were set, by number; 64 bytes each.
    pub(crate) attributes: Mutex<HashMap<u32, [u64; 8]>>,
}

object!(Stream, "a stream");

impl Stream {
    /// Makes a stream in a context in working order.
    pub(crate) fn create(
        context: &Context,
        green: Handle<GreenContext>,
        flags: u32,
        priority: i32,
    ) -> Answer<Handle<Self>> {
        let attributes = Mutex::default();
        let stream = Self { context: context.handle, green, flags, priority, attributes };
        let handle = context.keep(stream)?;
        crate::checks::made(handle.number());
        Ok(handle)
    }
}

/// The priority that goes first.
pub(crate) const GREATEST_PRIORITY: i32 = -5;

/// Whether a handle is that of the calling thread's default stream.
pub(crate) fn is_per_thread(stream: Handle<Stream>) -> bool {
    stream.number() == PER_THREAD
}

/// What a stream handle names: `None` is a default stream. `CUDA_ERROR_STREAM_DETACHED` if its green context was destroyed.
pub(crate) fn find(stream: Handle<Stream>) -> Answer<Option<Arc<Stream>>> {
    match stream.number() {
        0 | LEGACY | PER_THREAD => Ok(None),
        _ => {
            let stream = stream.get()?;
            if !stream.green.is_null() && stream.green.get().is_err() {
                return Err(CUresult::STREAM_DETACHED
                    .because("the green context of the stream was destroyed (cuGreenCtxDestroy)"));
            }
            Ok(Some(stream))
        }
    }
}

/// The context in which a stream's work is done, in working order: that of the stream, or the current
/// one for a default stream.
///
/// `CUDA_ERROR_INVALID_HANDLE` for a stream that is none, and what [`context::current`] answers.
pub(crate) fn on(stream: Handle<Stream>) -> Answer<Arc<Context>> {
    match find(stream)? {
        None => context::current(),
        Some(stream) => {
            let context = context::alive(stream.context, "the context of the stream")?;
            context.check()?;
            Ok(context)
        }
    }
}

/// The default stream of a context's device as what orders work.
pub(crate) fn default_of(context: &Context) -> Queue {
    Queue::on(context.gpu.ordinal.unsigned_abs(), None)
}

/// The stream as what orders work. What is none is the default stream: it has been looked at before.
pub(crate) fn queue(stream: Handle<Stream>) -> Queue {
    let device = |context: Handle<Context>| {
        let context = Context::registry().find(context);
        context.map_or(0, |context| context.gpu.ordinal.unsigned_abs())
    };
    match (stream.number(), find(stream)) {
        // The default stream of a thread: it has a number of its own, which no handle has.
        (PER_THREAD, _) => {
            thread_local!(static OWN: u64 = {
                static NEXT: AtomicU64 = AtomicU64::new(u64::MAX);
                NEXT.fetch_sub(1, Relaxed)
            });
            Queue::on(device(context::current_handle()), Some((OWN.with(|id| *id), true)))
        }
        (number, Ok(Some(stream))) => own(device(stream.context), number, &stream),
        _ => Queue::on(device(context::current_handle()), None),
    }
}

/// A stream of a device that was created.
pub(crate) fn own(device: u32, number: usize, stream: &Stream) -> Queue {
    Queue::on(device, Some((number as u64, stream.flags & NON_BLOCKING == 0)))
}

/// `CU_STREAM_NON_BLOCKING`
pub(crate) const NON_BLOCKING: u32 = 1;

/// An event.
#[derive(Debug)]
pub(crate) struct Event {
    /// Its context.
    pub(crate) context: Handle<Context>,
    /// Whether it was made without times (`CU_EVENT_DISABLE_TIMING`).
    pub(crate) without_time: bool,
    /// When it was last recorded.
    recorded: Mutex<Option<Instant>>,
    /// What other processes see of it.
    pub(crate) shared: Option<SharedEvent>,
}

object!(Event, "an event");

impl Event {
    pub(crate) fn new(context: Handle<Context>, without_time: bool) -> Self {
        Self { context, without_time, recorded: Mutex::new(None), shared: None }
    }

    /// One that other processes have, too.
    pub(crate) fn of_processes(context: Handle<Context>, shared: SharedEvent) -> Self {
        Self { shared: Some(shared), ..Self::new(context, true) }
    }

    /// Waits for what another process has recorded.
    pub(crate) fn wait_for_others(&self) {
        if let Some(shared) = &self.shared {
            shared.wait();
        }
    }

    /// It happens now: all work before it is done.
    pub(crate) fn record(&self) {
        *self.recorded.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    /// When it happened, if it has.
    pub(crate) fn when(&self) -> Option<Instant> {
        *self.recorded.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Records an event, of a handle that is one: it happens when what comes before it in the stream is done.
pub(crate) fn record(event: Handle<Event>, order: &Order) {
    let Some(object) = Event::registry().find(event) else { return };
    capture::recorded_outside(event.number());
    if let Some(race) = crate::checks::race() {
        race.event_recorded(event.number() as u64, order.queue);
    }
    let time = object.shared.as_ref().map(SharedEvent::recorded);
    let is_shared = time.is_some();
    late::record(event.number(), order, move || {
        object.record();
        if let (Some(shared), Some(time)) = (&object.shared, time) {
            shared.happens(time);
        }
    });
    if is_shared {
        late::push(event.number());
    }
}

/// Ends the streams and events of a context.
pub(crate) fn release_context(context: &Context) {
    capture::release_context(context);
    if let Some(race) = crate::checks::race() {
        // What it did is over.
        race.device_synchronized(context.gpu.ordinal.unsigned_abs());
        for (number, stream) in Stream::registry().all_with_handles(|s| s.context == context.handle)
        {
            // The context is in no registry any more.
            race.stream_ended(own(context.gpu.ordinal.unsigned_abs(), number, &stream));
        }
        for (number, _) in Event::registry().all_with_handles(|e| e.context == context.handle) {
            race.event_ended(number as u64);
        }
    }
    Stream::registry().remove_all(|stream| stream.context == context.handle);
    Event::registry().remove_all(|event| event.context == context.handle);
}
