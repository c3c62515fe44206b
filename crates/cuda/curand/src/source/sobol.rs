//! Sobol sequences of 32 and 64 bits in Gray code order: `curandStateSobol32_t`,
//! `curandStateSobol64_t` and the scrambled variants, which start at a constant.

use std::ops::BitXor;

/// The integer type of a sequence.
pub(crate) trait Word: Copy + Default + BitXor<Output = Self> {
    /// Truncates an index to this type.
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

/// A number of a sequence by its index: the constant, combined with a direction vector for each bit
/// of the index's Gray code.
pub(crate) fn at<T: Word>(vectors: &[T], constant: T, index: u64) -> T {
    let index = T::of_index(index);
    let gray = index ^ (index >> 1);
    let set = vectors.iter().enumerate().filter(|(bit, _)| gray >> bit & 1 != 0);
    set.fold(constant, |sum, (_, &vector)| sum ^ vector)
}

/// The number after `number`, which differs by one direction vector.
pub(crate) fn after<T: Word>(vectors: &[T], number: T, index: u64) -> T {
    let bit = (T::of_index(index).trailing_ones() as usize).min(vectors.len() - 1);
    number ^ vectors[bit]
}
