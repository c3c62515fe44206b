//! The tokens of a text that need not be correct PTX, including comments: for a statement that is
//! being typed, and for edits of names and numbers. The parser uses the lexer instead, which
//! reports errors.

use crate::lexer::is_follow;
use crate::span::Span;

/// Kinds of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// A name: `name`, `%r1`, `$L`.
    Ident,
    /// A word with its dot: `.word`, `.L1::evict_last`, or a dot alone.
    Word,
    /// A number: `12`, `0x1f`, `1.5`.
    Number,
    /// A string `"..."`.
    Text,
    /// A comment, or a line that begins with `#`.
    Comment,
    /// Any other character.
    Other(u8),
}

/// A token with its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// The kind of token.
    pub kind: TokenKind,
    /// Range of the token in the text.
    pub span: Span,
    /// Whether the token is the first on its line.
    pub first_on_line: bool,
}

impl Token {
    /// The token's text; for a [`TokenKind::Word`], without the dot.
    pub fn text<'a>(&self, text: &'a str) -> &'a str {
        let whole = &text[self.span.range()];
        if self.kind == TokenKind::Word { &whole[1..] } else { whole }
    }

    /// Whether an offset is in the token or at its end.
    pub fn touches(&self, offset: usize) -> bool {
        self.span.start as usize <= offset && offset <= self.span.end as usize
    }
}

/// An iterator over the tokens of a text from an offset on.
pub struct Scan<'a> {
    bytes: &'a [u8],
    at: usize,
    first_on_line: bool,
}

impl<'a> Scan<'a> {
    /// Starts at the offset `from`, which must not be in a comment, a string or a word.
    pub fn new(text: &'a str, from: usize) -> Self {
        Self { bytes: text.as_bytes(), at: from, first_on_line: true }
    }

    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn line_end(&self) -> usize {
        let rest = &self.bytes[self.at..];
        self.at + rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len())
    }

    fn end_of_names(&self, from: usize) -> usize {
        from + self.bytes[from..].iter().take_while(|&&b| is_follow(b)).count()
    }

    fn kind_and_end(&self) -> (TokenKind, usize) {
        let at = self.at;
        match self.bytes[at] {
            b'/' if self.peek(1) == b'/' => (TokenKind::Comment, self.line_end()),
            b'/' if self.peek(1) == b'*' => {
                let rest = &self.bytes[at + 2..];
                let end = rest.windows(2).position(|w| w == b"*/");
                (TokenKind::Comment, end.map_or(self.bytes.len(), |n| at + 4 + n))
            }
            b'#' if self.first_on_line => (TokenKind::Comment, self.line_end()),
            b'@' if self.first_on_line && self.bytes[at..].starts_with(b"@@DWARF") => {
                (TokenKind::Comment, self.line_end())
            }
            b'"' => {
                let rest = &self.bytes[at + 1..];
                let len = rest.iter().position(|&b| b == b'"' || b == b'\n');
                let len = len.map_or(rest.len(), |n| n + usize::from(rest[n] == b'"'));
                (TokenKind::Text, at + 1 + len)
            }
            b'.' => (TokenKind::Word, self.end_of_word()),
            b'0'..=b'9' => {
                let mut end = self.end_of_names(at);
                if self.bytes.get(end) == Some(&b'.')
                    && self.bytes.get(end + 1).is_some_and(u8::is_ascii_digit)
                {
                    end = self.end_of_names(end + 1);
                }
                (TokenKind::Number, end)
            }
            // `%`, `$` or `_`, also without further characters: a name that is being typed.
            b'%' | b'$' | b'_' => (TokenKind::Ident, self.end_of_names(at + 1)),
            b if b.is_ascii_alphabetic() => (TokenKind::Ident, self.end_of_names(at)),
            b if b.is_ascii() => (TokenKind::Other(b), at + 1),
            b => {
                let len = self.bytes[at..].iter().take_while(|b| !b.is_ascii()).count();
                (TokenKind::Other(b), at + len)
            }
        }
    }

    fn end_of_word(&self) -> usize {
        let mut end = self.end_of_names(self.at + 1);
        while end > self.at + 1 && self.bytes[end..].starts_with(b"::") {
            end = self.end_of_names(end + 2);
        }
        end
    }
}

impl Iterator for Scan<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        while let Some(&b) = self.bytes.get(self.at) {
            if !b.is_ascii_whitespace() && b != 0x0b {
                break;
            }
            self.first_on_line |= b == b'\n';
            self.at += 1;
        }
        if self.at >= self.bytes.len() {
            return None;
        }
        let (kind, end) = self.kind_and_end();
        let span = Span::new(self.at, end);
        let first_on_line = self.first_on_line;
        // A comment does not count as the first token of its line.
        self.first_on_line &= kind == TokenKind::Comment;
        self.at = end;
        Some(Token { kind, span, first_on_line })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words() {
        let text = "%tid.x .L1::evict_last 1.5 0x1f _ %% a::b /**/ é";
        let words: Vec<_> = Scan::new(text, 0).take(7).map(|t| t.text(text)).collect();
        assert_eq!(words, ["%tid", "x", "L1::evict_last", "1.5", "0x1f", "_", "%"]);
        let kinds: Vec<_> = Scan::new(text, 0).map(|t| t.kind).take(5).collect();
        assert_eq!(
            kinds,
            [
                TokenKind::Ident,
                TokenKind::Word,
                TokenKind::Word,
                TokenKind::Number,
                TokenKind::Number
            ]
        );
    }
}
