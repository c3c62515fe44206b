//! The commands `print`, `x`, `display`, `set`, `lanes` and `ptype`.

use super::Done;
use crate::dwarf::{Shape, TypeId, Types};
use crate::expr::parts;
use crate::session::{Display, Live};
use crate::value::print::Format;
use std::fmt::Write;

impl Live<'_, '_> {
    pub(super) fn print(&mut self, format: &str, text: &str) -> Done {
        let format = format_of(format)?;
        let value = match text {
            "" => self.session.printed.last().cloned().ok_or("History is empty.")?,
            text => self.evaluate(text)?,
        };
        if matches!(self.types.shape(value.ty), Shape::Void) {
            let number = self.session.printed.len() + 1;
            return self.done_with(&format!("${number} = void\n"));
        }
        let shown = self.text_of(&value, format, true);
        self.session.printed.push(value);
        let number = self.session.printed.len();
        self.done_with(&format!("${number} = {shown}\n"))
    }

    pub(super) fn output(&mut self, format: &str, text: &str) -> Done {
        let shown = self.shown_as(format, text)?;
        self.done_with(&shown)
    }

    /// `printf "%d %f\n", a, b`
    pub(super) fn prints(&mut self, rest: &str) -> Done {
        let bad = "Bad format string";
        let inside = rest.strip_prefix('"').ok_or(bad)?;
        let bytes = inside.as_bytes();
        let mut end = 0;
        while end < bytes.len() && bytes[end] != b'"' {
            end += if bytes[end] == b'\\' { 2 } else { 1 };
        }
        let format = super::echoed(inside.get(..end).ok_or(bad)?);
        let arguments = inside.get(end + 1..).unwrap_or("").trim().trim_start_matches(',');
        let mut values = Vec::new();
        for argument in parts(arguments) {
            values.push(self.evaluate(argument)?);
        }
        let mut out = String::new();
        let mut values = values.into_iter();
        let mut rest = format.as_str();
        while let Some((plain, behind)) = rest.split_once('%') {
            out.push_str(plain);
            let end =
                behind.find(|c: char| c.is_ascii_alphabetic() && !"lhzq".contains(c) || c == '%');
            let letter = end.and_then(|end| behind[end..].chars().next()).ok_or(bad)?;
            rest = &behind[end.unwrap_or(0) + 1..];
            if letter == '%' {
                out.push('%');
                continue;
            }
            let value = values.next().ok_or("Bad format string, missing argument")?;
            let format = match letter {
                'x' => Format::Hex,
                'u' => Format::Unsigned,
                'o' => Format::Octal,
                _ => Format::Natural,
            };
            let text = match (letter, value.number(&self.types)) {
                ('d' | 'i', Some(number)) => number.as_int().to_string(),
                ('c', Some(number)) => char::from(number.as_int() as u8).to_string(),
                ('f', Some(number)) => format!("{:.6}", number.as_float()),
                ('x', _) => self.text_of(&value, format, false).trim_start_matches("0x").to_owned(),
                _ => self.text_of(&value, format, false),
            };
            // A string, of which a pointer's address is not printed.
            let quotes = text.find('"').zip(text.rfind('"'));
            if let Some((from, to)) = quotes.filter(|(from, to)| letter == 's' && from < to) {
                out.push_str(&super::echoed(&text[from + 1..to]));
                continue;
            }
            out.push_str(&text);
        }
        out.push_str(rest);
        self.done_with(&out)
    }

    pub(super) fn set(&mut self, rest: &str) -> Done {
        let (word, behind) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        match word {
            "var" | "variable" => self.evaluate(behind).map(|_| ()),
            // Settings of gdb without effect here.
            "confirm" | "pagination" | "height" | "width" | "print" | "style" | "cuda"
            | "breakpoint" | "listsize" => Ok(()),
            _ if rest.contains('=') => self.evaluate(rest).map(|_| ()),
            _ => Err(format!("Undefined set command: \"{rest}\".  Try \"help set\".")),
        }
    }

    pub(super) fn type_of(&mut self, command: &str, text: &str) -> Done {
        let known = self.types.named(text.trim_start_matches("struct ").trim());
        let ty = match known {
            Some(ty) => ty,
            None => self.evaluate(text)?.ty,
        };
        let name = self.types.get(ty).name.clone();
        let whole = match self.types.shape(ty) {
            Shape::Struct { members, is_union } if command == "ptype" => {
                let word = if *is_union { "union" } else { "struct" };
                let bases = members.iter().filter(|member| member.is_base);
                let bases: Vec<&str> =
                    bases.map(|base| self.types.get(base.ty).name.as_str()).collect();
                let bases = match bases.is_empty() {
                    true => String::new(),
                    false => format!(" : {}", bases.join(", ")),
                };
                let name = &self.types.get(self.types.plain(ty)).name;
                let mut out = format!("{word} {name}{bases} {{\n");
                for member in members.iter().filter(|member| !member.is_base) {
                    let declared = declared(&self.types, member.ty, &member.name);
                    // Writing to a string cannot fail.
                    let _ = writeln!(out, "    {declared};");
                }
                out + "}"
            }
            _ => name,
        };
        self.done_with(&format!("type = {whole}\n"))
    }

    pub(super) fn display(&mut self, format: &str, text: &str) -> Done {
        if text.is_empty() {
            self.show_displays();
            return Ok(());
        }
        let number = self.session.settings.displays.iter().map(|d| d.number).max().unwrap_or(0) + 1;
        let display = Display { number, text: text.to_owned(), format: format.to_owned() };
        self.show_display(&display)?;
        self.session.settings.displays.push(display);
        Ok(())
    }

    /// As in gdb, a display with a count, a size or a format of memory is the command `x`.
    fn show_display(&mut self, Display { number, text, format }: &Display) -> Done {
        if format.contains(|c: char| c.is_ascii_digit() || "isbhwg".contains(c)) {
            self.evaluate(text)?;
            self.say(&format!("{number}: x/{format} {text}\n"));
            return self.examine(format, text);
        }
        let value = self.shown_as(format, text)?;
        self.done_with(&format!("{number}: {}{text} = {value}\n", slashed(format)))
    }

    fn shown_as(&mut self, format: &str, text: &str) -> Result<String, String> {
        let format = format_of(format)?;
        let value = self.evaluate(text)?;
        Ok(self.text_of(&value, format, true))
    }

    pub(crate) fn show_displays(&mut self) {
        for display in self.session.settings.displays.clone() {
            // A display whose expression cannot be evaluated here is skipped.
            let _ = self.show_display(&display);
        }
    }
}

fn slashed(format: &str) -> String {
    if format.is_empty() { String::new() } else { format!("/{format} ") }
}

fn declared(types: &Types, ty: TypeId, name: &str) -> String {
    let of = &types.get(ty).name;
    match of.split_once(" [") {
        Some((element, dims)) => format!("{element} {name}[{dims}"),
        None if of.ends_with(['*', '&']) => format!("{of}{name}"),
        None => format!("{of} {name}"),
    }
}

fn format_of(text: &str) -> Result<Format, String> {
    let Some(letter) = text.chars().find(|c| !c.is_ascii_digit()) else {
        return Ok(Format::Natural);
    };
    Format::of(letter).ok_or_else(|| format!("Undefined output format \"{letter}\"."))
}
