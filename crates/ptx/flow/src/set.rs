//! Sets of small numbers, as bit vectors.

/// A set of numbers below a limit. Larger numbers are never members.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Set(Vec<u64>);

impl Set {
    /// The empty set of numbers below `limit`.
    pub fn new(limit: usize) -> Self {
        Self(vec![0; limit.div_ceil(64)])
    }

    /// Whether a number is in the set.
    pub fn has(&self, i: usize) -> bool {
        self.0.get(i / 64).is_some_and(|word| word >> (i % 64) & 1 == 1)
    }

    /// Adds a number.
    pub fn insert(&mut self, i: usize) {
        if let Some(word) = self.0.get_mut(i / 64) {
            *word |= 1 << (i % 64);
        }
    }

    /// Removes a number.
    pub fn remove(&mut self, i: usize) {
        if let Some(word) = self.0.get_mut(i / 64) {
            *word &= !(1 << (i % 64));
        }
    }

    /// Adds all members of another set that are below the limit. Returns whether there are new
    /// ones.
    pub fn union(&mut self, other: &Self) -> bool {
        let mut changes = false;
        for (a, b) in self.0.iter_mut().zip(&other.0) {
            changes |= b & !*a != 0;
            *a |= b;
        }
        changes
    }

    /// Replaces the members by those of another set that are below the limit. Returns whether the
    /// set has changed.
    pub(crate) fn assign(&mut self, other: &Self) -> bool {
        let words = self.0.len().min(other.0.len());
        let changes = self.0[..words] != other.0[..words];
        self.0[..words].copy_from_slice(&other.0[..words]);
        changes
    }
}
