//! Conversions that change the width of a float, by search and exact comparison.

use super::NAN;
use texunit_jit::Rounding;

pub(crate) fn whole(a: f64, how: Rounding) -> f64 {
    match how {
        Rounding::Near => a.round_ties_even(),
        Rounding::Floor => a.floor(),
        Rounding::Ceil => a.ceil(),
        Rounding::Trunc => a.trunc(),
    }
}

/// f32 as f64: a NaN has its sign and payload, quiet.
pub(crate) fn double(x: u32) -> u64 {
    let number = f32::from_bits(x);
    if !number.is_nan() {
        return f64::from(number).to_bits();
    }
    u64::from(x >> 31) << 63 | 0x7ff8 << 48 | u64::from(x & 0x7f_ffff) << 29
}

/// f64 as f32: a NaN has its sign and the top of its payload, quiet.
pub(crate) fn from_double(bits: u64, how: Rounding) -> u32 {
    let x = f64::from_bits(bits);
    if x.is_nan() {
        let (sign, payload) = ((bits >> 63) as u32, (bits >> 29) as u32);
        return sign << 31 | 0x7fc0_0000 | payload & 0x7f_ffff;
    }
    let near = x as f32;
    let is = f64::from(near);
    let down = how == Rounding::Floor || how == Rounding::Trunc && x > 0.0;
    let d = match how {
        Rounding::Near => near,
        _ if down && is > x => near.next_down(),
        _ if !down && is < x => near.next_up(),
        _ => near,
    };
    d.to_bits()
}

/// Toward zero and limited, by a number for NaNs.
pub(crate) fn integer(bits: u64, least: i128, most: i128, nan: i128) -> i128 {
    let x = f64::from_bits(bits);
    if x.is_nan() { nan } else { (x.trunc() as i128).clamp(least, most) }
}

/// The magnitude of an f16; 65536 where infinity would be.
fn half(bits: u32) -> f64 {
    let (field, fraction) = (bits >> 10 & 0x1f, f64::from(bits & 0x3ff));
    match field {
        0 => fraction * 2_f64.powi(-24),
        _ => (1024.0 + fraction) * 2_f64.powi(field as i32 - 25),
    }
}

pub(crate) fn from_half(x: u32) -> u32 {
    let (sign, magnitude) = ((x >> 15 & 1) << 31, x & 0x7fff);
    match magnitude {
        0x7c00 => sign | 0x7f80_0000,
        0x7c01.. => NAN,
        _ => sign | (half(magnitude) as f32).to_bits(),
    }
}

pub(crate) fn to_half(x: f32, how: Rounding) -> u32 {
    let sign = (x.to_bits() >> 31) << 15;
    let magnitude = f64::from(x.abs());
    if x.is_nan() {
        return 0x7fff;
    }
    if x.is_infinite() {
        return sign | 0x7c00;
    }
    // The last one that is not greater.
    let below = (0..15).rev().fold(0, |bits, i| {
        let next = bits | 1 << i;
        if next < 0x7c00 && half(next) <= magnitude { next } else { bits }
    });
    let (rest, gap) = (magnitude - half(below), half(below + 1) - magnitude);
    let up = rest != 0.0
        && match how {
            Rounding::Near => rest > gap || rest == gap && below & 1 == 1,
            Rounding::Floor => sign != 0,
            Rounding::Ceil => sign == 0,
            Rounding::Trunc => false,
        };
    sign | (below + u32::from(up))
}

/// Whether `m * m * x` is at most 1, of `m` = `significand * 2^exponent`.
fn is_small(significand: u64, exponent: i32, x: (u64, i32)) -> bool {
    let product = u128::from(significand) * u128::from(significand) * u128::from(x.0);
    let one = -(2 * exponent + x.1);
    one >= 127 || one >= 0 && product <= 1 << one
}

pub(crate) fn reciprocal_root(x: f32) -> u32 {
    let parts = |bits: u32| {
        let field = (bits >> 23) as i32;
        let hidden = if field == 0 { 0 } else { 1 << 23 };
        (u64::from(bits & 0x7f_ffff | hidden), field.max(1) - 150)
    };
    match x {
        _ if x.is_nan() || x < 0.0 => return NAN,
        _ if x == 0.0 => return f32::INFINITY.copysign(x).to_bits(),
        _ if x.is_infinite() => return 0,
        _ => {}
    }
    let x = parts(x.to_bits());
    // The last one that is not too large, and whether the middle behind it is not, either.
    let below = (0..31).rev().fold(0_u32, |bits, i| {
        let next = bits | 1 << i;
        let (m, e) = parts(next);
        if next < 0x7f80_0000 && is_small(m, e, x) { next } else { bits }
    });
    let (m, e) = parts(below);
    // No middle is exact.
    below + u32::from(is_small(2 * m + 1, e - 1, x))
}
