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
    /// Columns count bytes (UTF-8).
    Utf8,
    /// 16-bit code units, which every client supports.
    #[default]
    Utf16,
}

impl Encoding {
    /// The name in the protocol.
    pub(crate) fn kind(self) -> PositionEncodingKind {
        match self {
            Self::Utf8 => PositionEncodingKind::UTF8,
            Self::Utf16 => PositionEncodingKind::UTF16,
        }
    }
}

/// A text with an index of its lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Text {
    text: String,
    /// First byte of each line.
    starts: Vec<u32>,
    /// Whether the text is known to be ASCII, so that columns equal bytes.
    ascii: bool,
}

impl Text {
    /// Maximum size of a document in bytes; smaller in tests.
    pub(crate) const MAX_LEN: usize = if cfg!(test) { 1 << 16 } else { 1 << 30 };

    /// Indexes a text.
    pub(crate) fn new(text: String) -> Self {
        let mut starts = vec![0];
        line_starts(&text, 0, text.len(), &mut starts);
        let ascii = text.is_ascii();
        Self { text, starts, ascii }
    }

    /// The text.
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
        // The text after a `\r` determines whether a line begins there, so lines are searched again
        // from the line of the byte before the edit to the first line that begins after it.
        let first = self.line_of(from.saturating_sub(1));
        let kept = self.starts.partition_point(|&s| s as usize <= to);
        let moved = |s: u32| (s as usize + new.len() + from - to) as u32;
        let tail: Vec<u32> = self.starts[kept..].iter().map(|&s| moved(s)).collect();
        let end = tail.first().map_or(len, |&s| s as usize);
        self.starts.truncate(first + 1);
        let start = self.starts[first] as usize;
        self.text.replace_range(from..to, new);
        line_starts(&self.text, start, end, &mut self.starts);
        if !tail.is_empty() && self.starts.last() == tail.first() {
            self.starts.pop();
        }
        self.starts.extend(tail);
        self.ascii &= new.is_ascii();
        true
    }

    /// The byte at a position.
    pub(crate) fn offset(&self, position: Position, encoding: Encoding) -> usize {
        let Some(&start) = self.starts.get(position.line as usize) else {
            return self.text.len();
        };
        let start = start as usize;
        let line = self.line_content(position.line as usize);
        let column = position.character as usize;
        if self.ascii || encoding == Encoding::Utf8 {
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

    /// A converter for many offsets.
    pub(crate) fn converter(&self, encoding: Encoding) -> Converter<'_> {
        let counts = encoding == Encoding::Utf16 && !self.ascii;
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
    /// Code unit counts, if columns do not equal bytes.
    units: Option<Utf16<'a>>,
}

impl Converter<'_> {
    /// The position of a byte.
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

/// Adds the starts of lines in `from+1..=to`.
fn line_starts(text: &str, from: usize, to: usize, starts: &mut Vec<u32>) {
    let bytes = text.as_bytes();
    for (i, &b) in bytes[from..to].iter().enumerate() {
        let next = from + i + 1;
        if b == b'\n' || b == b'\r' && bytes.get(next) != Some(&b'\n') {
            starts.push(next as u32);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The position computed by walking the text, as the expected value of tests.
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

        #[test]
        fn an_edited_text_is_like_a_new_one(
            text in some_text(),
            edits in prop::collection::vec(
                ((0u32..8, 0u32..8), (0u32..8, 0u32..8), some_text()), 1..5),
            encoding in encodings(),
        ) {
            let mut edited = Text::new(text);
            for ((l, c), (l2, c2), new) in edits {
                let range = Range::new(Position::new(l, c), Position::new(l2, c2));
                let (a, b) =
                    (edited.offset(range.start, encoding), edited.offset(range.end, encoding));
                let mut expected = edited.as_str().to_string();
                expected.replace_range(a.min(b)..a.max(b), &new);
                prop_assert!(edited.replace(range, &new, encoding));
                let fresh = Text::new(expected);
                prop_assert_eq!(&edited.text, &fresh.text);
                prop_assert_eq!(&edited.starts, &fresh.starts);
                prop_assert!(!edited.ascii || fresh.ascii);
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
}
