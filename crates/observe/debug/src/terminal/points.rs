//! The commands `break` and `watch`, and the commands for existing breakpoints and displays, which
//! work with and without a stopped launch.

use super::{Done, HELP, echoed};
use crate::module::base_name;
use crate::session::breaks::{Breakpoint, BreakpointKind, number, split_condition};
use crate::session::{Live, Settings};
use texunit_forms::Count;

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
        let (reads, writes, name) = match command {
            "watch" => (false, true, "Hardware watchpoint"),
            "rwatch" => (true, false, "Hardware read watchpoint"),
            _ => (true, true, "Hardware access (read/write) watchpoint"),
        };
        let kind = BreakpointKind::Watch { reads, writes };
        let breakpoint = self.session.settings.add(kind, text);
        breakpoint.watched = Some(watched);
        breakpoint.condition = condition;
        let number = breakpoint.number;
        self.done_with(&format!("{name} {number}: {text}\n"))
    }
}

impl Settings {
    /// The prompt, which differs while a breakpoint's commands are entered.
    pub fn prompt(&self) -> &'static str {
        if self.reads_commands.is_some() { ">" } else { "(texunit) " }
    }

    /// Adds a line to a breakpoint's commands, if the user is entering them.
    pub(crate) fn collects(&mut self, line: &str) -> bool {
        let Some(number) = self.reads_commands else { return false };
        let found = self.breakpoint_mut(number);
        match (line.trim(), found) {
            ("end", _) | (_, None) => self.reads_commands = None,
            ("", _) => {}
            (line, Some(breakpoint)) => breakpoint.commands.push(line.to_owned()),
        }
        true
    }

    /// Adds a breakpoint, which a command describes.
    pub(crate) fn add(&mut self, what: BreakpointKind, text: &str) -> &mut Breakpoint {
        let number = self.next_breakpoint;
        self.next_breakpoint += 1;
        self.breakpoints.push(Breakpoint::new(number, what, text));
        let last = self.breakpoints.len() - 1;
        &mut self.breakpoints[last]
    }

    pub(crate) fn breakpoint(&self, number: u32) -> Option<&Breakpoint> {
        self.breakpoints.iter().find(|b| b.number == number)
    }

    pub(crate) fn breakpoint_mut(&mut self, number: u32) -> Option<&mut Breakpoint> {
        self.breakpoints.iter_mut().find(|b| b.number == number)
    }

    /// The breakpoint whose number a command begins with.
    fn numbered(&mut self, which: &str) -> Result<&mut Breakpoint, String> {
        let number =
            which.parse::<u32>().map_err(|_| format!("Bad breakpoint argument: '{which}'"))?;
        self.breakpoint_mut(number).ok_or_else(|| format!("No breakpoint number {number}."))
    }

    /// Executes a command for existing breakpoints or displays; `None` for any other command.
    pub(crate) fn does(
        &mut self,
        command: &str,
        rest: &str,
        say: &mut dyn FnMut(&str),
    ) -> Option<Done> {
        Some(match command {
            "catch" => self.catch(rest, say),
            "delete" | "enable" | "disable" => self.of_breakpoints(command, rest),
            "condition" => self.condition(rest, say),
            "ignore" => self.ignore(rest, say),
            "commands" => self.begin_commands(rest),
            "undisplay" => self.undisplay(rest),
            "directory" => {
                self.folders.insert(0, rest.to_owned());
                let folders = self.folders.join(":");
                say(&format!("Source directories searched: {folders}:$cdir:$cwd\n"));
                Ok(())
            }
            "echo" => {
                say(&echoed(rest));
                Ok(())
            }
            "help" => {
                say(HELP);
                Ok(())
            }
            "show" => Ok(()),
            _ => return None,
        })
    }

    fn catch(&mut self, rest: &str, say: &mut dyn FnMut(&str)) -> Done {
        if rest == "finding" {
            return Err("Findings of `--check race,...` are breakpoints; see `info breakpoints`."
                .to_owned());
        }
        let (name, what) = match rest {
            "end" | "exit" => ("end", "the end of the launch"),
            "nan" => ("nan", "NaN made of numbers"),
            "divergence" => ("divergence", "lanes of a warp part"),
            _ => return Err("Catch requires one of: end, nan, divergence.".to_owned()),
        };
        let number = self.add(BreakpointKind::Catch(name.to_owned()), name).number;
        say(&format!("Catchpoint {number} ({what})\n"));
        Ok(())
    }

    fn of_breakpoints(&mut self, command: &str, rest: &str) -> Done {
        let rest = rest.trim_start_matches("breakpoints").trim();
        if let Some(displays) = rest.strip_prefix("display") {
            return self.undisplay(displays);
        }
        let numbers = numbers(rest)?;
        if let Some(number) = numbers.iter().find(|number| self.breakpoint(**number).is_none()) {
            return Err(format!("No breakpoint number {number}."));
        }
        let is_meant = |n: u32| numbers.is_empty() || numbers.contains(&n);
        let all = &mut self.breakpoints;
        if command == "delete" {
            all.retain(|b| !is_meant(b.number));
        }
        let meant = all.iter_mut().filter(|b| is_meant(b.number));
        meant.for_each(|b| b.is_enabled = command == "enable");
        Ok(())
    }

    fn condition(&mut self, rest: &str, say: &mut dyn FnMut(&str)) -> Done {
        let (which, condition) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        let breakpoint = self.numbered(which)?;
        let condition = condition.trim();
        breakpoint.condition = (!condition.is_empty()).then(|| condition.to_owned());
        if condition.is_empty() {
            say(&format!("Breakpoint {} now unconditional.\n", breakpoint.number));
        }
        Ok(())
    }

    fn ignore(&mut self, rest: &str, say: &mut dyn FnMut(&str)) -> Done {
        let (which, count) = rest.split_once(char::is_whitespace).unwrap_or((rest, "0"));
        let count = number(count.trim()).unwrap_or(0);
        let breakpoint = self.numbered(which)?;
        breakpoint.ignore = count;
        let (crossings, number) = (Count(count, "crossing"), breakpoint.number);
        say(&format!("Will ignore next {crossings} of breakpoint {number}.\n"));
        Ok(())
    }

    /// `commands N`: the following lines up to `end` are the commands of breakpoint N.
    fn begin_commands(&mut self, rest: &str) -> Done {
        let last = self.breakpoints.iter().map(|b| b.number).max();
        let number = if rest.is_empty() { last } else { rest.parse().ok() };
        let breakpoint = number.and_then(|number| self.breakpoint_mut(number));
        let breakpoint = breakpoint.ok_or("No breakpoints specified.")?;
        breakpoint.commands.clear();
        self.reads_commands = number;
        Ok(())
    }

    fn undisplay(&mut self, rest: &str) -> Done {
        let numbers = numbers(rest)?;
        self.displays.retain(|d| !(numbers.is_empty() || numbers.contains(&d.number)));
        Ok(())
    }
}

/// Parses numbers and ranges: `1 3-5`
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
