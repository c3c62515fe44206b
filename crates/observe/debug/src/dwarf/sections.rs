//! Assembles the `.debug_*` sections of a PTX text to bytes.
//!
//! The PTX has these sections as data directives with symbolic references to labels in functions,
//! variables and sections. In the bytes, a label becomes its offset in the text, which also
//! identifies instructions, and a variable becomes a symbol number that [`Sections::symbol`]
//! resolves.

use std::collections::HashMap;

/// The bits that mark a symbol number; the lower bits are the index of the name and a byte offset.
const SYMBOLS: u64 = 0x7e58 << 48;
/// Maximum size of debug information in bytes.
const MOST: usize = 1 << 30;

/// The debug sections.
#[derive(Debug, Default)]
pub(crate) struct Sections {
    bytes: HashMap<String, Vec<u8>>,
    symbols: Vec<String>,
    numbers: HashMap<String, u64>,
}

/// A reference that can be resolved after all labels are known.
struct PendingReference<'a> {
    section: &'a str,
    at: usize,
    size: usize,
    name: &'a str,
    minus: Option<&'a str>,
    offset: i64,
}

impl Sections {
    /// The sections of a text; `None` without debug information.
    pub(crate) fn of(text: &str) -> Option<Self> {
        text.find(".debug_info")?;
        let (mut labels, mut found, mut later) = (HashMap::new(), Self::default(), Vec::new());
        let mut section: Option<&str> = None;
        let (mut at, mut total) = (0, 0);
        for line in text.split_inclusive('\n') {
            let start = at;
            at += line.len();
            let code = line.split("//").next().unwrap_or("").trim();
            let code = code.strip_prefix('{').map_or(code, str::trim);
            if let Some(name) = code.strip_prefix(".section") {
                let name = name.trim().trim_end_matches('{').trim().trim_end_matches([',', ';']);
                section = Some(name);
                found.bytes.entry(name.to_owned()).or_default();
                continue;
            }
            if code == "}" {
                section = None;
                continue;
            }
            if let Some(label) = code.strip_suffix(':').filter(|label| is_name(label)) {
                match section {
                    None => labels.insert(label, start as u64),
                    Some(name) => labels.insert(label, found.bytes[name].len() as u64),
                };
                continue;
            }
            let Some((name, bytes)) = section.and_then(|s| Some((s, found.bytes.get_mut(s)?)))
            else {
                // An instruction can follow a label on its line.
                if let Some((label, _)) = code.split_once(':').filter(|(label, _)| is_name(label)) {
                    labels.insert(label, start as u64);
                }
                continue;
            };
            let Some((size, list)) = values(code) else { continue };
            for value in list.split(',').map(str::trim) {
                total += size;
                if total > MOST {
                    return None;
                }
                let number = number(value);
                if number.is_none() {
                    later.push(parsed(value, name, bytes.len(), size)?);
                }
                bytes.extend_from_slice(&number.unwrap_or(0).to_le_bytes()[..size]);
            }
        }
        for PendingReference { section, at, size, name, minus, offset } in later {
            let first = found.number_of(name, &labels);
            let second = minus.map_or(0, |minus| found.number_of(minus, &labels));
            let value = first.wrapping_sub(second).wrapping_add_signed(offset);
            if let Some(place) = found.bytes.get_mut(section).and_then(|b| b.get_mut(at..at + size))
            {
                place.copy_from_slice(&value.to_le_bytes()[..size]);
            }
        }
        Some(found)
    }

    fn number_of(&mut self, name: &str, labels: &HashMap<&str, u64>) -> u64 {
        if let Some(&at) = labels.get(name) {
            return at;
        }
        if name.starts_with(".debug") {
            return 0;
        }
        let next = self.symbols.len() as u64;
        let number = *self.numbers.entry(name.to_owned()).or_insert(next);
        if number == next {
            self.symbols.push(name.to_owned());
        }
        SYMBOLS | number << 32
    }

    /// The bytes of the section with a name; empty if the PTX has no such section.
    pub(crate) fn get(&self, name: &str) -> &[u8] {
        self.bytes.get(name).map_or(&[], Vec::as_slice)
    }

    /// The variable and byte offset that a symbol number stands for.
    pub(crate) fn symbol(&self, number: u64) -> Option<(&str, i64)> {
        if number >> 48 != SYMBOLS >> 48 {
            return None;
        }
        // The byte offset may be negative.
        let offset = i64::from(number as u32 as i32);
        let index = (number >> 32 & 0xffff) + u64::from(offset < 0);
        Some((self.symbols.get(index as usize)?, offset))
    }
}

fn is_name(text: &str) -> bool {
    let inside = |c: char| c.is_ascii_alphanumeric() || "_$%.".contains(c);
    !text.is_empty() && text.chars().all(inside) && !text.starts_with('.')
}

/// Parses a data directive such as `.b8 1, 2` into element size and elements.
fn values(code: &str) -> Option<(usize, &str)> {
    let rest = code.strip_prefix(".b")?;
    let (bits, list) = rest.split_once(|c: char| c.is_ascii_whitespace())?;
    let size = match bits {
        "8" => 1,
        "16" => 2,
        "32" => 4,
        "64" => 8,
        _ => return None,
    };
    Some((size, list.trim().trim_end_matches(';')))
}

fn number(text: &str) -> Option<u64> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let digits = digits.trim_end_matches(['u', 'U']);
    let value = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(hex) => u64::from_str_radix(hex, 16).ok()?,
        None => digits.parse().ok()?,
    };
    Some(if negative { value.wrapping_neg() } else { value })
}

/// Parses a reference: `name`, `name+4`, `name-name`
fn parsed<'a>(
    text: &'a str,
    section: &'a str,
    at: usize,
    size: usize,
) -> Option<PendingReference<'a>> {
    let text = text.trim_matches(['(', ')']);
    let later = |name: &'a str, minus, offset| {
        let name = name.trim();
        PendingReference { section, at, size, name, minus, offset }
    };
    if let Some((name, offset)) = text.split_once('+') {
        return Some(later(name, None, number(offset.trim())? as i64));
    }
    match text.split_once('-') {
        Some((name, minus)) => match number(minus.trim()) {
            Some(offset) => Some(later(name, None, (offset as i64).wrapping_neg())),
            None => Some(later(name, Some(minus.trim()), 0)),
        },
        None => Some(later(text, None, 0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_places_of_the_text_and_numbers_of_variables() {
        let text = ".version 8.0\n{\n$L__tmp0:\n\tret;\nLfunc_end0: \n}\n\t.section .debug_info\n\t{\n.b32 5\n.b64 $L__tmp0 // low\n\
            .b64 gcount+8\n.b32 .debug_abbrev\nLhere:\n.b32 Lfunc_end0-$L__tmp0\n.b8 255,-1\n.b32 Lhere\n\t}\n\t.section .debug_abbrev { }\n";
        let sections = Sections::of(text).unwrap();
        let bytes = sections.get(".debug_info");
        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        let long = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
        assert_eq!(word(0), 5);
        assert_eq!(long(4), text.find("$L__tmp0:").unwrap() as u64);
        assert_eq!(sections.symbol(long(12)), Some(("gcount", 8)));
        assert_eq!((word(20), word(24)), (0, 16));
        assert_eq!(&bytes[28..30], [255, 255]);
        assert_eq!(word(30), 24);
        assert_eq!(sections.symbol(17), None);
        assert!(Sections::of(".version 8.0\n").is_none());
    }
}
