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

    /// The text of a line (counted from 1) without its line end; empty past the last line.
    pub fn line(&self, line: u32) -> &str {
        let Some(&start) = self.line_starts.get(line.wrapping_sub(1) as usize) else {
            return "";
        };
        let end = self.line_starts.get(line as usize).map_or(self.text.len(), |&e| e as usize);
        self.text[start as usize..end].trim_end_matches(['\n', '\r'])
    }

    /// The text under a span.
    pub fn snippet(&self, span: Span) -> &str {
        self.text.get(span.range()).unwrap_or("")
    }
}
