//! Typed numbers in a file, converted to bytes.

use crate::problem::{Problem, codes};
use crate::table::{At, Table, TomlValue};
use texunit_forms::{Count, words};

words! {
    /// The number types, by their names in files and in PTX.
    NumberType {
        U8 = "u8", U16 = "u16", U32 = "u32", U64 = "u64", S8 = "s8", S16 = "s16", S32 = "s32",
        S64 = "s64", F16 = "f16", F32 = "f32", F64 = "f64",
    }
}

impl NumberType {
    /// Size of a number of this type in bytes.
    pub fn size(self) -> usize {
        match self {
            Self::U8 | Self::S8 => 1,
            Self::U16 | Self::S16 | Self::F16 => 2,
            Self::U32 | Self::S32 | Self::F32 => 4,
            Self::U64 | Self::S64 | Self::F64 => 8,
        }
    }

    /// Whether numbers of this type are floats.
    pub fn is_float(self) -> bool {
        matches!(self, NumberType::F16 | NumberType::F32 | NumberType::F64)
    }

    fn is_signed(self) -> bool {
        matches!(self, NumberType::S8 | NumberType::S16 | NumberType::S32 | NumberType::S64)
    }
}

/// The value of a scalar parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scalar {
    /// The number type; `None` if the value is plain bytes or an array of numbers, as for a
    /// structure.
    pub ty: Option<NumberType>,
    /// The bytes of the value in little-endian order.
    pub bytes: Vec<u8>,
}

impl Scalar {
    /// The value as f64, and whether it is an integer; `None` for structures, and for values that
    /// f64 cannot hold.
    pub fn number(&self) -> Option<(f64, bool)> {
        let ty = self.ty?;
        let mut bytes = [0; 8];
        bytes[..self.bytes.len()].copy_from_slice(&self.bytes);
        let bits = u64::from_le_bytes(bytes);
        let value = match ty {
            NumberType::F16 => half::f16::from_bits(bits as u16).to_f64(),
            NumberType::F32 => f32::from_bits(bits as u32).into(),
            NumberType::F64 => f64::from_bits(bits),
            _ if ty.is_signed() => {
                let shift = 64 - 8 * ty.size();
                ((bits << shift) as i64 >> shift) as f64
            }
            _ => bits as f64,
        };
        let exact = value.is_finite() && value.abs() <= (1_u64 << 53) as f64;
        exact.then_some((value, value.fract() == 0.0))
    }

    /// Description of the value's type in messages.
    pub fn what(&self) -> String {
        match self.ty {
            Some(ty) => format!("a scalar of type {}", ty.name()),
            None => format!("a structure of {}", Count(self.bytes.len(), "byte")),
        }
    }
}

/// Parses the value of `scalar = { u32 = 1 }`.
pub fn scalar(value: &TomlValue<'_>) -> Option<At<Scalar>> {
    let table = value.table()?;
    let numbers = typed(&table);
    let bytes = table.get("bytes");
    let before = table.problem_count();
    table.finish();
    match (numbers, bytes) {
        (Typed::Several, _) | (Typed::One(..), Some(_)) => {
            value.refuse(codes::CONFLICT, "a scalar has one type, but there are several")
        }
        (Typed::One(ty, v), None) if v.is_array() => {
            Some(v.at(Scalar { ty: None, bytes: numbers_of(ty, &v)? }))
        }
        (Typed::One(ty, v), None) => Some(v.at(Scalar { ty: Some(ty), bytes: number(ty, &v)? })),
        (Typed::None, Some(v)) => Some(v.at(Scalar { ty: None, bytes: raw_bytes(&v)? })),
        (Typed::None, None) if table.problem_count() > before => None,
        (Typed::None, None) => {
            let names: Vec<_> = NumberType::ALL.iter().map(|ty| format!("`{ty}`")).collect();
            let names = names.join(", ");
            value.refuse(codes::MISSING_KEY, format!("expected one of {names}, `bytes`"))
        }
    }
}

/// Which key of a table is a number type, such as `u32` in `{ u32 = 1 }`.
pub enum Typed<'a> {
    /// The table has no key such as `u32`.
    None,
    /// Exactly one key is a number type: the type, and the value of the key.
    One(NumberType, TomlValue<'a>),
    /// Several keys are number types, which is a mistake, because a value has one type.
    Several,
}

/// Finds the key of a table that is a number type.
pub fn typed<'a>(table: &Table<'a>) -> Typed<'a> {
    let types = NumberType::ALL.iter();
    let mut found: Vec<_> = types.filter_map(|&ty| Some((ty, table.get(ty.name())?))).collect();
    match (found.pop(), found.is_empty()) {
        (None, _) => Typed::None,
        (Some((ty, v)), true) => Typed::One(ty, v),
        (Some(_), false) => Typed::Several,
    }
}

/// Parses an array of numbers of one type and returns their bytes.
pub fn numbers_of(ty: NumberType, value: &TomlValue<'_>) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut sound = true;
    // In test files and state files, a u32 may also be written as the bits of a float or as
    // hexadecimal digits.
    let are_words = ty == NumberType::U32 && value.has_bare_bits();
    for item in value.array(&format!("an array of {} numbers", ty.name()))? {
        let read = match are_words {
            true => word(&item).map(|word| word.to_le_bytes().to_vec()),
            false => number(ty, &item),
        };
        match read {
            Some(b) => bytes.extend(b),
            None => sound = false,
        }
    }
    sound.then_some(bytes)
}

/// Parses 32 bits: an integer, an f32 with a decimal point, or a string of hexadecimal digits.
pub fn word(value: &TomlValue<'_>) -> Option<u32> {
    let wanted =
        "32 bits: a whole number, a number with a point, or hexadecimal digits in a string";
    let text = value.number_text(wanted)?;
    let bits = if value.is_string() {
        let digits = text.strip_prefix("0x").unwrap_or(&text);
        let hex = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_hexdigit());
        hex.then(|| u32::from_str_radix(digits, 16).ok()).flatten()
    } else if value.is_integer() {
        let number = value.integer(wanted)?;
        u32::try_from(number).ok().or(i32::try_from(number).ok().map(|n| n as u32))
    } else {
        text.parse::<f64>().ok().map(|number| (number as f32).to_bits())
    };
    if bits.is_none() {
        value.problem(codes::VALUE, format!("`{text}` does not fit into 32 bits"));
    }
    bits
}

/// Parses a number as f32 and returns its bits.
pub fn float(value: &TomlValue<'_>) -> Option<u32> {
    let bytes = number(NumberType::F32, value)?;
    Some(u32::from_le_bytes(bytes.try_into().ok()?))
}

/// Parses one number of the given type and returns its bytes.
pub fn number(ty: NumberType, value: &TomlValue<'_>) -> Option<Vec<u8>> {
    let name = ty.name();
    if !ty.is_float() && !value.is_string() {
        let v = value.integer(&integer_words(ty))?;
        return integer(ty, v).or_else(|| out_of_range(ty, &v.to_string(), value));
    }
    let wanted = if ty.is_float() {
        format!("an {name}: a number, or its bits as a string \"0x...\"")
    } else {
        integer_words(ty)
    };
    let text = value.number_text(&wanted)?;
    let bare = |digits: &str| {
        digits.len() == 2 * ty.size() && digits.bytes().all(|b| b.is_ascii_hexdigit())
    };
    let bits = match text.strip_prefix("0x") {
        None if value.has_bare_bits() && value.is_string() && bare(&text) => Some(text.as_str()),
        digits => digits,
    };
    let bytes = match bits {
        Some(digits) => u64::from_str_radix(digits, 16)
            .ok()
            .filter(|v| ty.size() == 8 || v >> (8 * ty.size()) == 0)
            .map(|v| v.to_le_bytes()[..ty.size()].to_vec()),
        None if ty.is_float() => decimal(ty, &text),
        None => text.parse().ok().and_then(|v| integer(ty, v)),
    };
    bytes.or_else(|| out_of_range(ty, &text, value))
}

/// The least and the greatest number of an integer type.
fn range(ty: NumberType) -> [i128; 2] {
    let half = 1 << (8 * ty.size() - 1);
    if ty.is_signed() { [-half, half - 1] } else { [0, 2 * half - 1] }
}

fn integer_words(ty: NumberType) -> String {
    let [least, most] = range(ty);
    let article = if ty.is_signed() { "an" } else { "a" };
    format!("{article} {}: a whole number from {least} to {most}", ty.name())
}

fn out_of_range(ty: NumberType, text: &str, value: &TomlValue<'_>) -> Option<Vec<u8>> {
    let wanted = if ty.is_float() {
        let (name, bits) = (ty.name(), 8 * ty.size());
        format!(
            "an {name}: a number that it can hold, `nan`, `inf` or its {bits} bits as \"0x...\""
        )
    } else {
        integer_words(ty)
    };
    let text: String = text.chars().take(40).collect();
    value.refuse(codes::VALUE, format!("expected {wanted}; found `{text}`"))
}

fn integer(ty: NumberType, v: i128) -> Option<Vec<u8>> {
    let [least, most] = range(ty);
    (least..=most).contains(&v).then(|| v.to_le_bytes()[..ty.size()].to_vec())
}

/// Parses a decimal number, rounded once to nearest even.
fn decimal(ty: NumberType, text: &str) -> Option<Vec<u8>> {
    // Rust also accepts `infinity` and `NaN`; a job may only use the spellings of TOML.
    let word = text.trim_start_matches(['+', '-']);
    if !matches!(word, "nan" | "inf") && !word.starts_with(|c: char| c.is_ascii_digit() || c == '.')
    {
        return None;
    }
    let wide: f64 = text.parse().ok()?;
    let (is_infinite, bytes) = match ty {
        NumberType::F16 => {
            let v = half::f16::from_bits(texunit_texel::f64_to_f16(wide));
            (v.is_infinite(), v.to_le_bytes().to_vec())
        }
        NumberType::F32 => {
            let v: f32 = text.parse().ok()?;
            (v.is_infinite(), v.to_le_bytes().to_vec())
        }
        _ => (wide.is_infinite(), wide.to_le_bytes().to_vec()),
    };
    (word == "inf" || !is_infinite).then_some(bytes)
}

/// Parses bytes: `"00 ff 12"` or `[0, 255, 18]`.
pub fn raw_bytes(value: &TomlValue<'_>) -> Option<Vec<u8>> {
    if value.is_array() {
        return numbers_of(NumberType::U8, value);
    }
    let text =
        value.shared_string("bytes: hexadecimal digits in a string, or an array of numbers")?;
    let digits: Vec<u8> = text.bytes().filter(|b| !b.is_ascii_whitespace()).collect();
    let nibble = |b: u8| char::from(b).to_digit(16).map(|d| d as u8);
    let bytes: Option<Vec<u8>> =
        digits.chunks(2).map(|pair| Some(nibble(pair[0])? << 4 | nibble(*pair.get(1)?)?)).collect();
    if bytes.is_none() {
        let at = (value.key.as_str(), value.span.clone());
        let message = "expected an even number of hexadecimal digits";
        let help = "for instance bytes = \"00 00 80 3f\"";
        value.report(Problem::new(codes::VALUE, at, message).help(help));
    }
    bytes
}

/// A number of bytes from 1 on, with a suffix for powers of 1024: `4096`, `64K`, `512M`, `8g`.
pub fn byte_size(text: &str) -> Option<u64> {
    let units = [(['K', 'k'], 10), (['M', 'm'], 20), (['G', 'g'], 30)];
    let unit = units.iter().find_map(|&(unit, shift)| Some((text.strip_suffix(unit)?, shift)));
    let (digits, shift) = unit.unwrap_or((text, 0));
    digits.parse::<u64>().ok()?.checked_mul(1 << shift).filter(|&bytes| bytes > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Context;
    use toml::de::DeTable;

    fn read(text: &str) -> Result<Scalar, String> {
        let text = format!("scalar = {text}");
        let table = DeTable::parse(&text).unwrap();
        let context = Context::default();
        let root = Table::root(table.get_ref(), &context);
        let scalar = scalar(&root.get("scalar").unwrap());
        let problems = context.problems.take();
        assert_eq!(scalar.is_none(), !problems.is_empty(), "{text}: {problems:?}");
        scalar.map(|s| s.value).ok_or_else(|| problems[0].message.clone())
    }

    #[test]
    fn numbers() {
        #[rustfmt::skip]
        let rows: &[(&str, &[u8])] = &[
            ("{ u8 = 255 }",                 &[0xff]),
            ("{ s8 = -128 }",                &[0x80]),
            ("{ u16 = 0x1234 }",             &[0x34, 0x12]),
            ("{ s32 = -1 }",                 &[0xff; 4]),
            ("{ u64 = 18446744073709551615 }", &[0xff; 8]),
            ("{ u64 = \"0xffffffffffffffff\" }", &[0xff; 8]),
            ("{ u32 = 1_000 }",              &[0xe8, 3, 0, 0]),
            ("{ f32 = 1 }",                  &[0, 0, 0x80, 0x3f]),
            ("{ f32 = 1.0 }",                &[0, 0, 0x80, 0x3f]),
            ("{ f32 = 0.1 }",                &[0xcd, 0xcc, 0xcc, 0x3d]),
            ("{ f32 = \"0x7f800001\" }",     &[1, 0, 0x80, 0x7f]),
            ("{ f32 = -inf }",               &[0, 0, 0x80, 0xff]),
            ("{ f32 = nan }",                &[0, 0, 0xc0, 0x7f]),
            ("{ f32 = -0.0 }",               &[0, 0, 0, 0x80]),
            ("{ f16 = 65504 }",              &[0xff, 0x7b]),
            ("{ f64 = 1e300 }",              &[0x9c, 0x75, 0x00, 0x88, 0x3c, 0xe4, 0x37, 0x7e]),
            ("{ bytes = \"01 02ff\" }",      &[1, 2, 0xff]),
            ("{ bytes = [1, 2, 255] }",      &[1, 2, 0xff]),
            ("{ u16 = [1, 2] }",             &[1, 0, 2, 0]),
        ];
        for (text, bytes) in rows {
            assert_eq!(read(text).unwrap().bytes, *bytes, "{text}");
        }
    }

    #[test]
    fn mistakes() {
        #[rustfmt::skip]
        let rows = [
            ("{ u8 = 256 }",            "expected a u8: a whole number from 0 to 255; found `256`"),
            ("{ s8 = -129 }",           "expected an s8: a whole number from -128 to 127; found `-129`"),
            ("{ u32 = -1 }",            "expected a u32: a whole number from 0 to 4294967295; found `-1`"),
            ("{ u32 = 1.5 }",           "expected a u32: a whole number from 0 to 4294967295, found a float"),
            ("{ u32 = \"x\" }",         "expected a u32: a whole number from 0 to 4294967295; found `x`"),
            ("{ f32 = 1e39 }",          "expected an f32: a number that it can hold, `nan`, `inf` or its 32 bits as \"0x...\"; found `1e39`"),
            ("{ f32 = \"infinity\" }",  "expected an f32: a number that it can hold, `nan`, `inf` or its 32 bits as \"0x...\"; found `infinity`"),
            ("{ f32 = \"0x1ffffffff\" }", "expected an f32: a number that it can hold, `nan`, `inf` or its 32 bits as \"0x...\"; found `0x1ffffffff`"),
            ("{ f16 = 65536 }",         "expected an f16: a number that it can hold, `nan`, `inf` or its 16 bits as \"0x...\"; found `65536`"),
            ("{ bytes = \"012\" }",     "expected an even number of hexadecimal digits"),
            ("{ bytes = \"zz\" }",      "expected an even number of hexadecimal digits"),
            ("{ u32 = 1, s32 = 1 }",    "a scalar has one type, but there are several"),
            ("{ u32 = true }",          "expected a u32: a whole number from 0 to 4294967295, found true or false"),
        ];
        for (text, message) in rows {
            assert_eq!(read(text).unwrap_err(), message, "{text}");
        }
    }
}
