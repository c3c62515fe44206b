//! Mip levels in units of 1/256: conversion of f32 levels, biases and clamps (docs/numerics.md,
//! rules 3.2 and 3.3).

/// The limit for magnitudes of levels in 1/256, which keeps later sums within 64 bits.
pub(crate) const FAR: i64 = 1 << 40;

/// Largest value of the bias field (13 bits, signed) and of the clamp fields (12 bits), in 1/256.
const LARGEST: i64 = 4095;

/// Rule 3.2 of docs/numerics.md: converts an f32 level to 1/256, truncating; a NaN level is 0.
pub(crate) fn cut_to_256ths(x: f32) -> i64 {
    // The product is exact. The conversion by `as` truncates, saturates, and converts NaN to 0.
    ((f64::from(x) * 256.0) as i64).clamp(-FAR, FAR)
}

/// Rules 3.2 and 3.6 of docs/numerics.md: the level bias as `trunc(256 bias - low)` in a signed
/// field of 13 bits. `low` is a fraction (numerator, denominator). A NaN bias is the largest value.
pub(crate) fn bias_field(bias: f32, low: (i64, i64)) -> i64 {
    if bias.is_nan() {
        return LARGEST;
    }
    // `scaled` is the difference times the denominator of `low`. A bias within the field has 27
    // significant bits, so that the product is exact.
    let scaled = f64::from(bias.clamp(-64.0, 64.0)) * 256.0 * low.1 as f64 - low.0 as f64;
    // Truncation before the integer division gives the same result as truncation of the quotient.
    (scaled as i64 / low.1).clamp(-LARGEST - 1, LARGEST)
}

/// Rule 3.3 of docs/numerics.md: converts a level clamp of the sampler to a field of 12 bits, in
/// 1/256; a NaN is the largest value.
fn clamp_field(x: f32) -> i64 {
    if x.is_nan() { LARGEST } else { cut_to_256ths(x).clamp(0, LARGEST) }
}

/// Rule 3.3 of docs/numerics.md: the smallest and the largest level that can be read, in 1/256,
/// from the sampler's level clamps and the number of existing levels. If the clamps are in the
/// wrong order, the lower one wins.
pub(crate) fn clamp_interval(min: f32, max: f32, levels: usize) -> [i64; 2] {
    let last = 256 * (levels as i64 - 1);
    let [min, max] = [min, max].map(clamp_field);
    [min.min(last), max.max(min).min(last)]
}
