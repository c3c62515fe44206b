//! Weights of a footprint's texels for the lanes of a vector (docs/numerics.md 2, "Weights"). The
//! share of a level is split along z, then x, then y. Weights are at most 256, and a lane may hold
//! two weights of 16 bits each: those of two fetches, or the same one twice.

use super::simd::{Int, Simd, int};

/// Computes (a * b + 128) >> 8 for a weight a and a share b, where `b` is in units of 1/64
/// ([`fine`]).
#[inline(always)]
fn share<S: Simd>(a: Int<S>, b: Int<S>) -> Int<S> {
    (a + a).mul16_round(b)
}

/// A weight of 0 to 256, and 256 minus the weight, both in units of 1/64.
#[inline(always)]
fn fine<S: Simd>(simd: S, weight: Int<S>) -> [Int<S>; 2] {
    let weight = weight << 6;
    [weight, int(simd, 0x4000_4000) - weight]
}

/// Weights of the front and the back slice of a footprint, of which the back slice gets `z`/256.
#[inline(always)]
pub(super) fn slices<S: Simd>(simd: S, total: Int<S>, z: Int<S>) -> [Int<S>; 2] {
    let front = share(total, fine(simd, z)[1]);
    [front, total - front]
}

/// Weights of two adjacent texels in a row of weight `total`, of which the upper one gets `x`/256.
#[inline(always)]
pub(super) fn row<S: Simd>(simd: S, total: Int<S>, x: Int<S>) -> [Int<S>; 2] {
    let right = share(total, fine(simd, x)[0]);
    [total - right, right]
}

/// Weights of two rows of two texels: texels x and x + 1 of row y, then of row y + 1.
#[inline(always)]
pub(super) fn rows<S: Simd>(simd: S, [left, right]: [Int<S>; 2], y: Int<S>) -> [Int<S>; 4] {
    let [y, rest] = fine(simd, y);
    let (w00, w11) = (share(left, rest), share(right, y));
    [w00, right - w11, left - w00, w11]
}
