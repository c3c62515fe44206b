//! Places in a source text.

/// A range of bytes, `start..end`, of one source text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The span `start..end`.
    pub fn new(start: usize, end: usize) -> Self {
        Self { start: start as u32, end: end as u32 }
    }

    /// The smallest span that covers both.
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// As a range of byte indices.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// Line and column of a byte, both counted from 1; the column counts bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Location {
    /// Line, from 1.
    pub line: u32,
    /// Column in bytes, from 1.
    pub column: u32,
}

/// A named source text with an index of its lines.
#[derive(Clone, Debug)]
pub struct SourceFile {
    name: String,
    text: String,
    line_starts: Vec<u32>,
}

impl SourceFile {
    /// Longest text that spans can address.
    pub const MAX_LEN: usize = u32::MAX as usize - 1;

    /// Wraps a text. Texts longer than [`Self::MAX_LEN`] must be refused by the caller.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        let text = text.into();
        let line_starts = std::iter::once(0)
            .chain(text.bytes().enumerate().filter(|&(_, b)| b == b'\n').map(|(i, _)| i as u32 + 1))
            .collect();
        Self { name: name.into(), text, line_starts }
    }

    /// Wraps bytes that should be text. What is not UTF-8 becomes U+FFFD, which the parser refuses
    /// with its place, or recognises as the binary file that it is.
    pub fn from_bytes(name: impl Into<String>, bytes: &[u8]) -> Self {
        Self::new(name, String::from_utf8_lossy(bytes))
    }

    /// The name given at creation: a path, or `<stdin>`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Line and column of a byte offset (past the end: the end).
    pub fn location(&self, offset: u32) -> Location {
        let line = self.line_starts.partition_point(|&s| s <= offset);
        Location { line: line as u32, column: offset - self.line_starts[line - 1] + 1 }
    }

    /// The bytes of a line (counted from 1) without its line end; empty past the last line.
    pub fn line_span(&self, line: u32) -> Span {
        let end = self.text.len();
        let Some(&start) = self.line_starts.get(line.wrapping_sub(1) as usize) else {
            return Span::new(end, end);
        };
        let next = self.line_starts.get(line as usize).map_or(end, |&next| next as usize);
        let shown = self.text[start as usize..next].trim_end_matches(['\n', '\r']);
        Span { start, end: start + shown.len() as u32 }
    }

    /// The text of a line (counted from 1) without its line end; empty past the last line.
    pub fn line(&self, line: u32) -> &str {
        &self.text[self.line_span(line).range()]
    }

    /// The text under a span.
    pub fn snippet(&self, span: Span) -> &str {
        self.text.get(span.range()).unwrap_or("")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places() {
        let source = SourceFile::new("k.ptx", "ab\r\n\ncd");
        let at = |offset| (source.location(offset).line, source.location(offset).column);
        assert_eq!(
            [at(0), at(1), at(4), at(5), at(6), at(7)],
            [(1, 1), (1, 2), (2, 1), (3, 1), (3, 2), (3, 3)]
        );
        assert_eq!(
            [source.line(0), source.line(1), source.line(2), source.line(3)],
            ["", "ab", "", "cd"]
        );
        assert_eq!(source.line(4), "");
        assert_eq!(source.line(u32::MAX), "");
        assert_eq!(source.line_span(3), Span::new(5, 7));
        assert_eq!(source.snippet(Span::new(1, 6)), "b\r\n\nc");
        assert_eq!(source.snippet(Span::new(1, 60)), "");
    }

    #[test]
    fn bytes_that_are_no_text() {
        assert_eq!(SourceFile::from_bytes("x", b"a\xffb").text(), "a\u{fffd}b");
    }
}
