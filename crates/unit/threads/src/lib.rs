//! Persistent host threads for parallel calls.
//!
//! A new thread starts to run up to 300 us after it was created, and a small launch takes only a
//! millisecond; a sleeping thread wakes in a few microseconds. The threads are rayon's, but are not
//! shared: a call takes an idle thread pool, or makes one. If calls shared a pool, a kernel could
//! be queued behind another kernel that waits for it. Work that a call submits to rayon from one of
//! these threads (as an observer of a launch may) runs on the threads of that call.

mod idle;
mod placed;

use idle::Pool;
use std::panic::resume_unwind;
use std::sync::{Mutex, OnceLock, PoisonError};

/// Number of host threads for a call that asks for one per core. The system is asked once, because
/// the query reads files and takes longer than a small launch. The result is that of the first
/// caller.
pub fn cores() -> usize {
    static CORES: OnceLock<usize> = OnceLock::new();
    *CORES.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from))
}

/// Calls `run` with each item: the first on the calling thread, the others on threads of a pool.
/// Returns the results in the order of the items, once all calls have ended.
///
/// If the system refuses threads, the calls run one after the other, so no call may wait for
/// another one.
///
/// # Panics
///
/// If `run` panics, once all calls have ended.
pub fn each<T: Send, R: Send>(
    items: impl IntoIterator<Item = T>,
    run: impl Fn(T) -> R + Sync,
) -> Vec<R> {
    let items: Vec<T> = items.into_iter().collect();
    let mut results: Vec<Option<R>> = items.iter().map(|_| None).collect();
    let mut calls = items.into_iter().zip(&mut results);
    let Some(first) = calls.next() else { return Vec::new() };
    let beside = calls.len();
    let call = |(item, result): (T, &mut Option<R>)| *result = Some(run(item));
    let calls = Mutex::new(calls);
    let one = || {
        let next = calls.lock().unwrap_or_else(PoisonError::into_inner).next();
        next.into_iter().for_each(call);
    };
    let mut first = Some(first);
    distribute(beside, &one, &mut || first.take().into_iter().for_each(call));
    results.into_iter().flatten().collect()
}

/// Calls the function `here` once on the calling thread, and the function `one` on other threads,
/// `beside` times in all.
fn distribute(beside: usize, one: &(dyn Fn() + Sync), here: &mut dyn FnMut()) {
    if beside == 0 {
        here();
    } else if let Some(pool) = Pool::of(beside) {
        pool.run(beside, one, here);
    } else if !idle::has_room(beside) {
        here();
        (0..beside).for_each(|_| one());
    } else {
        std::thread::scope(|scope| {
            let new = || std::thread::Builder::new().spawn_scoped(scope, one).ok();
            let begun: Vec<_> = (0..beside).filter_map(|_| new()).collect();
            here();
            (begun.len()..beside).for_each(|_| one());
            let ended: Vec<_> = begun.into_iter().map(|thread| thread.join()).collect();
            ended.into_iter().for_each(|end| end.unwrap_or_else(|panic| resume_unwind(panic)));
        });
    }
}
