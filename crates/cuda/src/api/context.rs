//! Contexts (driver API, "Primary Context Management", "Context Management"). Green contexts, peers and
//! affinity are not provided.

use crate::args::{Answer, In, Out};
use crate::call::driver_api;
use crate::context::{self, Context, Limit};
use crate::handle::Handle;
use crate::memory::pool;
use crate::state;
use crate::stream::GREATEST_PRIORITY;
use std::ffi::{c_int, c_uint, c_ulonglong, c_void};
use std::sync::atomic::Ordering;
use texunit_cuda_abi::{CUdevice, CUresult};

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
    fn cuDevicePrimaryCtxRetain(context: Out<Handle<Context>>, device: CUdevice) {
        context.check()?;
        context.set(context::retain_primary(state::gpu(device)?))
    }

    /// One user less of the primary context.
    fn cuDevicePrimaryCtxRelease | cuDevicePrimaryCtxRelease_v2(device: CUdevice) {
        context::release_primary(state::gpu(device)?)
    }

    /// Ends all that the primary context holds.
    fn cuDevicePrimaryCtxReset | cuDevicePrimaryCtxReset_v2(device: CUdevice) {
        context::reset_primary(state::gpu(device)?)
    }

    /// Flags of the primary context.
    fn cuDevicePrimaryCtxSetFlags | cuDevicePrimaryCtxSetFlags_v2(device: CUdevice, flags: c_uint) {
        set_primary_flags(device, flags)
    }

    /// Flags of the primary context, and whether it is alive.
    fn cuDevicePrimaryCtxGetState(device: CUdevice, flags: Out<c_uint>, active: Out<c_int>) {
        active.check()?;
        let primary = context::primary(state::gpu(device)?);
        flags.set(primary.flags)?;
        active.set(c_int::from(primary.users > 0))
    }

    /// Makes a context, which becomes current.
    fn cuCtxCreate | cuCtxCreate_v2(
        context: Out<Handle<Context>>,
        flags: c_uint,
        device: CUdevice,
    ) {
        create(context, flags, device)
    }

    /// Makes a context, which becomes current; affinity is not provided.
    fn cuCtxCreate_v3(
        context: Out<Handle<Context>>,
        _affinity: *mut c_void,
        number: c_int,
        flags: c_uint,
        device: CUdevice,
    ) {
        if number != 0 {
            return Err(CUresult::UNSUPPORTED_EXEC_AFFINITY.because("?"));
        }
        create(context, flags, device)
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
            return Err(CUresult::NOT_SUPPORTED.because("?"));
        }
        create(context, flags, device)
    }

    /// Ends a context with all that was made in it.
    fn cuCtxDestroy | cuCtxDestroy_v2(context: Handle<Context>) {
        destroy(context)
    }

    /// One more user of the current context, who gives it up by `cuCtxDetach`. Flags there are none.
    fn cuCtxAttach(context: Out<Handle<Context>>, flags: c_uint) {
        let current = context::current()?;
        context.check()?;
        if flags != 0 {
            return Err(CUresult::INVALID_VALUE.because("?"));
        }
        current.attach();
        context.set(current.handle)
    }

    /// One user less of a context, which is current; the last one ends it.
    fn cuCtxDetach(context: Handle<Context>) {
        detach(context)
    }

    /// Makes a context current until it is popped.
    fn cuCtxPushCurrent | cuCtxPushCurrent_v2(context: Handle<Context>) {
        push(context)
    }

    /// The context before becomes current again.
    fn cuCtxPopCurrent | cuCtxPopCurrent_v2(context: Out<Handle<Context>>) {
        pop(context)
    }

    /// Makes a context current in the place of the one that is; null: none.
    fn cuCtxSetCurrent(context: Handle<Context>) {
        state::gpus()?;
        if context.is_null() {
            context::with_stack(Vec::pop);
            return Ok(());
        }
        check_current(context)?;
        context::with_stack(|stack| {
            stack.pop();
            stack.push(context);
        });
        Ok(())
    }

    /// The current context, null if there is none.
    fn cuCtxGetCurrent(context: Out<Handle<Context>>) {
        state::gpus()?;
        context.set(context::current_handle())
    }

    /// The device of the current context.
    fn cuCtxGetDevice(device: Out<CUdevice>) {
        device.set(context::current_even_if_faulty()?.gpu.ordinal)
    }

    /// The device of a context.
    fn cuCtxGetDevice_v2(device: Out<CUdevice>, context: Handle<Context>) {
        device.set(given(context)?.gpu.ordinal)
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
    fn cuCtxGetId(context: Handle<Context>, id: Out<c_ulonglong>) {
        id.set(given(context)?.id)
    }

    /// All work is done; the fault of the current context is answered. Pools give back what they keep
    /// above their thresholds, as at every call that waits.
    fn cuCtxSynchronize() {
        pool::synchronized(context::current()?.gpu.ordinal);
        Ok(())
    }

    /// All work is done; the fault of a context is answered.
    fn cuCtxSynchronize_v2(context: Handle<Context>) {
        let context = given(context)?;
        context.check()?;
        pool::synchronized(context.gpu.ordinal);
        Ok(())
    }

    /// Sets a limit.
    fn cuCtxSetLimit(limit: c_uint, value: usize) {
        context::current()?.set_limit(Limit::of(limit)?, value)
    }

    /// A limit.
    fn cuCtxGetLimit(value: Out<usize>, limit: c_uint) {
        let context = context::current()?;
        value.set(context.limit(Limit::of(limit)?))
    }

    /// What was set by `cuCtxSetCacheConfig`.
    fn cuCtxGetCacheConfig(config: Out<c_uint>) {
        config.set(context::current()?.cache.load(Ordering::Relaxed))
    }

    /// There are no caches to be divided.
    fn cuCtxSetCacheConfig(config: c_uint) {
        let context = context::current()?;
        if config > CACHE_PREFER_EQUAL {
            return Err(CUresult::INVALID_VALUE.because("?"));
        }
        context.cache.store(config, Ordering::Relaxed);
        Ok(())
    }

    /// Banks of shared memory are four bytes wide, on all cards that texunit can appear as.
    fn cuCtxGetSharedMemConfig(config: Out<c_uint>) {
        context::current()?;
        config.set(FOUR_BYTE_BANKS)
    }

    /// Changes nothing: on cards with banks of one width every width can be asked for.
    fn cuCtxSetSharedMemConfig(config: c_uint) {
        context::current()?;
        if config > EIGHT_BYTE_BANKS { Err(CUresult::INVALID_VALUE.because("?")) } else { Ok(()) }
    }

    /// The version that contexts have had since CUDA 3.2.
    fn cuCtxGetApiVersion(context: Handle<Context>, version: Out<c_uint>) {
        given(context)?;
        version.set(3020)
    }

    /// The priorities that streams can have.
    fn cuCtxGetStreamPriorityRange(least: Out<c_int>, greatest: Out<c_int>) {
        context::current()?;
        least.set_if(0);
        greatest.set_if(GREATEST_PRIORITY);
        Ok(())
    }

    /// There is no level 2.
    fn cuCtxResetPersistingL2Cache() {
        context::current().map(|_| ())
    }

    /// Other devices' memory cannot be reached.
    fn cuCtxEnablePeerAccess(peer: Handle<Context>, flags: c_uint) {
        context::current()?;
        if flags != 0 {
            return Err(CUresult::INVALID_VALUE.because("?"));
        }
        peer.get()?;
        Err(CUresult::PEER_ACCESS_UNSUPPORTED.because("?"))
    }

    /// Other devices' memory cannot be reached.
    fn cuCtxDisablePeerAccess(peer: Handle<Context>) {
        context::current()?;
        peer.get()?;
        Err(CUresult::PEER_ACCESS_NOT_ENABLED.because("?"))
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
    if flags & !FLAGS != 0 || !matches!(scheduling, 0 | 1 | 2 | 4) {
        return Err(CUresult::INVALID_VALUE.because("?"));
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
        return Err(CUresult::INVALID_CONTEXT.because("?"));
    }
    Context::destroy(context)?;
    // It is popped if it is current to the calling thread; elsewhere it stays, destroyed.
    context::with_stack(|stack| {
        if stack.last() == Some(&context) {
            stack.pop();
        }
    });
    Ok(())
}

/// A primary context has only users less that have attached to it: it ends when it is released.
fn detach(context: Handle<Context>) -> Answer {
    let found = context.get()?;
    if context != context::current_handle() {
        return Err(CUresult::INVALID_CONTEXT.because("?"));
    }
    let staying = u32::from(context::is_primary(context));
    match found.detach(staying) {
        n if n == staying => Err(CUresult::INVALID_CONTEXT.because("?")),
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
    let popped = context::with_stack(Vec::pop).ok_or(CUresult::INVALID_CONTEXT.because("?"))?;
    out.set_if(popped);
    Ok(())
}
