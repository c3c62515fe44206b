//! A mutex of a process that may fork: the thread that holds the mutex may not exist in the child,
//! so that waiting has a time limit.

use std::sync::{Mutex, MutexGuard, TryLockError};
use std::time::{Duration, Instant};

/// How long to wait for a lock: in a forked process, the thread that holds it may not exist.
const TIMEOUT: Duration = Duration::from_secs(2);

/// Locks a mutex, poisoned or not; `None` if another thread keeps it locked for seconds.
pub fn lock<T>(mutex: &Mutex<T>) -> Option<MutexGuard<'_, T>> {
    let start = Instant::now();
    loop {
        match mutex.try_lock() {
            Ok(value) => return Some(value),
            Err(TryLockError::Poisoned(poisoned)) => return Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) if start.elapsed() > TIMEOUT => return None,
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_micros(100)),
        }
    }
}
