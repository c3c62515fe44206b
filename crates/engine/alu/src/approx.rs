//! Correctly rounded results of the `.approx` instructions (rsqrt, sin, cos, ex2, lg2, tanh), which
//! the option `--approx rounded` selects.
//!
//! The results lie within the error bounds of the PTX ISA, and do not depend on the host's math
//! library: a function first takes the library's f64 result, which decides if all values within
//! 2^-46 of it round to the same f32, and otherwise computes the result with 100 bits
//! ([`exact`]). Special cases are those of the ISA's tables.

use super::exact;

/// Rounds a result to f32. `near` is an f64 approximation of the result with an error below 2^-46.
/// If two results are possible within this error, calls `exact`.
#[inline(always)]
fn settle(near: f64, exact: impl FnOnce() -> u32) -> f32 {
    if !near.is_finite() {
        return near as f32;
    }
    let doubt = near.abs() / (1u64 << 46) as f64;
    let (low, high) = ((near - doubt) as f32, (near + doubt) as f32);
    // The bounds are compared as numbers, so that zeros of both signs count as equal.
    if low == high { near as f32 } else { f32::from_bits(exact()) }
}

/// The correctly rounded 1 / √x, from an f64 that is rounded again to f32. Rounding twice is
/// correct here, because no 1 / √x of an f32 lies closer to the middle between two f32 than
/// 2^-51.74 of its value (the closest is that of 12196067 * 4^k, among all 2^24 significands with
/// even and odd exponents), and square root and quotient of f64 have errors below 2^-53 each.
#[inline(always)]
pub(super) fn rsqrt(x: f32) -> f32 {
    (1.0 / f64::from(x).sqrt()) as f32
}

pub(super) fn sin(x: f32) -> f32 {
    settle(f64::from(x).sin(), || exact::sin(x))
}

pub(super) fn cos(x: f32) -> f32 {
    settle(f64::from(x).cos(), || exact::cos(x))
}

pub(super) fn ex2(x: f32) -> f32 {
    settle(f64::from(x).exp2(), || exact::ex2(x))
}

pub(super) fn lg2(x: f32) -> f32 {
    // A zero of either sign gives -infinity. The library might treat the signs differently.
    if x == 0.0 { f32::NEG_INFINITY } else { settle(f64::from(x).log2(), || exact::lg2(x)) }
}

pub(super) fn tanh(x: f32) -> f32 {
    settle(f64::from(x).tanh(), || exact::tanh(x))
}
