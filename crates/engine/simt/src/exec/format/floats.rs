//! Floats as `printf` writes them.

use super::{Spec, pad, sign_of};

pub(super) fn pad_float(spec: Spec, conversion: u8, v: f64, out: &mut Vec<u8>) {
    let upper = conversion.is_ascii_uppercase();
    let sign = sign_of(v.is_sign_negative(), spec);
    let v = v.abs();
    let finite = v.is_finite();
    let mut body = if v.is_nan() {
        "nan".to_owned()
    } else if !finite {
        "inf".to_owned()
    } else {
        match conversion.to_ascii_lowercase() {
            b'f' => fixed(v, spec.precision.unwrap_or(6), spec.alternate),
            b'e' => exponent(v, spec.precision.unwrap_or(6), spec.alternate),
            b'g' => general(v, spec.precision.unwrap_or(6).max(1), spec.alternate),
            _ => hexadecimal(v, spec.precision, spec.alternate),
        }
    };
    if upper {
        body.make_ascii_uppercase();
    }
    if spec.zero && finite && !spec.left {
        let room = spec.width.saturating_sub(sign.len());
        let at = if body.starts_with("0x") || body.starts_with("0X") { 2 } else { 0 };
        let zeros = room.saturating_sub(body.len());
        body.insert_str(at, &"0".repeat(zeros));
    }
    pad(spec, format!("{sign}{body}").as_bytes(), out);
}

fn fixed(v: f64, precision: usize, point: bool) -> String {
    let text = format!("{v:.precision$}");
    if point && precision == 0 { text + "." } else { text }
}

fn exponent(v: f64, precision: usize, point: bool) -> String {
    let text = format!("{v:.precision$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let sign = if exponent < 0 { '-' } else { '+' };
    let dot = if point && precision == 0 { "." } else { "" };
    format!("{mantissa}{dot}e{sign}{:02}", exponent.abs())
}

/// Formats a number as `%g` does with this precision, at least 1. `keep_zeros` is the flag `#`.
pub fn general(v: f64, precision: usize, keep_zeros: bool) -> String {
    // The exponent after rounding to the wanted number of digits decides between the two notations.
    let rounded = format!("{v:.*e}", precision - 1);
    let x: i32 = rounded.split_once('e').and_then(|(_, e)| e.parse().ok()).unwrap_or(0);
    let plain = x >= -4 && x < precision as i32;
    let text = if plain {
        let places = (precision as i32 - 1 - x).max(0) as usize;
        fixed(v, places, keep_zeros)
    } else {
        exponent(v, precision - 1, keep_zeros)
    };
    if keep_zeros {
        return text;
    }
    let (mantissa, tail) = text.find('e').map_or((&text[..], ""), |i| text.split_at(i));
    let mantissa = if mantissa.contains('.') {
        mantissa.trim_end_matches('0').trim_end_matches('.')
    } else {
        mantissa
    };
    format!("{mantissa}{tail}")
}

fn hexadecimal(v: f64, precision: Option<usize>, point: bool) -> String {
    let bits = v.to_bits();
    let (mut exponent, mut fraction) = ((bits >> 52 & 0x7ff) as i32 - 1023, bits & ((1 << 52) - 1));
    let mut lead = 1_u64;
    if exponent == -1023 {
        lead = 0;
        exponent = if fraction == 0 { 0 } else { -1022 };
    }
    let mut digits = 13;
    if let Some(precision) = precision
        && precision < 13
    {
        // The digits are rounded to nearest, ties to even.
        let cut = 4 * (13 - precision) as u32;
        let all = lead << 52 | fraction;
        let (kept, lost, half) = (all >> cut, all & ((1 << cut) - 1), 1_u64 << (cut - 1));
        let kept = kept + u64::from(lost > half || (lost == half && kept & 1 == 1));
        digits = precision;
        lead = kept >> (4 * precision as u32);
        fraction = kept & ((1_u64 << (4 * precision as u32)) - 1);
    }
    let mut text = if digits == 0 { String::new() } else { format!("{fraction:0digits$x}") };
    match precision {
        None => text.truncate(text.trim_end_matches('0').len()),
        Some(p) => text.push_str(&"0".repeat(p.saturating_sub(digits))),
    }
    let dot = if text.is_empty() && !point { "" } else { "." };
    format!("0x{lead}{dot}{text}p{exponent:+}")
}
