//! BC7 (BPTC unorm): the Khronos Data Format Specification's arithmetic, bit for bit.

use super::Texels;
use super::bits::{Bits, interpolate, weights};
use super::partition::Partition;

/// What the bits of a mode's block are for.
struct Mode {
    subsets: u32,
    partition_bits: u8,
    rotation_bits: u8,
    selection_bits: u8,
    color_bits: u8,
    alpha_bits: u8,
    /// Whether each endpoint, or each subset, has a bit more.
    p_bits: PBits,
    index_bits: u8,
    second_index_bits: u8,
}

#[derive(PartialEq)]
enum PBits {
    None,
    Endpoint,
    Subset,
}

#[rustfmt::skip]
const MODES: [Mode; 8] = [
    Mode { subsets: 3, partition_bits: 4, rotation_bits: 0, selection_bits: 0, color_bits: 4, alpha_bits: 0, p_bits: PBits::Endpoint, index_bits: 3, second_index_bits: 0 },
    Mode { subsets: 2, partition_bits: 6, rotation_bits: 0, selection_bits: 0, color_bits: 6, alpha_bits: 0, p_bits: PBits::Subset,   index_bits: 3, second_index_bits: 0 },
    Mode { subsets: 3, partition_bits: 6, rotation_bits: 0, selection_bits: 0, color_bits: 5, alpha_bits: 0, p_bits: PBits::None,     index_bits: 2, second_index_bits: 0 },
    Mode { subsets: 2, partition_bits: 6, rotation_bits: 0, selection_bits: 0, color_bits: 7, alpha_bits: 0, p_bits: PBits::Endpoint, index_bits: 2, second_index_bits: 0 },
    Mode { subsets: 1, partition_bits: 0, rotation_bits: 2, selection_bits: 1, color_bits: 5, alpha_bits: 6, p_bits: PBits::None,     index_bits: 2, second_index_bits: 3 },
    Mode { subsets: 1, partition_bits: 0, rotation_bits: 2, selection_bits: 0, color_bits: 7, alpha_bits: 8, p_bits: PBits::None,     index_bits: 2, second_index_bits: 2 },
    Mode { subsets: 1, partition_bits: 0, rotation_bits: 0, selection_bits: 0, color_bits: 7, alpha_bits: 7, p_bits: PBits::Endpoint, index_bits: 4, second_index_bits: 0 },
    Mode { subsets: 2, partition_bits: 6, rotation_bits: 0, selection_bits: 0, color_bits: 5, alpha_bits: 5, p_bits: PBits::Endpoint, index_bits: 2, second_index_bits: 0 },
];

/// Two ends of a subset, r, g, b, a in 8 bits.
type Ends = [[i32; 4]; 2];

pub(super) fn decode(block: u128) -> Texels {
    let mode = block.trailing_zeros();
    // No mode has a first byte of zeros: such blocks are transparent black.
    let Some(row) = MODES.get(mode as usize) else { return [[0; 4]; 16] };
    let mut bits = Bits(block >> (mode + 1));
    let partition = Partition::new(row.subsets, bits.take(row.partition_bits));
    let rotation = bits.take(row.rotation_bits);
    let selection = bits.take(row.selection_bits);
    let ends = endpoints(row, &mut bits);
    let first = indices(&mut bits, row.index_bits, partition);
    let second = match row.second_index_bits {
        0 => first,
        n => indices(&mut bits, n, partition),
    };
    // The second indices are alpha's, unless the selection bit swaps them.
    let (color, alpha) = if selection == 1 { (second, first) } else { (first, second) };
    std::array::from_fn(|i| {
        let [low, high] = ends[partition.subset(i)];
        let weight = [color[i], color[i], color[i], alpha[i]];
        let mut texel: [u32; 4] =
            std::array::from_fn(|c| interpolate(low[c], high[c], weight[c]) as u32);
        match rotation {
            0 => {}
            c => texel.swap(3, c as usize - 1),
        }
        texel
    })
}

/// The weights of the 16 texels. An anchor's index lacks its top bit, which is 0.
fn indices(bits: &mut Bits, index_bits: u8, partition: Partition) -> [i32; 16] {
    let weights = weights(index_bits);
    std::array::from_fn(|i| {
        let count = index_bits - u8::from(partition.is_anchor(i));
        weights[bits.take(count) as usize]
    })
}

fn endpoints(row: &Mode, bits: &mut Bits) -> [Ends; 3] {
    let mut all = [[[0; 4]; 2]; 3];
    let (ends, _) = all.split_at_mut(row.subsets as usize);
    for c in 0..4 {
        let count = if c == 3 { row.alpha_bits } else { row.color_bits };
        for end in ends.as_flattened_mut() {
            end[c] = bits.take(count) as i32;
        }
    }
    let has_p = row.p_bits != PBits::None;
    for pair in &mut *ends {
        let shared = row.p_bits == PBits::Subset && bits.flag();
        for end in pair {
            let p = shared || row.p_bits == PBits::Endpoint && bits.flag();
            for (c, value) in end.iter_mut().enumerate() {
                let stored = if c == 3 { row.alpha_bits } else { row.color_bits };
                *value = match stored {
                    // Without alpha a texel is opaque.
                    0 => 255,
                    _ if has_p => widen(*value << 1 | i32::from(p), stored + 1),
                    _ => widen(*value, stored),
                };
            }
        }
    }
    all
}

/// A number of 5 to 8 bits in 8, its top bits repeated below.
fn widen(value: i32, bits: u8) -> i32 {
    value << (8 - bits) | value >> (2 * bits - 8)
}
