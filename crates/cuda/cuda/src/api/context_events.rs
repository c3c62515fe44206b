//! Events of whole contexts: recorded after all work submitted to a context so far, or waited for
//! by all later work.

use crate::api::*;
use crate::capture;
use crate::stream;

driver_api! {
    /// Records an event after all work that has been submitted to a context.
    fn cuCtxRecordEvent(hCtx, hEvent) {
        record(hCtx, hEvent)
    }

    /// Makes all later work of a context wait for an event.
    fn cuCtxWaitEvent(hCtx, hEvent) {
        wait(hCtx, hEvent)
    }
}

/// Records an event in a context.
pub(super) fn record(context: Handle<Context>, handle: Handle<Event>) -> Answer {
    let (context, event) = (of(context)?, handle.get()?);
    ensure!(
        event.context == context.handle,
        CUresult::INVALID_HANDLE,
        "hEvent is an event of context {:?}, and hCtx is {:?}",
        event.context,
        context.handle
    );
    capture::recorded_outside(handle.number());
    crate::check_log::tell(|race| {
        race.streams().record_on(handle.number() as u64, context.gpu.ordinal.unsigned_abs())
    });
    event.record();
    deferred::recorded_in_context(handle.number(), &context);
    Ok(())
}

/// Has a context wait for an event.
pub(super) fn wait(context: Handle<Context>, handle: Handle<Event>) -> Answer {
    let (context, event) = (of(context)?, handle.get()?);
    capture::event_used(handle.number())
        .map_err(|refusal| refusal.with_code(CUresult::STREAM_CAPTURE_UNSUPPORTED))?;
    event.wait_for_others();
    crate::check_log::tell(|race| {
        race.streams().wait_on(handle.number() as u64, context.gpu.ordinal.unsigned_abs())
    });
    let queue = stream::default_of(&context);
    deferred::context_waits(handle.number(), &Order::on(context, queue));
    Ok(())
}

/// The context of a handle, which must have no fault and no stream that is being captured.
fn of(context: Handle<Context>) -> Answer<Arc<Context>> {
    let context = context
        .get()
        .map_err(|refusal| refusal.with_code(CUresult::INVALID_CONTEXT).named("hCtx"))?;
    context.check()?;
    capture::context_used(&context)?;
    Ok(context)
}
