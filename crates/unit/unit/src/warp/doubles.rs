//! Numbers of lanes that are carried in f64, where they are exact.

#[inline(always)]
pub(super) fn limit(x: f64, low: f64, high: f64) -> f64 {
    let x = if x < low { low } else { x };
    if x > high { high } else { x }
}

/// The integer of a number.
///
/// # Safety
/// It is in the range of an i32, and not a NaN. The checked conversion would keep loops from being vectorised.
#[inline(always)]
pub(super) unsafe fn to_int(x: f64) -> i32 {
    // SAFETY: the caller's.
    unsafe { x.to_int_unchecked() }
}
