//! An append-only list that can be read while another thread appends.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// Length of the first chunk; each further chunk is twice as long as the one before.
const FIRST: usize = 16;
/// Number of chunks, which suffice for 16 million elements.
const CHUNKS: usize = 20;

/// An append-only list whose elements never move. Reading an element takes two loads and no lock.
#[derive(Debug)]
pub(super) struct Chunks<T> {
    chunks: [OnceLock<Box<[OnceLock<T>]>>; CHUNKS],
    /// Number of elements.
    len: AtomicU32,
}

impl<T> Default for Chunks<T> {
    fn default() -> Self {
        Self { chunks: [const { OnceLock::new() }; CHUNKS], len: AtomicU32::new(0) }
    }
}

/// The chunk of an element, and the index in it.
#[inline(always)]
fn place(number: u32) -> (usize, usize) {
    let from = number as usize + FIRST;
    let chunk = from.ilog2() - FIRST.ilog2();
    (chunk as usize, from - (FIRST << chunk))
}

impl<T> Chunks<T> {
    /// The element with a number that [`Self::push`] returned.
    #[inline(always)]
    pub(super) fn get(&self, number: u32) -> Option<&T> {
        let (chunk, at) = place(number);
        self.chunks.get(chunk)?.get()?.get(at)?.get()
    }

    /// Appends an element and returns its number; `None` if the list is full.
    pub(super) fn push(&self, value: T) -> Option<u32> {
        let number = self.len.load(Ordering::Relaxed);
        let (chunk, at) = place(number);
        let slots = self
            .chunks
            .get(chunk)?
            .get_or_init(|| (0..FIRST << chunk).map(|_| OnceLock::new()).collect());
        slots.get(at)?.set(value).ok()?;
        self.len.store(number + 1, Ordering::Relaxed);
        Some(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_stay_where_they_are() {
        let list = Chunks::default();
        for i in 0..1000_u32 {
            assert_eq!(list.push(i * 3), Some(i));
            assert_eq!(list.get(i + 1), None);
        }
        assert!((0..1000).all(|i| list.get(i) == Some(&(i * 3))));
        assert_eq!(place(0), (0, 0));
        assert_eq!(place(FIRST as u32), (1, 0));
        assert!(place(u32::MAX).0 >= CHUNKS);
    }
}
