//! Keeps the memory of vectors from launch to launch. If freed memory went back to the operating
//! system at the end of a launch, the next launch would wait for page faults.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Empty vectors whose memory is kept.
#[derive(Debug)]
pub(super) struct Recycled<T> {
    all: Mutex<Vec<Vec<T>>>,
    /// Maximum number of vectors.
    most: usize,
    /// Maximum capacity of a vector.
    largest: usize,
}

impl<T> Recycled<T> {
    /// Keeps up to `most` vectors of up to `largest` elements.
    pub(super) const fn new(most: usize, largest: usize) -> Self {
        Self { all: Mutex::new(Vec::new()), most, largest }
    }

    fn all(&self) -> MutexGuard<'_, Vec<Vec<T>>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An empty vector: the one whose memory was kept last, or a new one.
    pub(super) fn take(&self) -> Vec<T> {
        self.all().pop().unwrap_or_default()
    }

    /// Keeps the memory of a vector, unless the vector is too large or too many are kept.
    pub(super) fn keep(&self, mut elements: Vec<T>) {
        elements.clear();
        let mut all = self.all();
        if (1..=self.largest).contains(&elements.capacity()) && all.len() < self.most {
            all.push(elements);
        }
    }
}
