//! Mistakes in a file as data. They are collected, so that one run reports all of them.

use std::ops::Range;

/// A replacement: a byte range of the file, and its new text.
pub type Edit = (Range<usize>, String);

/// A mistake in a file, or a note about one of its keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Stable code, listed in docs/jobs.md.
    pub code: &'static str,
    /// Dotted path of the key with the mistake, such as `params.out.buffer`; empty for the file
    /// itself.
    pub key: String,
    /// Byte range of the mistake in the file.
    pub span: Range<usize>,
    /// The message: one sentence without a full stop.
    pub message: String,
    /// Advice on what to write instead.
    pub help: Option<String>,
    /// Replacements that correct the problem; empty if the correction is not certain.
    pub edits: Box<[Edit]>,
}

/// Codes of problems that any file of this dialect can have.
pub mod codes {
    /// An unknown key.
    pub const UNKNOWN_KEY: &str = "J0002";
    /// A required key is missing.
    pub const MISSING_KEY: &str = "J0003";
    /// The value has the wrong type for its key.
    pub const TYPE: &str = "J0004";
    /// The value has the right type but is invalid.
    pub const VALUE: &str = "J0005";
    /// Keys that exclude each other are both present.
    pub const CONFLICT: &str = "J0006";
    /// A note, not a mistake: an outdated name of a key or value.
    pub const OLD_NAME: &str = "J0012";
}

impl Problem {
    /// Makes a problem for a key and its byte range.
    pub fn new(code: &'static str, at: (&str, Range<usize>), message: impl Into<String>) -> Self {
        let (key, span) = (at.0.to_owned(), at.1);
        Self { code, key, span, message: message.into(), help: None, edits: Box::default() }
    }

    /// Adds advice on what to write instead.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }

    /// Adds a suggestion from the valid names.
    #[must_use]
    pub fn suggest<S: AsRef<str>>(self, written: &str, known: &[S]) -> Self {
        if known.is_empty() { self } else { self.help(instead(written, known)) }
    }
}

/// Maximum number of names in a list.
const MAX_NAMES: usize = 48;
/// Maximum length of names that are compared: a name from a user must not cost quadratic time.
const MAX_NAME: usize = 64;

/// A list of quoted names, truncated if it is long.
pub fn listed<S: AsRef<str>>(names: &[S]) -> String {
    let shown: Vec<_> =
        names.iter().take(MAX_NAMES).map(|name| format!("`{}`", name.as_ref())).collect();
    match names.len().saturating_sub(MAX_NAMES) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// Advice for an unknown name: the most similar valid name, or a list of all valid names.
pub fn instead<S: AsRef<str>>(written: &str, known: &[S]) -> String {
    match nearest(written, known) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("expected {}", listed(known)),
    }
}

/// The valid name that is most similar to a misspelt one, if any is similar enough.
pub fn nearest<'a, S: AsRef<str>>(written: &str, known: &'a [S]) -> Option<&'a str> {
    if written.len() > MAX_NAME {
        return None;
    }
    let distance = |name: &str| strsim::osa_distance(&written.to_lowercase(), &name.to_lowercase());
    known
        .iter()
        .map(AsRef::as_ref)
        .filter(|name| name.len() <= MAX_NAME)
        .map(|name| (distance(name), name))
        .filter(|&(d, name)| d <= 1 + name.len().max(written.len()) / 4 && d < name.len())
        .min_by_key(|&(d, _)| d)
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names() {
        let known = ["texture", "surface", "buffer", "scalar", "u32"];
        let near = ["textrue", "Texture", "bufer", "u23"].map(|name| nearest(name, &known));
        assert_eq!(near, ["texture", "texture", "buffer", "u32"].map(Some));
        assert_eq!(["colour", &"x".repeat(100_000)].map(|name| nearest(name, &known)), [None; 2]);
    }

    #[test]
    fn lists_end() {
        assert_eq!(listed(&["a", "b"]), "`a`, `b`");
        let many: Vec<String> = (0..500).map(|i| i.to_string()).collect();
        assert!(listed(&many).ends_with("`47` and 452 more"), "{}", listed(&many));
    }
}
