//! Contexts (driver API, "Primary Context Management", "Context Management"). Execution affinity is
//! not provided.

use crate::api::*;
use crate::context::{self, known_limit};
use crate::memory::pool;
use crate::stream::GREATEST_PRIORITY;
use crate::{state, teardown};

/// The supported `CUctx_flags`: a scheduling mode, mapped host memory, keeping of local memory,
/// core dumps, synchronous memory operations.
const FLAGS: c_uint = 0xff;
/// Mask of the scheduling modes, at most one of which may be set.
const SCHEDULING: c_uint = 0x7;

driver_api! {
    /// Retains the primary context of a device, which is created if necessary.
    fn cuDevicePrimaryCtxRetain(pctx, dev) {
        pctx.give(|| Ok(context::retain_primary(state::gpu(dev)?)))
    }

    /// Releases the primary context of a device.
    fn cuDevicePrimaryCtxRelease | cuDevicePrimaryCtxRelease_v2(dev) {
        teardown::release_primary(state::gpu(dev)?)
    }

    /// Destroys everything in the primary context of a device.
    fn cuDevicePrimaryCtxReset | cuDevicePrimaryCtxReset_v2(dev) {
        teardown::reset_primary(state::gpu(dev)?)
    }

    /// Sets flags of the primary context.
    fn cuDevicePrimaryCtxSetFlags | cuDevicePrimaryCtxSetFlags_v2(dev, flags) {
        let gpu = state::gpu(dev)?;
        check_flags(flags)?;
        context::primary(gpu).flags = flags;
        Ok(())
    }

    /// Flags of the primary context, and whether it is active.
    fn cuDevicePrimaryCtxGetState(dev, flags, active) {
        active.check()?;
        let primary = context::primary(state::gpu(dev)?);
        flags.set(primary.flags)?;
        active.set(c_int::from(primary.users > 0))
    }

    /// Creates a context and makes it current.
    fn cuCtxCreate | cuCtxCreate_v2(pctx, flags, dev) {
        create(pctx, flags, dev)
    }

    /// Creates a context and makes it current; execution affinity is not provided.
    fn cuCtxCreate_v3(pctx, _paramsArray, numParams, flags, dev) {
        ensure!(
            numParams == 0,
            CUresult::UNSUPPORTED_EXEC_AFFINITY,
            "numParams {numParams} is not 0: texunit does not bind contexts to some of the multiprocessors \
             (execution affinity)"
        );
        create(pctx, flags, dev)
    }

    /// Creates a context and makes it current. Parameters are refused, because execution affinity
    /// and graphics interoperability are not provided.
    fn cuCtxCreate_v4(context, parameters, flags, device) {
        ensure!(
            !parameters.get_if().is_some_and(|[affinity, _, graphics]| affinity != 0 || graphics != 0),
            CUresult::NOT_SUPPORTED,
            "ctxCreateParams asks for execution affinity or for sharing with graphics (CIG), which texunit does \
             not provide"
        );
        create(context, flags, device)
    }

    /// Destroys a context and everything that was created in it.
    fn cuCtxDestroy | cuCtxDestroy_v2(ctx) {
        destroy(ctx)
    }

    /// Attaches to the current context, until `cuCtxDetach`. No flags are defined.
    fn cuCtxAttach(pctx, flags) {
        let current = context::current()?;
        pctx.check()?;
        ensure!(flags == 0, "flags {flags:#x} is not 0");
        current.attach();
        pctx.set(current.handle)
    }

    /// Detaches from a context, which must be current; the last detach destroys it. A primary
    /// context only loses an attachment, and ends when it is released.
    fn cuCtxDetach(ctx) {
        let found = ctx.get()?;
        ensure!(
            ctx == context::current_handle(),
            CUresult::INVALID_CONTEXT,
            "ctx {ctx:?} is not the context that is current to this thread"
        );
        let staying = u32::from(context::is_primary(ctx));
        match found.detach(staying) {
            n if n == staying => Err(CUresult::INVALID_CONTEXT.because(format!(
                "ctx {ctx:?} is a primary context, to which nobody has attached by cuCtxAttach"
            ))),
            1 => destroy(ctx),
            _ => Ok(()),
        }
    }

    /// Pushes a context, which becomes current until it is popped.
    fn cuCtxPushCurrent | cuCtxPushCurrent_v2(ctx) {
        check_current(ctx)?;
        context::with_stack(|stack| stack.push(ctx));
        Ok(())
    }

    /// Pops the current context, so that the previous one becomes current.
    fn cuCtxPopCurrent | cuCtxPopCurrent_v2(pctx) {
        let popped = context::with_stack(Stack::pop)
            .ok_or(CUresult::INVALID_CONTEXT.because("no context is pushed in this thread"))?;
        pctx.set_if(popped);
        Ok(())
    }

    /// Replaces the current context; null leaves the thread without one.
    fn cuCtxSetCurrent(ctx) {
        if ctx.is_null() {
            context::with_stack(Stack::pop);
            return Ok(());
        }
        check_current(ctx)?;
        context::with_stack(|stack| {
            stack.pop();
            stack.push(ctx);
        });
        Ok(())
    }

    /// The current context, or null.
    fn cuCtxGetCurrent(pctx) {
        pctx.set(context::current_handle())
    }

    /// The device of the current context.
    fn cuCtxGetDevice(device) {
        device.set(context::current_even_if_faulty()?.gpu.ordinal)
    }

    /// The device of a context.
    fn cuCtxGetDevice_v2(device, ctx) {
        device.set(given(ctx)?.gpu.ordinal)
    }

    /// The flags of the current context.
    fn cuCtxGetFlags(flags) {
        flags.set(context::current_even_if_faulty()?.flags.load(Ordering::Relaxed))
    }

    /// Sets the flags of the current context.
    fn cuCtxSetFlags(flags) {
        check_flags(flags)?;
        context::current()?.flags.store(flags, Ordering::Relaxed);
        Ok(())
    }

    /// The unique identifier of a context.
    fn cuCtxGetId(ctx, ctxId) {
        ctxId.set(given(ctx)?.id)
    }

    /// Waits for all work and returns the fault of the current context. As at each synchronisation,
    /// memory pools free unused memory above their thresholds.
    fn cuCtxSynchronize() {
        synchronize(&*context::current()?)
    }

    /// Waits for all work of a context and returns its fault.
    fn cuCtxSynchronize_v2(ctx) {
        synchronize(&*given(ctx)?)
    }

    /// Sets a limit of the current context.
    fn cuCtxSetLimit(limit, value) {
        context::current()?.set_limit(known_limit(limit)?, value)
    }

    /// A limit of the current context.
    fn cuCtxGetLimit(pvalue, limit) {
        pvalue.set(context::current()?.limit(known_limit(limit)?))
    }

    /// The setting of `cuCtxSetCacheConfig`.
    fn cuCtxGetCacheConfig(pconfig) {
        pconfig.set(context::current()?.cache.load(Ordering::Relaxed))
    }

    /// Sets the cache preference, which has no effect.
    fn cuCtxSetCacheConfig(config) {
        let context = context::current()?;
        ensure!(
            config <= CU_FUNC_CACHE_PREFER_EQUAL,
            "config {config} is not a CUfunc_cache: 0 to 3"
        );
        context.cache.store(config, Ordering::Relaxed);
        Ok(())
    }

    /// Bank width of shared memory: four bytes on all simulated GPUs.
    fn cuCtxGetSharedMemConfig(pConfig) {
        context::current()?;
        pConfig.set(CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE)
    }

    /// Sets the bank width of shared memory. It has no effect, as on GPUs with a fixed bank width.
    fn cuCtxSetSharedMemConfig(config) {
        context::current()?;
        ensure!(
            config <= CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE,
            "config {config} is not a CUsharedconfig: 0 to 2"
        );
        Ok(())
    }

    /// The context's API version, which has been the same since CUDA 3.2.
    fn cuCtxGetApiVersion(ctx, version) {
        given(ctx)?;
        version.set(3020)
    }

    /// The range of stream priorities.
    fn cuCtxGetStreamPriorityRange(leastPriority, greatestPriority) {
        context::current()?;
        leastPriority.set_if(0);
        greatestPriority.set_if(GREATEST_PRIORITY);
        Ok(())
    }

    /// Has no effect, because texunit simulates no L2 cache.
    fn cuCtxResetPersistingL2Cache() {
        context::current().map(|_| ())
    }

    /// Lets kernels of the current context access memory allocated in another device's context.
    /// Memory pools and mapped memory are excluded, because they have separate access rights.
    fn cuCtxEnablePeerAccess(peerContext, Flags) {
        let context = context::current()?;
        ensure!(Flags == 0, "Flags {Flags:#x} is not 0");
        context.enable_peer(peerContext)
    }

    /// Undoes `cuCtxEnablePeerAccess`.
    fn cuCtxDisablePeerAccess(peerContext) {
        context::current()?.disable_peer(peerContext)
    }
}

/// The context that a handle names; null names the current one.
fn given(context: Handle<Context>) -> Answer<Arc<Context>> {
    if context.is_null() { context::current_even_if_faulty() } else { context.get() }
}

fn check_flags(flags: c_uint) -> Answer {
    let scheduling = flags & SCHEDULING;
    ensure!(
        flags & !FLAGS == 0,
        "flags {flags:#x} has bits that are not CUctx_flags: {:#x}",
        flags & !FLAGS
    );
    ensure!(
        matches!(scheduling, 0 | 1 | 2 | 4),
        "flags {flags:#x} asks for several ways of waiting at once: spin (1), yield (2) and blocking sync (4) are mutually \
         exclusive"
    );
    Ok(())
}

fn create(out: Out<Handle<Context>>, flags: c_uint, device: CUdevice) -> Answer {
    let gpu = state::gpu(device)?;
    out.check()?;
    check_flags(flags)?;
    let context = Context::create(gpu, flags);
    context::with_stack(|stack| stack.push(context.handle));
    out.set(context.handle)
}

fn destroy(context: Handle<Context>) -> Answer {
    ensure!(
        !context::is_primary(context),
        CUresult::INVALID_CONTEXT,
        "ctx {context:?} is the primary context of a device, which ends by cuDevicePrimaryCtxRelease"
    );
    teardown::destroy(context)?;
    // A destroyed context is popped if it is current to the calling thread; in other threads it
    // stays on the stack.
    context::with_stack(|stack| {
        if stack.last() == Some(context) {
            stack.pop();
        }
    });
    Ok(())
}

/// Checks that a context may become current: it exists, or is a primary context.
fn check_current(context: Handle<Context>) -> Answer {
    if context::is_primary(context) { Ok(()) } else { context.get().map(|_| ()) }
}

/// Waits for all work of a context, and returns its fault.
fn synchronize(context: &Context) -> Answer {
    deferred::wait_for_context(context);
    let device = context.gpu.ordinal;
    crate::checks::waited(|race| race.streams().synchronize_device(device.unsigned_abs()));
    context.check()?;
    pool::synchronized(device);
    Ok(())
}
