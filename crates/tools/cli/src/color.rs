//! Colours and line width of the output.

use clap::ValueEnum;
use console::Term;
use std::io::{IsTerminal, Write};
use std::sync::OnceLock;

/// The value of `--color`, for the whole program.
static CHOICE: OnceLock<ColorChoice> = OnceLock::new();

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

/// An output stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// Sets the value of `--color`; only the first call has an effect.
pub fn choose(choice: ColorChoice) {
    let _ = CHOICE.set(choice);
}

/// The value of `--color`.
pub fn choice() -> ColorChoice {
    CHOICE.get().copied().unwrap_or(ColorChoice::Auto)
}

/// Whether output to a stream is coloured.
pub fn wanted(stream: Stream) -> bool {
    match choice() {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto => {
            let set = |name| std::env::var_os(name).filter(|v| !v.is_empty());
            let dumb = set("TERM").is_some_and(|term| term == "dumb");
            stream.is_terminal() && set("NO_COLOR").is_none() && !dumb
        }
    }
}

/// Width of the terminal, if standard error or standard output is one.
pub fn columns() -> Option<usize> {
    let terminal = [(Stream::Stderr, Term::stderr()), (Stream::Stdout, Term::stdout())];
    let shown = terminal.into_iter().find(|(stream, _)| stream.is_terminal());
    shown.and_then(|(_, term)| term.size_checked()).map(|(_, columns)| usize::from(columns))
}

/// Breaks the lines of a text at spaces to fit into `columns`. A continuation line begins below the
/// second column of a line that has two, which are two spaces apart, and else `hang` spaces further
/// than its line.
pub fn fitted(text: &str, columns: usize, hang: usize) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 16);
    for line in text.split_inclusive('\n') {
        let indent = line.len() - line.trim_start_matches(' ').len();
        let second = line[indent..].find("  ").map_or(0, |gap| {
            let after = line[indent + gap..].trim_start_matches(' ');
            shown(&line[..line.len() - after.len()]).count()
        });
        let below = if (1..columns / 2).contains(&second) { second } else { indent + hang };
        let (mut rest, mut before) = (line.trim_end_matches('\n'), 0);
        while let Some((limit, _)) = shown(rest).nth(columns.saturating_sub(before).max(20)) {
            let least = if before == 0 { indent + 1 } else { 1 };
            let Some(space) = rest[..limit].rfind(' ').filter(|&at| at >= least) else { break };
            out.push_str(&rest[..space]);
            out.push('\n');
            before = below;
            out.extend(std::iter::repeat_n(' ', before));
            rest = &rest[space + 1..];
        }
        out.push_str(rest);
        if line.ends_with('\n') {
            out.push('\n');
        }
    }
    out
}

/// The characters that take a column, with their positions: those outside of escape sequences.
fn shown(text: &str) -> impl Iterator<Item = (usize, char)> {
    let mut escapes = false;
    text.char_indices().filter(move |&(_, c)| {
        let is_hidden = escapes || c == '\x1b';
        escapes = is_hidden && c != 'm';
        !is_hidden
    })
}

impl Stream {
    pub(crate) fn is_terminal(self) -> bool {
        match self {
            Self::Stdout => std::io::stdout().is_terminal(),
            Self::Stderr => std::io::stderr().is_terminal(),
        }
    }

    /// The stream as a writer.
    pub fn open(self) -> Box<dyn Write> {
        match self {
            Self::Stdout => Box::new(std::io::stdout()),
            Self::Stderr => Box::new(std::io::stderr()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::fitted;

    #[test]
    fn long_lines_are_broken_at_spaces() {
        let word = "x".repeat(100);
        // Escape sequences take no columns, and second columns stay aligned.
        let option = "  \x1b[1m-o\x1b[0m <FILE>  Writes the results here\n";
        let aligned = "  \x1b[1m-o\x1b[0m <FILE>  Writes the results\n             here\n";
        for (text, columns, hang, fits) in [
            (
                "  x: 0.4 -> texel coordinate 1.5999; texels 1 and 2\nshort\n\n",
                30,
                4,
                "  x: 0.4 -> texel coordinate\n      1.5999; texels 1 and 2\nshort\n\n",
            ),
            (&word, 30, 4, &word),
            ("é é é é é é é é é é é é é", 21, 4, "é é é é é é é é é é\n    é é é"),
            (option, 33, 0, aligned),
            (option, 38, 0, option),
            ("    a paragraph of help", 22, 0, "    a paragraph of\n    help"),
        ] {
            assert_eq!(fitted(text, columns, hang), fits);
        }
    }
}
