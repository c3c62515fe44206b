//! How many bytes of compiled code there are.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Bytes of compiled code that all programs of the process may have.
pub(super) const MAX: usize = 64 << 20;

/// Bytes that there are.
static BYTES: AtomicUsize = AtomicUsize::new(0);

/// How many there are.
pub(super) fn taken() -> usize {
    BYTES.load(Relaxed)
}

/// Bytes of compiled code, counted as long as this lives.
#[derive(Debug)]
pub(super) struct Room(usize);

impl Room {
    /// Room for so many bytes more. None: there is none.
    pub(super) fn take(bytes: usize) -> Option<Self> {
        let taken = BYTES.fetch_add(bytes, Relaxed);
        // Given back where it is too much.
        let room = Self(bytes);
        (taken + bytes <= MAX).then_some(room)
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        BYTES.fetch_sub(self.0, Relaxed);
    }
}
