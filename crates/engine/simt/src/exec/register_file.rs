//! Register storage: rows of 32 lanes, aligned to cache lines so that no vector of lanes crosses a
//! line.

use std::ops::{Deref, DerefMut};

/// Bytes of a cache line.
const LINE: usize = 64;

/// Storage of registers, one row of 32 lanes for each.
#[derive(Default)]
pub(crate) struct Rows<T> {
    lanes: Vec<T>,
    /// Index of the first row's first lane, and the end of the last row.
    first: usize,
    end: usize,
}

/// Prints the rows without their position in memory.
impl<T: std::fmt::Debug> std::fmt::Debug for Rows<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl<T: Copy + Default> Clone for Rows<T> {
    fn clone(&self) -> Self {
        let mut rows = Self::default();
        rows.grow(self.len());
        rows.copy_from_slice(self);
        rows
    }
}

impl<T: Copy + Default> Rows<T> {
    /// Extends the storage to at least `rows` rows; new ones are zero.
    #[inline]
    pub(crate) fn grow(&mut self, rows: usize) {
        if rows > self.len() {
            self.extend(rows);
        }
    }

    #[cold]
    fn extend(&mut self, rows: usize) {
        let needed = 32 * rows + LINE / size_of::<T>();
        if needed > self.lanes.len() {
            let room = needed.max(2 * self.lanes.len());
            self.lanes.resize(room, T::default());
            let at = self.lanes.as_ptr().align_offset(LINE);
            // Unaligned rows would be correct, only slower.
            let at = if at < LINE { at } else { 0 };
            self.lanes.copy_within(self.first..self.end, at);
            (self.first, self.end) = (at, at + self.end - self.first);
        }
        let old = self.len();
        self.end = self.first + 32 * rows;
        self[old..].as_flattened_mut().fill(T::default());
    }

    /// Removes all rows from `rows` on.
    #[inline]
    pub(crate) fn truncate(&mut self, rows: usize) {
        self.end = self.end.min(self.first + 32 * rows);
    }
}

impl<T> Rows<T> {
    /// All rows of registers from number `row` on.
    #[inline(always)]
    pub(crate) fn rows_from(&mut self, row: usize) -> &mut [[T; 32]] {
        self.lanes[self.first + 32 * row..self.end].as_chunks_mut().0
    }
}

impl<T> Deref for Rows<T> {
    type Target = [[T; 32]];

    #[inline]
    fn deref(&self) -> &[[T; 32]] {
        self.lanes[self.first..self.end].as_chunks().0
    }
}

impl<T> DerefMut for Rows<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [[T; 32]] {
        self.rows_from(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_keep_their_lanes_and_begin_with_lines() {
        let mut rows = Rows::<u64>::default();
        assert!(rows.is_empty());
        for n in 1..100 {
            rows.grow(n);
            assert_eq!(rows.len(), n);
            assert_eq!(rows[n - 1], [0; 32], "new");
            rows[n - 1] = [n as u64; 32];
            assert!(cfg!(miri) || rows.as_ptr().align_offset(LINE) == 0);
        }
        assert!((0..99).all(|n| rows[n] == [n as u64 + 1; 32]));
        rows.truncate(40);
        rows.grow(10);
        assert_eq!(rows.len(), 40, "to grow makes nothing smaller");
        rows.grow(41);
        assert_eq!((rows[39], rows[40]), ([40; 32], [0; 32]), "nothing comes back");
    }
}
