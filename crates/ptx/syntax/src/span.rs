//! Positions in a source text: spans, lines and columns.

/// A byte range `start..end` in a source text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset after the last byte.
    pub end: u32,
}

impl Span {
    /// The span `start..end`.
    pub fn new(start: usize, end: usize) -> Self {
        Self { start: start as u32, end: end as u32 }
    }

    /// The smallest span that contains `self` and `other`.
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// The span as a range of byte indices.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// Line and column of a byte, both numbered from 1; the column counts bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Location {
    /// Line number, from 1.
    pub line: u32,
    /// Column in bytes, from 1.
    pub column: u32,
}

/// A source text with its name and an index of its lines.
#[derive(Clone, Debug)]
pub struct SourceFile {
    name: String,
    text: String,
    line_starts: Vec<u32>,
    /// Information about the file's original bytes, if they were not valid UTF-8.
    lossy: Option<Box<Lossy>>,
}

/// How a text differs from the file's original bytes, which were not valid UTF-8.
#[derive(Clone, Debug)]
struct Lossy {
    /// For each U+FFFD that replaces invalid bytes: the offset of its end in the text, and how much
    /// longer the text is up to there than the original bytes.
    replaced: Vec<(u32, u32)>,
    /// The first [`FIRST`] bytes of the original file.
    first: Vec<u8>,
}

/// Number of bytes at the beginning that suffice to recognise a binary file.
const FIRST: usize = 16;

impl SourceFile {
    /// Maximum length of a text in bytes, so that spans can address it.
    pub const MAX_LEN: usize = u32::MAX as usize - 1;

    /// Makes a source file from a text. The caller must refuse texts longer than [`Self::MAX_LEN`].
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        let text = text.into();
        let line_starts = std::iter::once(0)
            .chain(text.bytes().enumerate().filter(|&(_, b)| b == b'\n').map(|(i, _)| i as u32 + 1))
            .collect();
        Self { name: name.into(), text, line_starts, lossy: None }
    }

    /// Makes a source file from bytes. Invalid UTF-8 becomes U+FFFD, which the parser reports
    /// unless it recognises a binary file. Locations count the original bytes.
    pub fn from_bytes(name: impl Into<String>, bytes: &[u8]) -> Self {
        let (mut text, mut replaced) = (String::with_capacity(bytes.len()), Vec::new());
        let mut surplus = 0;
        for chunk in bytes.utf8_chunks() {
            text.push_str(chunk.valid());
            if !chunk.invalid().is_empty() {
                text.push(char::REPLACEMENT_CHARACTER);
                // One to three invalid bytes are replaced by the three bytes of U+FFFD.
                surplus += (char::REPLACEMENT_CHARACTER.len_utf8() - chunk.invalid().len()) as u32;
                replaced.push((text.len() as u32, surplus));
            }
        }
        let first = bytes[..bytes.len().min(FIRST)].to_vec();
        let lossy = (!replaced.is_empty()).then(|| Box::new(Lossy { replaced, first }));
        Self { lossy, ..Self::new(name, text) }
    }

    /// The first bytes of the original file: enough to recognise a binary file.
    pub fn first_bytes(&self) -> &[u8] {
        let text = self.text.as_bytes();
        self.lossy.as_ref().map_or(&text[..text.len().min(FIRST)], |lossy| &lossy.first)
    }

    /// The name of the source: a path, or `<stdin>`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole source text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether invalid bytes were replaced ([`Self::from_bytes`]).
    pub fn is_lossy(&self) -> bool {
        self.lossy.is_some()
    }

    /// The offset in the original file of the byte at `offset` in the text.
    pub fn byte_offset(&self, offset: u32) -> u32 {
        let Some(Lossy { replaced, .. }) = self.lossy.as_deref() else { return offset };
        match replaced.partition_point(|&(end, _)| end <= offset) {
            0 => offset,
            n => offset - replaced[n - 1].1,
        }
    }

    /// Line and column of a byte offset; an offset past the end counts as the end.
    pub fn location(&self, offset: u32) -> Location {
        let line = self.line_starts.partition_point(|&s| s <= offset);
        let start = self.line_starts[line - 1];
        Location {
            line: line as u32,
            column: self.byte_offset(offset) - self.byte_offset(start) + 1,
        }
    }

    /// The span of a line (numbered from 1) without its line end; empty past the last line.
    pub fn line_span(&self, line: u32) -> Span {
        let end = self.text.len();
        let Some(&start) = self.line_starts.get(line.wrapping_sub(1) as usize) else {
            return Span::new(end, end);
        };
        let next = self.line_starts.get(line as usize).map_or(end, |&next| next as usize);
        let shown = self.text[start as usize..next].trim_end_matches(['\n', '\r']);
        Span { start, end: start + shown.len() as u32 }
    }

    /// The text of a line (numbered from 1) without its line end; empty past the last line.
    pub fn line(&self, line: u32) -> &str {
        &self.text[self.line_span(line).range()]
    }

    /// The text in a span; empty if the span does not fit the text.
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
        // An invalid byte, an incomplete character of two bytes, a complete character.
        let source = SourceFile::from_bytes("x", b"a\xffb\n\xe2\x82c\xe2\x82\xacd");
        assert_eq!(source.text(), "a\u{fffd}b\n\u{fffd}c\u{20ac}d");
        assert!(
            source.is_lossy() && !SourceFile::from_bytes("x", "\u{20ac}".as_bytes()).is_lossy()
        );
        for (what, line, column, byte) in
            [("a", 1, 1, 0), ("b", 1, 3, 2), ("c", 2, 3, 6), ("\u{20ac}", 2, 4, 7), ("d", 2, 7, 10)]
        {
            let at = source.text().find(what).unwrap() as u32;
            assert_eq!(
                (source.location(at), source.byte_offset(at)),
                (Location { line, column }, byte)
            );
        }
    }
}
