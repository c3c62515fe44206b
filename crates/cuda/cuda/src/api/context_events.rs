//! Events of whole contexts: recorded after all work submitted to a context so far, or waited for
//! by all later work.

use crate::args::Answer;
use crate::call::driver_api;
use crate::checks;
use crate::context::Context;
use crate::deferred::{self, Order};
use crate::graph::capture;
use crate::handle::Handle;
use crate::stream::{self, Event};
use std::sync::Arc;
use texunit_cuda_abi::CUresult;

driver_api! {
    /// Records an event after all work that has been submitted to a context.
    fn cuCtxRecordEvent(hCtx: Handle<Context>, hEvent: Handle<Event>) {
        let (context, event) = (of(hCtx)?, hEvent.get()?);
        if event.context != context.handle {
            return Err(CUresult::INVALID_HANDLE.because(format!(
                "hEvent is an event of context {:?}, and hCtx is {:?}",
                event.context, context.handle
            )));
        }
        capture::recorded_outside(hEvent.number());
        if let Some(race) = checks::race() {
            race.event_recorded_on(hEvent.number() as u64, context.gpu.ordinal.unsigned_abs());
        }
        event.record();
        deferred::recorded_in_context(hEvent.number(), &context);
        Ok(())
    }

    /// Makes all later work of a context wait for an event.
    fn cuCtxWaitEvent(hCtx: Handle<Context>, hEvent: Handle<Event>) {
        let (context, event) = (of(hCtx)?, hEvent.get()?);
        capture::event_used(hEvent.number()).map_err(|refusal| {
            refusal.with_code(CUresult::STREAM_CAPTURE_UNSUPPORTED)
        })?;
        event.wait_for_others();
        if let Some(race) = checks::race() {
            race.event_waited_on(hEvent.number() as u64, context.gpu.ordinal.unsigned_abs());
        }
        let queue = stream::default_of(&context);
        deferred::context_waits(hEvent.number(), &Order { context, queue, waits: false, capture: None });
        Ok(())
    }
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
