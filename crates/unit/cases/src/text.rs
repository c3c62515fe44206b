//! Numbers as case files write them: strings of hexadecimal digits without separators.

use crate::error::CaseError;
use serde::de::{Deserializer, Visitor};
use serde::{Deserialize, Serialize, Serializer};
use std::fmt;

/// Numbers of `digits` hexadecimal digits each, highest digit first.
pub(crate) fn numbers(text: &str, digits: usize) -> Result<Vec<u64>, CaseError> {
    if !text.len().is_multiple_of(digits) {
        return Err(CaseError::new(format!(
            "{} digits are not a whole number of {digits}-digit numbers",
            text.len()
        )));
    }
    let number = |chunk: &[u8]| {
        chunk.iter().try_fold(0_u64, |value, &digit| {
            let digit = char::from(digit).to_digit(16)?;
            Some(value << 4 | u64::from(digit))
        })
    };
    let all: Option<Vec<u64>> = text.as_bytes().chunks(digits).map(number).collect();
    all.ok_or_else(|| {
        let bad = text.chars().find(|c| !c.is_ascii_hexdigit()).unwrap_or(' ');
        CaseError::new(format!("`{bad}` is not a hexadecimal digit"))
    })
}

/// 32-bit words of eight digits each.
pub(crate) fn words(text: &str) -> Result<Vec<u32>, CaseError> {
    Ok(numbers(text, 8)?.into_iter().map(|n| n as u32).collect())
}

/// Numbers of `digits` digits each, as bytes in memory (little endian).
pub(crate) fn bytes(text: &str, digits: usize) -> Result<Vec<u8>, CaseError> {
    let numbers = numbers(text, digits)?;
    Ok(numbers.into_iter().flat_map(|n| n.to_le_bytes().into_iter().take(digits / 2)).collect())
}

/// The inverse of [`bytes`].
pub(crate) fn from_bytes(bytes: &[u8], digits: usize) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    for number in bytes.chunks(digits / 2) {
        for byte in number.iter().rev() {
            text += &format!("{byte:02x}");
        }
    }
    text
}

/// The inverse of [`words`].
pub(crate) fn from_words(words: impl IntoIterator<Item = u32>) -> String {
    words.into_iter().map(|word| format!("{word:08x}")).collect()
}

/// An f32 as a decimal number or a string of its bits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Float(pub(crate) f32);

impl Serialize for Float {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let f = self.0;
        let shortest = f.to_string().parse::<f64>().ok();
        // Bits where decimal digits are many or could lose something.
        let plain = f == 0.0 || (1e-5..1e9).contains(&f.abs());
        match shortest.filter(|&decimal| plain && decimal as f32 == f) {
            Some(decimal) => serializer.serialize_f64(decimal),
            None => serializer.serialize_str(&format!("{:08x}", f.to_bits())),
        }
    }
}

impl<'de> Deserialize<'de> for Float {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct FloatVisitor;
        impl Visitor<'_> for FloatVisitor {
            type Value = Float;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number, or the 8 hexadecimal digits of an f32 as a string")
            }
            fn visit_f64<E>(self, value: f64) -> Result<Float, E> {
                Ok(Float(value as f32))
            }
            fn visit_i64<E>(self, value: i64) -> Result<Float, E> {
                Ok(Float(value as f32))
            }
            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Float, E> {
                match words(text).as_deref() {
                    Ok([word]) => Ok(Float(f32::from_bits(*word))),
                    _ => Err(E::invalid_value(serde::de::Unexpected::Str(text), &self)),
                }
            }
        }
        deserializer.deserialize_any(FloatVisitor)
    }
}

/// The hash of the published vectors: FNV-1a with a basis of its own, over the bytes of the words,
/// little endian.
pub(crate) fn hash(words: &[u32]) -> String {
    let mut h = 1_469_598_103_934_665_603_u64;
    for byte in words.iter().flat_map(|w| w.to_le_bytes()) {
        h = (h ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    }
    format!("{h:016x}")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn hexadecimal_numbers() {
        assert_eq!(numbers("00ff0102", 4).unwrap(), [0xff, 0x102]);
        assert_eq!(bytes("00ff0102", 4).unwrap(), [0xff, 0, 2, 1]);
        assert_eq!(from_bytes(&[0xff, 0, 2, 1], 4), "00ff0102");
        assert_eq!(from_words([1, 0xffff_ffff]), "00000001ffffffff");
        assert_eq!(words("").unwrap(), [0_u32; 0]);
        assert_eq!(
            words("0000000").unwrap_err().to_string(),
            "7 digits are not a whole number of 8-digit numbers"
        );
        assert_eq!(words("0000000g").unwrap_err().to_string(), "`g` is not a hexadecimal digit");
        assert!(words("000000ä").is_err(), "eight bytes, seven characters");
    }

    #[test]
    fn published_hash_of_nothing_is_its_basis() {
        assert_eq!(hash(&[]), "14650fb0739d0383");
    }
}
