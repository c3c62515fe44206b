//! Objects of a library by the handles that the program gets.

use crate::call::Refused;
use std::collections::BTreeMap;
use std::sync::Mutex;
use texunit_cuda_abi::lock;

/// The live objects of one kind, by handle. A handle is a number that is never reused.
#[derive(Debug)]
pub struct Handles<T, C> {
    /// The objects, and the number of handles made so far.
    objects: Mutex<(BTreeMap<usize, T>, usize)>,
    first: usize,
    step: usize,
    none: fn(usize) -> Refused<C>,
}

impl<T, C> Handles<T, C> {
    /// A table whose handles begin with a number and have a distance; `none` is the refusal of an
    /// invalid handle.
    pub const fn new(first: usize, step: usize, none: fn(usize) -> Refused<C>) -> Self {
        Self { objects: Mutex::new((BTreeMap::new(), 0)), first, step, none }
    }

    /// Adds an object and returns its handle.
    pub fn insert(&self, object: T) -> usize {
        let mut objects = lock(&self.objects);
        let handle = self.first + objects.1 * self.step;
        objects.1 += 1;
        objects.0.insert(handle, object);
        handle
    }

    /// Removes an object. It is dropped after the table is unlocked.
    ///
    /// # Errors
    /// The refusal of an invalid handle.
    pub fn remove(&self, handle: usize) -> Result<T, Refused<C>> {
        let removed = lock(&self.objects).0.remove(&handle);
        removed.ok_or_else(|| (self.none)(handle))
    }

    /// Calls `work` with an object.
    ///
    /// # Errors
    /// The refusal of an invalid handle.
    pub fn with<R>(&self, handle: usize, work: impl FnOnce(&mut T) -> R) -> Result<R, Refused<C>> {
        lock(&self.objects).0.get_mut(&handle).map(work).ok_or_else(|| (self.none)(handle))
    }

    /// A copy of an object.
    ///
    /// # Errors
    /// The refusal of an invalid handle.
    pub fn get(&self, handle: usize) -> Result<T, Refused<C>>
    where
        T: Clone,
    {
        self.with(handle, |object| object.clone())
    }
}
