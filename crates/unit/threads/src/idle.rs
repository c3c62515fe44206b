//! Pools that no call uses.

use crate::placed::{Places, Sleepers};
use rayon_core::{ThreadPool, ThreadPoolBuilder};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// Pools that are kept: as many as calls that are often made at the same time.
const KEPT: usize = 8;

/// How long a caller who has done its part looks whether the others have: about as long as it takes to be woken. Calls
/// whose parts are about as long end without that.
const AWAKE: Duration = Duration::from_micros(50);

/// The pools that no call uses.
struct Idle {
    /// The process that has their threads: one that was forked has only its own.
    process: u32,
    pools: Vec<Pool>,
}

static IDLE: Mutex<Idle> = Mutex::new(Idle { process: 0, pools: Vec::new() });

/// Nobody waits for this lock: in a process that was forked while somebody had it, it stays locked.
fn idle() -> Option<MutexGuard<'static, Idle>> {
    let mut idle = IDLE.try_lock().ok()?;
    let process = std::process::id();
    if idle.process != process {
        // To end threads that are not there would be to wait for them.
        std::mem::forget(std::mem::take(&mut idle.pools));
        idle.process = process;
    }
    Some(idle)
}

/// Bytes of addresses that a thread takes at most when it begins: its stack, and what it needs for signals.
const OF_THREAD: usize = 4 << 20;
/// Bytes of addresses that the C library reserves for what a thread allocates, for as many threads as `cores` times
/// `PER_CORE`.
const OF_HEAP: usize = 64 << 20;
const PER_CORE: usize = 8;
/// What is left for work.
const MARGIN: usize = 64 << 20;

/// Whether the process has memory for this number of further threads. A thread that finds none while it starts aborts the
/// process, so the memory is reserved once, for a test, and released at once.
pub(crate) fn has_room(threads: usize) -> bool {
    if cfg!(any(miri, target_family = "wasm")) {
        return true;
    }
    let heaps = threads.min(crate::cores().saturating_mul(PER_CORE));
    let needed = threads.saturating_mul(OF_THREAD).saturating_add(heaps * OF_HEAP);
    let mut room = Vec::<u8>::new();
    let is_there = room.try_reserve_exact(needed.saturating_add(MARGIN)).is_ok();
    // Or the compiler would leave out what is not used.
    std::hint::black_box(&room);
    is_there
}

/// Threads that one call has at a time.
pub(crate) struct Pool {
    threads: ThreadPool,
    sleepers: Arc<Sleepers>,
}

impl Pool {
    /// At least so many. None for who is a thread of rayon's, since that would work for others while it waits; none
    /// under Miri, to which threads that stay are a leak, and where there are no processes and threads; and none if the system
    /// has no more, for which those that are idle go, too.
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

    /// Runs `here` by the caller and `beside` so many times by these threads.
    pub(crate) fn run(self, count: usize, beside: impl Fn() + Sync, here: impl FnOnce()) {
        let places = Places::beside(&self.sleepers);
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

    /// Keeps the threads for the next call. A panic has let them go.
    fn keep(self) {
        let Some(mut idle) = idle() else { return };
        idle.pools.push(self);
        if idle.pools.len() > KEPT {
            let smallest = (0..KEPT).min_by_key(|&at| idle.pools[at].len());
            smallest.into_iter().for_each(|at| drop(idle.pools.swap_remove(at)));
        }
    }
}
