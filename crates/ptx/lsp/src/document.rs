//! The text of an open document: conversion between byte offsets and LSP positions, and edits.
//!
//! Lines end with `\n`, `\r\n` or a lone `\r`, as in the protocol. A position outside the text is
//! clamped; a position within a character is its beginning.

use lsp_types::{Position, PositionEncodingKind, Range};
use texunit_syntax::Span;
use texunit_syntax::utf16::Utf16;

/// The unit of a position's column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// Columns count the bytes of the UTF-8 text.
    Utf8,
    /// Columns count UTF-16 code units, which every client supports.
    #[default]
    Utf16,
}

impl Encoding {
    /// The name of the encoding in the protocol.
    pub(crate) fn kind(self) -> PositionEncodingKind {
        match self {
            Self::Utf8 => PositionEncodingKind::UTF8,
            Self::Utf16 => PositionEncodingKind::UTF16,
        }
    }
}

/// A document's text with an index of its lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Text {
    text: String,
    /// Offset of the first byte of each line.
    starts: Vec<u32>,
}

impl Text {
    /// Maximum size of a document in bytes; smaller in tests.
    pub(crate) const MAX_LEN: usize = if cfg!(test) { 1 << 16 } else { 1 << 30 };

    /// Finds the lines of a text.
    pub(crate) fn new(text: String) -> Self {
        let bytes = text.as_bytes();
        let ends_line = |(at, &byte): (usize, &u8)| {
            (byte == b'\n' || byte == b'\r' && bytes.get(at + 1) != Some(&b'\n'))
                .then_some(at as u32 + 1)
        };
        let starts =
            [0].into_iter().chain(bytes.iter().enumerate().filter_map(ends_line)).collect();
        Self { text, starts }
    }

    /// The document's whole text.
    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// Replaces the text between two positions, in either order. Returns false, without a change,
    /// if the text would exceed [`Self::MAX_LEN`].
    pub(crate) fn replace(&mut self, range: Range, new: &str, encoding: Encoding) -> bool {
        let (a, b) = (self.offset(range.start, encoding), self.offset(range.end, encoding));
        let (from, to) = (a.min(b), a.max(b));
        let len = self.text.len() - (to - from) + new.len();
        if len > Self::MAX_LEN {
            return false;
        }
        self.text.replace_range(from..to, new);
        *self = Self::new(std::mem::take(&mut self.text));
        true
    }

    /// The byte offset of a position.
    pub(crate) fn offset(&self, position: Position, encoding: Encoding) -> usize {
        let Some(&start) = self.starts.get(position.line as usize) else {
            return self.text.len();
        };
        let start = start as usize;
        let line = self.line_content(position.line as usize);
        let column = position.character as usize;
        if encoding == Encoding::Utf8 {
            return start + line.floor_char_boundary(column);
        }
        let mut units = 0;
        for (at, c) in line.char_indices() {
            units += c.len_utf16();
            if units > column {
                return start + at;
            }
        }
        start + line.len()
    }

    pub(crate) fn range(&self, span: Span, encoding: Encoding) -> Range {
        self.converter(encoding).range(span)
    }

    /// A converter to positions, for many offsets.
    pub(crate) fn converter(&self, encoding: Encoding) -> Converter<'_> {
        let counts = encoding == Encoding::Utf16;
        Converter { text: self, units: counts.then(|| Utf16::new(&self.text)) }
    }

    fn line_of(&self, offset: usize) -> usize {
        self.starts.partition_point(|&s| s as usize <= offset) - 1
    }

    /// The text of a line without its line end.
    fn line_content(&self, line: usize) -> &str {
        let start = self.starts[line] as usize;
        let end = self.starts.get(line + 1).map_or(self.text.len(), |&s| s as usize);
        let whole = &self.text[start..end];
        if line + 1 == self.starts.len() {
            return whole;
        }
        whole.strip_suffix("\r\n").or(whole.strip_suffix(['\n', '\r'])).unwrap_or(whole)
    }
}

/// Converts offsets to positions, in constant time even in long lines.
pub(crate) struct Converter<'a> {
    text: &'a Text,
    /// The columns in UTF-16 code units; `None` if the client counts columns in bytes.
    units: Option<Utf16<'a>>,
}

impl Converter<'_> {
    /// The position of a byte offset.
    pub(crate) fn position(&self, offset: usize) -> Position {
        let text = self.text;
        let offset = text.text.floor_char_boundary(offset);
        let line = text.line_of(offset);
        let start = text.starts[line] as usize;
        let offset = offset.min(start + text.line_content(line).len());
        let column = match &self.units {
            Some(units) => units.before(offset) - units.before(start),
            None => (offset - start) as u32,
        };
        Position::new(line as u32, column)
    }

    pub(crate) fn range(&self, span: Span) -> Range {
        Range::new(self.position(span.start as usize), self.position(span.end as usize))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The position of a byte offset, computed by walking the text: the expected value in tests.
    fn slow_position(text: &str, offset: usize, encoding: Encoding) -> Position {
        let (mut line, mut column) = (0, 0);
        let mut chars = text.char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            if at + c.len_utf8() > offset {
                break;
            }
            let follows = chars.peek().map(|&(_, c)| c);
            if c == '\n' || c == '\r' && follows != Some('\n') {
                (line, column) = (line + 1, 0);
            } else if c != '\r' {
                column += match encoding {
                    Encoding::Utf8 => c.len_utf8(),
                    Encoding::Utf16 => c.len_utf16(),
                };
            }
        }
        Position::new(line, column as u32)
    }

    fn some_text() -> impl Strategy<Value = String> {
        const PIECES: &[&str] = &["a", "%r1", "é", "𝄞", "\n", "\r", "\r\n", " ", "日"];
        prop::collection::vec(prop::sample::select(PIECES), 0..20).prop_map(|p| p.concat())
    }

    fn encodings() -> impl Strategy<Value = Encoding> {
        prop::sample::select(&[Encoding::Utf8, Encoding::Utf16][..])
    }

    proptest! {
        #[test]
        fn positions_agree_with_the_slow_way(
            text in some_text(),
            offsets in prop::collection::vec(0usize..80, 1..20),
            encoding in encodings(),
        ) {
            let indexed = Text::new(text.clone());
            let converter = indexed.converter(encoding);
            for offset in offsets {
                let expected = slow_position(&text, offset, encoding);
                prop_assert_eq!(converter.position(offset), expected);
                let back = indexed.offset(expected, encoding);
                prop_assert!(text.is_char_boundary(back));
                prop_assert_eq!(slow_position(&text, back, encoding), expected);
            }
        }
    }

    #[test]
    fn columns_of_both_encodings() {
        let text = Text::new("// é𝄞x\r\nab".into());
        let x = text.as_str().find('x').unwrap_or(0);
        for (encoding, column) in [(Encoding::Utf8, 9), (Encoding::Utf16, 6)] {
            assert_eq!(text.converter(encoding).position(x), Position::new(0, column));
        }
        assert_eq!(text.offset(Position::new(0, 6), Encoding::Utf16), x);
        assert_eq!(text.offset(Position::new(0, 99), Encoding::Utf16), x + 1);
        assert_eq!(text.offset(Position::new(9, 0), Encoding::Utf8), text.as_str().len());
        assert_eq!(text.offset(Position::new(0, 5), Encoding::Utf16), 5);
    }

    #[test]
    fn edits() {
        let mut edited = Text::new("ab\r\ncd".into());
        // A reversed range, from behind the text's end back to the first line's end.
        let range = Range::new(Position::new(9, 0), Position::new(0, 7));
        assert!(edited.replace(range, "x\ry", Encoding::Utf16));
        assert_eq!(edited, Text::new("abx\ry".into()));
        let range = Range::new(Position::new(1, 0), Position::new(1, 0));
        assert!(edited.replace(range, "\n", Encoding::Utf16));
        assert_eq!((edited.as_str(), &edited.starts[..]), ("abx\r\ny", &[0, 5][..]));
    }
}
