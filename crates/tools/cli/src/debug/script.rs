//! Where commands come from: options, files, the terminal. Where answers go: standard output, and of commands that fail
//! standard error.

use std::collections::VecDeque;
use std::io::{BufRead, IsTerminal};
use texunit_debug::{Console, Request};

/// Commands, and a terminal behind them.
#[derive(Debug)]
pub(super) struct Script {
    lines: VecDeque<String>,
    is_batch: bool,
    /// Someone types.
    is_terminal: bool,
}

/// Files that name each other are followed so far.
const MOST: usize = 100_000;

impl Script {
    pub(super) fn new(lines: impl Iterator<Item = String>, is_batch: bool) -> Self {
        let is_terminal = std::io::stdin().is_terminal();
        Self { lines: lines.collect(), is_batch, is_terminal }
    }

    /// The next command; `None`: there is no more.
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
                    let count = std::io::stdin().lock().read_line(&mut line).ok()?;
                    if count == 0 {
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
                Err(error) => crate::out::tell(&format!("{}: {error}", file.trim())),
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
        // Nobody may be there to read it.
        let _ = crate::out::print(text);
    }

    fn failed(&mut self, text: &str) {
        let _ = crate::out::tell_text(text, false);
    }
}
