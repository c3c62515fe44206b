//! The metadata of `mma.sp`: which elements of a sparse A are stored (PTX ISA 9.7.14.5.19 and
//! figures).

use crate::{ElementType, Product};

/// For each stored element along K, and each row, its position along K.
pub(crate) type Indices = Vec<[u8; 32]>;

/// Decodes the metadata registers of the lanes. Four bits describe a group: the numbers of the two
/// stored elements among four elements of 8 or 16 bits, among four pairs of 4-bit elements, or
/// among the two halves of tf32 groups.
pub(crate) fn indices(product: &Product, selector: u8, metadata: &[u64; 32]) -> Indices {
    let (selector, bits) = (usize::from(selector), product.a.bits());
    // The number of columns that a register's metadata describes, and the number of registers for a
    // row.
    let (group, stored) = match product.a {
        ElementType::Tf32 => (2, 1),
        ElementType::S4 | ElementType::U4 => (8, 4),
        _ => (4, 2),
    };
    let groups = usize::from(product.shape.k) / group;
    let wide = bits >= 16;
    let word = |row: usize, at: usize| {
        let (thread, shift) = match wide {
            // Rows g and g + 8 share a register, which has 4 groups of each.
            true => (
                if groups == 4 { selector } else { 2 * selector + at / 4 },
                16 * (row / 8) + 4 * (at % 4),
            ),
            false => (2 * (selector + at / 8) + row / 8, 4 * (at % 8)),
        };
        (metadata[4 * (row % 8) + thread % 4] >> shift) as u8 & 15
    };
    (0..product.terms())
        .map(|element| {
            let (at, within) = (element / stored, element % stored);
            std::array::from_fn(|row| {
                let select = word(row % 16, at);
                let index = match product.a {
                    ElementType::Tf32 => select >> 1 & 1,
                    ElementType::S4 | ElementType::U4 => {
                        2 * (select >> (within & 2) & 3) + within as u8 % 2
                    }
                    _ => select >> (2 * within) & 3,
                };
                (group * at) as u8 + index
            })
        })
        .collect()
}
