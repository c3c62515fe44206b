//! The end of contexts: destroys all objects in them.

use crate::context::{Context, primary, settled};
use crate::prelude::*;
use crate::state::{Gpu, Primary};

/// Functions called when a context ends, each of which destroys one kind of objects in it.
const OWNERS: &[fn(&Context)] = &[
    crate::green::release_context,
    crate::module::release_context,
    crate::graph::capture::release_context,
    crate::stream::release_context,
    crate::graph::exec::release_context,
    crate::texref::release_context,
    crate::texture::release_context,
    crate::array::release_context,
    crate::memory::release_context,
    crate::tables::release_context,
    crate::context::release_context,
];

/// Destroys the context of a handle and all objects in it.
pub(crate) fn destroy(handle: Handle<Context>) -> Answer {
    release(&*handle.take()?);
    Ok(())
}

/// Destroys all objects of a context that has been removed from the registry. No lock is held,
/// as callbacks of the program run here.
fn release(context: &Context) {
    crate::leaks::context_ended(context);
    for release in OWNERS {
        release(context);
    }
}

/// Releases a device's primary context; the last release destroys it. `CUDA_ERROR_INVALID_CONTEXT`
/// if it is not active.
pub(crate) fn release_primary(gpu: &Gpu) -> Answer {
    let mut primary = settled(gpu);
    primary.users = primary.users.checked_sub(1).ok_or_else(|| {
        CUresult::INVALID_CONTEXT.because(format!(
            "the primary context of device {} is not retained: it was released as often as it was retained",
            gpu.ordinal
        ))
    })?;
    if primary.users == 0 {
        drop(end_primary(gpu, primary)?);
    }
    Ok(())
}

/// Destroys all objects of a device's primary context, which stays retained
/// (`cuDevicePrimaryCtxReset`).
pub(crate) fn reset_primary(gpu: &Arc<Gpu>) -> Answer {
    let state = settled(gpu);
    if state.users == 0 {
        return Ok(());
    }
    let state = end_primary(gpu, state)?;
    // A callback of the program may have released the context, or created it again.
    if state.users > 0 && state.handle().get().is_err() {
        Context::create_as(state.handle(), gpu, state.flags);
    }
    Ok(())
}

/// Destroys the primary context. Its state is not locked while callbacks of the program run.
fn end_primary<'a>(
    gpu: &'a Gpu,
    mut state: MutexGuard<'a, Primary>,
) -> Answer<MutexGuard<'a, Primary>> {
    let context = state.handle().take()?;
    let outer = state.ending.replace(std::thread::current().id());
    drop(state);
    release(&context);
    crate::memory::pool::give_back(gpu.ordinal);
    let mut state = primary(gpu);
    state.ending = outer;
    gpu.settled.notify_all();
    Ok(state)
}
