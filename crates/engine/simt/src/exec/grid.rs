//! The numbers of CTAs in their grid, and the values that follow from them.

use crate::code::{OF_CTA, PRODUCTS};

/// `%ctaid` of a CTA, by its number.
#[inline]
pub(super) fn cta_of(index: u64, [x, y, _]: [u32; 3]) -> [u32; 3] {
    // A division can take longer than a short warp, and a 64-bit one longer than a 32-bit one.
    match u32::try_from(index) {
        Ok(index) if index < x => [index, 0, 0],
        Ok(index) => [index % x, index / x % y, index / x / y],
        Err(_) => {
            let [x, y] = [x, y].map(u64::from);
            [index % x, index / x % y, index / x / y].map(|n| n as u32)
        }
    }
}

/// Stores the `%ctaid` of a CTA and the products with `%ntid` in the CTA's values, and returns the
/// `%ctaid`.
#[inline]
pub(super) fn name_in(words: &mut [u32; OF_CTA], index: u64, grid: [u32; 3]) -> [u32; 3] {
    let own = cta_of(index, grid);
    for [id, size, product] in PRODUCTS {
        // The values are stored one by one, because a vector copy would stall on stores of single
        // elements.
        words[id as usize] = own[id as usize];
        words[product as usize] = own[id as usize].wrapping_mul(words[size as usize]);
    }
    own
}
