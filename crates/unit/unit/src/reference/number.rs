//! Formats numbers for people, in traces and user interfaces.

use std::fmt::{Display, LowerExp};

/// The shortest decimal number that is read back as this float. A NaN becomes `nan(0x7fc00000)`.
pub fn float(x: f32) -> String {
    if x.is_nan() {
        return format!("nan({:#010x})", x.to_bits());
    }
    // From 1e7 on, the last digits of a plain decimal number would carry no information.
    decimal(x, x.abs().into(), 1e7)
}

/// Formats an intermediate result, such as a coordinate in texels.
pub fn real(x: f64) -> String {
    decimal(x, x.abs(), 1e15)
}

/// Formats small and large numbers with an exponent. Rust's default is a plain decimal number,
/// which is unreadable for these.
fn decimal(x: impl Display + LowerExp, magnitude: f64, large: f64) -> String {
    let plain = magnitude == 0.0 || (1e-4..large).contains(&magnitude) || magnitude.is_infinite();
    if plain { format!("{x}") } else { format!("{x:e}") }
}
