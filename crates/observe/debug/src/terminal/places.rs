//! `break`, `watch`, `delete` and so on.

use super::Done;
use crate::module::base_name;
use crate::session::Live;
use crate::session::breaks::{What, number, split_condition};

impl Live<'_, '_> {
    pub(super) fn breaks(&mut self, is_temporary: bool, rest: &str) -> Done {
        let (place, condition) = split_condition(rest);
        let found = self.locate(place);
        let place = match (place, &found) {
            // Where the frame stands now, wherever that will be.
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
        let breakpoint = self.add(What::Place, &place);
        breakpoint.condition = condition;
        breakpoint.is_temporary = is_temporary;
        let number = breakpoint.number;
        let word = if is_temporary { "Temporary breakpoint" } else { "Breakpoint" };
        let text = match found {
            Ok((at, (file, line))) => {
                let first = at.first().copied().unwrap_or(0);
                let count = at.len();
                breakpoint.place = Some((file.clone(), line));
                breakpoint.at = at;
                match count {
                    1 => format!(
                        "{word} {number} at 0x{first:x}: file {}, line {line}.\n",
                        base_name(&file)
                    ),
                    _ => format!(
                        "{word} {number} at 0x{first:x}: {}:{line}. ({count} locations)\n",
                        base_name(&file)
                    ),
                }
            }
            Err(_) => format!("{word} {number} ({place}) pending.\n"),
        };
        self.say(&text);
        Ok(())
    }

    pub(super) fn watches_at(&mut self, command: &str, rest: &str) -> Done {
        let (text, condition) = split_condition(rest);
        let text = text.trim_start_matches("-location").trim_start_matches("-l ").trim();
        let (watched, _) = self.watched_of(text)?;
        let (what, name) = match command {
            "watch" => (What::Watch { reads: false, writes: true }, "Hardware watchpoint"),
            "rwatch" => (What::Watch { reads: true, writes: false }, "Hardware read watchpoint"),
            _ => (
                What::Watch { reads: true, writes: true },
                "Hardware access (read/write) watchpoint",
            ),
        };
        let breakpoint = self.add(what, text);
        breakpoint.watched = Some(watched);
        breakpoint.condition = condition;
        let number = breakpoint.number;
        self.say(&format!("{name} {number}: {text}\n"));
        Ok(())
    }

    pub(super) fn catch(&mut self, rest: &str) -> Done {
        let (name, what) = caught(rest).ok_or(CATCHES)?;
        let number = self.add(What::Catch(name.to_owned()), name).number;
        self.say(&format!("Catchpoint {number} ({what})\n"));
        Ok(())
    }

    pub(super) fn of_breakpoints(&mut self, command: &str, rest: &str) -> Done {
        let rest = rest.trim_start_matches("breakpoints").trim();
        if let Some(displays) = rest.strip_prefix("display") {
            return self.undisplay(displays.trim());
        }
        let all = &mut self.session.settings.breakpoints;
        let numbers = numbers(rest)?;
        for number in &numbers {
            if !all.iter().any(|b| b.number == *number) {
                return Err(format!("No breakpoint number {number}."));
            }
        }
        let is_meant = |n: u32| numbers.is_empty() || numbers.contains(&n);
        match command {
            "delete" => all.retain(|b| !is_meant(b.number)),
            _ => {
                let enabled = command == "enable";
                all.iter_mut().filter(|b| is_meant(b.number)).for_each(|b| b.is_enabled = enabled);
            }
        }
        Ok(())
    }

    pub(super) fn condition(&mut self, rest: &str) -> Done {
        let (which, condition) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        let condition = (!condition.trim().is_empty()).then(|| condition.trim().to_owned());
        if let Some(condition) = &condition {
            self.parsed(condition)?;
        }
        let number =
            which.parse::<u32>().map_err(|_| format!("Bad breakpoint argument: '{which}'"))?;
        let found = self.session.settings.breakpoints.iter_mut().find(|b| b.number == number);
        let breakpoint = found.ok_or_else(|| format!("No breakpoint number {number}."))?;
        let text = condition.is_none().then(|| format!("Breakpoint {number} now unconditional.\n"));
        breakpoint.condition = condition;
        self.say(&text.unwrap_or_default());
        Ok(())
    }

    pub(super) fn ignore(&mut self, rest: &str) -> Done {
        let (which, count) = rest.split_once(char::is_whitespace).unwrap_or((rest, "0"));
        let count = number(count.trim()).unwrap_or(0);
        let wanted =
            which.parse::<u32>().map_err(|_| format!("Bad breakpoint argument: '{which}'"))?;
        let found = self.session.settings.breakpoints.iter_mut().find(|b| b.number == wanted);
        found.ok_or_else(|| format!("No breakpoint number {wanted}."))?.ignore = count;
        let s = if count == 1 { "" } else { "s" };
        self.say(&format!("Will ignore next {count} crossing{s} of breakpoint {wanted}.\n"));
        Ok(())
    }

    /// `commands N`, and lines up to `end`.
    pub(super) fn read_commands(&mut self, rest: &str) -> Done {
        let last = self.session.settings.breakpoints.iter().map(|b| b.number).max();
        let number = if rest.is_empty() { last } else { rest.parse().ok() };
        let mut lines = Vec::new();
        while let Some(request) = self.console.read(">") {
            let crate::console::Request::Command(line) = request else { continue };
            if line.trim() == "end" {
                break;
            }
            lines.push(line);
        }
        lines.retain(|line| line.trim() != "silent");
        let found = self.session.settings.breakpoints.iter_mut().find(|b| Some(b.number) == number);
        found.ok_or("No breakpoints specified.")?.commands = lines;
        Ok(())
    }
}

/// What can be caught.
pub(super) const CATCHES: &str = "Catch requires one of: end, nan, divergence.";

/// What `catch` catches, and how it is called.
pub(super) fn caught(word: &str) -> Option<(&'static str, &'static str)> {
    Some(match word {
        "end" | "exit" => ("end", "the end of the launch"),
        "nan" => ("nan", "NaN made of numbers"),
        "divergence" => ("divergence", "lanes of a warp part"),
        _ => return None,
    })
}

/// `1 3-5`
fn numbers(text: &str) -> Result<Vec<u32>, String> {
    let mut all = Vec::new();
    for word in text.split([' ', ',']).filter(|word| !word.is_empty()) {
        let wrong = || format!("Bad breakpoint number '{word}'");
        match word.split_once('-') {
            Some((first, last)) => {
                let first: u32 = first.parse().map_err(|_| wrong())?;
                let last: u32 = last.parse().map_err(|_| wrong())?;
                all.extend(first..=last.min(first.saturating_add(10_000)));
            }
            None => all.push(word.parse().map_err(|_| wrong())?),
        }
    }
    Ok(all)
}
