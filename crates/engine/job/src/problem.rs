//! Mistakes in a job, as data: collected, so that one run reports all of them.

use std::ops::Range;
use texunit_syntax::{Diagnostic, SourceFile, Span};

/// One mistake in a job file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Stable code, listed in docs/jobs.md.
    pub code: &'static str,
    /// Dotted path of the key, e.g. `params.out.buffer`; empty for the file itself.
    pub key: String,
    /// Bytes of the job file.
    pub span: Range<usize>,
    /// One sentence without a final stop.
    pub message: String,
    /// What to write instead.
    pub help: Option<String>,
}

/// Codes of job mistakes.
pub mod codes {
    /// Not TOML.
    pub const SYNTAX: &str = "J0001";
    /// A key that jobs do not have.
    pub const UNKNOWN_KEY: &str = "J0002";
    /// A key that must be there.
    pub const MISSING_KEY: &str = "J0003";
    /// A value of another type than the key takes.
    pub const TYPE: &str = "J0004";
    /// A value of the right type that makes no sense.
    pub const VALUE: &str = "J0005";
    /// Keys that exclude each other.
    pub const CONFLICT: &str = "J0006";
    /// A file that cannot be read as wanted.
    pub const FILE: &str = "J0007";
    /// A name that the module or the kernel does not have.
    pub const NAME: &str = "J0008";
    /// A value that the kernel's parameter does not take.
    pub const PARAMETER: &str = "J0009";
    /// An object that the device refuses to make.
    pub const REFUSED: &str = "J0010";
    /// An object that does not hold what the job expects after the launch.
    pub const DIFFERENT: &str = "J0011";
}

impl Problem {
    /// A mistake at a place.
    pub fn new(code: &'static str, at: (&str, Range<usize>), message: impl Into<String>) -> Self {
        Self { code, key: at.0.to_owned(), span: at.1, message: message.into(), help: None }
    }

    /// Says what to write instead.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }

    /// Adds a suggestion from the names that would be right.
    #[must_use]
    pub fn suggest<S: AsRef<str>>(self, written: &str, known: &[S]) -> Self {
        let near = nearest(written, known);
        match (near, known.is_empty()) {
            (Some(near), _) => self.help(format!("did you mean `{near}`?")),
            (None, false) => self.help(format!("expected {}", listed(known))),
            (None, true) => self,
        }
    }

    /// As a diagnostic over the text of the job, for rendering.
    pub fn diagnostic(&self) -> Diagnostic {
        let span = Span::new(self.span.start, self.span.end);
        let mut d = Diagnostic::error(self.code, span, self.message.clone());
        if !self.key.is_empty() {
            d = d.label(format!("key `{}`", self.key));
        }
        d.help = self.help.clone();
        d
    }

    /// Line and column of the place.
    pub fn location(&self, source: &SourceFile) -> (u32, u32) {
        let at = source.location(self.span.start as u32);
        (at.line, at.column)
    }
}

/// Most names in a list.
const MOST_NAMES: usize = 48;

/// Names with quotes and commas, of a long list the beginning.
pub fn listed<S: AsRef<str>>(names: &[S]) -> String {
    let shown: Vec<_> =
        names.iter().take(MOST_NAMES).map(|name| format!("`{}`", name.as_ref())).collect();
    match names.len().saturating_sub(MOST_NAMES) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// The known name nearest to what was written, if it is near enough to be meant.
pub fn nearest<'a, S: AsRef<str>>(written: &str, known: &'a [S]) -> Option<&'a str> {
    // A long name given by a user must not cost quadratic time.
    if written.len() > 64 {
        return None;
    }
    let distance = |name: &str| edit_distance(&written.to_lowercase(), &name.to_lowercase());
    known
        .iter()
        .map(AsRef::as_ref)
        .filter(|name| name.len() <= 64)
        .map(|name| (distance(name), name))
        .filter(|&(d, name)| d <= 1 + name.len().max(written.len()) / 4 && d < name.len())
        .min_by_key(|&(d, _)| d)
        .map(|(_, name)| name)
}

/// Insertions, deletions, replacements and swaps of neighbours from one word to another.
fn edit_distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            rows[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let replace = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                let mut least = replace.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
                if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    least = least.min(rows[i - 2][j - 2] + 1);
                }
                least
            };
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names() {
        let known = ["texture", "surface", "buffer", "scalar", "u32"];
        assert_eq!(nearest("textrue", &known), Some("texture"));
        assert_eq!(nearest("Texture", &known), Some("texture"));
        assert_eq!(nearest("bufer", &known), Some("buffer"));
        assert_eq!(nearest("u23", &known), Some("u32"));
        assert_eq!(nearest("colour", &known), None);
        assert_eq!(nearest(&"x".repeat(100_000), &known), None);
    }

    #[test]
    fn lists_end() {
        assert_eq!(listed(&["a", "b"]), "`a`, `b`");
        let many: Vec<String> = (0..500).map(|i| i.to_string()).collect();
        assert!(listed(&many).ends_with("`47` and 452 more"), "{}", listed(&many));
    }
}
