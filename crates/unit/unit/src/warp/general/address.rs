//! Address modes on whole numbers that are carried in f64, where they are exact.

// Address modes.
pub(super) const CLAMP: u8 = 0;
pub(super) const WRAP: u8 = 1;
pub(super) const MIRROR: u8 = 2;
pub(super) const BORDER: u8 = 3;

#[inline(always)]
pub(super) fn limit(x: f64, low: f64, high: f64) -> f64 {
    let x = if x < low { low } else { x };
    if x > high { high } else { x }
}

/// To the range of an i32.
#[inline(always)]
pub(super) fn saturate(i: f64) -> f64 {
    limit(i, -2_147_483_648.0, 2_147_483_647.0)
}

/// Rule 1.7 on the lower index and on the one after it; negative is outside.
#[inline(always)]
pub(super) fn address<const MODE: u8>(i: f64, n: f64) -> (f64, f64) {
    match MODE {
        CLAMP => (limit(i, 0.0, n - 1.0), limit(i + 1.0, 0.0, n - 1.0)),
        WRAP => {
            let lower = modulo(i, n);
            (lower, if lower + 1.0 == n { 0.0 } else { lower + 1.0 })
        }
        MIRROR => {
            let period = 2.0 * n;
            let fold = |t: f64| if t < n { t } else { period - 1.0 - t };
            let t = modulo(i, period);
            (fold(t), fold(if t + 1.0 == period { 0.0 } else { t + 1.0 }))
        }
        _ => {
            let check = |i: f64| if i >= 0.0 && i < n { i } else { -1.0 };
            (check(i), check(i + 1.0))
        }
    }
}

/// i mod n. The quotient of a 32-bit and an 18-bit integer is never closer to an integer than
/// 2^-18 without being one, so rounding it does not move its floor.
#[inline(always)]
fn modulo(i: f64, n: f64) -> f64 {
    i - (i / n).floor() * n
}

#[inline(always)]
pub(super) fn to_int(x: f64) -> i32 {
    // SAFETY: callers pass numbers of an i32, never NaN: sizes, weights of 0 to 255, indices that
    // an address mode has taken inside or to -1, or that `saturate` has limited. NaN coordinates
    // were replaced, infinite ones limited to 2^31 texels, and all arithmetic since is on finite
    // numbers. The checked conversion would keep the loop from being vectorised.
    unsafe { x.to_int_unchecked() }
}
