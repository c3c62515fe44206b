//! Runs work in several threads.

use std::io;

/// Number of threads, and so of processes of NVIDIA's tools that run at the same time.
const WORKERS: usize = 2;

/// Calls `work` for items 0 to `count` in several threads, and returns the results in the order of
/// the items. The second argument of `work` is the number of the thread.
pub(crate) fn each<T: Send>(
    count: usize,
    work: impl Fn(usize, usize) -> io::Result<T> + Sync,
) -> io::Result<Vec<T>> {
    let part = &|slot: usize| -> io::Result<Vec<T>> {
        (slot..count).step_by(WORKERS).map(|item| work(item, slot)).collect()
    };
    let parts = std::thread::scope(|scope| {
        let workers: [_; WORKERS] = std::array::from_fn(|slot| scope.spawn(move || part(slot)));
        let ended = workers.into_iter().map(|worker| worker.join());
        let results = ended.map(|it| it.unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        results.collect::<io::Result<Vec<_>>>()
    })?;
    let mut parts: Vec<_> = parts.into_iter().map(Vec::into_iter).collect();
    Ok((0..count).filter_map(|item| parts[item % WORKERS].next()).collect())
}
