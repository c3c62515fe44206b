//! What the `.approx` forms compute with `--approx rounded`: rsqrt, sin, cos, ex2, lg2, tanh.
//!
//! These are correctly rounded results. They lie within the bounds of the ISA, and do not depend on the math
//! library of the host: its `f64` value is taken only where every value within 2^-46 of it rounds
//! alike; else [`exact`](super::exact) decides. Special cases are those of the ISA's tables.

use super::exact;

/// `near`, an f64 with an error below 2^-46, rounded to f32; `exact` where that leaves a doubt.
#[inline(always)]
fn settle(near: f64, exact: impl FnOnce() -> u32) -> f32 {
    if !near.is_finite() {
        return near as f32;
    }
    let doubt = near.abs() / (1u64 << 46) as f64;
    let (low, high) = ((near - doubt) as f32, (near + doubt) as f32);
    // Compared as numbers: a zero keeps its sign.
    if low == high { near as f32 } else { f32::from_bits(exact()) }
}

/// No 1 / √x of an f32 lies nearer to the middle between two f32 than 2^-51.74 of itself (the nearest one is that of
/// 12196067 * 4^k; all 2^24 significands have been looked at, times 1 and times 2), and root and quotient of f64 have
/// errors below 2^-53 each: so it is rounded as the exact value is.
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
    // A zero of either sign, which the library may treat differently, gives -infinity.
    if x == 0.0 { f32::NEG_INFINITY } else { settle(f64::from(x).log2(), || exact::lg2(x)) }
}

pub(super) fn tanh(x: f32) -> f32 {
    settle(f64::from(x).tanh(), || exact::tanh(x))
}
