//! Numbers encoded as strings of hexadecimal digits without separators, highest digit first.

use texunit_forms::Count;

/// Decodes numbers of `digits` hexadecimal digits each.
pub fn numbers(text: &str, digits: usize) -> Result<Vec<u64>, String> {
    if !text.len().is_multiple_of(digits) {
        let all = Count(text.len(), "digit");
        return Err(format!("{all} {} not a whole number of {digits}-digit numbers", all.are()));
    }
    let number = |chunk: &[u8]| {
        chunk.iter().try_fold(0_u64, |value, &digit| {
            Some(value << 4 | u64::from(char::from(digit).to_digit(16)?))
        })
    };
    let all: Option<Vec<u64>> = text.as_bytes().chunks(digits).map(number).collect();
    all.ok_or_else(|| {
        let bad = text.chars().find(|c| !c.is_ascii_hexdigit()).unwrap_or(' ');
        format!("`{bad}` is not a hexadecimal digit")
    })
}

/// Decodes 32-bit words of eight digits each.
pub fn words(text: &str) -> Result<Vec<u32>, String> {
    Ok(numbers(text, 8)?.into_iter().map(|n| n as u32).collect())
}

/// Decodes numbers of `digits` digits each to little-endian bytes.
pub fn bytes(text: &str, digits: usize) -> Result<Vec<u8>, String> {
    let numbers = numbers(text, digits)?;
    Ok(numbers.into_iter().flat_map(|n| n.to_le_bytes().into_iter().take(digits / 2)).collect())
}

/// Encodes little-endian bytes as numbers of `digits` hexadecimal digits each: the inverse of
/// [`bytes`].
pub fn from_bytes(bytes: &[u8], digits: usize) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    for number in bytes.chunks(digits / 2) {
        for byte in number.iter().rev() {
            text += &format!("{byte:02x}");
        }
    }
    text
}

/// Encodes 32-bit words as eight hexadecimal digits each: the inverse of [`words`].
pub fn from_words(words: impl IntoIterator<Item = u32>) -> String {
    words.into_iter().map(|word| format!("{word:08x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hexadecimal_numbers() {
        assert_eq!(numbers("00ff0102", 4).unwrap(), [0xff, 0x102]);
        assert_eq!(bytes("00ff0102", 4).unwrap(), [0xff, 0, 2, 1]);
        assert_eq!(from_bytes(&[0xff, 0, 2, 1], 4), "00ff0102");
        assert_eq!(from_words([1, 0xffff_ffff]), "00000001ffffffff");
        assert_eq!(words("").unwrap(), [0_u32; 0]);
        let seven = "7 digits are not a whole number of 8-digit numbers";
        assert_eq!(words("0000000").unwrap_err(), seven);
        assert_eq!(words("0000000g").unwrap_err(), "`g` is not a hexadecimal digit");
        assert!(words("000000ä").is_err(), "eight bytes, seven characters");
    }
}
