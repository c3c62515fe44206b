//! Edits a text without knowledge of its syntax, and splits it into names and numbers.

use std::ops::Range;
use texunit_syntax::scan::{Scan, TokenKind};

/// An edit of a text: the range of bytes that is replaced, and the replacement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Edit {
    pub(crate) range: Range<usize>,
    pub(crate) with: String,
}

impl Edit {
    pub(crate) fn remove(range: Range<usize>) -> Self {
        Self { range, with: String::new() }
    }

    pub(crate) fn replace(range: Range<usize>, with: impl Into<String>) -> Self {
        Self { range, with: with.into() }
    }
}

/// Applies edits; an edit inside another one is ignored. Lines that become empty are removed.
pub(crate) fn apply<'a>(text: &str, edits: impl IntoIterator<Item = &'a Edit>) -> String {
    let mut edits: Vec<&Edit> = edits.into_iter().collect();
    edits.sort_by_key(|e| (e.range.start, usize::MAX - e.range.end));
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for edit in edits {
        if edit.range.start < at {
            continue;
        }
        let range = match edit.with.is_empty() {
            true => whole_line(text, &edit.range),
            false => edit.range.clone(),
        };
        out += &text[at..range.start.max(at)];
        out += &edit.with;
        at = range.end;
    }
    out + &text[at..]
}

/// The range, extended to the whole line if the rest of the line is empty.
fn whole_line(text: &str, range: &Range<usize>) -> Range<usize> {
    let start = text[..range.start].rfind('\n').map_or(0, |n| n + 1);
    let end = text[range.end..].find('\n').map_or(text.len(), |n| range.end + n + 1);
    let blank = |part: &str| part.bytes().all(|b| b.is_ascii_whitespace());
    match blank(&text[start..range.start]) && blank(&text[range.end..end]) {
        true => start..end,
        false => range.clone(),
    }
}

/// A name or number in a text, with its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Word<'a> {
    pub(crate) text: &'a str,
    pub(crate) start: usize,
}

impl Word<'_> {
    pub(crate) fn range(&self) -> Range<usize> {
        self.start..self.start + self.text.len()
    }

    pub(crate) fn is_number(&self) -> bool {
        self.text.starts_with(|c: char| c.is_ascii_digit())
    }
}

/// The names and numbers of a text, without comments, strings, directives and modifiers.
pub(crate) fn words(text: &str) -> Vec<Word<'_>> {
    Scan::new(text, 0)
        .filter(|token| matches!(token.kind, TokenKind::Ident | TokenKind::Number))
        .map(|token| Word { text: token.text(text), start: token.span.start as usize })
        .collect()
}

/// Edits that remove all comments.
pub(crate) fn comments(text: &str) -> Vec<Edit> {
    Scan::new(text, 0)
        .filter(|token| token.kind == TokenKind::Comment && token.text(text).starts_with('/'))
        .map(|token| Edit::remove(token.span.range()))
        .collect()
}

/// Edits that remove empty lines.
pub(crate) fn blank_lines(text: &str) -> Vec<Edit> {
    let (mut edits, mut at) = (Vec::new(), 0);
    for line in text.split_inclusive('\n') {
        if line.trim().is_empty() {
            edits.push(Edit::remove(at..at + line.len()));
        }
        at += line.len();
    }
    edits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits() {
        let text = "a b;\n\tc;\n{ d }\n";
        let gone = |ranges: &[[usize; 2]]| {
            let edits: Vec<Edit> = ranges.iter().map(|&[a, b]| Edit::remove(a..b)).collect();
            apply(text, &edits)
        };
        assert_eq!(gone(&[[2, 4]]), "a \n\tc;\n{ d }\n");
        assert_eq!(gone(&[[6, 8], [0, 4]]), "{ d }\n");
        // The edit inside another one is ignored.
        assert_eq!(gone(&[[9, 14], [11, 12]]), "a b;\n\tc;\n");
        assert_eq!(apply(text, &[Edit::replace(11..12, "ee")]), "a b;\n\tc;\n{ ee }\n");
        assert_eq!(apply(text, &[]), text);
    }

    #[test]
    fn words_of_ptx() {
        let text = "/* x */ ld.param.u32 %r1, [p_0+4]; // y\nmov.f32 %f<3>, 0f3F800000;\n\"a b\" .5 %tid.x";
        let found: Vec<_> = words(text).iter().map(|w| w.text).collect();
        assert_eq!(found, ["ld", "%r1", "p_0", "4", "mov", "%f", "3", "0f3F800000", "%tid"]);
        assert_eq!(words("\"unclosed").len() + words("/*").len() + words("é\"").len(), 0);
        let text = "a // b\n/* c\n*/ d \"// e\"\n\n f";
        assert_eq!(apply(text, &comments(text)), "a \n d \"// e\"\n\n f");
        assert_eq!(apply(text, &blank_lines(text)), "a // b\n/* c\n*/ d \"// e\"\n f");
    }
}
