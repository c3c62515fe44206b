//! Contexts (driver API, "Primary Context Management", "Context Management"). Green contexts and affinity are
//! not provided.

use crate::args::{Answer, In, Out};
use crate::call::driver_api;
use crate::context::{self, Context, Limit};
use crate::handle::Handle;
use crate::late;
use crate::memory::pool;
use crate::state;
use crate::stream::GREATEST_PRIORITY;
use std::ffi::{c_int, c_uint, c_ulonglong, c_void};
use std::sync::atomic::Ordering;
use texunit_cuda_abi::{CUdevice, CUresult, Stack};

/// Which of `CUctx_flags` there are: one way of waiting, memory of the host mapped, local memory kept,
/// core dumps, memory operations synchronous.
const FLAGS: c_uint = 0xff;
/// The ways of waiting: of these one at most.
const SCHEDULING: c_uint = 0x7;
/// The last of `CUfunc_cache`.
const CACHE_PREFER_EQUAL: c_uint = 3;
/// `CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE`.
const FOUR_BYTE_BANKS: c_uint = 1;
/// `CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE`, the last of `CUsharedconfig`.
const EIGHT_BYTE_BANKS: c_uint = 2;

driver_api! {
    /// One more user of the primary context, which is made if there is none.
    fn cuDevicePrimaryCtxRetain(pctx: Out<Handle<Context>>, dev: CUdevice) {
        pctx.check()?;
        pctx.set(context::retain_primary(state::gpu(dev)?))
    }

    /// One user less of the primary context.
    fn cuDevicePrimaryCtxRelease | cuDevicePrimaryCtxRelease_v2(dev: CUdevice) {
        context::release_primary(state::gpu(dev)?)
    }

    /// Ends all that the primary context holds.
    fn cuDevicePrimaryCtxReset | cuDevicePrimaryCtxReset_v2(dev: CUdevice) {
        context::reset_primary(state::gpu(dev)?)
    }

    /// Flags of the primary context.
    fn cuDevicePrimaryCtxSetFlags | cuDevicePrimaryCtxSetFlags_v2(dev: CUdevice, flags: c_uint) {
        set_primary_flags(dev, flags)
    }

    /// Flags of the primary context, and whether it is alive.
    fn cuDevicePrimaryCtxGetState(dev: CUdevice, flags: Out<c_uint>, active: Out<c_int>) {
        active.check()?;
        let primary = context::primary(state::gpu(dev)?);
        flags.set(primary.flags)?;
        active.set(c_int::from(primary.users > 0))
    }

    /// Makes a context, which becomes current.
    fn cuCtxCreate | cuCtxCreate_v2(
        pctx: Out<Handle<Context>>,
        flags: c_uint,
        dev: CUdevice,
    ) {
        create(pctx, flags, dev)
    }

    /// Makes a context, which becomes current; affinity is not provided.
    fn cuCtxCreate_v3(
        pctx: Out<Handle<Context>>,
        _paramsArray: *mut c_void,
        numParams: c_int,
        flags: c_uint,
        dev: CUdevice,
    ) {
        if numParams != 0 {
            return Err(CUresult::UNSUPPORTED_EXEC_AFFINITY.because(format!(
                "numParams {numParams} is not 0: texunit does not bind contexts to some of the multiprocessors \
                 (execution affinity)"
            )));
        }
        create(pctx, flags, dev)
    }

    /// Makes a context, which becomes current; of the parameters there may be none: affinity and
    /// sharing with graphics are not provided.
    fn cuCtxCreate_v4(
        context: Out<Handle<Context>>,
        parameters: In<[usize; 3]>,
        flags: c_uint,
        device: CUdevice,
    ) {
        if parameters.get_if().is_some_and(|[affinity, _, graphics]| affinity != 0 || graphics != 0) {
            return Err(CUresult::NOT_SUPPORTED.because(
                "ctxCreateParams asks for execution affinity or for sharing with graphics (CIG), which texunit does \
                 not provide",
            ));
        }
        create(context, flags, device)
    }

    /// Ends a context with all that was made in it.
    fn cuCtxDestroy | cuCtxDestroy_v2(ctx: Handle<Context>) {
        destroy(ctx)
    }

    /// One more user of the current context, who gives it up by `cuCtxDetach`. Flags there are none.
    fn cuCtxAttach(pctx: Out<Handle<Context>>, flags: c_uint) {
        let current = context::current()?;
        pctx.check()?;
        if flags != 0 {
            return Err(CUresult::INVALID_VALUE.because(format!("flags {flags:#x} is not 0")));
        }
        current.attach();
        pctx.set(current.handle)
    }

    /// One user less of a context, which is current; the last one ends it.
    fn cuCtxDetach(ctx: Handle<Context>) {
        detach(ctx)
    }

    /// Makes a context current until it is popped.
    fn cuCtxPushCurrent | cuCtxPushCurrent_v2(ctx: Handle<Context>) {
        push(ctx)
    }

    /// The context before becomes current again.
    fn cuCtxPopCurrent | cuCtxPopCurrent_v2(pctx: Out<Handle<Context>>) {
        pop(pctx)
    }

    /// Makes a context current in the place of the one that is; null: none.
    fn cuCtxSetCurrent(ctx: Handle<Context>) {
        state::gpus()?;
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

    /// The current context, null if there is none.
    fn cuCtxGetCurrent(pctx: Out<Handle<Context>>) {
        state::gpus()?;
        pctx.set(context::current_handle())
    }

    /// The device of the current context.
    fn cuCtxGetDevice(device: Out<CUdevice>) {
        device.set(context::current_even_if_faulty()?.gpu.ordinal)
    }

    /// The device of a context.
    fn cuCtxGetDevice_v2(device: Out<CUdevice>, ctx: Handle<Context>) {
        device.set(given(ctx)?.gpu.ordinal)
    }

    /// The flags of the current context.
    fn cuCtxGetFlags(flags: Out<c_uint>) {
        flags.set(context::current_even_if_faulty()?.flags.load(Ordering::Relaxed))
    }

    /// Sets the flags of the current context.
    fn cuCtxSetFlags(flags: c_uint) {
        check_flags(flags)?;
        context::current()?.flags.store(flags, Ordering::Relaxed);
        Ok(())
    }

    /// The number of a context, never used again.
    fn cuCtxGetId(ctx: Handle<Context>, ctxId: Out<c_ulonglong>) {
        ctxId.set(given(ctx)?.id)
    }

    /// All work is done; the fault of the current context is answered. Pools give back what they keep
    /// above their thresholds, as at every call that waits.
    fn cuCtxSynchronize() {
        let context = context::current()?;
        late::wait_for_context(&context);
        all_synchronized(&context);
        context.check()?;
        pool::synchronized(context.gpu.ordinal);
        Ok(())
    }

    /// All work is done; the fault of a context is answered.
    fn cuCtxSynchronize_v2(ctx: Handle<Context>) {
        let ctx = given(ctx)?;
        late::wait_for_context(&ctx);
        all_synchronized(&ctx);
        ctx.check()?;
        pool::synchronized(ctx.gpu.ordinal);
        Ok(())
    }

    /// Sets a limit.
    fn cuCtxSetLimit(limit: c_uint, value: usize) {
        context::current()?.set_limit(Limit::of(limit)?, value)
    }

    /// A limit.
    fn cuCtxGetLimit(pvalue: Out<usize>, limit: c_uint) {
        let context = context::current()?;
        pvalue.set(context.limit(Limit::of(limit)?))
    }

    /// What was set by `cuCtxSetCacheConfig`.
    fn cuCtxGetCacheConfig(pconfig: Out<c_uint>) {
        pconfig.set(context::current()?.cache.load(Ordering::Relaxed))
    }

    /// There are no caches to be divided.
    fn cuCtxSetCacheConfig(config: c_uint) {
        let context = context::current()?;
        if config > CACHE_PREFER_EQUAL {
            return Err(CUresult::INVALID_VALUE.because(format!("config {config} is not a CUfunc_cache: 0 to 3")));
        }
        context.cache.store(config, Ordering::Relaxed);
        Ok(())
    }

    /// Banks of shared memory are four bytes wide, on all cards that texunit can appear as.
    fn cuCtxGetSharedMemConfig(pConfig: Out<c_uint>) {
        context::current()?;
        pConfig.set(FOUR_BYTE_BANKS)
    }

    /// Changes nothing: on cards with banks of one width every width can be asked for.
    fn cuCtxSetSharedMemConfig(config: c_uint) {
        context::current()?;
        if config > EIGHT_BYTE_BANKS {
            return Err(CUresult::INVALID_VALUE.because(format!(
                "config {config} is not a CUsharedconfig: 0 to 2"
            )));
        }
        Ok(())
    }

    /// The version that contexts have had since CUDA 3.2.
    fn cuCtxGetApiVersion(ctx: Handle<Context>, version: Out<c_uint>) {
        given(ctx)?;
        version.set(3020)
    }

    /// The priorities that streams can have.
    fn cuCtxGetStreamPriorityRange(leastPriority: Out<c_int>, greatestPriority: Out<c_int>) {
        context::current()?;
        leastPriority.set_if(0);
        greatestPriority.set_if(GREATEST_PRIORITY);
        Ok(())
    }

    /// There is no level 2.
    fn cuCtxResetPersistingL2Cache() {
        context::current().map(|_| ())
    }

    /// Lets kernels of the current context reach memory that is allocated in a context of another device. Pools and
    /// mapped memory have an access of their own.
    fn cuCtxEnablePeerAccess(peerContext: Handle<Context>, Flags: c_uint) {
        let context = context::current()?;
        if Flags != 0 {
            return Err(CUresult::INVALID_VALUE.because(format!("Flags {Flags:#x} is not 0")));
        }
        context.enable_peer(peerContext)
    }

    /// Ends what `cuCtxEnablePeerAccess` allowed.
    fn cuCtxDisablePeerAccess(peerContext: Handle<Context>) {
        context::current()?.disable_peer(peerContext)
    }
}

/// A context that is given, or the current one for null.
fn given(context: Handle<Context>) -> Answer<std::sync::Arc<Context>> {
    if context.is_null() {
        return context::current_even_if_faulty();
    }
    state::gpus()?;
    context.get()
}

fn check_flags(flags: c_uint) -> Answer {
    let scheduling = flags & SCHEDULING;
    if flags & !FLAGS != 0 {
        return Err(CUresult::INVALID_VALUE.because(format!(
            "flags {flags:#x} has bits that are not CUctx_flags: {:#x}",
            flags & !FLAGS
        )));
    }
    if !matches!(scheduling, 0 | 1 | 2 | 4) {
        return Err(CUresult::INVALID_VALUE.because(format!(
            "flags {flags:#x} asks for several ways of waiting at once: spin (1), yield (2) and blocking sync (4) are mutually \
             exclusive"
        )));
    }
    Ok(())
}

fn set_primary_flags(device: CUdevice, flags: c_uint) -> Answer {
    let gpu = state::gpu(device)?;
    check_flags(flags)?;
    context::primary(gpu).flags = flags;
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
    state::gpus()?;
    if context::is_primary(context) {
        return Err(CUresult::INVALID_CONTEXT.because(format!(
            "ctx {context:?} is the primary context of a device, which ends by cuDevicePrimaryCtxRelease"
        )));
    }
    Context::destroy(context)?;
    // It is popped if it is current to the calling thread; elsewhere it stays, destroyed.
    context::with_stack(|stack| {
        if stack.last() == Some(context) {
            stack.pop();
        }
    });
    Ok(())
}

/// A primary context has only users less that have attached to it: it ends when it is released.
fn detach(context: Handle<Context>) -> Answer {
    let found = context.get()?;
    if context != context::current_handle() {
        return Err(CUresult::INVALID_CONTEXT.because(format!(
            "ctx {context:?} is not the context that is current to this thread"
        )));
    }
    let staying = u32::from(context::is_primary(context));
    match found.detach(staying) {
        n if n == staying => Err(CUresult::INVALID_CONTEXT.because(format!(
            "ctx {context:?} is a primary context, to which nobody has attached by cuCtxAttach"
        ))),
        1 => destroy(context),
        _ => Ok(()),
    }
}

/// Whether a context may become current: it is alive, or primary.
fn check_current(context: Handle<Context>) -> Answer {
    if context::is_primary(context) { Ok(()) } else { context.get().map(|_| ()) }
}

fn push(context: Handle<Context>) -> Answer {
    state::gpus()?;
    check_current(context)?;
    context::with_stack(|stack| stack.push(context));
    Ok(())
}

fn pop(out: Out<Handle<Context>>) -> Answer {
    state::gpus()?;
    let popped = context::with_stack(Stack::pop)
        .ok_or(CUresult::INVALID_CONTEXT.because("no context is pushed in this thread"))?;
    out.set_if(popped);
    Ok(())
}

/// The host has waited for all work of a context's device.
fn all_synchronized(context: &Context) {
    let device = context.gpu.ordinal.unsigned_abs();
    crate::checks::waited(|race| race.device_synchronized(device));
}
