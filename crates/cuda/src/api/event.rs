//! Events (driver API, "Event Management"). Work is done before a call returns, so an event has happened
//! when it was recorded; times are those of the host.

use crate::args::{Answer, Out};
use crate::call::driver_api;
use crate::context::{self, Context};
use crate::handle::Handle;
use crate::memory::pool;
use crate::stream::{self, Event, Stream};
use std::ffi::c_uint;
use std::sync::Arc;
use texunit_cuda_abi::CUresult;

/// `CU_EVENT_BLOCKING_SYNC`
const BLOCKING_SYNC: c_uint = 1;
/// `CU_EVENT_DISABLE_TIMING`
const DISABLE_TIMING: c_uint = 2;
/// `CU_EVENT_INTERPROCESS`: there are no other processes.
const INTERPROCESS: c_uint = 4;

driver_api! {
    /// Makes an event.
    fn cuEventCreate(event: Out<Handle<Event>>, flags: c_uint) {
        event.check()?;
        let context = context::current()?;
        if flags & !(BLOCKING_SYNC | DISABLE_TIMING | INTERPROCESS) != 0 {
            return Err(CUresult::INVALID_VALUE);
        }
        if flags & INTERPROCESS != 0 {
            let timed = flags & DISABLE_TIMING == 0;
            return Err(if timed { CUresult::INVALID_VALUE } else { CUresult::NOT_SUPPORTED });
        }
        let new = Event::new(context.handle, flags & DISABLE_TIMING != 0);
        event.set(context.keep(new)?)
    }

    /// Ends an event.
    fn cuEventDestroy | cuEventDestroy_v2(event: Handle<Event>) {
        destroy(event)
    }

    /// Records an event: it happens now.
    fn cuEventRecord(event: Handle<Event>, stream: Handle<Stream>) {
        record(event, stream)
    }

    /// Records an event: it happens now. The flag for graphs changes nothing outside of one.
    fn cuEventRecordWithFlags(event: Handle<Event>, stream: Handle<Stream>, flags: c_uint) {
        if flags > 1 {
            return Err(CUresult::INVALID_VALUE);
        }
        record(event, stream)
    }

    /// An event has happened, or was never recorded, which is the same.
    fn cuEventQuery(event: Handle<Event>) {
        happened(event).map(|_| ())
    }

    /// As `cuEventQuery`; pools give back what they keep above their thresholds.
    fn cuEventSynchronize(event: Handle<Event>) {
        pool::synchronized(happened(event)?.gpu.ordinal);
        Ok(())
    }

    /// Milliseconds from one event to another. `CUDA_ERROR_INVALID_HANDLE` if one was not recorded or
    /// has no times, or if they are of two devices.
    fn cuEventElapsedTime | cuEventElapsedTime_v2(
        milliseconds: Out<f32>,
        start: Handle<Event>,
        end: Handle<Event>,
    ) {
        elapsed(milliseconds, start, end)
    }
}

fn destroy(event: Handle<Event>) -> Answer {
    // As all calls, it answers a fault of the context, with which the event then ends.
    happened(event)?;
    event.take().map(|_| ())
}

fn record(event: Handle<Event>, stream: Handle<Stream>) -> Answer {
    let event = event.get()?;
    let context = stream::on(stream)?;
    if context.handle != event.context {
        return Err(CUresult::INVALID_HANDLE);
    }
    event.record();
    Ok(())
}

/// The context of an event, in working order.
fn happened(event: Handle<Event>) -> Answer<Arc<Context>> {
    crate::state::gpus()?;
    let event = event.get()?;
    let context = event.context.get().map_err(|_| CUresult::CONTEXT_IS_DESTROYED)?;
    context.check()?;
    Ok(context)
}

fn elapsed(out: Out<f32>, start: Handle<Event>, end: Handle<Event>) -> Answer {
    out.check()?;
    let (start, end) = (start.get()?, end.get()?);
    if start.without_time || end.without_time {
        return Err(CUresult::INVALID_HANDLE);
    }
    let device = |event: &Event| match event.context.get() {
        Ok(context) => Ok(context.gpu.ordinal),
        Err(_) => Err(CUresult::CONTEXT_IS_DESTROYED),
    };
    if device(&start)? != device(&end)? {
        return Err(CUresult::INVALID_HANDLE);
    }
    let (Some(from), Some(to)) = (start.when(), end.when()) else {
        return Err(CUresult::INVALID_HANDLE);
    };
    let seconds = match to.checked_duration_since(from) {
        Some(after) => after.as_secs_f64(),
        None => -from.duration_since(to).as_secs_f64(),
    };
    out.set((seconds * 1e3) as f32)
}
