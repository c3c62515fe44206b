//! The commands `list`, `disassemble`, `backtrace`, `frame`, `up` and `down`.

use super::Done;
use crate::module::{Line, base_name};
use crate::session::Live;
use std::fmt::Write;
use std::sync::Arc;

/// Number of lines of a listing.
const LINES: u32 = 10;

impl Live<'_, '_> {
    pub(super) fn backtrace(&mut self, rest: &str) -> Done {
        if self.frames.is_empty() {
            return Err("No stack.".to_owned());
        }
        let count = self.frames.len();
        let most = rest.parse::<i64>().unwrap_or(i64::MAX);
        let range = match usize::try_from(most) {
            Ok(most) => 0..count.min(most),
            Err(_) => count.saturating_sub(most.unsigned_abs() as usize)..count,
        };
        let (end, mut out) = (range.end, String::new());
        for index in range {
            let _ = writeln!(out, "{}", self.frame_text(index));
        }
        if end < count {
            out.push_str("(More stack frames follow...)\n");
        }
        self.done_with(&out)
    }

    /// A line of a backtrace: `#0  work (n=100) at dbg.cu:40`.
    fn frame_text(&mut self, index: usize) -> String {
        let frame = self.frames[index].clone();
        let middle = if index == 0 { self.is_in_the_middle(&frame) } else { self.caller(index) };
        let call = self.call_text(index);
        format!("#{index:<2} {middle}{call} at {}", frame.place)
    }

    fn caller(&self, index: usize) -> String {
        let frame = &self.frames[index];
        // Inlined frames share the address of their PTX frame.
        let is_inlined = self.frames[index - 1].id == frame.id;
        if is_inlined { String::new() } else { format!("0x{:x} in ", frame.at) }
    }

    pub(super) fn selects(&mut self, command: &str, rest: &str) -> Done {
        if self.frames.is_empty() {
            return Err("No stack.".to_owned());
        }
        let count = rest.parse::<usize>().unwrap_or(1);
        let last = self.frames.len() - 1;
        self.selected = match command {
            "up" if self.selected == last => {
                return Err("Initial frame selected; you can't go up.".to_owned());
            }
            "up" => (self.selected + count).min(last),
            "down" if self.selected == 0 => {
                return Err("Bottom (innermost) frame selected; you can't go down.".to_owned());
            }
            "down" => self.selected.saturating_sub(count),
            _ if rest.is_empty() => self.selected,
            _ => {
                let number = rest.parse::<usize>().ok().filter(|&n| n <= last);
                number.ok_or_else(|| format!("No frame at level {rest}."))?
            }
        };
        self.listed = None;
        let text = self.frame_text(self.selected);
        let frame = self.frames[self.selected].clone();
        let line = self.line_text(&frame);
        self.done_with(&format!("{text}\n{line}"))
    }

    pub(super) fn list(&mut self, rest: &str) -> Done {
        let here = self.frame().map(|frame| frame.place.clone());
        let first = self.module.instructions.first().map(|i| i.place.clone());
        let place =
            here.or(first).ok_or("No symbol table is loaded.  Use the \"file\" command.")?;
        let around = |line: u32| line.saturating_sub(LINES / 2).max(1);
        let number =
            |text: &str| text.trim().rsplit(':').next().and_then(|n| n.parse::<u32>().ok());
        let (file, from, to) = match (rest, &self.listed) {
            ("", Some((file, _, next))) => (Arc::clone(file), *next, None),
            ("-", Some((file, first, _))) => {
                let last = first.saturating_sub(1).max(1);
                (Arc::clone(file), first.saturating_sub(LINES).max(1), Some(last))
            }
            ("" | "-", _) => (place.file, around(place.line), None),
            (text, _) => match (text.split_once(','), text.parse::<u32>()) {
                (Some((from, to)), _) => {
                    (place.file, number(from).ok_or("Bad line number.")?, number(to))
                }
                (None, Ok(line)) => (place.file, around(line), None),
                (None, Err(_)) => {
                    let (_, (file, line)) = self.locate(text)?;
                    (file.as_str().into(), around(number(text).unwrap_or(line)), None)
                }
            },
        };
        let mut out = String::new();
        let mut last = from;
        for line in from..=to.unwrap_or(from + LINES - 1) {
            let place = Line { file: Arc::clone(&file), line };
            let Some(text) = self.module.line(&place, &self.session.settings.folders) else {
                break;
            };
            let _ = writeln!(out, "{line}\t{text}");
            last = line + 1;
        }
        if out.is_empty() {
            let (name, first) = (base_name(&file), Line { file: Arc::clone(&file), line: 1 });
            return Err(match self.module.line(&first, &self.session.settings.folders) {
                Some(_) => {
                    format!("Line number {from} out of range; \"{name}\" has fewer lines.")
                }
                None => {
                    format!("{from}\tin {name} (the file is not there; `directory` names folders)")
                }
            });
        }
        self.listed = Some((file, from, last));
        self.done_with(&out)
    }

    pub(super) fn disassemble(&mut self, rest: &str) -> Done {
        let here = self.frame().map(|frame| frame.at);
        let at = match rest {
            "" => Some(here.ok_or("No frame selected.")?),
            text => self.locate(text)?.0.first().copied(),
        };
        let inside = at.and_then(|at| self.module.instruction(at));
        let inside = inside.ok_or("No function contains specified address.")?;
        let function = Arc::clone(&inside.function);
        let mut out = format!("Dump of PTX code for function {function}:\n");
        let mut line: Option<Line> = None;
        for instruction in self.module.instructions.iter().filter(|i| i.function == function) {
            if self.module.has_lines && line.as_ref() != Some(&instruction.place) {
                line = Some(instruction.place.clone());
                let text = self.module.line(&instruction.place, &self.session.settings.folders);
                let text = text.unwrap_or_default();
                let _ = writeln!(out, "{}\t{}", instruction.place, text.trim());
            }
            let mark = if here == Some(instruction.at) { "=>" } else { "  " };
            let at = instruction.at;
            let (line, ptx) = (self.module.ptx_line(at), self.module.ptx(at));
            let _ = writeln!(out, "{mark} 0x{at:x} <ptx:{line}>:\t{ptx}");
        }
        self.done_with(&(out + "End of PTX dump.\n"))
    }

    /// Executes the command `x/4i ADDRESS`, which lists instructions.
    pub(super) fn examine_code(&mut self, address: u32, count: u64) -> Done {
        let here = self.frame().map(|frame| frame.at);
        let all = self.module.instructions.iter().filter(|i| i.at >= address);
        let mut out = String::new();
        for instruction in all.take(count as usize) {
            let mark = if here == Some(instruction.at) { "=>" } else { "  " };
            let ptx = self.module.ptx(instruction.at);
            let _ = writeln!(out, "{mark} 0x{:x}:\t{ptx}", instruction.at);
        }
        if out.is_empty() {
            return Err(format!("Cannot access memory at address 0x{address:x}"));
        }
        self.done_with(&out)
    }
}
