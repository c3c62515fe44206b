//! Weights of a footprint's texels (docs/numerics.md 2, "Weights"): what a level counts of 256, split along z,
//! then x, then y. All are at most 256, and a lane may hold two of 16 bits each: those of two fetches, or of one twice.

use super::simd::{Int, Simd, int};

/// (a * b + 128) >> 8, of `b` in units of 1/64 ([`fine`]).
#[inline(always)]
fn share<S: Simd>(a: Int<S>, b: Int<S>) -> Int<S> {
    (a + a).mul16_round(b)
}

/// A weight in units of 1/64, and what it lacks to the whole.
#[inline(always)]
fn fine<S: Simd>(simd: S, weight: Int<S>) -> [Int<S>; 2] {
    let weight = weight << 6;
    [weight, int(simd, 0x4000_4000) - weight]
}

/// Of the front slice and of the one behind it, which has a weight of `z`.
#[inline(always)]
pub(super) fn slices<S: Simd>(simd: S, total: Int<S>, z: Int<S>) -> [Int<S>; 2] {
    let front = share(total, fine(simd, z)[1]);
    [front, total - front]
}

/// Of two texels beside each other in a slice of weight `total`.
#[inline(always)]
pub(super) fn row<S: Simd>(simd: S, total: Int<S>, x: Int<S>) -> [Int<S>; 2] {
    let right = share(total, fine(simd, x)[0]);
    [total - right, right]
}

/// Of two such rows: the texels at x and x + 1 of y, then of y + 1.
#[inline(always)]
pub(super) fn rows<S: Simd>(simd: S, [left, right]: [Int<S>; 2], y: Int<S>) -> [Int<S>; 4] {
    let [y, rest] = fine(simd, y);
    let (w00, w11) = (share(left, rest), share(right, y));
    [w00, right - w11, left - w00, w11]
}
