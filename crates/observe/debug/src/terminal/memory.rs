//! The command `x`.

use super::Done;
use crate::dwarf::{Shape, TypeId};
use crate::session::Live;
use crate::session::breaks::number;
use crate::value::print::Format;
use crate::value::{Place, Value, basic, generic, of_generic};
use std::fmt::Write;
use texunit_memory::SpaceKind;

impl Live<'_, '_> {
    /// Executes the command `x/8fw ADDRESS`, which prints memory.
    pub(super) fn examine(&mut self, format: &str, text: &str) -> Done {
        let (count, mut letter, mut size) = examined(format)?;
        let format = if format.is_empty() {
            self.examined.as_ref().map_or_else(String::new, |e| e.1.clone())
        } else {
            format.to_owned()
        };
        if let Ok((_, l, s)) = examined(&format) {
            (letter, size) = (l.or(letter), s.or(size));
        }
        let letter = letter.unwrap_or('x');
        let (address, ty) = match text {
            "" => {
                let next = self.examined.as_ref();
                (next.ok_or("Argument required (starting display address).")?.0, None)
            }
            text => {
                let value = self.evaluate(text)?;
                self.address_of(&value)?
            }
        };
        if letter == 'i' {
            return self.examine_code(address as u32, count);
        }
        if letter == 's' {
            let text = self.with_scene(|scene| scene.text(address));
            let (bytes, _) =
                text.ok_or_else(|| format!("Cannot access memory at address 0x{address:x}"))?;
            let text = String::from_utf8_lossy(&bytes).into_owned();
            return self.done_with(&format!("0x{address:x}:\t\"{text}\"\n"));
        }
        let size = size.unwrap_or(match letter {
            'a' => 8,
            'c' => 1,
            'f' => ty.map_or(4, |ty| self.types.size(ty)).clamp(4, 8),
            _ => 4,
        });
        let ty = self.element_type(letter, size);
        let per_line = match (letter, size) {
            ('a', _) | (_, 8) => 2,
            ('c', _) | (_, 1) => 8,
            (_, 2) => 8,
            _ => 4,
        };
        let shown = Format::of(letter).unwrap_or(Format::Hex);
        let mut out = String::new();
        let mut at = address;
        for i in 0..count {
            let value = self.with_scene(|scene| scene.at_generic(ty, at));
            if i % per_line == 0 {
                let label = self.label(at);
                let _ = write!(out, "{}0x{at:x}{label}:", if i > 0 { "\n" } else { "" });
            }
            let value = match value {
                Ok(value) => value,
                Err(error) => {
                    if i > 0 {
                        self.say(&(out + "\n"));
                    }
                    return Err(error);
                }
            };
            let mut text = self.text_of(&value, shown, false);
            if let (Format::Hex, Some(digits)) = (shown, text.strip_prefix("0x")) {
                text = format!("0x{digits:0>width$}", width = 2 * size as usize);
            }
            out.push('\t');
            out.push_str(&text);
            at = at.wrapping_add(size);
        }
        self.say(&(out + "\n"));
        self.examined = Some((at, format));
        Ok(())
    }

    /// The variable that contains an address, as `x` shows it.
    fn label(&self, address: u64) -> String {
        let (space, _) = of_generic(address);
        let config = self.machine.config();
        let found = config.memory.find(address, 1, 0).ok();
        let variable = found.and_then(|(block, offset)| {
            let name = config.memory.block(block).name();
            let is_known = self.module.info.globals.iter().any(|v| v.name == name);
            is_known.then(|| (name.to_owned(), offset))
        });
        match variable.filter(|_| matches!(space, SpaceKind::Global | SpaceKind::Const)) {
            Some((name, 0)) => format!(" <{name}>"),
            Some((name, offset)) => format!(" <{name}+{offset}>"),
            None => String::new(),
        }
    }

    /// The address that `x` uses for a value: for an array, that of its first element.
    fn address_of(&self, value: &Value) -> Result<(u64, Option<TypeId>), String> {
        match (self.types.shape(value.ty), &value.place) {
            (Shape::Array { of, .. }, Some(Place::Memory(space, address))) => {
                Ok((generic(*space, *address), Some(*of)))
            }
            (Shape::Struct { .. }, Some(Place::Memory(space, address))) => {
                Ok((generic(*space, *address), None))
            }
            (Shape::Pointer { to, .. }, _) => {
                let number = value.number(&self.types);
                Ok((number.map_or(0, |n| n.as_int() as u64), Some(*to)))
            }
            _ => {
                let number =
                    value.number(&self.types).ok_or("Value can't be converted to integer.")?;
                Ok((number.as_int() as u64, None))
            }
        }
    }

    fn element_type(&mut self, letter: char, size: u64) -> TypeId {
        let name = match (letter, size) {
            ('f', 8) => "double",
            ('f', 2) => "__half",
            ('f', _) => "float",
            ('d' | 'c', 1) => "signed char",
            ('d', 2) => "short",
            ('d', 8) => "long",
            ('d', _) => "int",
            (_, 1) => "unsigned char",
            (_, 2) => "unsigned short",
            (_, 8) => "unsigned long",
            _ => "unsigned int",
        };
        basic(&mut self.types, name)
    }
}

/// Parses `8fw`: count, format, size.
fn examined(format: &str) -> Result<(u64, Option<char>, Option<u64>), String> {
    let digits = format.bytes().take_while(u8::is_ascii_digit).count();
    let count = number(&format[..digits]).unwrap_or(1).clamp(1, 100_000);
    let (mut letter, mut size) = (None, None);
    for c in format[digits..].chars() {
        match c {
            'b' => size = Some(1),
            'h' => size = Some(2),
            'w' => size = Some(4),
            'g' => size = Some(8),
            c if Format::of(c).is_some() => letter = Some(c),
            c => return Err(format!("Undefined output format \"{c}\".")),
        }
    }
    Ok((count, letter, size))
}
