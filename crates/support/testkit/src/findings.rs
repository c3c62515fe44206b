//! What the cases of tests/findings say: which finding belongs to which line, and what is at its other end.
//!
//! `// finding[CODE]: words` stands on a line at which that must be found; `// finding[CODE] with A: words` says that
//! the other end is on the line with `// at A`, and `with itself` that it is on this line. The words are a part of
//! the message; `, in NAME` behind them names the variable or allocation. `// right[CODE]: why` says that a rule could
//! be thought to be broken here, and is not.

use std::fmt;

/// What must be found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expected {
    /// Line, from 1.
    pub line: u32,
    /// Kind of the finding.
    pub code: String,
    /// Line of the other end; `None`: the case does not say it.
    pub other: Option<u32>,
    /// Part of the message.
    pub words: String,
    /// Variable or allocation.
    pub object: Option<String>,
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundAt {
    /// Line, from 1.
    pub line: u32,
    /// Kind of the finding.
    pub code: String,
    /// Line of the other end, if it has one.
    pub other: Option<u32>,
    /// The message.
    pub message: String,
    /// Variable or allocation, in words.
    pub object: String,
}

impl Expected {
    /// Whether this is it.
    pub fn is(&self, found: &FoundAt) -> bool {
        let is_in = |name: &String| {
            let starts = [format!("`{name}`"), format!("`{name}+0x")];
            starts.iter().any(|start| found.object.contains(start))
        };
        self.is_near(found)
            && self.other.is_none_or(|line| found.other == Some(line))
            && found.message.contains(&self.words)
            && self.object.as_ref().is_none_or(is_in)
    }

    /// Whether it has the line and the kind.
    fn is_near(&self, found: &FoundAt) -> bool {
        self.line == found.line && self.code == found.code
    }

    /// Whether both ends are these, whichever comes first.
    pub fn has_ends(&self, found: &FoundAt) -> bool {
        let ends = (Some(self.line), self.other);
        ends == (Some(found.line), found.other) || ends == (found.other, Some(found.line))
    }
}

impl fmt::Display for FoundAt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let other = self.other.map_or_else(String::new, |line| format!(" with line {line}"));
        write!(f, "line {}: {}{other}: {}", self.line, self.code, self.message)?;
        if self.object.is_empty() { Ok(()) } else { write!(f, ", in {}", self.object) }
    }
}

/// What the lines of a case say.
///
/// # Panics
///
/// If a finding is not written as it must be, or names a line that is not there: tests call this.
pub fn expected(text: &str) -> Vec<Expected> {
    let place = |name: &str| {
        let is_it = |line: &str| line.split("// at ").skip(1).any(|rest| first(rest) == name);
        let found = (1..).zip(text.lines()).find(|(_, line)| is_it(line));
        found.unwrap_or_else(|| panic!("no line `// at {name}`")).0
    };
    let mut all = Vec::new();
    for (line, text) in (1..).zip(text.lines()) {
        for part in text.split("// finding[").skip(1) {
            let (code, rest) = part.split_once(']').expect("`// finding[code]: message`");
            let rest = rest.split(" // ").next().unwrap_or_default();
            let (with, words) = rest.split_once(':').unwrap_or((rest, ""));
            let words = words.trim();
            let (words, object) = match words.rsplit_once(", in ") {
                Some((words, object)) => (words, Some(object.trim().to_owned())),
                None => (words, None),
            };
            let other = match with.trim().strip_prefix("with ") {
                Some("itself") => Some(line),
                Some(name) => Some(place(name)),
                None => None,
            };
            let (code, words) = (code.to_owned(), words.to_owned());
            all.push(Expected { line, code, other, words, object });
        }
    }
    all
}

/// Kinds of which a case says that they could be thought to be here.
pub fn right(text: &str) -> Vec<String> {
    let parts = text.split("// right[").skip(1);
    parts.map(|part| part.split(']').next().unwrap_or_default().to_owned()).collect()
}

fn first(text: &str) -> &str {
    text.split_whitespace().next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ends_are_compared() {
        let text = "a // at A // finding[x-y]: z\nb // finding[r-w] with A: two warps, in s // finding[q] with itself: k\n";
        let all = expected(text);
        assert_eq!(all.len(), 3);
        assert_eq!((all[1].line, all[1].other, &*all[1].words), (2, Some(1), "two warps"));
        assert_eq!((all[2].other, &*all[2].words), (Some(2), "k"));
        let found = FoundAt {
            line: 2,
            code: "r-w".into(),
            other: Some(1),
            message: "of two warps".into(),
            object: "the variable `s+0x10`".into(),
        };
        assert!(all[1].is(&found));
        assert!(!all[1].is(&FoundAt { other: Some(2), ..found.clone() }));
        assert!(!all[1].is(&FoundAt { other: None, ..found.clone() }));
        assert!(!all[1].is(&FoundAt { message: "of lanes".into(), ..found.clone() }));
        assert!(!all[1].is(&FoundAt { object: "the variable `st`".into(), ..found.clone() }));
        assert!(!all[1].is(&FoundAt { line: 3, ..found }));
        assert_eq!(right("x // right[a-b]: y\n// right[c]: z"), ["a-b", "c"]);
    }
}
