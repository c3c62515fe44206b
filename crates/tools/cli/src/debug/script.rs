//! The source of commands (options, files, terminal) and the destination of output: standard
//! output, or standard error for failed commands.

use std::collections::VecDeque;
use std::io::{BufRead, IsTerminal};
use texunit_debug::{Console, Request};

/// Commands from options and files, followed by the terminal.
#[derive(Debug)]
pub(super) struct Script {
    lines: VecDeque<String>,
    is_batch: bool,
    /// Whether commands are typed on a terminal.
    is_terminal: bool,
}

/// Maximum number of commands from files, which can include each other.
const MOST: usize = 100_000;

impl Script {
    pub(super) fn new(lines: impl Iterator<Item = String>, is_batch: bool) -> Self {
        Self { lines: lines.collect(), is_batch, is_terminal: std::io::stdin().is_terminal() }
    }

    /// The next command; `None` at the end.
    pub(super) fn next(&mut self, prompt: &str) -> Option<String> {
        for _ in 0..MOST {
            let line = match self.lines.pop_front() {
                Some(line) => line,
                None if self.is_batch => return None,
                None => {
                    if self.is_terminal {
                        let _ = crate::out::print(prompt);
                    }
                    let mut line = String::new();
                    if std::io::stdin().lock().read_line(&mut line).ok()? == 0 {
                        return None;
                    }
                    line
                }
            };
            let Some(file) = line.trim().strip_prefix("source ") else { return Some(line) };
            match std::fs::read_to_string(file.trim()) {
                Ok(text) => {
                    for line in text.lines().rev().filter(|line| !line.trim().is_empty()) {
                        self.lines.push_front(line.to_owned());
                    }
                }
                Err(error) => crate::out::stderr_line(&format!("{}: {error}", file.trim())),
            }
        }
        None
    }
}

impl Console for Script {
    fn read(&mut self, prompt: &str) -> Option<Request> {
        self.next(prompt).map(Request::Command)
    }

    fn write(&mut self, text: &str) {
        // Standard output may be closed.
        let _ = crate::out::print(text);
    }

    fn failed(&mut self, text: &str) {
        let _ = crate::out::stderr_text(text, false);
    }
}
