//! Formats numbers as C's `printf` does for `%g`, and converts 16-bit floats.

use std::fmt::Write;

/// Formats a number as `%.{digits}g`.
pub(crate) fn general(value: f64, digits: usize) -> String {
    if value.is_nan() {
        let sign = if value.is_sign_negative() { "-" } else { "" };
        let bits = value.to_bits() & ((1 << 52) - 1);
        // The payload of a NaN; for a float, of the float itself.
        return format!("{sign}nan(0x{:x})", if digits < 17 { bits >> 29 } else { bits });
    }
    if value.is_infinite() {
        return if value < 0.0 { "-inf".to_owned() } else { "inf".to_owned() };
    }
    if value == 0.0 {
        return if value.is_sign_negative() { "-0".to_owned() } else { "0".to_owned() };
    }
    let digits = digits.max(1);
    let text = format!("{value:.*e}", digits - 1);
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let cut = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    };
    if exponent < -4 || exponent >= digits as i32 {
        let mut out = cut(mantissa);
        let sign = if exponent < 0 { '-' } else { '+' };
        // Writing to a string cannot fail.
        let _ = write!(out, "e{sign}{:02}", exponent.abs());
        return out;
    }
    cut(&format!("{value:.*}", (digits as i32 - 1 - exponent).max(0) as usize))
}

/// Decodes a half (IEEE binary16).
pub(crate) fn half(bits: u16) -> f64 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 0x3ff));
    sign * match exponent {
        0 => fraction * 2_f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1.0 + fraction / 1024.0) * 2_f64.powi(exponent - 15),
    }
}

/// Rounds to the nearest half, ties to even.
pub(crate) fn to_half(value: f64) -> u16 {
    let sign = if value.is_sign_negative() { 0x8000 } else { 0 };
    if value.is_nan() {
        return sign | 0x7e00;
    }
    let (mut best, mut distance) = (0, f64::INFINITY);
    let size = value.abs();
    if size >= 65520.0 {
        return sign | 0x7c00;
    }
    // Halves are ordered like their bits.
    let (mut low, mut high) = (0_u16, 0x7bff_u16);
    while low < high {
        let middle = low + (high - low) / 2;
        if half(middle) < size { low = middle + 1 } else { high = middle }
    }
    for bits in [low.saturating_sub(1), low] {
        let off = (half(bits) - size).abs();
        if off < distance || (off == distance && bits & 1 == 0) {
            (best, distance) = (bits, off);
        }
    }
    sign | best
}

/// Decodes a bfloat16, the upper half of a float.
pub(crate) fn brain(bits: u16) -> f64 {
    f64::from(f32::from_bits(u32::from(bits) << 16))
}

/// Rounds to the nearest bfloat16, ties to even.
pub(crate) fn to_brain(value: f64) -> u16 {
    let bits = (value as f32).to_bits();
    if value.is_nan() {
        return (bits >> 16) as u16 | 0x40;
    }
    ((bits + 0x7fff + (bits >> 16 & 1)) >> 16) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_printf_writes_them() {
        for (value, digits, text) in [
            (9.5, 9, "9.5"),
            (f64::from(0.1_f32), 9, "0.100000001"),
            (0.1, 17, "0.10000000000000001"),
            (1e10, 9, "1e+10"),
            (123_456_789.0, 9, "123456789"),
            (1_234_567_890.0, 9, "1.23456789e+09"),
            (1e-5, 9, "1.00000000e-05"),
            (-2.5e-7, 9, "-2.5e-07"),
            (0.0001, 9, "0.0001"),
            (100.0, 9, "100"),
            (f64::INFINITY, 9, "inf"),
        ] {
            let text = if text == "1.00000000e-05" { "1e-05" } else { text };
            assert_eq!(general(value, digits), text);
        }
    }

    #[test]
    fn halves_come_back() {
        for bits in 0..0x7c00_u16 {
            assert_eq!(to_half(half(bits)), bits);
            assert_eq!(to_brain(brain(bits)), bits);
        }
        assert_eq!((to_half(1e9), to_half(-1.5), half(0x3c00)), (0x7c00, 0xbe00, 1.0));
    }
}
