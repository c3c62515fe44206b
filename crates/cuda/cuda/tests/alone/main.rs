//! Tests that measure the free memory of the device, one at a time.

#![allow(unsafe_code, clippy::unwrap_used)]
#![allow(clashing_extern_declarations)]

mod arrays;
#[path = "../common/mod.rs"]
mod common;
mod memory;
mod pools;
#[path = "../common/world.rs"]
mod world;

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Serialises the tests.
pub(crate) fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}
