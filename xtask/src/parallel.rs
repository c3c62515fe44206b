//! Runs work in several threads.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Number of threads, and so of processes of NVIDIA's tools that run at the same time.
const WORKERS: usize = 2;

/// Calls `work` for items 0 to `count` in several threads, and returns the results in the order of
/// the items. The second argument of `work` is the number of the thread.
pub(crate) fn each<T: Send>(
    count: usize,
    work: impl Fn(usize, usize) -> io::Result<T> + Sync,
) -> io::Result<Vec<T>> {
    let next = AtomicUsize::new(0);
    let (next, work) = (&next, &work);
    let mut done: Vec<(usize, T)> = Vec::new();
    std::thread::scope(|scope| {
        let worker = |slot| {
            scope.spawn(move || {
                let mut own = Vec::new();
                loop {
                    let item = next.fetch_add(1, Ordering::Relaxed);
                    if item >= count {
                        return io::Result::Ok(own);
                    }
                    own.push((item, work(item, slot)?));
                }
            })
        };
        let workers: Vec<_> = (0..WORKERS).map(worker).collect();
        for worker in workers {
            match worker.join() {
                Ok(own) => done.extend(own?),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        io::Result::Ok(())
    })?;
    done.sort_by_key(|(item, _)| *item);
    Ok(done.into_iter().map(|(_, result)| result).collect())
}
