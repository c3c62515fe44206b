//! Contexts and their lifetime, each thread's stack of current contexts, and peer access
//! (`cuCtxEnablePeerAccess`): kernels of one context may access memory that was allocated in
//! contexts of another device ([`Gpu::can_reach`]).

use crate::prelude::*;
use crate::state::{Gpu, Primary};
use std::sync::PoisonError;
use texunit_device::Device;

/// A context. Objects created in it are destroyed with it.
#[derive(Debug)]
pub(crate) struct Context {
    pub(crate) handle: Handle<Context>,
    /// Device that executes its work.
    pub(crate) gpu: Arc<Gpu>,
    /// Unique identifier (`cuCtxGetId`).
    pub(crate) id: u64,
    /// Flags of the context (`CUctx_flags`).
    pub(crate) flags: AtomicU32,
    /// Values of the limits, by number ([`limit`]).
    limits: [AtomicUsize; LIMITS.len()],
    /// Cache preference (`CUfunc_cache`), which has no effect.
    pub(crate) cache: AtomicU32,
    /// Number of attachments (`cuCtxAttach`, `cuCtxDetach`), including that of the creator.
    uses: AtomicU32,
    /// The fault that has ended the context, which every later call returns.
    fault: OnceLock<Refusal>,
    /// Contexts of other devices whose memory kernels can access.
    peers: Mutex<Vec<Handle<Context>>>,
}

object!(Context, "a context", INVALID_CONTEXT);

/// Defaults of the limits, by number (`CUlimit`). The stack size is that of a thread in bytes.
const LIMITS: [usize; 7] = [1024, 1 << 20, 8 << 20, 2, 2048, 64, 0];

/// Checks the number of a limit; `CUDA_ERROR_INVALID_VALUE` if there is none.
pub(crate) fn known_limit(number: u32) -> Answer<u32> {
    ensure!(
        (number as usize) < LIMITS.len(),
        "limit {number} is not a CUlimit that texunit has: those are 0 to {}",
        LIMITS.len() - 1
    );
    Ok(number)
}

/// Maximum stack size of a thread in bytes, on every GPU.
pub(crate) const MAX_STACK: usize = 512 * 1024;

thread_local! {
    /// The thread's stack of contexts, of which the last is current. A null entry stands for
    /// `cuCtxSetCurrent(NULL)`.
    static STACK: Stack<Handle<Context>> = const { Stack::new() };
}

impl Context {
    /// Creates a context on a device, with a given handle.
    pub(crate) fn create_as(handle: Handle<Context>, gpu: &Arc<Gpu>, flags: u32) -> Arc<Self> {
        static IDS: AtomicU64 = AtomicU64::new(1);
        let context = Arc::new(Self {
            handle,
            gpu: Arc::clone(gpu),
            id: IDS.fetch_add(1, Ordering::Relaxed),
            flags: AtomicU32::new(flags),
            limits: LIMITS.map(AtomicUsize::new),
            cache: AtomicU32::new(0),
            uses: AtomicU32::new(1),
            fault: OnceLock::new(),
            peers: Mutex::default(),
        });
        Context::registry().insert_as(handle, Arc::clone(&context));
        context
    }

    /// Creates a context on a device (`cuCtxCreate`).
    pub(crate) fn create(gpu: &Arc<Gpu>, flags: u32) -> Arc<Self> {
        Self::create_as(Handle::fresh(), gpu, flags)
    }

    /// Adds an attachment (`cuCtxAttach`).
    pub(crate) fn attach(&self) {
        // The counter saturates instead of wrapping.
        let _ = self.uses.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| n.checked_add(1));
    }

    /// Removes an attachment (`cuCtxDetach`) if more than `staying` exist, and returns how many
    /// there were.
    pub(crate) fn detach(&self, staying: u32) -> u32 {
        let less = |n: u32| (n > staying).then(|| n - 1);
        self.uses.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).unwrap_or_else(|n| n)
    }

    /// Registers an object that was created in the context.
    ///
    /// `CUDA_ERROR_CONTEXT_IS_DESTROYED` if another thread has destroyed the context meanwhile.
    pub(crate) fn register<T: Object>(&self, object: T) -> Answer<Handle<T>> {
        let handle = T::registry().insert(object);
        self.check_not_ended(|| drop(T::registry().remove(handle)))?;
        Ok(handle)
    }

    /// Must be called after an object has been registered in the context. A thread that destroys a
    /// context first removes it from its registry and then destroys its objects. An object
    /// registered too late for that finds the context missing here, and `undo` destroys it.
    pub(crate) fn check_not_ended(&self, undo: impl FnOnce()) -> Answer {
        if Context::registry().find(self.handle).is_some() {
            return Ok(());
        }
        undo();
        Err(CUresult::CONTEXT_IS_DESTROYED
            .because("another thread has destroyed the context while this call was working in it"))
    }

    /// Returns the fault that has ended the context, if there is one.
    pub(crate) fn check(&self) -> Answer {
        self.fault.get().map_or(Ok(()), |fault| Err(fault.clone()))
    }

    /// Records a fault. The first one is kept.
    pub(crate) fn fail(&self, fault: Refusal) {
        if self.fault.set(fault).is_ok()
            && let Some(race) = crate::check_log::race()
        {
            // Kernels of the context are finished before any later work of other devices.
            race.streams().synchronize_device(self.gpu.ordinal.unsigned_abs());
        }
    }

    /// The value of a known limit.
    pub(crate) fn limit(&self, number: u32) -> usize {
        match number {
            // The heap belongs to the device, as its memory does.
            limit::MALLOC_HEAP_SIZE => self.gpu.device.heap_size() as usize,
            _ => self.limits[number as usize].load(Ordering::Relaxed),
        }
    }

    /// Sets a known limit. `CUDA_ERROR_INVALID_VALUE` for too large a stack, an invalid L2
    /// granularity, and for the heap once a kernel that uses it has been launched;
    /// `CUDA_ERROR_OUT_OF_MEMORY` for a heap larger than the memory.
    pub(crate) fn set_limit(&self, number: u32, value: usize) -> Answer {
        match number {
            limit::STACK_SIZE if value > MAX_STACK => bail!(
                "value {value} is more than {MAX_STACK}, the maximum bytes of stack (CU_LIMIT_STACK_SIZE) that a \
                     thread can have"
            ),
            limit::MAX_L2_FETCH_GRANULARITY if value > 128 => bail!(
                "value {value} is more than 128, the maximum bytes that are fetched into level 2 at a time \
                     (CU_LIMIT_MAX_L2_FETCH_GRANULARITY)"
            ),
            limit::MALLOC_HEAP_SIZE => {
                let device = &self.gpu.device;
                ensure!(
                    value as u64 <= device.memory().limit(),
                    CUresult::OUT_OF_MEMORY,
                    "value {value} is more than the memory of the device, {}: there is no room for such a \
                     heap (CU_LIMIT_MALLOC_HEAP_SIZE)",
                    Count(device.memory().limit(), "byte")
                );
                device.set_heap_size(value as u64).map_err(refusal)?;
            }
            _ => {}
        }
        self.limits[number as usize].store(value, Ordering::Relaxed);
        Ok(())
    }
}

impl Primary {
    pub(crate) fn handle(&self) -> Handle<Context> {
        Handle::of(self.number)
    }
}

/// State of a device's primary context.
pub(crate) fn primary(gpu: &Gpu) -> MutexGuard<'_, Primary> {
    lock(&gpu.primary)
}

/// Retains a device's primary context, which is created if necessary (`cuDevicePrimaryCtxRetain`).
pub(crate) fn retain_primary(gpu: &Arc<Gpu>) -> Handle<Context> {
    let mut primary = settled(gpu);
    if primary.users == 0 {
        Context::create_as(primary.handle(), gpu, primary.flags);
    }
    primary.users += 1;
    primary.handle()
}

/// State of the primary context, after waiting for a thread that is destroying it. The new context
/// has the same handle, so that objects of both could not be told apart.
pub(crate) fn settled(gpu: &Gpu) -> MutexGuard<'_, Primary> {
    let me = std::thread::current().id();
    let busy = |primary: &mut Primary| primary.ending.is_some_and(|thread| thread != me);
    gpu.settled.wait_while(primary(gpu), busy).unwrap_or_else(PoisonError::into_inner)
}

/// Whether a handle is that of a primary context, active or not. The runtime relies on being able
/// to make an inactive one current.
pub(crate) fn is_primary(handle: Handle<Context>) -> bool {
    crate::state::gpus().is_ok_and(|gpus| gpus.iter().any(|gpu| primary(gpu).handle() == handle))
}

/// The current context of this thread, which must have no fault.
///
/// `CUDA_ERROR_NOT_INITIALIZED` before `cuInit`, `CUDA_ERROR_INVALID_CONTEXT` without a current
/// context, `CUDA_ERROR_CONTEXT_IS_DESTROYED` if it has been destroyed, or the fault that has ended
/// it.
pub(crate) fn current() -> Answer<Arc<Context>> {
    let context = current_even_if_faulty()?;
    context.check()?;
    Ok(context)
}

/// As [`current`], but also returns a context that a fault has ended, for calls that free
/// something.
pub(crate) fn current_even_if_faulty() -> Answer<Arc<Context>> {
    crate::state::gpus()?;
    let handle = current_handle();
    ensure!(
        !handle.is_null(),
        CUresult::INVALID_CONTEXT,
        "no context is current to this thread (cuCtxCreate, cuCtxSetCurrent, or any call of the runtime makes \
         one so)"
    );
    alive(handle, "the context that is current to this thread")
}

/// The context that an object belongs to.
///
/// `CUDA_ERROR_CONTEXT_IS_DESTROYED` if it has been destroyed.
pub(crate) fn alive(handle: Handle<Context>, whose: &str) -> Answer<Arc<Context>> {
    Context::registry().find(handle).ok_or_else(|| {
        CUresult::CONTEXT_IS_DESTROYED.because(format!("{whose} ({handle:?}) has been destroyed"))
    })
}

/// The context of a handle; null names the current one.
pub(crate) fn context_or_current(handle: usize) -> Answer<Arc<Context>> {
    if handle == 0 {
        return current();
    }
    let context = Handle::<Context>::of(handle).get().map_err(|refusal| refusal.named("ctx"))?;
    context.check()?;
    Ok(context)
}

/// Handle of the current context; null if there is none.
pub(crate) fn current_handle() -> Handle<Context> {
    with_stack(Stack::last).unwrap_or(Handle::NULL)
}

/// Accesses the thread's stack of contexts.
pub(crate) fn with_stack<T>(work: impl FnOnce(&Stack<Handle<Context>>) -> T) -> T {
    STACK.with(work)
}

impl Context {
    /// Lets this context access memory of another context (`cuCtxEnablePeerAccess`).
    pub(crate) fn enable_peer(&self, peer: Handle<Context>) -> Answer {
        let other = peer.get()?;
        ensure!(
            peer != self.handle,
            CUresult::INVALID_CONTEXT,
            "peerContext is the current context itself: peers are two"
        );
        ensure!(
            self.gpu.can_reach(&other.gpu),
            CUresult::PEER_ACCESS_UNSUPPORTED,
            "device {} of the current context cannot reach the memory of device {} of peerContext: peers are two \
             devices of the same major compute capability (cuDeviceCanAccessPeer)",
            self.gpu.ordinal,
            other.gpu.ordinal
        );
        let mut peers = lock(&self.peers);
        ensure!(
            !peers.contains(&peer),
            CUresult::PEER_ACCESS_ALREADY_ENABLED,
            "access to context {peer:?} of device {} was enabled before",
            other.gpu.ordinal
        );
        peers.push(peer);
        self.gpu.device.use_arrays_of(&other.gpu.device);
        Ok(())
    }

    /// Ends the access to memory of another context (`cuCtxDisablePeerAccess`).
    pub(crate) fn disable_peer(&self, peer: Handle<Context>) -> Answer {
        peer.get()?;
        let mut peers = lock(&self.peers);
        let before = peers.len();
        peers.retain(|other| *other != peer);
        ensure!(
            peers.len() < before,
            CUresult::PEER_ACCESS_NOT_ENABLED,
            "access to context {peer:?} was not enabled (cuCtxEnablePeerAccess)"
        );
        Ok(())
    }

    /// The devices whose memory kernels of the context can access.
    pub(crate) fn peer_devices(&self) -> Vec<Device> {
        let peers = lock(&self.peers);
        let alive = peers.iter().filter_map(|peer| Context::registry().find(*peer));
        alive.map(|peer| peer.gpu.device.clone()).collect()
    }
}

/// Removes the peer access of other contexts to a context that ends, because a later primary
/// context has the same handle.
pub(crate) fn release_context(context: &Context) {
    for other in Context::registry().all(|_| true) {
        lock(&other.peers).retain(|peer| *peer != context.handle);
    }
}

#[cfg(test)]
mod tests;
