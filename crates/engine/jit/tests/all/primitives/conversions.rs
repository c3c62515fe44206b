//! A model of conversions that change the width of a float, by search and exact comparison.

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

/// f32 converted to f64; a NaN keeps its sign and payload, and becomes quiet.
pub(crate) fn double(x: u32) -> u64 {
    let number = f32::from_bits(x);
    if !number.is_nan() {
        return f64::from(number).to_bits();
    }
    u64::from(x >> 31) << 63 | 0x7ff8 << 48 | u64::from(x & 0x7f_ffff) << 29
}

/// f64 converted to f32; a NaN keeps its sign and the top of its payload, and becomes quiet.
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

/// f64 converted to an integer, toward zero and limited to its range; a NaN becomes the number
/// `nan`.
pub(crate) fn integer(bits: u64, least: i128, most: i128, nan: i128) -> i128 {
    let x = f64::from_bits(bits);
    if x.is_nan() { nan } else { (x.trunc() as i128).clamp(least, most) }
}

/// The magnitude of an f16; the bits of infinity have the value 65536.
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
    // The largest f16 that is not greater.
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
