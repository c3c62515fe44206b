//! The commands `break` and `watch`.

use super::Done;
use crate::module::base_name;
use crate::session::Live;
use crate::session::breaks::{BreakpointKind, split_condition};

impl Live<'_, '_> {
    pub(super) fn breaks(&mut self, is_temporary: bool, rest: &str) -> Done {
        let (place, condition) = split_condition(rest);
        let found = self.locate(place);
        let place = match (place, &found) {
            // The selected frame's position, fixed as an instruction.
            ("", Ok((at, _))) => format!("*{}", at.first().copied().unwrap_or(0)),
            (place, Ok((_, (file, line)))) if place.parse::<u32>().is_ok() => {
                format!("{file}:{line}")
            }
            (place, _) => place.to_owned(),
        };
        if let Err(error) = &found
            && !error.contains("not defined")
            && !error.contains("in file")
        {
            return Err(error.clone());
        }
        if let Some(condition) = &condition {
            self.parsed(condition)?;
        }
        let breakpoint = self.session.settings.add(BreakpointKind::Place, &place);
        breakpoint.condition = condition;
        breakpoint.is_temporary = is_temporary;
        let number = breakpoint.number;
        let word = if is_temporary { "Temporary breakpoint" } else { "Breakpoint" };
        let text = match found {
            Ok((at, (file, line))) => {
                let (first, name) = (at.first().copied().unwrap_or(0), base_name(&file));
                let text = match at.len() {
                    1 => format!("file {name}, line {line}."),
                    count => format!("{name}:{line}. ({count} locations)"),
                };
                breakpoint.at = at;
                breakpoint.place = Some((file.clone(), line));
                format!("{word} {number} at 0x{first:x}: {text}\n")
            }
            Err(_) => format!("{word} {number} ({place}) pending.\n"),
        };
        self.done_with(&text)
    }

    pub(super) fn watches_at(&mut self, command: &str, rest: &str) -> Done {
        let (text, condition) = split_condition(rest);
        let text = text.trim_start_matches("-location").trim_start_matches("-l ").trim();
        let (watched, _) = self.watched_of(text)?;
        let (what, name) = match command {
            "watch" => {
                (BreakpointKind::Watch { reads: false, writes: true }, "Hardware watchpoint")
            }
            "rwatch" => {
                (BreakpointKind::Watch { reads: true, writes: false }, "Hardware read watchpoint")
            }
            _ => (
                BreakpointKind::Watch { reads: true, writes: true },
                "Hardware access (read/write) watchpoint",
            ),
        };
        let breakpoint = self.session.settings.add(what, text);
        breakpoint.watched = Some(watched);
        breakpoint.condition = condition;
        let number = breakpoint.number;
        self.done_with(&format!("{name} {number}: {text}\n"))
    }
}
