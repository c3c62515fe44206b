//! Sobol sequences of 32 and 64 bits in Gray code order: `curandStateSobol32_t`,
//! `curandStateSobol64_t` and the scrambled variants, which start at a constant.

use std::ops::BitXor;

/// A number of a sequence by its index: the constant, combined with a direction vector for each bit
/// of the index's Gray code.
pub(crate) fn at<T: Copy + BitXor<Output = T>>(vectors: &[T], constant: T, index: u64) -> T {
    // The index has as many bits as there are vectors.
    let index = index & (u64::MAX >> (64 - vectors.len()));
    let gray = index ^ (index >> 1);
    let set = vectors.iter().enumerate().filter(|(bit, _)| gray >> bit & 1 != 0);
    set.fold(constant, |sum, (_, &vector)| sum ^ vector)
}

/// The number after `number`, which differs by one direction vector.
pub(crate) fn after<T: Copy + BitXor<Output = T>>(vectors: &[T], number: T, index: u64) -> T {
    let bit = (index.trailing_ones() as usize).min(vectors.len() - 1);
    number ^ vectors[bit]
}
