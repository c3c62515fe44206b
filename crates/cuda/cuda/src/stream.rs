//! Streams and events.
//!
//! Work is executed before the submitting call returns, so that a stream is never busy unless work
//! is deferred (`deferred`). A stream only consists of its properties and its context.

use crate::context::{self, Context};
use crate::green::{self, GreenContext};
use crate::ipc::SharedEvent;
use crate::prelude::*;
use std::time::Instant;

/// Handle of the legacy default stream, which waits for all blocking streams (`CU_STREAM_LEGACY`);
/// null is equivalent.
const LEGACY: usize = 1;
/// Handle of the default stream of the calling thread (`CU_STREAM_PER_THREAD`).
const PER_THREAD: usize = 2;

/// A created stream.
#[derive(Debug)]
pub(crate) struct Stream {
    pub(crate) context: Handle<Context>,
    /// Green context in which the stream was created; null without one.
    pub(crate) green: Handle<GreenContext>,
    /// `CU_STREAM_DEFAULT` or `CU_STREAM_NON_BLOCKING`.
    pub(crate) flags: u32,
    /// Priority, from 0, the lowest, to [`GREATEST_PRIORITY`].
    pub(crate) priority: i32,
    /// Attributes that were set, by number; 64 bytes each.
    pub(crate) attributes: Mutex<HashMap<u32, [u64; 8]>>,
}

object!(Stream, "a stream");

impl Stream {
    /// Creates a stream in a context without a fault.
    pub(crate) fn create(
        context: &Context,
        green: Handle<GreenContext>,
        flags: u32,
        priority: i32,
    ) -> Answer<Handle<Self>> {
        let attributes = Mutex::default();
        let stream = Self { context: context.handle, green, flags, priority, attributes };
        let handle = context.register(stream)?;
        crate::check_log::created(handle.number());
        Ok(handle)
    }
}

/// The highest priority of a stream; lower numbers are higher priorities.
pub(crate) const GREATEST_PRIORITY: i32 = -5;

/// Whether a handle is that of the calling thread's default stream.
pub(crate) fn is_per_thread(stream: Handle<Stream>) -> bool {
    stream.number() == PER_THREAD
}

/// The stream of a handle; `None` for a default stream. `CUDA_ERROR_STREAM_DETACHED` if the
/// stream's green context was destroyed.
pub(crate) fn find(stream: Handle<Stream>) -> Answer<Option<Arc<Stream>>> {
    if matches!(stream.number(), 0 | LEGACY | PER_THREAD) {
        return Ok(None);
    }
    let stream = stream.get()?;
    ensure!(
        stream.green.is_null() || stream.green.get().is_ok(),
        CUresult::STREAM_DETACHED,
        "the green context of the stream was destroyed (cuGreenCtxDestroy)"
    );
    Ok(Some(stream))
}

/// The green context of a stream: that of its creation, or for a default stream the current one.
pub(crate) fn green_context(stream: Handle<Stream>) -> Answer<Handle<GreenContext>> {
    Ok(match find(stream)? {
        Some(stream) => stream.green,
        None => green::find(context::current_handle()),
    })
}

/// Number of multiprocessors available to a launch in a stream.
pub(crate) fn multiprocessors(stream: Handle<Stream>, context: &Context) -> u32 {
    let green = green_context(stream).ok().and_then(|green| GreenContext::registry().find(green));
    green.map_or(context.gpu.card.multiprocessors.unsigned_abs(), |green| green.multiprocessors())
}

/// The context in which a stream executes: that of the stream, or the current one for a default
/// stream. It must have no fault.
///
/// `CUDA_ERROR_INVALID_HANDLE` for an invalid stream, and the errors of [`context::current`].
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

/// The default stream of a context's device, as a queue of the race detector.
pub(crate) fn default_of(context: &Context) -> Queue {
    Queue { device: context.gpu.ordinal.unsigned_abs(), own: None }
}

/// A stream as a queue of the race detector. An invalid handle, which the caller has refused
/// before, counts as the default stream.
pub(crate) fn queue(stream: Handle<Stream>) -> Queue {
    let device = |context: Handle<Context>| {
        let context = Context::registry().find(context);
        context.map_or(0, |context| context.gpu.ordinal.unsigned_abs())
    };
    match (stream.number(), find(stream)) {
        // A per-thread default stream has a number of its own, which is not a handle.
        (PER_THREAD, _) => {
            thread_local!(static OWN: u64 = {
                static NEXT: AtomicU64 = AtomicU64::new(u64::MAX);
                NEXT.fetch_sub(1, Relaxed)
            });
            let own = Some((OWN.with(|id| *id), true));
            Queue { device: device(context::current_handle()), own }
        }
        (number, Ok(Some(stream))) => own(device(stream.context), number, &stream),
        _ => Queue { device: device(context::current_handle()), own: None },
    }
}

/// A created stream of a device, as a queue of the race detector.
pub(crate) fn own(device: u32, number: usize, stream: &Stream) -> Queue {
    Queue { device, own: Some((number as u64, stream.flags & CU_STREAM_NON_BLOCKING == 0)) }
}

#[derive(Debug)]
pub(crate) struct Event {
    pub(crate) context: Handle<Context>,
    /// Whether the event does not measure time (`CU_EVENT_DISABLE_TIMING`).
    pub(crate) without_time: bool,
    /// Time of the last record.
    recorded: Mutex<Option<Instant>>,
    /// The part that is shared with other processes.
    pub(crate) shared: Option<SharedEvent>,
}

object!(Event, "an event");

impl Event {
    pub(crate) fn new(context: Handle<Context>, without_time: bool) -> Self {
        Self { context, without_time, recorded: Mutex::new(None), shared: None }
    }

    /// An event that is shared between processes.
    pub(crate) fn of_processes(context: Handle<Context>, shared: SharedEvent) -> Self {
        Self { shared: Some(shared), ..Self::new(context, true) }
    }

    /// Waits for a record by another process.
    pub(crate) fn wait_for_others(&self) {
        if let Some(shared) = &self.shared {
            shared.wait();
        }
    }

    /// Completes the event now, as all preceding work is done.
    pub(crate) fn record(&self) {
        *lock(&self.recorded) = Some(Instant::now());
    }

    /// Completion time, if the event was recorded.
    pub(crate) fn when(&self) -> Option<Instant> {
        *lock(&self.recorded)
    }
}

/// Destroys the streams and events of a context.
pub(crate) fn release_context(context: &Context) {
    if let Some(race) = crate::check_log::race() {
        // The race check is told that all work of the context is done.
        race.streams().synchronize_device(context.gpu.ordinal.unsigned_abs());
        for (number, stream) in Stream::registry().all_with_handles(|s| s.context == context.handle)
        {
            // The context has been removed from its registry already, so that its device is passed.
            race.streams().end_stream(own(context.gpu.ordinal.unsigned_abs(), number, &stream));
        }
        for (number, _) in Event::registry().all_with_handles(|e| e.context == context.handle) {
            race.streams().end_event(number as u64);
        }
    }
    Stream::registry().remove_all(|stream| stream.context == context.handle);
    Event::registry().remove_all(|event| event.context == context.handle);
}
