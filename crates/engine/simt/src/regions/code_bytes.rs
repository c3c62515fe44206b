//! Accounts for the memory of compiled code.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Maximum number of bytes of compiled code of all programs of the process.
pub(super) const MAX: usize = 64 << 20;

/// Current number of bytes of compiled code.
static BYTES: AtomicUsize = AtomicUsize::new(0);

/// Current number of bytes of compiled code.
pub(super) fn taken() -> usize {
    BYTES.load(Relaxed)
}

/// Bytes of a region's code, accounted for until the value is dropped.
#[derive(Debug)]
pub(super) struct CodeBytes(usize);

impl CodeBytes {
    /// Accounts for more bytes; `None` if that exceeds the limit.
    pub(super) fn take(bytes: usize) -> Option<Self> {
        let taken = BYTES.fetch_add(bytes, Relaxed);
        // The bytes are released when `room` is dropped, if they exceed the limit.
        let room = Self(bytes);
        (taken + bytes <= MAX).then_some(room)
    }
}

impl Drop for CodeBytes {
    fn drop(&mut self) {
        BYTES.fetch_sub(self.0, Relaxed);
    }
}
