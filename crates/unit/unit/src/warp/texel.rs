//! Reads texels at byte offsets and extracts their codes, for all lanes of a vector.

use super::simd::{Int, Simd, int};
use texunit_memory::Window;

/// One texel per lane, as one word for up to 4 bytes, otherwise as 2 or 4 words.
pub(super) type Texel<S> = [Int<S>; 4];

/// Reads the texel of `size` bytes, a power of two, at each lane's byte offset.
#[inline(always)]
pub(super) fn texel<S: Simd>(simd: S, window: Window<'_>, size: usize, at: Int<S>) -> Texel<S> {
    let none = int(simd, 0);
    match size {
        1 => [Int::gather(simd, window, at) & int(simd, 0xff), none, none, none],
        2 => [Int::gather(simd, window, at) & int(simd, 0xffff), none, none, none],
        4 => [Int::gather(simd, window, at), none, none, none],
        8 => {
            let [a, b] = Int::gather2(simd, window, at);
            [a, b, none, none]
        }
        _ => Int::gather4(simd, window, at),
    }
}

/// Extracts the code of a channel of `size` bytes, zero-extended.
#[inline(always)]
pub(super) fn code<S: Simd>(simd: S, texel: &Texel<S>, size: usize, channel: usize) -> Int<S> {
    let byte = channel * size;
    let word = texel[byte / 4].shr((byte % 4 * 8) as u32);
    match size {
        1 if byte % 4 < 3 => word & int(simd, 0xff),
        2 if byte % 4 < 2 => word & int(simd, 0xffff),
        _ => word,
    }
}
