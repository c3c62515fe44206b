//! Conversion of f64 numbers to integers, without branches.

#[inline(always)]
pub(super) fn limit(x: f64, low: f64, high: f64) -> f64 {
    let x = if x < low { low } else { x };
    if x > high { high } else { x }
}

/// Converts a number to an integer, without the checks that would keep loops from being vectorised.
///
/// # Safety
/// The number is in the range of an i32, and not a NaN.
#[inline(always)]
pub(super) unsafe fn to_int(x: f64) -> i32 {
    // SAFETY: the caller upholds this function's safety contract.
    unsafe { x.to_int_unchecked() }
}
