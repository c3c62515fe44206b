//! Execution contexts (runtime API, "Execution Context Management"): primary contexts of devices,
//! and green contexts with some of the multiprocessors.
//!
//! The handle of an execution context is the driver's `CUcontext`: the primary context, or the
//! handle that represents the green context.

use crate::api::*;
use std::collections::BTreeMap;
use std::sync::Mutex;

/// Green contexts created here, by the context handles that represent them.
static GREEN: Mutex<BTreeMap<CUcontext, CUgreenCtx>> = Mutex::new(BTreeMap::new());

/// The green context of an execution context, `None` for a primary context.
pub(crate) fn green_of(context: CUcontext) -> Answer<Option<CUgreenCtx>> {
    state::init()?;
    match context {
        0 => Err(invalid!("ctx is null")),
        _ => Ok(lock(&GREEN).get(&context).copied()),
    }
}

runtime_api! {
    /// Creates a green context.
    fn cudaGreenCtxCreate(phCtx, desc, device, flags) {
        phCtx.check()?;
        state::init()?;
        ensure!(flags == 0, "flags {flags:#x} is not 0");
        let own = ask(|own| driver::cuGreenCtxCreate(own, desc, device, 0))?;
        let context = ask(|context| driver::cuCtxFromGreenCtx(context, own))?;
        lock(&GREEN).insert(context, own);
        phCtx.set(context)
    }

    /// Destroys a green context. Its streams are detached.
    fn cudaExecutionCtxDestroy(ctx) {
        match green_of(ctx)? {
            Some(own) => {
                check(driver::cuGreenCtxDestroy(own))?;
                lock(&GREEN).remove(&ctx);
                Ok(())
            }
            None => Err(invalid!(
                "ctx is not of cudaGreenCtxCreate: the context of a device ends by cudaDeviceReset"
            )),
        }
    }

    /// Unique number of an execution context.
    fn cudaExecutionCtxGetId(ctx, ctxId) {
        match green_of(ctx)? {
            // Green contexts have numbers of their own.
            Some(own) => {
                let id = ask(|id| driver::cuGreenCtxGetId(own, id))?;
                ctxId.set(1 << 32 | id)
            }
            None => check(driver::cuCtxGetId(ctx, ctxId)),
        }
    }

    /// Creates a stream in an execution context.
    fn cudaExecutionCtxStreamCreate(phStream, ctx, flags, priority) {
        phStream.check()?;
        if let Some(own) = green_of(ctx)? {
            let flags = flags | CU_STREAM_NON_BLOCKING;
            return check(driver::cuGreenCtxStreamCreate(phStream, own, flags, priority));
        }
        check(driver::cuCtxPushCurrent_v2(ctx))?;
        let made = ask(|made| driver::cuStreamCreateWithPriority(made, flags, priority));
        check(driver::cuCtxPopCurrent_v2(&mut 0))?;
        phStream.set(made?)
    }

    /// The primary context of a device as an execution context.
    fn cudaDeviceGetExecutionCtx(ctx, device) {
        ctx.check()?;
        state::check_device(device)?;
        ctx.set(state::primary(device)?)
    }
}
