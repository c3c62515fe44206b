//! BC7 (BPTC unorm) decoding. The arithmetic is that of the Khronos Data Format Specification, bit
//! for bit.
//!
//! The four channels of a texel are computed together, with 16 bits each in a `u64`. Each mode has
//! its own function.

use super::Texels;
use super::partition::{Partition, weight};

/// The block layout of a mode.
struct Mode {
    subsets: u32,
    partition_bits: u32,
    rotation_bits: u32,
    selection_bits: u32,
    color_bits: u32,
    alpha_bits: u32,
    /// Whether each endpoint, or each subset, has an additional low bit (P bit).
    p_bits: PBits,
    index_bits: u32,
    second_index_bits: u32,
}

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

/// Two endpoints of a subset prepared for interpolation: r, g, b, a with 8-bit values in 16 bits
/// each. Differences borrow from the neighbouring channel, which the addition of the product
/// undoes.
#[derive(Clone, Copy)]
struct Ends {
    /// The lower endpoint in 1/64, plus one half for rounding.
    start: u64,
    difference: u64,
}

pub(super) fn decode(block: u128) -> Texels {
    match block.trailing_zeros() {
        0 => of_mode::<0>(block),
        1 => of_mode::<1>(block),
        2 => of_mode::<2>(block),
        3 => of_mode::<3>(block),
        4 => of_mode::<4>(block),
        5 => of_mode::<5>(block),
        6 => of_mode::<6>(block),
        7 => of_mode::<7>(block),
        // If the first byte is 0, the block has no valid mode, and is transparent black.
        _ => [0; 16],
    }
}

fn of_mode<const M: usize>(block: u128) -> Texels {
    let row = const { &MODES[M] };
    let mut at = M as u32 + 1;
    let mut take = |count: u32| {
        // After the last bit, nothing is left to shift.
        let bits = block.checked_shr(at).unwrap_or(0) as u64 & ((1 << count) - 1);
        at += count;
        bits
    };
    let partition = Partition::new(row.subsets, take(row.partition_bits) as u32);
    let rotation = take(row.rotation_bits);
    let selection = take(row.selection_bits);
    let color_bits = 2 * row.subsets * row.color_bits;
    let colors = [take(color_bits), take(color_bits), take(color_bits)];
    let alphas = take(2 * row.subsets * row.alpha_bits);
    let p = take(match row.p_bits {
        PBits::None => 0,
        PBits::Endpoint => 2 * row.subsets,
        PBits::Subset => row.subsets,
    });
    let ends = endpoints::<M>(colors, alphas, p);
    let first = partition.spread(take(16 * row.index_bits - row.subsets), row.index_bits);
    let second_bits = (16 * row.second_index_bits).saturating_sub(1);
    let second = partition.spread(take(second_bits), row.second_index_bits);
    let mut texels = [0; 16];
    for (i, texel) in texels.iter_mut().enumerate() {
        let ends = ends[partition.subset(i)];
        let one = ends.at(weight(first, row.index_bits, i));
        *texel = if row.second_index_bits == 0 {
            one
        } else {
            // The second set of indices is for alpha, unless the selection bit swaps them.
            let other = ends.at(weight(second, row.second_index_bits, i));
            let (color, alpha) = if selection == 1 { (other, one) } else { (one, other) };
            rotated(color & ALPHA_OFF | alpha & !ALPHA_OFF, rotation)
        };
    }
    texels
}

/// Swaps alpha with another channel.
#[inline(always)]
fn rotated(texel: u64, rotation: u64) -> u64 {
    if rotation == 0 {
        return texel;
    }
    let channel = 16 * (rotation - 1);
    let differs = (texel >> channel ^ texel >> 48) & 0xffff;
    texel ^ differs << channel ^ differs << 48
}

const ALPHA_OFF: u64 = u64::MAX >> 16;

impl Ends {
    const NONE: Self = Self::new(0, 0);

    #[inline(always)]
    const fn new(low: u64, high: u64) -> Self {
        Self { start: low * 64 + 0x0020_0020_0020_0020, difference: high.wrapping_sub(low) }
    }

    /// Interpolates with a weight in 1/64, rounding halves up.
    #[inline(always)]
    fn at(self, weight: u64) -> u64 {
        // The product of 8 bits with at most 64 fits the channel's 16 bits.
        let sum = self.start.wrapping_add(self.difference.wrapping_mul(weight));
        sum >> 6 & 0x00ff_00ff_00ff_00ff
    }
}

#[inline(always)]
fn endpoints<const M: usize>(colors: [u64; 3], alphas: u64, p: u64) -> [Ends; 4] {
    let mut all = [Ends::NONE; 4];
    for subset in 0..const { MODES[M].subsets } {
        let low = end::<M>(colors, alphas, p, 2 * subset);
        all[subset as usize] = Ends::new(low, end::<M>(colors, alphas, p, 2 * subset + 1));
    }
    all
}

/// One endpoint of a subset.
#[inline(always)]
fn end<const M: usize>([r, g, b]: [u64; 3], alphas: u64, p: u64, number: u32) -> u64 {
    let row = const { &MODES[M] };
    let (at, mask) = (number * row.color_bits, (1 << row.color_bits) - 1);
    let color = r >> at & mask | (g >> at & mask) << 16 | (b >> at & mask) << 32;
    let alpha = alphas >> (number * row.alpha_bits) & ((1 << row.alpha_bits) - 1);
    let (p, more) = match row.p_bits {
        PBits::None => (0, 0),
        PBits::Endpoint => (p >> number & 1, 1),
        PBits::Subset => (p >> (number / 2) & 1, 1),
    };
    let color = widen((color << more) | (p * COLORS), row.color_bits + more);
    if row.alpha_bits == 0 {
        // Without alpha, a texel is opaque.
        return color | 255 << 48;
    }
    color | widen(alpha << more | p, row.alpha_bits + more) << 48
}

/// The lowest bit of each colour channel.
const COLORS: u64 = 0x0000_0001_0001_0001;

/// Widens numbers of 5 to 8 bits to 8 bits, by repeating their top bits.
#[inline(always)]
fn widen(values: u64, bits: u32) -> u64 {
    let repeated = COLORS * ((1 << (8 - bits)) - 1);
    values << (8 - bits) | values >> (2 * bits - 8) & repeated
}
