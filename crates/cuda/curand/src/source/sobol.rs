//! Sobol sequences in the order of Gray codes, of 32 and of 64 bits: `curandStateSobol32_t`, `curandStateSobol64_t` and the scrambled ones, which begin
//! with a constant.

use std::ops::BitXor;

/// Bits of a sequence.
pub(crate) trait Word: Copy + Default + BitXor<Output = Self> {
    /// As an index.
    fn of_index(index: u64) -> u64;
}

impl Word for u32 {
    fn of_index(index: u64) -> u64 {
        u64::from(index as u32)
    }
}

impl Word for u64 {
    fn of_index(index: u64) -> u64 {
        index
    }
}

/// A number of a sequence: the constant, and a direction vector for each bit of the Gray code of its index.
pub(crate) fn at<T: Word>(vectors: &[T], constant: T, index: u64) -> T {
    let index = T::of_index(index);
    let gray = index ^ (index >> 1);
    let set = vectors.iter().enumerate().filter(|(bit, _)| gray >> bit & 1 != 0);
    set.fold(constant, |sum, (_, &vector)| sum ^ vector)
}

/// The number after one, which differs by one direction vector.
pub(crate) fn after<T: Word>(vectors: &[T], number: T, index: u64) -> T {
    let bit = (T::of_index(index).trailing_ones() as usize).min(vectors.len() - 1);
    number ^ vectors[bit]
}
