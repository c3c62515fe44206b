//! Formats values as TOML, and the kernel's parameters as tables of a job.

use crate::Refused;
use std::collections::HashMap;
use texunit_device::{ParamInfo, ParamType};
use texunit_isa::{ScalarType, TypeKind};
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

/// An `f32` as TOML, or its bits where a decimal number would be ambiguous.
fn f32(bits: u32) -> String {
    let value = f32::from_bits(bits);
    if value.is_finite() { format!("{value:?}") } else { format!("\"{bits:#010x}\"") }
}

/// An `f64` as TOML, or its bits where a decimal number would be ambiguous.
fn f64(bits: u64) -> String {
    let value = f64::from_bits(bits);
    if value.is_finite() { format!("{value:?}") } else { format!("\"{bits:#018x}\"") }
}

/// A line of a TOML comment.
pub(crate) fn comment(line: &str) -> String {
    let clean: String = line.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    format!("# {clean}\n")
}

/// Writes a TOML table `[params.NAME]` with the value of each kernel parameter. `objects` has the
/// names of objects, by the address or handle that a parameter may contain.
pub(crate) fn param_tables(
    params: &[ParamInfo],
    bytes: &[u8],
    objects: &HashMap<u64, String>,
) -> Result<String, Refused> {
    let mut text = String::new();
    for param in params {
        let place = param.offset as usize..(param.offset + param.size) as usize;
        let Some(bytes) = bytes.get(place) else { continue };
        text += &format!("\n[params.{}]\n", quoted(&param.name));
        text += &value(param, bytes, objects)?;
    }
    Ok(text)
}

fn value(
    param: &ParamInfo,
    bytes: &[u8],
    objects: &HashMap<u64, String>,
) -> Result<String, Refused> {
    use ScalarType as T;
    let as_bytes = || format!("scalar = {{ bytes = {} }}\n", digits(bytes));
    let ParamType::Scalar(ty) = param.ty else { return Ok(as_bytes()) };
    let mut word = [0; 8];
    let Some(own) = word.get_mut(..bytes.len()) else { return Ok(as_bytes()) };
    own.copy_from_slice(bytes);
    let bits = u64::from_le_bytes(word);
    let object = objects.get(&bits).filter(|_| param.size == 8 && !ty.is_float());
    if let Some(name) = object {
        return Ok(format!("use = {}\n", quoted(name)));
    }
    if matches!(ty, T::Texref | T::Samplerref | T::Surfref) {
        let name = &param.name;
        let why =
            format!("its parameter `{name}` is a .{ty}, but {bits:#x} is not the handle of one");
        return Err(Refused::Launch(why));
    }
    let signed = || (bits << (64 - 8 * param.size)) as i64 >> (64 - 8 * param.size);
    let size = 8 * param.size;
    Ok(match (ty.kind(), size) {
        (TypeKind::Float, 32) => format!("scalar = {{ f32 = {} }}\n", f32(bits as u32)),
        (TypeKind::Float, 64) => format!("scalar = {{ f64 = {} }}\n", f64(bits)),
        (TypeKind::Float, 16) => format!("scalar = {{ f16 = \"{bits:#06x}\" }}\n"),
        (TypeKind::Signed, _) => format!("scalar = {{ s{size} = {} }}\n", signed()),
        (TypeKind::Unsigned | TypeKind::Bits, 64) if bits > 1 << 40 => {
            format!("scalar = {{ u64 = {} }}\n", hex(bits))
        }
        (TypeKind::Unsigned | TypeKind::Bits, _) => format!("scalar = {{ u{size} = {bits} }}\n"),
        _ => as_bytes(),
    })
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
