//! Formats numbers as C's `printf` does for `%g`.

/// Formats a number as `%.{digits}g`.
pub(crate) fn general(value: f64, digits: usize) -> String {
    if value.is_nan() {
        let sign = if value.is_sign_negative() { "-" } else { "" };
        let bits = value.to_bits() & ((1 << 52) - 1);
        // The payload of a NaN; for a float, of the float itself.
        return format!("{sign}nan(0x{:x})", if digits < 17 { bits >> 29 } else { bits });
    }
    texunit_simt::format_general(value, digits.max(1), false)
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
            (1e-5, 9, "1e-05"),
            (-2.5e-7, 9, "-2.5e-07"),
            (0.0001, 9, "0.0001"),
            (100.0, 9, "100"),
            (f64::INFINITY, 9, "inf"),
        ] {
            assert_eq!(general(value, digits), text);
        }
    }
}
