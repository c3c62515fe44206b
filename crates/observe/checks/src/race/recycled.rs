//! Keeps the memory of vectors from launch to launch. If freed memory went back to the operating
//! system at the end of a launch, the next launch would wait for page faults.

use crate::lock;
use std::sync::Mutex;

/// A pool of empty vectors whose memory is kept for reuse.
#[derive(Debug)]
pub(super) struct Recycled<T> {
    /// The empty vectors, and the size of their memory in bytes.
    all: Mutex<(Vec<Vec<T>>, usize)>,
    most: usize,
}

impl<T> Recycled<T> {
    /// A pool without vectors, which will keep at most `most` bytes of memory in total.
    pub(super) const fn new(most: usize) -> Self {
        Self { all: Mutex::new((Vec::new(), 0)), most }
    }

    /// Returns an empty vector: the vector that was kept last, or a new one without memory.
    pub(super) fn take(&self) -> Vec<T> {
        let (all, bytes) = &mut *lock(&self.all);
        let taken = all.pop().unwrap_or_default();
        *bytes -= taken.capacity() * size_of::<T>();
        taken
    }

    /// Keeps the memory of a vector for reuse, unless the pool would exceed its limit.
    pub(super) fn keep(&self, mut elements: Vec<T>) {
        elements.clear();
        let own = elements.capacity() * size_of::<T>();
        let (all, bytes) = &mut *lock(&self.all);
        if own != 0 && *bytes + own <= self.most {
            *bytes += own;
            all.push(elements);
        }
    }
}
