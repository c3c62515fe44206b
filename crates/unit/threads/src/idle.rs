//! Idle thread pools, which are kept for later calls.

use crate::placed::{CpuPlacement, Sleepers};
use rayon_core::{ThreadPool, ThreadPoolBuilder};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// Maximum number of idle pools: the number of calls that commonly run at the same time.
const KEPT: usize = 8;

/// How long the calling thread, once its share of a call is done, polls for the pool's threads to
/// finish before it sleeps: about as long as a wake-up takes. A call whose threads take equally
/// long then ends without sleeping.
const AWAKE: Duration = Duration::from_micros(50);

/// The idle pools.
struct Idle {
    /// Id of the process that owns the pools' threads. A forked child inherits the pools but not
    /// their threads.
    process: u32,
    pools: Vec<Pool>,
}

static IDLE: Mutex<Idle> = Mutex::new(Idle { process: 0, pools: Vec::new() });

/// The idle pools, unless the lock is taken. The lock is never waited for, because in a child
/// process that was forked while another thread held the lock, it stays locked.
fn idle() -> Option<MutexGuard<'static, Idle>> {
    let mut idle = IDLE.try_lock().ok()?;
    let process = std::process::id();
    if idle.process != process {
        // In a forked child, dropping a pool would wait for threads that do not exist.
        std::mem::forget(std::mem::take(&mut idle.pools));
        idle.process = process;
    }
    Some(idle)
}

/// Upper limit for the address space that a thread takes when it starts: its stack, and memory for
/// signals.
const OF_THREAD: usize = 4 << 20;
/// Address space that the C library reserves for a thread's allocations, for up to `cores` times
/// `PER_CORE` threads.
const OF_HEAP: usize = 64 << 20;
const PER_CORE: usize = 8;
/// Bytes of address space that must remain free for allocations once the threads have started.
const MARGIN: usize = 64 << 20;

/// Whether the process has memory for this number of further threads. A thread that finds no memory
/// while it starts aborts the process; therefore the memory is first reserved as a test, and
/// released at once.
pub(crate) fn has_room(threads: usize) -> bool {
    if cfg!(any(miri, target_family = "wasm")) {
        return true;
    }
    let heaps = threads.min(crate::cores().saturating_mul(PER_CORE));
    let needed = threads.saturating_mul(OF_THREAD).saturating_add(heaps * OF_HEAP);
    let mut room = Vec::<u8>::new();
    let is_there = room.try_reserve_exact(needed.saturating_add(MARGIN)).is_ok();
    // Keeps the compiler from removing the unused reservation.
    std::hint::black_box(&room);
    is_there
}

/// A thread pool that one call uses at a time.
pub(crate) struct Pool {
    threads: ThreadPool,
    sleepers: Arc<Sleepers>,
}

impl Pool {
    /// Takes or makes a pool of at least `threads` threads. Returns `None` on a rayon thread, which
    /// would steal unrelated work while it waits; under Miri, which reports persistent threads as
    /// leaks; and on platforms without threads. Also returns `None` if the system refuses threads,
    /// in which case the idle pools are dropped.
    pub(crate) fn of(threads: usize) -> Option<Self> {
        let have_threads = cfg!(not(any(miri, target_family = "wasm")));
        if !have_threads || rayon_core::current_thread_index().is_some() {
            return None;
        }
        let kept = idle().and_then(|mut idle| {
            let at = idle.pools.iter().rposition(|pool| pool.len() >= threads)?;
            Some(idle.pools.swap_remove(at))
        });
        let taken = kept.or_else(|| Self::new(threads));
        if taken.is_none() {
            idle().into_iter().for_each(|mut idle| idle.pools.clear());
        }
        taken
    }

    fn new(threads: usize) -> Option<Self> {
        if !has_room(threads) {
            return None;
        }
        let sleepers = Arc::<Sleepers>::default();
        let begun = Arc::clone(&sleepers);
        let built = ThreadPoolBuilder::new()
            .num_threads(threads)
            .thread_name(|_| "texunit".to_owned())
            .start_handler(move |_| begun.add())
            .build();
        Some(Self { threads: built.ok()?, sleepers })
    }

    fn len(&self) -> usize {
        self.threads.current_num_threads()
    }

    /// Runs `here` on the calling thread, and `beside` `count` times on the pool's threads.
    pub(crate) fn run(self, count: usize, beside: &(dyn Fn() + Sync), here: &mut dyn FnMut()) {
        let places = CpuPlacement::beside(&self.sleepers);
        let ended = AtomicUsize::new(0);
        let call = || {
            places.begun();
            beside();
            ended.fetch_add(1, Relaxed);
        };
        self.threads.in_place_scope(|scope| {
            (0..count).for_each(|_| scope.spawn(|_| call()));
            here();
            let from = Instant::now();
            while ended.load(Relaxed) != count && from.elapsed() < AWAKE {
                std::hint::spin_loop();
            }
        });
        self.keep();
    }

    /// Stores the pool as idle for the next call. After a panic, the pool has been dropped instead.
    fn keep(self) {
        let Some(mut idle) = idle() else { return };
        idle.pools.push(self);
        if idle.pools.len() > KEPT {
            let smallest = (0..KEPT).min_by_key(|&at| idle.pools[at].len());
            smallest.into_iter().for_each(|at| drop(idle.pools.swap_remove(at)));
        }
    }
}
