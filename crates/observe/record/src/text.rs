//! Formats values as TOML.

pub(crate) use texunit_spec::write::quoted;

/// An address or handle as TOML, a string in hexadecimal.
pub(crate) fn hex(number: u64) -> String {
    format!("\"{number:#x}\"")
}

/// Bytes as hexadecimal digits, in groups of eight bytes.
pub(crate) fn digits(bytes: &[u8]) -> String {
    let word = |word: &[u8]| word.iter().map(|b| format!("{b:02x}")).collect::<String>();
    let words: Vec<String> = bytes.chunks(8).map(word).collect();
    format!("\"{}\"", words.join(" "))
}

/// The float with these bits, or the bits themselves where a decimal number would be ambiguous.
pub(crate) fn f32(bits: u32) -> String {
    let value = f32::from_bits(bits);
    if value.is_finite() { format!("{value:?}") } else { format!("\"{bits:#010x}\"") }
}

/// The double with these bits, or the bits themselves where a decimal number would be ambiguous.
pub(crate) fn f64(bits: u64) -> String {
    let value = f64::from_bits(bits);
    if value.is_finite() { format!("{value:?}") } else { format!("\"{bits:#018x}\"") }
}

/// A line of a TOML comment.
pub(crate) fn comment(line: &str) -> String {
    let clean: String = line.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    format!("# {clean}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_and_numbers_are_read_back() {
        assert_eq!(quoted("a\"b\\\n"), r#""a\"b\\\u000A""#);
        assert_eq!([0x3f00_0000, 0x8000_0000].map(f32), ["0.5", "-0.0"]);
        assert_eq!([0x7fc0_0001, 0xff80_0000].map(f32), ["\"0x7fc00001\"", "\"0xff800000\""]);
        assert_eq!(f64(0x3ff0_0000_0000_0000), "1.0");
        assert_eq!(digits(&[1, 2, 3, 4, 5, 6, 7, 8, 9]), "\"0102030405060708 09\"");
        assert_eq!(comment("a\nb"), "# a b\n");
    }
}
