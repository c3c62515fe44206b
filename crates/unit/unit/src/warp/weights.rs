//! Weights of a footprint's texels (docs/numerics.md 2, "Weights"): what a level counts of 256, split along z,
//! then x, then y.

use super::simd::{Int, Simd, int};

/// Of the front slice and of the one behind it, which has a weight of `z`.
#[inline(always)]
pub(super) fn slices<S: Simd>(simd: S, share: Int<S>, z: Int<S>) -> [Int<S>; 2] {
    let front = (share.times(int(simd, 256) - z) + int(simd, 128)).shr(8);
    [front, share - front]
}

/// Of two texels beside each other in a slice of weight `total`.
#[inline(always)]
pub(super) fn row<S: Simd>(simd: S, total: Int<S>, x: Int<S>) -> [Int<S>; 2] {
    let right = (total.times(x) + int(simd, 128)).shr(8);
    [total - right, right]
}

/// Of two such rows: the texels at x and x + 1 of y, then of y + 1.
#[inline(always)]
pub(super) fn rows<S: Simd>(simd: S, [left, right]: [Int<S>; 2], y: Int<S>) -> [Int<S>; 4] {
    let half = int(simd, 128);
    let w11 = (right.times(y) + half).shr(8);
    let w00 = (left.times(int(simd, 256) - y) + half).shr(8);
    [w00, right - w11, left - w00, w11]
}
