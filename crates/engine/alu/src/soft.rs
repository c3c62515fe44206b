//! Arithmetic in any format and rounding mode, on integers. It is slow and exact.
//!
//! The directed roundings of f32 and f64 use it, and tests compare fast code with it. Subnormals
//! are ordinary numbers; every NaN result is the format's canonical NaN.

use super::round::pack;
pub use super::round::{Format, RM, RP, RZ};

/// A number, unpacked from its bits. `Finite` has a nonzero significand.
#[derive(Clone, Copy)]
enum Number {
    Nan,
    Infinite(bool),
    Zero(bool),
    Finite { negative: bool, significand: u64, exponent: i32 },
}
use Number::{Finite, Infinite, Nan, Zero};

fn unpack(format: Format, bits: u64) -> Number {
    let negative = bits & format.sign() != 0;
    let magnitude = bits & (format.sign() - 1);
    let fraction = magnitude & ((1 << format.frac) - 1);
    let field = (magnitude >> format.frac) as i32;
    if format.is_nan(bits) {
        Nan
    } else if magnitude == format.inf {
        Infinite(negative)
    } else if magnitude == 0 {
        Zero(negative)
    } else {
        let hidden = if field == 0 { 0 } else { 1 << format.frac };
        let exponent = field.max(1) - 1 + format.emin() - format.frac as i32;
        Finite { negative, significand: fraction | hidden, exponent }
    }
}

fn infinity(format: Format, negative: bool) -> u64 {
    format.inf | if negative { format.sign() } else { 0 }
}

fn zero(format: Format, negative: bool) -> u64 {
    if negative { format.sign() } else { 0 }
}

/// A term of a sum. The leading bit of its significand is bit 125, so that one carry fits above it.
struct Term {
    negative: bool,
    significand: u128,
    exponent: i32,
}

fn term(negative: bool, significand: u128, exponent: i32) -> Term {
    let shift = significand.leading_zeros() as i32 - 2;
    Term { negative, significand: significand << shift, exponent: exponent - shift }
}

/// The rounded sum of two nonzero terms. If aligning the smaller term shifts bits out, cancellation
/// cannot make them significant, because a term has at most 106 significant bits of its 126.
fn sum(format: Format, mode: u8, x: Term, y: Term) -> u64 {
    let swap = (y.exponent, y.significand) > (x.exponent, x.significand);
    let (big, small) = if swap { (y, x) } else { (x, y) };
    let distance = (big.exponent - small.exponent) as u32;
    let shifted = small.significand.checked_shr(distance).unwrap_or(0);
    let lost = shifted.checked_shl(distance).unwrap_or(0) != small.significand;
    if big.negative == small.negative {
        return pack(format, mode, big.negative, big.significand + shifted, big.exponent, lost);
    }
    // The bits that the smaller term has lost make the exact difference slightly smaller. So one
    // unit is subtracted, and the exact difference is slightly above the result, which the sticky
    // bit tells.
    let difference = big.significand - shifted - u128::from(lost);
    if difference == 0 {
        return zero(format, mode == RM);
    }
    pack(format, mode, big.negative, difference, big.exponent, lost)
}

/// Computes `a * b + c`, rounded once.
pub fn fma(format: Format, mode: u8, a: u64, b: u64, c: u64) -> u64 {
    let (a, b, c) = (unpack(format, a), unpack(format, b), unpack(format, c));
    let sign = |n: Number| match n {
        Nan => false,
        Infinite(s) | Zero(s) | Finite { negative: s, .. } => s,
    };
    let negative = sign(a) != sign(b);
    match (a, b, c) {
        (Nan, _, _) | (_, Nan, _) | (_, _, Nan) => format.nan,
        (Infinite(_), Zero(_), _) | (Zero(_), Infinite(_), _) => format.nan,
        (Infinite(_), _, Infinite(s)) | (_, Infinite(_), Infinite(s)) if s != negative => {
            format.nan
        }
        (Infinite(_), _, _) | (_, Infinite(_), _) => infinity(format, negative),
        (_, _, Infinite(s)) => infinity(format, s),
        (Zero(_), _, Zero(s)) | (_, Zero(_), Zero(s)) => {
            zero(format, if s == negative { s } else { mode == RM })
        }
        (Zero(_), _, Finite { negative, significand, exponent })
        | (_, Zero(_), Finite { negative, significand, exponent }) => {
            pack(format, mode, negative, significand.into(), exponent, false)
        }
        (
            Finite { significand: m, exponent: e, .. },
            Finite { significand: n, exponent: f, .. },
            c,
        ) => {
            let product = u128::from(m) * u128::from(n);
            match c {
                Finite { negative: s, significand, exponent } => sum(
                    format,
                    mode,
                    term(negative, product, e + f),
                    term(s, significand.into(), exponent),
                ),
                _ => pack(format, mode, negative, product, e + f, false),
            }
        }
    }
}

/// `a + b`.
pub fn add(format: Format, mode: u8, a: u64, b: u64) -> u64 {
    let one = ((1 - format.emin()) as u64) << format.frac;
    fma(format, mode, a, one, b)
}

/// `a * b`.
pub fn mul(format: Format, mode: u8, a: u64, b: u64) -> u64 {
    match (unpack(format, a), unpack(format, b)) {
        (
            Finite { negative: s, significand: m, exponent: e },
            Finite { negative: t, significand: n, exponent: f },
        ) => pack(format, mode, s != t, u128::from(m) * u128::from(n), e + f, false),
        // If a factor is zero, infinite or a NaN, the product is exact, and adding a zero of the
        // product's sign does not change it.
        _ => fma(format, mode, a, b, zero(format, (a ^ b) & format.sign() != 0)),
    }
}

/// `a / b`.
pub fn div(format: Format, mode: u8, a: u64, b: u64) -> u64 {
    let negative = (a ^ b) & format.sign() != 0;
    match (unpack(format, a), unpack(format, b)) {
        (Nan, _) | (_, Nan) | (Infinite(_), Infinite(_)) | (Zero(_), Zero(_)) => format.nan,
        (Infinite(_), _) | (_, Zero(_)) => infinity(format, negative),
        (Zero(_), _) | (_, Infinite(_)) => zero(format, negative),
        (
            Finite { significand: m, exponent: e, .. },
            Finite { significand: n, exponent: f, .. },
        ) => {
            let shift = m.leading_zeros() + 63;
            let (m, n) = (u128::from(m) << shift, u128::from(n));
            pack(format, mode, negative, m / n, e - f - shift as i32, m % n != 0)
        }
    }
}

/// The square root.
pub fn sqrt(format: Format, mode: u8, a: u64) -> u64 {
    match unpack(format, a) {
        Nan | Infinite(true) | Finite { negative: true, .. } => format.nan,
        Infinite(false) | Zero(_) => a & (format.sign() | (format.sign() - 1)),
        Finite { significand: m, exponent: e, .. } => {
            let mut shift = m.leading_zeros() + 63;
            shift -= (shift as i32 ^ e) as u32 & 1;
            let m = u128::from(m) << shift;
            let root = m.isqrt();
            pack(format, mode, false, root, (e - shift as i32) / 2, root * root != m)
        }
    }
}

/// `1 / sqrt(a)`.
pub fn rsqrt(format: Format, mode: u8, a: u64) -> u64 {
    match unpack(format, a) {
        Nan | Infinite(true) | Finite { negative: true, .. } => format.nan,
        Infinite(false) => 0,
        Zero(negative) => infinity(format, negative),
        Finite { significand: m, exponent: e, .. } => {
            // a = m * 4^k with 2^61 <= m < 2^63. The quotient floor(2^94 / sqrt(m)) is found bit by
            // bit as the largest root with root^2 * m <= 2^188.
            let mut shift = m.leading_zeros() as i32 - 1;
            shift -= (shift ^ e) & 1;
            let (m, e) = (m << shift, e - shift);
            let mut root = 0u128;
            for bit in (0..64).rev() {
                let next = root | 1 << bit;
                if square_times(next, m) <= (1 << 60, 0) {
                    root = next;
                }
            }
            let sticky = square_times(root, m) != (1 << 60, 0);
            pack(format, mode, false, root, -94 - e / 2, sticky)
        }
    }
}

/// Computes `root^2 * m` as its high and its low 128 bits, for a root below 2^64 and m below 2^63.
fn square_times(root: u128, m: u64) -> (u128, u128) {
    let m = u128::from(m);
    let product = root * m;
    let (low, high) = (product & u128::from(u64::MAX), product >> 64);
    let (p, q) = (low * root, high * root);
    let (sum, carry) = p.overflowing_add(q << 64);
    ((q >> 64) + u128::from(carry), sum)
}
