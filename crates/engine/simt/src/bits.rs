//! Sets of small numbers: registers of a function.

/// A set of numbers below a limit. No other number is ever in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Set(Vec<u64>);

impl Set {
    /// The empty set of numbers below `limit`.
    pub(crate) fn new(limit: usize) -> Self {
        Self(vec![0; limit.div_ceil(64)])
    }

    pub(crate) fn has(&self, i: usize) -> bool {
        self.0.get(i / 64).is_some_and(|word| word >> (i % 64) & 1 == 1)
    }

    pub(crate) fn put(&mut self, i: usize, is: bool) {
        let bit = 1 << (i % 64);
        if let Some(word) = self.0.get_mut(i / 64) {
            *word = if is { *word | bit } else { *word & !bit };
        }
    }

    /// Adds what is in another.
    pub(crate) fn add(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a |= b);
    }

    /// Keeps only what is in both.
    pub(crate) fn keep(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a &= b);
    }

    /// Whether all of another is in this.
    pub(crate) fn holds(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).all(|(a, b)| a & b == *b)
    }
}
