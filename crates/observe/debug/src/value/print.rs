//! Formats values as gdb does.

use super::{Number, Place, Value, general, integer, small_float};
use crate::dwarf::{Base, Member, Shape, TypeId, Types};
use std::fmt::Write;
use texunit_forms::Count;

/// Maximum number of array elements shown, and number of equal elements that are replaced by a
/// count.
const ELEMENTS: usize = 200;
const REPEATS: usize = 10;
/// Maximum depth of nested types.
const DEPTH: usize = 32;

/// The format letter after `/`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Natural,
    Hex,
    Decimal,
    Unsigned,
    Octal,
    Binary,
    Char,
    Float,
    Address,
    String,
    Instruction,
}

impl Format {
    pub(crate) fn of(letter: char) -> Option<Self> {
        Some(match letter {
            'x' | 'z' => Self::Hex,
            'd' => Self::Decimal,
            'u' => Self::Unsigned,
            'o' => Self::Octal,
            't' => Self::Binary,
            'c' => Self::Char,
            'f' => Self::Float,
            'a' => Self::Address,
            's' => Self::String,
            'i' => Self::Instruction,
            _ => return None,
        })
    }
}

/// Reads the characters at an address up to a zero byte; `None` if they are inaccessible.
pub(crate) type Text<'t> = dyn Fn(u64) -> Option<(Vec<u8>, bool)> + 't;

/// Formats a value for `print`, with the type of a pointer.
pub(crate) fn shown(types: &Types, value: &Value, format: Format, text: &Text<'_>) -> String {
    let prefix = match types.shape(value.ty) {
        Shape::Pointer { is_reference, to } if format == Format::Natural => {
            let name = &types.get(value.ty).name;
            match *is_reference {
                true => format!("({name}) @"),
                false if is_char(types, *to) => String::new(),
                false => format!("({name}) "),
            }
        }
        _ => String::new(),
    };
    prefix + &inner(types, value, format, text)
}

/// Formats a value inside another one, without the type of a pointer.
pub(crate) fn inner(types: &Types, value: &Value, format: Format, text: &Text<'_>) -> String {
    let mut out = String::new();
    Printer { types, format, text }.put(&mut out, value, 0);
    out
}

/// Formats a value and the members or elements in it.
struct Printer<'p> {
    types: &'p Types,
    format: Format,
    text: &'p Text<'p>,
}

fn is_char(types: &Types, ty: TypeId) -> bool {
    let is_char = matches!(types.shape(ty), Shape::Base(Base::SignedChar | Base::UnsignedChar));
    is_char && types.size(ty) == 1
}

/// The value of a structure's member.
pub(crate) fn member(types: &Types, value: &Value, member: &Member) -> Value {
    let size = types.size(member.ty) as usize;
    let from = member.offset as usize;
    let bytes = value.bytes.get(from..from.saturating_add(size)).map(<[u8]>::to_vec);
    let bytes = bytes.unwrap_or_else(|| vec![0; size.min(1 << 20)]);
    let offset = member.offset;
    let place = value.place.clone().map(|place| match place {
        Place::Memory(space, address) => Place::Memory(space, address.wrapping_add(offset)),
        Place::Register(frame, register, from) => {
            Place::Register(frame, register, from + offset as u32)
        }
        Place::Texel(surface, at) => Place::Texel(surface, at.wrapping_add(offset)),
    });
    Value { ty: member.ty, bytes, place, bits: member.bits }
}

/// The active variant of a value.
pub(crate) fn chosen<'t>(types: &'t Types, value: &Value) -> Option<&'t Member> {
    let Shape::Choice { by, of } = types.shape(value.ty) else { return None };
    let number = integer(&member(types, value, by).bytes, false);
    let bits = types.size(by.ty).clamp(1, 8) * 8;
    // Discriminants may have been written as signed numbers.
    let is_it = |n: i64| i128::from(n) & ((1 << bits) - 1) == number;
    let named = of.iter().find(|(n, _)| n.is_some_and(is_it));
    named.or_else(|| of.iter().find(|(n, _)| n.is_none())).map(|(_, member)| member)
}

/// The value of an array element.
pub(crate) fn element(types: &Types, value: &Value, of: TypeId, index: u64) -> Value {
    let offset = types.size(of).wrapping_mul(index);
    let all = Member { name: String::new(), ty: of, offset, bits: None, is_base: false };
    member(types, value, &all)
}

impl Printer<'_> {
    fn put(&self, out: &mut String, value: &Value, depth: usize) {
        let types = self.types;
        if depth > DEPTH {
            out.push_str("...");
            return;
        }
        match types.shape(value.ty) {
            Shape::Struct { .. } if small_float(types, value.ty).is_some() => {
                out.push_str(&self.scalar(value));
            }
            Shape::Struct { members, .. } => {
                out.push('{');
                for (i, each) in members.iter().enumerate() {
                    out.push_str(if i > 0 { ", " } else { "" });
                    if !each.name.is_empty() {
                        out.push_str(&each.name);
                        out.push_str(" = ");
                    }
                    self.put(out, &member(types, value, each), depth + 1);
                }
                out.push_str(if members.is_empty() { "<No data fields>}" } else { "}" });
            }
            Shape::Choice { .. } => {
                let _ = write!(out, "{}::", types.get(types.plain(value.ty)).name);
                let Some(variant) = chosen(types, value) else { return out.push('?') };
                out.push_str(&variant.name);
                let inside = member(types, value, variant);
                if matches!(types.shape(inside.ty), Shape::Struct { members, .. } if !members.is_empty())
                {
                    out.push(' ');
                    self.put(out, &inside, depth + 1);
                }
            }
            &Shape::Array { of, count } => {
                let fits = value.bytes.len() as u64 / types.size(of).max(1);
                self.array(out, value, (of, count.min(fits)), depth);
            }
            _ => out.push_str(&self.scalar(value)),
        }
    }

    fn array(&self, out: &mut String, value: &Value, (of, count): (TypeId, u64), depth: usize) {
        let types = self.types;
        if is_char(types, of) && matches!(self.format, Format::Natural | Format::String) {
            out.push_str(&quoted(&value.bytes));
            return;
        }
        out.push('{');
        let (mut i, mut shown) = (0, 0);
        while i < count {
            if shown >= ELEMENTS {
                out.push_str("...");
                break;
            }
            if i > 0 {
                out.push_str(", ");
            }
            let one = element(types, value, of, i);
            let same = (i..count).take_while(|&j| element(types, value, of, j).bytes == one.bytes);
            let same = same.count() as u64;
            self.put(out, &one, depth + 1);
            if same as usize >= REPEATS {
                let _ = write!(out, " <repeats {}>", Count(same, "time"));
                i += same;
                shown += REPEATS;
            } else {
                i += 1;
                shown += 1;
            }
        }
        out.push('}');
    }

    fn scalar(&self, value: &Value) -> String {
        let types = self.types;
        let size = value.bytes.len();
        let Some(number) = value.number(types) else {
            return match types.shape(value.ty) {
                Shape::Function => "{...}".to_owned(),
                _ => "void".to_owned(),
            };
        };
        let raw = match value.bits {
            Some(_) => number.as_int(),
            None => integer(&value.bytes, false),
        };
        let is_float = matches!(number, Number::Float(_));
        match self.format {
            Format::Natural | Format::String | Format::Instruction => {}
            // As gdb does, these formats show the value of a float and not its bits.
            Format::Hex if is_float => return format!("0x{:x}", raw),
            Format::Hex | Format::Address => return format!("0x{:x}", masked(raw, size, value)),
            Format::Octal => return format!("0{:o}", masked(raw, size, value)),
            Format::Binary => return format!("{:b}", masked(raw, size, value)),
            Format::Decimal => {
                let bytes = masked(raw, size, value).to_le_bytes();
                return integer(&bytes[..size.clamp(1, 16)], true).to_string();
            }
            Format::Unsigned => return masked(raw, size, value).to_string(),
            Format::Char => return character((raw as i8).into(), raw as u8),
            Format::Float if is_float => {}
            Format::Float => {
                return match size {
                    4 => general(f32::from_bits(raw as u32).into(), 9),
                    8 => general(f64::from_bits(raw as u64), 17),
                    _ => number.as_int().to_string(),
                };
            }
        }
        match types.shape(value.ty) {
            Shape::Base(Base::Bool) => match number.as_int() {
                0 => "false".to_owned(),
                1 => "true".to_owned(),
                other => other.to_string(),
            },
            Shape::Base(Base::SignedChar | Base::UnsignedChar) if size == 1 => {
                character(number.as_int(), raw as u8)
            }
            Shape::Base(base @ (Base::Float | Base::Brain)) => {
                general(number.as_float(), digits(size, *base))
            }
            Shape::Struct { .. } => {
                let base = small_float(types, value.ty).unwrap_or(Base::Float);
                general(number.as_float(), digits(2, base))
            }
            Shape::Pointer { to, .. } => {
                let address = number.as_int();
                let found = if is_char(types, *to) { (self.text)(address as u64) } else { None };
                match found {
                    Some((bytes, is_cut)) => {
                        let dots = if is_cut { "..." } else { "" };
                        let shown =
                            if bytes.is_empty() { "\"\"".to_owned() } else { quoted(&bytes) };
                        format!("0x{address:x} {shown}{dots}")
                    }
                    None => format!("0x{address:x}"),
                }
            }
            Shape::Enum { names, .. } => enumerator(names, number.as_int()),
            _ => number.as_int().to_string(),
        }
    }
}

/// Formats a character with its code, as `97 'a'`.
fn character(number: i128, byte: u8) -> String {
    let mut out = format!("{number} '");
    escape(&mut out, byte, '\'');
    out + "'"
}

/// Quotes characters; like gdb, leaves out trailing zeros.
fn quoted(bytes: &[u8]) -> String {
    let end = bytes.iter().rposition(|&b| b != 0).map_or(0, |last| last + 1);
    let (text, zeros) = (&bytes[..end], bytes.len() - end);
    let mut out = String::new();
    if !text.is_empty() || zeros < REPEATS {
        out.push('"');
        for &byte in text.iter().take(ELEMENTS) {
            escape(&mut out, byte, '"');
        }
        out.push('"');
        if text.len() > ELEMENTS {
            out.push_str("...");
        }
    }
    // One zero terminates the text.
    let more = zeros.saturating_sub(usize::from(!text.is_empty()));
    if more >= REPEATS {
        let comma = if out.is_empty() { "" } else { ", " };
        let _ = write!(out, "{comma}'\\000' <repeats {}>", Count(more, "time"));
    }
    out
}

fn escape(out: &mut String, byte: u8, quote: char) {
    match byte {
        b'\n' => out.push_str("\\n"),
        b'\t' => out.push_str("\\t"),
        b'\r' => out.push_str("\\r"),
        b'\\' => out.push_str("\\\\"),
        b if char::from(b) == quote => {
            out.push('\\');
            out.push(quote);
        }
        b' '..=b'~' => out.push(char::from(byte)),
        b => {
            let _ = write!(out, "\\{b:03o}");
        }
    }
}

/// Number of digits with which a float can be read back.
fn digits(size: usize, base: Base) -> usize {
    match (size, base) {
        (_, Base::Brain) => 4,
        (2, _) => 5,
        (4, _) => 9,
        _ => 17,
    }
}

/// The bits of a number without sign extension.
fn masked(raw: i128, size: usize, value: &Value) -> u128 {
    let bits = value.bits.map_or(size as u32 * 8, |(_, count)| count).clamp(1, 128);
    (raw as u128) & (u128::MAX >> (128 - bits))
}

fn enumerator(names: &[(String, i64)], value: i128) -> String {
    if let Some((name, _)) = names.iter().find(|(_, v)| i128::from(*v) == value) {
        return name.clone();
    }
    // An enumeration of flags.
    let is_flags = names.iter().all(|(_, v)| *v == 0 || v.count_ones() == 1);
    let mut rest = value;
    let mut found = Vec::new();
    for (name, bit) in names.iter().filter(|(_, v)| is_flags && *v != 0) {
        if rest & i128::from(*bit) == i128::from(*bit) {
            found.push(name.as_str());
            rest &= !i128::from(*bit);
        }
    }
    match (found.is_empty(), rest) {
        (true, _) => value.to_string(),
        (false, 0) => format!("({})", found.join(" | ")),
        (false, rest) => format!("({} | unknown: 0x{rest:x})", found.join(" | ")),
    }
}
