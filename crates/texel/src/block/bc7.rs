//! BC7 (BPTC unorm): the Khronos Data Format Specification's arithmetic, bit for bit.
//!
//! The four channels of a texel are computed at once, 16 bits each in a `u64`; a function for each mode.

use super::Texels;
use super::partition::Partition;

/// What the bits of a mode's block are for.
struct Mode {
    subsets: u32,
    partition_bits: u32,
    rotation_bits: u32,
    selection_bits: u32,
    color_bits: u32,
    alpha_bits: u32,
    /// Whether each endpoint, or each subset, has a bit more.
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

/// Two ends of a subset: r, g, b, a in 16 bits each, the values 8.
type Ends = [u64; 2];

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
        // No mode has a first byte of zeros: such blocks are transparent black.
        _ => [0; 16],
    }
}

fn of_mode<const M: usize>(block: u128) -> Texels {
    let row = const { &MODES[M] };
    let mut at = M as u32 + 1;
    let mut take = |count: u32| {
        // After the last bit nothing is left to take.
        let bits = block.checked_shr(at).unwrap_or(0) as u64 & ((1 << count) - 1);
        at += count;
        bits
    };
    let partition = Partition::new(row.subsets, take(row.partition_bits) as u32);
    let rotation = take(row.rotation_bits);
    let selection = take(row.selection_bits);
    let colors: [u64; 3] = std::array::from_fn(|_| take(2 * row.subsets * row.color_bits));
    let alphas = take(2 * row.subsets * row.alpha_bits);
    let p = take(match row.p_bits {
        PBits::None => 0,
        PBits::Endpoint => 2 * row.subsets,
        PBits::Subset => row.subsets,
    });
    let ends = endpoints::<M>(colors, alphas, p);
    let first = spread(take(16 * row.index_bits - row.subsets), row.index_bits, partition);
    let second_bits = (16 * row.second_index_bits).saturating_sub(1);
    let second = spread(take(second_bits), row.second_index_bits, partition);
    let mut texels = [0; 16];
    for (i, texel) in texels.iter_mut().enumerate() {
        let ends = ends[partition.subset(i)];
        let one = interpolate(ends, weight(first, row.index_bits, i));
        *texel = if row.second_index_bits == 0 {
            one
        } else {
            // The second indices are alpha's, unless the selection bit swaps them.
            let other = interpolate(ends, weight(second, row.second_index_bits, i));
            let (color, alpha) = if selection == 1 { (other, one) } else { (one, other) };
            rotated(color & ALPHA_OFF | alpha & !ALPHA_OFF, rotation)
        };
    }
    texels
}

/// The weight of a texel's index, in 1/64.
#[inline(always)]
fn weight(indices: u64, bits: u32, texel: usize) -> u64 {
    const TWO: [u64; 4] = [0, 21, 43, 64];
    const THREE: [u64; 8] = [0, 9, 18, 27, 37, 46, 55, 64];
    const FOUR: [u64; 16] = [0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64];
    let index = (indices >> (texel as u32 * bits)) as usize;
    match bits {
        2 => TWO[index & 3],
        3 => THREE[index & 7],
        _ => FOUR[index & 15],
    }
}

/// Alpha's place taken by another channel, and the other way round.
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

/// Between two ends, rounded half up, by a weight in 1/64.
#[inline(always)]
fn interpolate([low, high]: Ends, weight: u64) -> u64 {
    // No product of 8 bits with 64 leaves its 16.
    (low * (64 - weight) + high * weight + 0x0020_0020_0020_0020) >> 6 & 0x00ff_00ff_00ff_00ff
}

/// Indices of so many bits each: an anchor's lacks its top bit, which is 0.
#[inline(always)]
fn spread(indices: u64, bits: u32, partition: Partition) -> u64 {
    if bits == 0 {
        return 0;
    }
    let mut spread = indices;
    for texel in partition.anchors() {
        let below = (1_u64 << (texel * bits + bits - 1)) - 1;
        spread = spread & below | (spread & !below) << 1;
    }
    spread
}

#[inline(always)]
fn endpoints<const M: usize>(colors: [u64; 3], alphas: u64, p: u64) -> [Ends; 4] {
    let row = const { &MODES[M] };
    let mut all = [[0; 2]; 4];
    let (ends, _) = all.split_at_mut(row.subsets as usize);
    for (subset, pair) in ends.iter_mut().enumerate() {
        for (side, end) in pair.iter_mut().enumerate() {
            let number = 2 * subset + side;
            let p = match row.p_bits {
                PBits::None => None,
                PBits::Endpoint => Some(p >> number & 1),
                PBits::Subset => Some(p >> subset & 1),
            };
            let value = |of: u64, bits: u32| {
                let stored = of >> (number as u32 * bits) & ((1 << bits) - 1);
                match p {
                    // Without alpha a texel is opaque.
                    _ if bits == 0 => 255,
                    Some(p) => widen(stored << 1 | p, bits + 1),
                    None => widen(stored, bits),
                }
            };
            let [r, g, b] = colors.map(|color| value(color, row.color_bits));
            *end = r | g << 16 | b << 32 | value(alphas, row.alpha_bits) << 48;
        }
    }
    all
}

/// A number of 5 to 8 bits in 8, its top bits repeated below.
fn widen(value: u64, bits: u32) -> u64 {
    value << (8 - bits) | value >> (2 * bits - 8)
}
