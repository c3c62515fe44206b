//! Colours and the width of lines: those of a terminal, unless otherwise requested.

use clap::ValueEnum;
use console::Term;
use std::io::{IsTerminal, Write};

/// When text is coloured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ColorChoice {
    /// On a terminal, if `NO_COLOR` is not set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// Where text goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

impl ColorChoice {
    /// Whether text for a stream is coloured.
    pub fn wanted(self, stream: Stream) -> bool {
        match self {
            Self::Always => true,
            Self::Never => false,
            Self::Auto => {
                let set = |name| std::env::var_os(name).filter(|v| !v.is_empty());
                let dumb = set("TERM").is_some_and(|term| term == "dumb");
                stream.is_terminal() && set("NO_COLOR").is_none() && !dumb
            }
        }
    }
}

/// Columns of the terminal, if standard error or standard output is one.
pub fn columns() -> Option<usize> {
    let terminal = [(Stream::Stderr, Term::stderr()), (Stream::Stdout, Term::stdout())];
    let shown = terminal.into_iter().find(|(stream, _)| stream.is_terminal());
    shown.and_then(|(_, term)| term.size_checked()).map(|(_, columns)| usize::from(columns))
}

impl Stream {
    pub(crate) fn is_terminal(self) -> bool {
        match self {
            Self::Stdout => std::io::stdout().is_terminal(),
            Self::Stderr => std::io::stderr().is_terminal(),
        }
    }

    /// The stream itself.
    pub fn open(self) -> Box<dyn Write> {
        match self {
            Self::Stdout => Box::new(std::io::stdout()),
            Self::Stderr => Box::new(std::io::stderr()),
        }
    }
}
