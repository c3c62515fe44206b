//! Events (driver API, "Event Management"), and events of whole contexts. Work is done before a
//! call returns, so that an event completes when it is recorded; times are measured on the host.

use crate::api::*;
use crate::ipc::SharedEvent;
use crate::memory::pool;
use crate::{capture, context, stream};

driver_api! {
    /// Creates an event.
    fn cuEventCreate(phEvent, Flags) {
        phEvent.check()?;
        let context = context::current()?;
        ensure!(
            Flags & !(CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS) == 0,
            "Flags {Flags:#x} has bits that are not CUevent_flags: those are 1 (blocking sync), 2 (disable \
             timing) and 4 (interprocess)"
        );
        ensure!(
            Flags & CU_EVENT_INTERPROCESS == 0 || Flags & CU_EVENT_DISABLE_TIMING != 0,
            "flags has CU_EVENT_INTERPROCESS without CU_EVENT_DISABLE_TIMING, which it needs"
        );
        let new = match Flags & CU_EVENT_INTERPROCESS {
            0 => Event::new(context.handle, Flags & CU_EVENT_DISABLE_TIMING != 0),
            _ => Event::of_processes(context.handle, SharedEvent::new()?),
        };
        let handle = context.register(new)?;
        crate::check_log::created(handle.number());
        phEvent.set(handle)
    }

    /// Destroys an event.
    fn cuEventDestroy | cuEventDestroy_v2(hEvent) {
        // Like all calls, this one returns the context's fault; the event is destroyed anyway.
        happened(hEvent)?;
        hEvent.take()?;
        deferred::event_ended(hEvent.number());
        capture::recorded_outside(hEvent.number());
        crate::check_log::with_race(|race| race.streams().end_event(hEvent.number() as u64));
        Ok(())
    }

    /// Records an event, which completes immediately. With `CU_EVENT_RECORD_EXTERNAL`, allowed only
    /// during a capture, it becomes an event record node.
    fn [cuEventRecord] cuEventRecordWithFlags(hEvent, hStream, [flags = 0]) {
        ensure!(flags <= 1, "flags {flags:#x} is not 0 or CU_EVENT_RECORD_EXTERNAL (1)");
        let found = hEvent.get()?;
        let order = Order::capturable(hStream)?;
        ensure!(
            order.context.handle == found.context,
            CUresult::INVALID_HANDLE,
            "hEvent is an event of context {:?}, and the stream is one of context {:?}",
            found.context,
            order.context.handle
        );
        match order.capture {
            Some(place) if flags == CU_EVENT_RECORD_EXTERNAL => place.add(Op::RecordEvent(hEvent)),
            Some(place) => place.record(hEvent.number()),
            None if flags == CU_EVENT_RECORD_EXTERNAL => Err(invalid!(
                "flags are CU_EVENT_RECORD_EXTERNAL (1), which is for streams that are captured"
            )),
            None => {
                deferred::record_event(hEvent, &order);
                Ok(())
            }
        }
    }

    /// Whether an event has completed; an event that was never recorded counts as completed.
    fn cuEventQuery(hEvent) {
        happened(hEvent)?;
        deferred::check_event(hEvent.number())?;
        ensure!(
            hEvent.get()?.shared.as_ref().is_none_or(|shared| shared.has_happened()),
            CUresult::NOT_READY,
            "another process has recorded the event, and it has not happened"
        );
        waited(hEvent).map(|_| ())
    }

    /// Waits for an event. As at each synchronisation, memory pools free unused memory above their
    /// thresholds.
    fn cuEventSynchronize(hEvent) {
        pool::synchronized(waited(hEvent)?.gpu.ordinal);
        Ok(())
    }

    /// Elapsed time between two events in milliseconds. `CUDA_ERROR_INVALID_HANDLE` if an event was
    /// not recorded or does not measure time, or if they belong to two devices.
    fn cuEventElapsedTime | cuEventElapsedTime_v2(pMilliseconds, hStart, hEnd) {
        pMilliseconds.check()?;
        [hStart, hEnd].into_iter().try_for_each(|event| deferred::check_event(event.number()))?;
        [hStart, hEnd].into_iter().try_for_each(|event| capture::event_used(event.number()))?;
        [hStart, hEnd].into_iter().for_each(|event| deferred::wait_for_event(event.number()));
        let (start, end) = (hStart.get()?, hEnd.get()?);
        if start.without_time || end.without_time {
            let name = if start.without_time { "hStart" } else { "hEnd" };
            bail!(
                CUresult::INVALID_HANDLE,
                "{name} was made with CU_EVENT_DISABLE_TIMING, and has no time"
            );
        }
        let device = |event: &Event, name: &str| -> Answer<_> {
            Ok(context::alive(event.context, &format!("the context of {name}"))?.gpu.ordinal)
        };
        let (first, second) = (device(&start, "hStart")?, device(&end, "hEnd")?);
        ensure!(
            first == second,
            CUresult::INVALID_HANDLE,
            "hStart is an event of device {first}, hEnd one of device {second}: there is no time between two devices"
        );
        let (Some(from), Some(to)) = (start.when(), end.when()) else {
            let name = if start.when().is_none() { "hStart" } else { "hEnd" };
            bail!(
                CUresult::INVALID_HANDLE,
                "{name} is an event that was never recorded (cuEventRecord)"
            );
        };
        let seconds = match to.checked_duration_since(from) {
            Some(after) => after.as_secs_f64(),
            None => -from.duration_since(to).as_secs_f64(),
        };
        pMilliseconds.set((seconds * 1e3) as f32)
    }
}

/// Makes the host wait for an event and returns its context.
fn waited(event: Handle<Event>) -> Answer<Arc<Context>> {
    happened(event)?;
    capture::event_used(event.number())?;
    deferred::wait_for_event(event.number());
    event.get()?.wait_for_others();
    let context = happened(event)?;
    checks::waited(|race| race.streams().wait(event.number() as u64, None));
    Ok(context)
}

/// The context of an event, which must have no fault.
fn happened(event: Handle<Event>) -> Answer<Arc<Context>> {
    let event = event.get()?;
    let context = context::alive(event.context, "the context of the event")?;
    context.check()?;
    Ok(context)
}

driver_api! {
    /// Records an event after all work that has been submitted to a context.
    fn cuCtxRecordEvent(hCtx, hEvent) {
        record_in_context(hCtx, hEvent)
    }

    /// Makes all later work of a context wait for an event.
    fn cuCtxWaitEvent(hCtx, hEvent) {
        context_waits(hCtx, hEvent)
    }
}

/// Records an event in a context.
pub(super) fn record_in_context(context: Handle<Context>, handle: Handle<Event>) -> Answer {
    let (context, event) = (waiting_context(context)?, handle.get()?);
    ensure!(
        event.context == context.handle,
        CUresult::INVALID_HANDLE,
        "hEvent is an event of context {:?}, and hCtx is {:?}",
        event.context,
        context.handle
    );
    capture::recorded_outside(handle.number());
    crate::check_log::with_race(|race| {
        race.streams().record_on(handle.number() as u64, context.gpu.ordinal.unsigned_abs())
    });
    event.record();
    deferred::recorded_in_context(handle.number(), &context);
    Ok(())
}

/// Lets later work of a context wait for an event.
pub(super) fn context_waits(context: Handle<Context>, handle: Handle<Event>) -> Answer {
    let (context, event) = (waiting_context(context)?, handle.get()?);
    capture::event_used(handle.number())
        .map_err(|refusal| refusal.with_code(CUresult::STREAM_CAPTURE_UNSUPPORTED))?;
    event.wait_for_others();
    crate::check_log::with_race(|race| {
        race.streams().wait_on(handle.number() as u64, context.gpu.ordinal.unsigned_abs())
    });
    let queue = stream::default_of(&context);
    deferred::context_waits(handle.number(), &Order::on(context, queue));
    Ok(())
}

/// The context with a handle. Contexts with a fault or with a stream that is being captured are
/// refused.
fn waiting_context(context: Handle<Context>) -> Answer<Arc<Context>> {
    let context = context
        .get()
        .map_err(|refusal| refusal.with_code(CUresult::INVALID_CONTEXT).named("hCtx"))?;
    context.check()?;
    capture::context_used(&context)?;
    Ok(context)
}
