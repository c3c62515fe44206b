//! Contexts, and which one is current to a thread.

use crate::args::Answer;
use crate::handle::{Handle, Object, object};
use crate::state::Gpu;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::ThreadId;
use texunit_cuda_abi::{CUresult, Refusal, Stack};
use texunit_forms::Count;

/// A context. What is made in it ends with it.
#[derive(Debug)]
pub(crate) struct Context {
    /// Its own handle.
    pub(crate) handle: Handle<Context>,
    /// Where its work is done.
    pub(crate) gpu: Arc<Gpu>,
    /// Its number (`cuCtxGetId`).
    pub(crate) id: u64,
    /// `CUctx_flags`.
    pub(crate) flags: AtomicU32,
    /// By [`Limit`].
    limits: [AtomicUsize; LIMITS.len()],
    /// `CUfunc_cache`, which changes nothing.
    pub(crate) cache: AtomicU32,
    /// How often it is used (`cuCtxAttach`, `cuCtxDetach`), beginning with the one who made it.
    uses: AtomicU32,
    /// The fault that ended it. From then on every call answers it.
    fault: OnceLock<Refusal>,
    /// Contexts of other devices whose memory its kernels reach.
    peers: Mutex<Vec<Handle<Context>>>,
}

object!(Context, "a context", INVALID_CONTEXT);

/// A limit of a context (`CUlimit`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Limit {
    /// Bytes of a thread's stack.
    StackSize,
    /// Bytes of the buffer that kernels print into.
    PrintfFifoSize,
    /// Bytes of the heap that kernels allocate from.
    MallocHeapSize,
    /// Depth of launches from the device.
    DevRuntimeSyncDepth,
    /// Number of launches from the device.
    DevRuntimePendingLaunchCount,
    /// Bytes that are fetched into level 2 at a time.
    MaxL2FetchGranularity,
    /// Bytes kept in level 2.
    PersistingL2CacheSize,
}

/// All limits by their numbers, with what a new context has.
const LIMITS: [(Limit, usize); 7] = [
    (Limit::StackSize, 1024),
    (Limit::PrintfFifoSize, 1 << 20),
    (Limit::MallocHeapSize, 8 << 20),
    (Limit::DevRuntimeSyncDepth, 2),
    (Limit::DevRuntimePendingLaunchCount, 2048),
    (Limit::MaxL2FetchGranularity, 64),
    (Limit::PersistingL2CacheSize, 0),
];

impl Limit {
    /// The limit of a number, `CUDA_ERROR_INVALID_VALUE` if there is none.
    pub(crate) fn of(number: u32) -> Answer<Self> {
        let found = LIMITS.get(number as usize).map(|(limit, _)| *limit);
        found.ok_or_else(|| {
            CUresult::INVALID_VALUE.because(format!(
                "limit {number} is not a CUlimit that texunit has: those are 0 to {}",
                LIMITS.len() - 1
            ))
        })
    }
}

/// Most bytes of stack that a thread can have, on every card.
pub(crate) const MAX_STACK: usize = 512 * 1024;

/// What is told when a context ends: each gives up what it holds for it.
const OWNERS: &[fn(&Context)] = &[
    crate::green::release_context,
    crate::module::release_context,
    crate::stream::release_context,
    crate::graph::exec::release_context,
    crate::texref::release_context,
    crate::texture::release_context,
    crate::array::release_context,
    crate::memory::release_context,
    crate::tables::release_context,
    peers::release_context,
];

/// The primary context of a device.
#[derive(Debug)]
pub(crate) struct Primary {
    /// Its handle, the same for ever, whether it is alive or not.
    pub(crate) handle: Handle<Context>,
    /// How often it was retained; 0: it is not alive.
    pub(crate) users: u32,
    /// Flags for when it is made.
    pub(crate) flags: u32,
    /// The thread that is giving up what was made in it: the others wait before they use it again.
    ending: Option<ThreadId>,
}

thread_local! {
    /// Contexts that the thread has pushed; the last one is current. A null one stands for
    /// `cuCtxSetCurrent(NULL)`.
    static STACK: Stack<Handle<Context>> = const { Stack::new() };
}

impl Default for Primary {
    fn default() -> Self {
        Self { handle: Handle::fresh(), users: 0, flags: 0, ending: None }
    }
}

impl Context {
    /// A new context on a device, under a handle.
    fn create_as(handle: Handle<Context>, gpu: &Arc<Gpu>, flags: u32) -> Arc<Self> {
        static IDS: AtomicU64 = AtomicU64::new(1);
        let context = Arc::new(Self {
            handle,
            gpu: Arc::clone(gpu),
            id: IDS.fetch_add(1, Ordering::Relaxed),
            flags: AtomicU32::new(flags),
            limits: LIMITS.map(|(_, value)| AtomicUsize::new(value)),
            cache: AtomicU32::new(0),
            uses: AtomicU32::new(1),
            fault: OnceLock::new(),
            peers: Mutex::default(),
        });
        Context::registry().keep(handle, Arc::clone(&context));
        context
    }

    /// A new context on a device (`cuCtxCreate`).
    pub(crate) fn create(gpu: &Arc<Gpu>, flags: u32) -> Arc<Self> {
        Self::create_as(Handle::fresh(), gpu, flags)
    }

    /// Ends the context of a handle, with all that was made in it.
    pub(crate) fn destroy(handle: Handle<Context>) -> Answer {
        handle.take()?.release();
        Ok(())
    }

    /// One more user (`cuCtxAttach`).
    pub(crate) fn attach(&self) {
        // So many users that the number would wrap do not come.
        let _ = self.uses.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| n.checked_add(1));
    }

    /// One user less (`cuCtxDetach`), unless there are no more than these; how many there were.
    pub(crate) fn detach(&self, staying: u32) -> u32 {
        let less = |n: u32| (n > staying).then(|| n - 1);
        let before = self.uses.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
        before.unwrap_or_else(|n| n)
    }

    /// Keeps an object that was made in the context.
    ///
    /// `CUDA_ERROR_CONTEXT_IS_DESTROYED` if another thread has ended the context in the meantime.
    pub(crate) fn keep<T: Object>(&self, object: T) -> Answer<Handle<T>> {
        let handle = T::registry().insert(object);
        self.outlives(|| drop(T::registry().remove(handle)))?;
        Ok(handle)
    }

    /// To be asked when something that was made in the context is where the context's end looks for it.
    /// Whoever ends a context takes it out of its registry first, and then gives up what was made in it. So
    /// what comes too late for that finds no context here; `undo` gives it up then.
    pub(crate) fn outlives(&self, undo: impl FnOnce()) -> Answer {
        if Context::registry().find(self.handle).is_some() {
            return Ok(());
        }
        undo();
        Err(CUresult::CONTEXT_IS_DESTROYED
            .because("another thread has destroyed the context while this call was working in it"))
    }

    /// Gives up all that was made in a context that was taken out of the registry. Destructors of the
    /// program run here: no lock is held.
    fn release(&self) {
        crate::checks::ended(self);
        for release in OWNERS {
            release(self);
        }
    }

    /// Whether a kernel has gone wrong in it: the error that every call answers from then on.
    pub(crate) fn check(&self) -> Answer {
        match self.fault.get() {
            None => Ok(()),
            Some(fault) => Err(fault.clone()),
        }
    }

    /// A kernel has gone wrong. The first fault stays.
    pub(crate) fn fail(&self, fault: Refusal) {
        if self.fault.set(fault).is_ok()
            && let Some(race) = crate::checks::race()
        {
            // All that the context's kernels did is over before anything that other devices do.
            race.device_synchronized(self.gpu.ordinal.unsigned_abs());
        }
    }

    /// A limit.
    pub(crate) fn limit(&self, limit: Limit) -> usize {
        match limit {
            // The heap is one of the device, as its memory is.
            Limit::MallocHeapSize => self.gpu.device.heap_size() as usize,
            _ => self.limits[limit as usize].load(Ordering::Relaxed),
        }
    }

    /// Sets a limit. `CUDA_ERROR_INVALID_VALUE` for a stack that no thread can have, a unit of level 2
    /// that there is not, and for the heap once a kernel has been launched that uses it;
    /// `CUDA_ERROR_OUT_OF_MEMORY` for a heap larger than the memory.
    pub(crate) fn set_limit(&self, limit: Limit, value: usize) -> Answer {
        match limit {
            Limit::StackSize if value > MAX_STACK => {
                return Err(CUresult::INVALID_VALUE.because(format!(
                    "value {value} is more than {MAX_STACK}, the maximum bytes of stack (CU_LIMIT_STACK_SIZE) that a \
                     thread can have"
                )));
            }
            Limit::MaxL2FetchGranularity if value > 128 => {
                return Err(CUresult::INVALID_VALUE.because(format!(
                    "value {value} is more than 128, the maximum bytes that are fetched into level 2 at a time \
                     (CU_LIMIT_MAX_L2_FETCH_GRANULARITY)"
                )));
            }
            Limit::MallocHeapSize => {
                let device = &self.gpu.device;
                if value as u64 > device.memory_limit() {
                    return Err(CUresult::OUT_OF_MEMORY.because(format!(
                        "value {value} is more than the memory of the device, {}: there is no room for such a \
                         heap (CU_LIMIT_MALLOC_HEAP_SIZE)", Count(device.memory_limit(), "byte"))));
                }
                device.set_heap_size(value as u64).map_err(crate::error::refusal)?;
            }
            _ => {}
        }
        self.limits[limit as usize].store(value, Ordering::Relaxed);
        Ok(())
    }
}

/// The primary context's state of a device.
pub(crate) fn primary(gpu: &Gpu) -> MutexGuard<'_, Primary> {
    gpu.primary.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One more user of a device's primary context, which is made if there is none
/// (`cuDevicePrimaryCtxRetain`).
pub(crate) fn retain_primary(gpu: &Arc<Gpu>) -> Handle<Context> {
    let mut primary = settled(gpu);
    if primary.users == 0 {
        Context::create_as(primary.handle, gpu, primary.flags);
    }
    primary.users += 1;
    primary.handle
}

/// One user less; the last one ends it. `CUDA_ERROR_INVALID_CONTEXT` if there is none.
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

/// Ends all that was made in a device's primary context; its users stay
/// (`cuDevicePrimaryCtxReset`).
pub(crate) fn reset_primary(gpu: &Arc<Gpu>) -> Answer {
    let state = settled(gpu);
    if state.users == 0 {
        return Ok(());
    }
    let state = end_primary(gpu, state)?;
    // A destructor of the program may have given up the last use, or made it anew.
    if state.users > 0 && state.handle.get().is_err() {
        Context::create_as(state.handle, gpu, state.flags);
    }
    Ok(())
}

/// The primary context's state, once no other thread is ending it. A new one has the same handle, so
/// that the objects of both could not be told apart.
fn settled(gpu: &Gpu) -> MutexGuard<'_, Primary> {
    let me = std::thread::current().id();
    let busy = |primary: &mut Primary| primary.ending.is_some_and(|thread| thread != me);
    gpu.settled.wait_while(primary(gpu), busy).unwrap_or_else(PoisonError::into_inner)
}

/// Ends the primary context. Its state is not locked while destructors of the program run.
fn end_primary<'a>(
    gpu: &'a Gpu,
    mut state: MutexGuard<'a, Primary>,
) -> Answer<MutexGuard<'a, Primary>> {
    let context = state.handle.take()?;
    let outer = state.ending.replace(std::thread::current().id());
    drop(state);
    context.release();
    crate::memory::pool::give_back(gpu.ordinal);
    let mut state = primary(gpu);
    state.ending = outer;
    gpu.settled.notify_all();
    Ok(state)
}

/// Whether a handle is that of a primary context, alive or not: one that is not can be current all the
/// same, as the runtime expects.
pub(crate) fn is_primary(handle: Handle<Context>) -> bool {
    crate::state::gpus().is_ok_and(|gpus| gpus.iter().any(|gpu| primary(gpu).handle == handle))
}

/// The context that is current to this thread, in working order.
///
/// `CUDA_ERROR_NOT_INITIALIZED` before `cuInit`, `CUDA_ERROR_INVALID_CONTEXT` if there is none,
/// `CUDA_ERROR_CONTEXT_IS_DESTROYED` if it has been destroyed, or the fault that ended it.
pub(crate) fn current() -> Answer<Arc<Context>> {
    let context = current_even_if_faulty()?;
    context.check()?;
    Ok(context)
}

/// As [`current`], but a context that a fault has ended is fine: for calls that give things back.
pub(crate) fn current_even_if_faulty() -> Answer<Arc<Context>> {
    crate::state::gpus()?;
    let handle = current_handle();
    if handle.is_null() {
        return Err(CUresult::INVALID_CONTEXT.because(
            "no context is current to this thread (cuCtxCreate, cuCtxSetCurrent, or any call of the runtime makes \
             one so)",
        ));
    }
    alive(handle, "the context that is current to this thread")
}

/// A context that something belongs to.
///
/// `CUDA_ERROR_CONTEXT_IS_DESTROYED` if it has been destroyed.
pub(crate) fn alive(handle: Handle<Context>, whose: &str) -> Answer<Arc<Context>> {
    Context::registry().find(handle).ok_or_else(|| {
        CUresult::CONTEXT_IS_DESTROYED.because(format!("{whose} ({handle:?}) has been destroyed"))
    })
}

/// The handle of the current context, null if there is none.
pub(crate) fn current_handle() -> Handle<Context> {
    with_stack(Stack::last).unwrap_or(Handle::NULL)
}

/// Works with the thread's stack of contexts.
pub(crate) fn with_stack<T>(work: impl FnOnce(&Stack<Handle<Context>>) -> T) -> T {
    STACK.with(work)
}

mod peers;
#[cfg(test)]
mod tests;
