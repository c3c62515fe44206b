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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_cut() {
        assert_eq!(cut_to_256ths(1.7), 435);
        assert_eq!(cut_to_256ths(-1.7), -435);
        assert_eq!(cut_to_256ths(f32::NAN), 0);
        assert_eq!(cut_to_256ths(f32::INFINITY), FAR);
        assert_eq!(cut_to_256ths(-1e-40), 0);
    }

    #[test]
    fn biases_are_fields() {
        let bias = |x| bias_field(x, (0, 1));
        assert_eq!([1.7, -1.7, 100.0, -100.0, f32::NAN].map(bias), [435, -435, 4095, -4096, 4095]);
        assert_eq!(bias_field(0.5 / 256.0, (64, 1)), -63);
        assert_eq!(bias_field(0.0, (128, 3)), -42);
        assert_eq!([f32::MAX, f32::NEG_INFINITY].map(|x| bias_field(x, (384, 7))), [4095, -4096]);
    }

    #[test]
    fn clamps() {
        assert_eq!(clamp_interval(0.0, f32::INFINITY, 5), [0, 1024]);
        assert_eq!(clamp_interval(1.999, 2.5, 5), [511, 640]);
        assert_eq!(clamp_interval(3.0, 1.0, 5), [768, 768], "the lower clamp wins");
        assert_eq!(clamp_interval(-7.0, -3.0, 5), [0, 0]);
        assert_eq!(clamp_interval(9.0, 12.0, 5), [1024, 1024]);
        assert_eq!(clamp_interval(f32::NAN, f32::NAN, 5), [1024, 1024]);
    }
}
