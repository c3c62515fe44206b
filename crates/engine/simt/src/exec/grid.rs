//! The values of a CTA that follow from its number in the grid.

use crate::code::{OF_CTA, PRODUCTS};
use crate::observe::coordinates;

/// Stores the `%ctaid` of a CTA and the products with `%ntid` in the CTA's values, and returns the
/// `%ctaid`.
#[inline]
pub(super) fn name_in(words: &mut [u32; OF_CTA], index: u64, grid: [u32; 3]) -> [u32; 3] {
    let own = coordinates(index, grid);
    for [id, size, product] in PRODUCTS {
        // The values are stored one by one, because a vector copy would stall on stores of single
        // elements.
        words[id as usize] = own[id as usize];
        words[product as usize] = own[id as usize].wrapping_mul(words[size as usize]);
    }
    own
}
