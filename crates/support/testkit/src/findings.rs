//! The annotations in the cases of tests/findings, which state the expected findings with their
//! lines.
//!
//! `// finding[CODE]: words` on a line expects a finding there. `// finding[CODE] with A: words`
//! also expects its other side on the line with `// at A`, and `with itself` on the same line. The
//! words must be part of the message; `, in NAME` after them names the variable or allocation. `//
//! right[CODE]: why` marks code that resembles a violation of the rule but is correct.

use std::fmt;

/// An expected finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expected {
    /// Line of the finding, from 1.
    pub line: u32,
    /// Code of the finding.
    pub code: String,
    /// Line of the finding's other side; `None` if the case does not state it.
    pub other: Option<u32>,
    /// Words that the message must contain.
    pub words: String,
    /// Name of the variable or allocation, if the case states it.
    pub object: Option<String>,
}

/// An actual finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundAt {
    /// Line of the finding, from 1.
    pub line: u32,
    /// Code of the finding.
    pub code: String,
    /// Line of the finding's other side, if there is one.
    pub other: Option<u32>,
    /// Message of the finding.
    pub message: String,
    /// Description of the variable or allocation.
    pub object: String,
}

impl Expected {
    /// Whether an actual finding satisfies all that the annotation states.
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

    /// Whether the line and code of an actual finding are the expected ones.
    fn is_near(&self, found: &FoundAt) -> bool {
        self.line == found.line && self.code == found.code
    }

    /// Whether both lines of an actual finding are the expected ones, in either order.
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

/// Parses the annotations of a case.
///
/// # Panics
///
/// If an annotation is malformed or refers to a missing line.
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

/// The codes in `right` annotations.
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
