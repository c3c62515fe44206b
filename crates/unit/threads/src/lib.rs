//! Threads of the host, which stay between calls.
//!
//! A new thread begins to run up to 300 us after it was asked for, where a small launch takes a
//! millisecond; one that waits for work begins after a few. The threads are rayon's, but nobody shares
//! them: a call takes a pool that is idle, or makes one. Two kernels may wait for each other, so neither may
//! stand in a queue behind the other. What a call hands to rayon in one of these threads (an observer of a launch may) is done by
//! the threads of that call, and by them while they wait for it.

mod idle;
mod placed;

use idle::Pool;
use std::panic::resume_unwind;
use std::sync::{Mutex, OnceLock, PoisonError};

/// Host threads of a call that asks for as many as there are cores. The system is asked once: it reads files for the
/// answer, which takes longer than a small launch; so it is what the first caller had.
pub fn cores() -> usize {
    static CORES: OnceLock<usize> = OnceLock::new();
    *CORES.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from))
}

/// Calls `run` with each of the items, the first here and each of the others in a thread beside it, and gives what the
/// calls return, in the order of the items, once all of them have ended.
///
/// Where the system has no more threads, one call follows another: none may wait for another one's work.
///
/// # Panics
///
/// If `run` does, once all calls have ended.
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
    if beside == 0 {
        call(first);
    } else if let Some(pool) = Pool::of(beside) {
        pool.run(beside, one, || call(first));
    } else if !idle::has_room(beside) {
        call(first);
        (0..beside).for_each(|_| one());
    } else {
        std::thread::scope(|scope| {
            let new = || std::thread::Builder::new().spawn_scoped(scope, one).ok();
            let begun: Vec<_> = (0..beside).filter_map(|_| new()).collect();
            call(first);
            (begun.len()..beside).for_each(|_| one());
            let ended: Vec<_> = begun.into_iter().map(|thread| thread.join()).collect();
            ended.into_iter().for_each(|end| end.unwrap_or_else(|panic| resume_unwind(panic)));
        });
    }
    results.into_iter().flatten().collect()
}
