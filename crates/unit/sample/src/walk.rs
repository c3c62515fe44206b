//! Iteration over the elements of a strided array in C order.

use std::ops::Range;

/// A broadcast view of an array, in which contiguous axes are merged.
#[derive(Clone, Debug)]
pub(crate) struct Walk {
    /// Length and byte stride of all axes but the last, slowest first.
    outer: Vec<(usize, isize)>,
    /// Length and byte stride of the last axis.
    inner: (usize, isize),
    start: usize,
    len: usize,
}

impl Walk {
    pub(crate) fn new(shape: &[usize], strides: &[isize], start: usize) -> Self {
        let mut axes: Vec<(usize, isize)> = Vec::new();
        for (&length, &stride) in shape.iter().zip(strides) {
            match axes.last_mut() {
                _ if length == 1 => {}
                Some(last) if last.1 == stride.wrapping_mul(length as isize) => {
                    *last = (last.0 * length, stride);
                }
                _ => axes.push((length, stride)),
            }
        }
        let inner = axes.pop().unwrap_or((1, 0));
        Self { outer: axes, inner, start, len: shape.iter().product() }
    }

    /// Number of positions, which is the number of elements of the broadcast shape.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Whether all positions refer to the same element.
    pub(crate) fn is_constant(&self) -> bool {
        self.outer.is_empty() && self.inner.1 == 0
    }

    /// The byte range of all elements, if they are contiguous in C order at a distance of `size`
    /// bytes.
    pub(crate) fn in_a_row(&self, size: usize) -> Option<Range<usize>> {
        let is_row = self.outer.is_empty() && self.inner.1 == size as isize;
        is_row.then(|| self.start..self.start + self.len * size)
    }

    /// Splits a range of positions into runs of constant stride, and calls `each` with the byte
    /// offset of the first element, the stride, and the count.
    pub(crate) fn runs(&self, range: Range<usize>, mut each: impl FnMut(usize, isize, usize)) {
        let (length, step) = self.inner;
        let mut index = range.start;
        while index < range.end {
            let (mut row, column) = (index / length, index % length);
            let mut at = column as isize * step;
            for &(length, stride) in self.outer.iter().rev() {
                at += (row % length) as isize * stride;
                row /= length;
            }
            let count = (length - column).min(range.end - index);
            each(self.start.wrapping_add_signed(at), step, count);
            index += count;
        }
    }
}
