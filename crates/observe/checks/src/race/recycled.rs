//! Keeps the memory of vectors from launch to launch. If freed memory went back to the operating
//! system at the end of a launch, the next launch would wait for page faults.

use crate::lock;
use std::sync::Mutex;

/// Empty vectors whose memory is kept.
#[derive(Debug)]
pub(super) struct Recycled<T> {
    /// The vectors, and the size of their memory in bytes.
    all: Mutex<(Vec<Vec<T>>, usize)>,
    most: usize,
}

impl<T> Recycled<T> {
    /// Keeps vectors of up to `most` bytes, all together.
    pub(super) const fn new(most: usize) -> Self {
        Self { all: Mutex::new((Vec::new(), 0)), most }
    }

    /// An empty vector: the one whose memory was kept last, or a new one.
    pub(super) fn take(&self) -> Vec<T> {
        let (all, bytes) = &mut *lock(&self.all);
        let taken = all.pop().unwrap_or_default();
        *bytes -= taken.capacity() * size_of::<T>();
        taken
    }

    /// Keeps the memory of a vector, unless too much is kept.
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
