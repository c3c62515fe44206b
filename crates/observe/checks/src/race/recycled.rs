//! Memory of earlier launches for the shadows and notes of later ones. Memory that is freed at the
//! end of a launch goes back to the system, and the next launch would wait for its page faults.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Vectors without elements whose memory is kept.
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

    /// A vector without elements: the last one that was kept, or a new one.
    pub(super) fn take(&self) -> Vec<T> {
        self.all().pop().unwrap_or_default()
    }

    /// Keeps the memory of a vector.
    pub(super) fn keep(&self, mut elements: Vec<T>) {
        elements.clear();
        let mut all = self.all();
        if (1..=self.largest).contains(&elements.capacity()) && all.len() < self.most {
            all.push(elements);
        }
    }
}
