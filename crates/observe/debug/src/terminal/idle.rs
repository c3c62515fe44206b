//! Commands between launches, which change the settings for later launches.

use super::{command_of, split};
use crate::session::Settings;
use crate::session::breaks::{BreakpointKind, HEADER, split_condition};

/// The result of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Idle {
    /// The command has succeeded.
    Done,
    /// The command has failed.
    Failed,
    /// The command starts the program.
    Run,
    /// The command ends the session.
    Quit,
}

impl Settings {
    /// Executes a command between launches.
    pub fn command(&mut self, line: &str, say: &mut dyn FnMut(&str)) -> Idle {
        let line = line.trim();
        if self.collects(line) || line.is_empty() || line.starts_with('#') {
            return Idle::Done;
        }
        let (word, format, rest) = split(line);
        let command = match command_of(word) {
            Ok(command) => command,
            Err(error) => {
                say(&format!("{error}\n"));
                return Idle::Failed;
            }
        };
        match command {
            "run" | "start" => return Idle::Run,
            "quit" | "kill" => return Idle::Quit,
            "break" | "tbreak" => {
                let (place, condition) = split_condition(rest);
                if place.is_empty() {
                    say("No default breakpoint location.\n");
                    return Idle::Failed;
                }
                let breakpoint = self.add(BreakpointKind::Place, place);
                breakpoint.condition = condition;
                breakpoint.is_temporary = command == "tbreak";
                let number = breakpoint.number;
                let word = if command == "tbreak" { "Temporary breakpoint" } else { "Breakpoint" };
                say(&format!("{word} {number} ({place}) pending.\n"));
            }
            "display" if !rest.is_empty() => {
                let number = self.displays.iter().map(|d| d.number).max().unwrap_or(0) + 1;
                let (text, format) = (rest.to_owned(), format.to_owned());
                self.displays.push(crate::session::Display { number, text, format });
            }
            "set" | "display" => {}
            "info" if rest.starts_with('b') => {
                let rows = self.breakpoints.iter().map(|b| b.row("<PENDING>", &b.text));
                let rows: String = rows.collect();
                match rows.is_empty() {
                    true => say("No breakpoints or watchpoints.\n"),
                    false => say(&(HEADER.to_owned() + &rows)),
                }
            }
            _ => {
                let unknown = || Err("The program is not being run.".to_owned());
                if let Err(error) = self.does(command, rest, say).unwrap_or_else(unknown) {
                    say(&format!("{error}\n"));
                    return Idle::Failed;
                }
            }
        }
        Idle::Done
    }
}
