//! The descriptors that a Maxwell texture unit reads: headers of textures and samplers, 32 bytes
//! each.
//!
//! [`header::FIELDS`] and [`sampler::FIELDS`] have an entry for each field, by which descriptors
//! are read, written and explained. [`TextureHeader`] and [`SamplerHeader`] are decoded
//! descriptors, which can be converted to resources and samplers of the unit; [`encode_texture`]
//! and [`encode_sampler`] are the reverse.

mod error;
mod filtering;
mod formats;
pub mod header;
mod resource;
pub mod sampler;
mod texture;

pub use error::{DescriptorError, Result};
pub use filtering::{SamplerHeader, encode_sampler};
pub use formats::Texels;
pub use resource::{Encoded, MAX_BYTES, Place, Regions, encode_texture};
pub use texture::{Placement, Source, TextureHeader, TextureType};

/// A texture or sampler header: eight little-endian words. Bit numbers run through all words, so
/// that bit 32 is the lowest of the second word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Descriptor(pub [u32; 8]);

/// The interpretation of a field's bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Values {
    /// The field is an unsigned number.
    Number,
    /// The field is a number minus one.
    MinusOne,
    /// The field is the binary logarithm of a number.
    Log2,
    /// The field is a flag of one bit: 0 is no, 1 is yes.
    Flag,
    /// The field is a fixed-point number.
    Fixed {
        /// Number of fractional bits.
        fraction: u32,
        /// Whether the number is signed (two's complement).
        signed: bool,
    },
    /// The field is a float with an exponent of 2 bits and a mantissa of 3 bits (e2m3).
    E2m3,
    /// The field is a colour component in unorm8, or some bits of one.
    Unorm8,
    /// The field has bits of a border colour, whose interpretation depends on the texel format.
    Raw,
    /// The field selects a name; each entry has a value and the name that it stands for.
    Names(&'static [(u32, &'static str)]),
    /// The field is a part of an address, in which the field's lowest bit has this number.
    Address(u32),
    /// The field is a part of a size in bytes, in which the field's lowest bit has this number.
    Bytes(u32),
}

/// A field of a descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bits {
    /// The field's name in the documentation of the header.
    pub name: &'static str,
    /// Number of the field's lowest bit in the descriptor, from 0 to 255.
    pub low: u32,
    /// Number of bits, at most 32. All of them are in one word.
    pub width: u32,
    /// The interpretation of the field's bits.
    pub values: Values,
    /// The field's meaning, for explanations.
    pub meaning: &'static str,
}

impl Bits {
    /// The maximum raw value of the field.
    pub const fn max(&self) -> u32 {
        if self.width == 32 { u32::MAX } else { (1 << self.width) - 1 }
    }

    /// The raw value of the field in a descriptor.
    pub const fn get(&self, descriptor: &Descriptor) -> u32 {
        descriptor.0[self.low as usize / 32] >> (self.low % 32) & self.max()
    }

    /// Sets the field in a descriptor; the value is truncated to the field's width.
    pub const fn set(&self, descriptor: &mut Descriptor, value: u32) {
        let word = &mut descriptor.0[self.low as usize / 32];
        let shift = self.low % 32;
        *word = *word & !(self.max() << shift) | (value & self.max()) << shift;
    }

    /// Describes the field's value in a descriptor as text.
    pub fn explain(&self, descriptor: &Descriptor) -> String {
        let raw = self.get(descriptor);
        match self.values {
            Values::Number => raw.to_string(),
            Values::MinusOne => format!("{} (stored as {raw})", u64::from(raw) + 1),
            Values::Log2 => format!("{} (stored as {raw})", 1u64 << raw.min(63)),
            Values::Flag => if raw != 0 { "yes" } else { "no" }.to_owned(),
            Values::Fixed { .. } | Values::E2m3 | Values::Unorm8 => {
                format!("{} (stored as {raw:#x})", self.number(descriptor))
            }
            Values::Raw => format!("{raw:#010x} ({} as f32)", f32::from_bits(raw)),
            Values::Names(names) => match names.iter().find(|(number, _)| *number == raw) {
                Some((_, name)) => format!("{name} ({raw:#x})"),
                None => format!("unknown ({raw:#x})"),
            },
            Values::Address(low) | Values::Bytes(low) => {
                format!("{:#x}", u64::from(raw) << low)
            }
        }
    }

    /// The number that the field's value stands for.
    pub fn number(&self, descriptor: &Descriptor) -> f64 {
        let raw = self.get(descriptor);
        match self.values {
            Values::MinusOne => f64::from(raw) + 1.0,
            Values::Log2 => f64::from(raw).exp2(),
            Values::Fixed { fraction, signed } => {
                let shift = 32 - self.width;
                let value =
                    if signed { f64::from((raw << shift) as i32 >> shift) } else { f64::from(raw) };
                value / f64::from(1u32 << fraction)
            }
            Values::E2m3 => {
                let (exponent, mantissa) = (raw >> 3, f64::from(raw & 7));
                match exponent {
                    0 => mantissa / 8.0,
                    _ => (1.0 + mantissa / 8.0) * f64::from(exponent - 1).exp2(),
                }
            }
            Values::Unorm8 => f64::from(raw) / 255.0,
            Values::Raw => f64::from(f32::from_bits(raw)),
            Values::Address(low) | Values::Bytes(low) => (u64::from(raw) << low) as f64,
            Values::Number | Values::Flag | Values::Names(_) => f64::from(raw),
        }
    }
}

impl std::str::FromStr for Descriptor {
    type Err = String;

    /// Parses eight words of up to eight hexadecimal digits (each optionally with `0x`), separated
    /// by spaces, commas or underscores, lowest word first; or the 64 digits of 32 bytes in memory
    /// order.
    fn from_str(text: &str) -> Result<Self, String> {
        let separators = |c: char| c.is_ascii_whitespace() || c == ',' || c == '_';
        let words: Vec<&str> = text.split(separators).filter(|word| !word.is_empty()).collect();
        let digits = |word: &str| -> Result<u32, String> {
            let hex = word.strip_prefix("0x").or(word.strip_prefix("0X")).unwrap_or(word);
            match u32::from_str_radix(hex, 16) {
                Ok(value) if hex.bytes().all(|b| b.is_ascii_hexdigit()) => Ok(value),
                _ => Err(format!("`{word}` is not a word of hex digits")),
            }
        };
        let mut descriptor = Self::default();
        match words[..] {
            [bytes] => {
                let hex = bytes.strip_prefix("0x").unwrap_or(bytes);
                if hex.len() != 64 || !hex.bytes().all(|b| b.is_ascii_hexdigit()) {
                    return Err("expected 64 hex digits, or eight words".to_owned());
                }
                for (n, word) in descriptor.0.iter_mut().enumerate() {
                    *word = digits(&hex[8 * n..8 * n + 8])?.swap_bytes();
                }
            }
            _ if words.len() == 8 => {
                for (to, word) in descriptor.0.iter_mut().zip(words) {
                    *to = digits(word)?;
                }
            }
            _ => return Err(format!("expected eight words, found {}", words.len())),
        }
        Ok(descriptor)
    }
}

impl std::fmt::Display for Descriptor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let words: Vec<String> = self.0.iter().map(|word| format!("{word:#010x}")).collect();
        f.write_str(&words.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts() {
        let words = "0x1 2 0xFFFFFFFF 4,5,6,7,8";
        let descriptor: Descriptor = words.parse().unwrap();
        assert_eq!(descriptor.0, [1, 2, u32::MAX, 4, 5, 6, 7, 8]);
        assert_eq!(descriptor.to_string().parse(), Ok(descriptor));
        let bytes = "01000000".to_owned() + &"00".repeat(28);
        assert_eq!(bytes.parse(), Ok(Descriptor([1, 0, 0, 0, 0, 0, 0, 0])));
        for wrong in
            ["", "1 2 3", "1 2 3 4 5 6 7 100000000", "1 2 3 4 5 6 7 -8", "+1 2 3 4 5 6 7 8", "zz"]
        {
            assert!(wrong.parse::<Descriptor>().is_err(), "{wrong}");
        }
        assert!("é".repeat(32).parse::<Descriptor>().is_err());
    }

    #[test]
    fn fields_lie_apart_within_words() {
        let headers = header::Version::ALL.map(|version| {
            let rows = header::FIELDS.iter().filter(|row| row.1.has(version));
            rows.map(|row| row.0).collect::<Vec<_>>()
        });
        for fields in headers.into_iter().chain([sampler::FIELDS.to_vec()]) {
            let mut taken = Descriptor::default();
            for bits in fields {
                assert!(bits.low % 32 + bits.width <= 32, "{}", bits.name);
                assert_eq!(bits.get(&taken), 0, "{}", bits.name);
                bits.set(&mut taken, bits.max());
            }
        }
    }

    #[test]
    fn numbers() {
        let mut d = Descriptor::default();
        for (field, code, number) in [
            (sampler::LOD_BIAS, 0x1fff, -1.0 / 256.0),
            (sampler::LOD_BIAS, 0x0180, 1.5),
            (sampler::TRILINEAR_SLOPE, 0b11_100, 6.0),
            (sampler::MAX_LOD, 0xfff, 4095.0 / 256.0),
        ] {
            field.set(&mut d, code);
            assert_eq!((field.get(&d), field.number(&d)), (code, number));
        }
    }
}
