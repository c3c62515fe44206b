//! Colours: on a terminal, unless somebody says otherwise.

use clap::ValueEnum;
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

impl Stream {
    fn is_terminal(self) -> bool {
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
