//! Interpolation weights for the indices of BC6H and BC7.

/// The weight of a texel's index in 1/64; indices have 2, 3 or 4 bits.
#[inline(always)]
pub(super) fn weight(indices: u64, bits: u32, texel: usize) -> u64 {
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
