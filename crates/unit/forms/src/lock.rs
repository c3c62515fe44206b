//! Locks that are taken also after a panic of a thread that held them: the panic was reported, and
//! each change under these locks leaves a valid state.

use std::sync::{
    Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard as ReadGuard,
    RwLockWriteGuard as WriteGuard,
};

/// Locks a mutex.
pub fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Locks for reading.
pub fn read_lock<T: ?Sized>(lock: &RwLock<T>) -> ReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

/// Locks for writing.
pub fn write_lock<T: ?Sized>(lock: &RwLock<T>) -> WriteGuard<'_, T> {
    lock.write().unwrap_or_else(PoisonError::into_inner)
}
