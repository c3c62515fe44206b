//! The commands `print`, `x`, `display`, `set`, `lanes` and `ptype`.

use super::{Done, echoed};
use crate::dwarf::{Shape, TypeId, Types};
use crate::expr::parts;
use crate::focus::{coordinates, shown};
use crate::session::{Display, Live};
use crate::value::print::{Format, inner};
use crate::value::{Number, general};
use std::fmt::Write;
use texunit_forms::Count;
use texunit_unit::lanes;

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
        let format = echoed(inside.get(..end).ok_or(bad)?);
        let arguments = inside.get(end + 1..).unwrap_or("").trim().trim_start_matches(',');
        let values = parts(arguments).into_iter().map(|argument| self.evaluate(argument));
        let mut values = values.collect::<Result<Vec<_>, _>>()?.into_iter();
        let mut out = String::new();
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
                'x' | 'u' | 'o' => Format::of(letter).unwrap_or(Format::Natural),
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
                out.push_str(&echoed(&text[from + 1..to]));
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
        let ty = match self.types.named(text.trim_start_matches("struct ").trim()) {
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

    /// Shows a value in all lanes of the warp, or its range over the CTA.
    pub(super) fn lanes(&mut self, rest: &str) -> Done {
        if let Some(expr) = rest.strip_prefix("-cta").map(str::trim) {
            return self.over_cta(expr);
        }
        let expr = self.parsed(rest)?;
        let (cta, warp, _) = self.thread;
        let block = self.machine.config().block;
        let standing = self.machine.lane_positions(cta, warp);
        let here =
            standing.iter().find(|s| s.lanes >> self.thread.2 & 1 == 1).map_or(0, |s| s.lanes);
        let live = self.machine.live(cta, warp);
        let mut out = "  Lane Thread       Value\n".to_owned();
        for lane in lanes(live) {
            let thread = (cta, warp, lane as u32);
            let frames = self.module.frames(self.machine, thread);
            let text = self.with_scene_of(thread, frames.first(), |scene| {
                let value = scene.evaluate(&expr)?;
                let text = |address: u64| scene.text(address);
                Ok(inner(scene.types, &value, Format::Natural, &text))
            });
            let text = text.unwrap_or_else(|error: String| format!("<{error}>"));
            let mark = if here >> lane & 1 == 1 { '*' } else { ' ' };
            let name = shown(coordinates((warp * 32 + lane as u32).into(), block));
            let _ = writeln!(out, "{mark} {lane:>4} {name:<12} {text}");
        }
        self.done_with(&out)
    }

    fn over_cta(&mut self, text: &str) -> Done {
        let expr = self.parsed(text)?;
        let (cta, ..) = self.thread;
        let block = self.machine.config().block;
        let mut all: Vec<(u32, f64)> = Vec::new();
        for warp in 0..self.machine.warps() {
            for lane in lanes(self.machine.live(cta, warp)) {
                let thread = (cta, warp, lane as u32);
                let frames = self.module.frames(self.machine, thread);
                let value = self.with_scene_of(thread, frames.first(), |scene| {
                    let value = scene.evaluate(&expr).ok()?;
                    value.number(scene.types).map(Number::as_float)
                });
                all.extend(value.map(|value| (warp * 32 + lane as u32, value)));
            }
        }
        let name = |n: u32| shown(coordinates(n.into(), block));
        let least = all.iter().min_by(|a, b| a.1.total_cmp(&b.1));
        // `max_by` returns the last of equal values, and the first is wanted.
        let most = all.iter().rev().max_by(|a, b| a.1.total_cmp(&b.1));
        let (Some(least), Some(most)) = (least, most) else {
            return Err(format!("No thread of the CTA has a number for `{text}'."));
        };
        let differs = all.windows(2).find(|pair| pair[0].1.to_bits() != pair[1].1.to_bits());
        let number = |v: f64| general(v, 17);
        let told = |&(n, value): &(u32, f64)| format!("{} at thread {}", number(value), name(n));
        let threads = Count(all.len(), "thread");
        let range = format!("min {}, max {}, {threads}", told(least), told(most));
        let differs = differs.map_or("the same in all".to_owned(), |pair| {
            let (thread, now, before) = (name(pair[1].0), number(pair[1].1), number(pair[0].1));
            format!("first differs from its neighbour at thread {thread}: {now}, after {before}")
        });
        self.done_with(&format!("{range}\n{differs}\n"))
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
