//! The tokens around a cursor, found without the parser: while a user types, the statement at the
//! cursor is usually broken and missing in the syntax tree.
//!
//! [`Scan`] splits a text into tokens; [`CursorContext::find`] returns the tokens of the statement
//! at an offset, and whether the offset is inside a body or a comment. Both take linear time.

use texunit_isa::Opcode;
use texunit_syntax::Span;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
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
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    /// Position in the text.
    pub(crate) span: Span,
    /// Whether the token is the first on its line.
    pub(crate) first_on_line: bool,
}

impl Token {
    /// The text; for a [`TokenKind::Word`] without the dot.
    pub(crate) fn text<'a>(&self, text: &'a str) -> &'a str {
        let whole = &text[self.span.range()];
        if self.kind == TokenKind::Word { &whole[1..] } else { whole }
    }

    /// Whether the cursor is in the token or at its end.
    fn touches(&self, offset: usize) -> bool {
        self.span.start as usize <= offset && offset <= self.span.end as usize
    }
}

/// Whether the character is valid in a name after the first.
fn is_follow(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_' || b == b'$'
}

/// An iterator over the tokens of a text from an offset on.
pub(crate) struct Scan<'a> {
    bytes: &'a [u8],
    at: usize,
    first_on_line: bool,
}

impl<'a> Scan<'a> {
    /// Starts at `from`, which must not be in a comment, a string or a word.
    pub(crate) fn new(text: &'a str, from: usize) -> Self {
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
            // A single one of these characters is the beginning of a name.
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

/// The statement around a cursor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CursorContext {
    /// The tokens of the statement without comments; empty between statements.
    pub(crate) statement: Vec<Token>,
    /// Number of tokens that end before the offset, without the one that is being typed.
    pub(crate) before: usize,
    /// Index in `statement` of the word that contains the offset or ends at it.
    pub(crate) word: Option<usize>,
    /// Whether the cursor is inside the braces of a function.
    pub(crate) in_body: bool,
    /// Whether the cursor is inside a comment or a string.
    pub(crate) in_comment: bool,
}

/// Maximum number of tokens kept for a statement; long initial values are not needed.
const MAX_TOKENS: usize = 4096;

impl CursorContext {
    /// Finds the context of `offset`, scanning from `from`, the beginning of the text or of a
    /// function.
    pub(crate) fn find(text: &str, from: usize, offset: usize) -> Self {
        let mut reader = Reader { text, tokens: Vec::new(), depth: 0, blocks: 0 };
        let mut in_comment = false;
        for token in Scan::new(text, from) {
            let (start, end) = (token.span.start as usize, token.span.end as usize);
            if matches!(token.kind, TokenKind::Comment | TokenKind::Text) {
                let whole = &text[token.span.range()];
                let open = match token.kind {
                    TokenKind::Text => whole.len() < 2 || !whole.ends_with('"'),
                    _ => !(whole.starts_with("/*") && whole.ends_with("*/")),
                };
                in_comment |= start < offset && (offset < end || open && offset == end);
            }
            if token.kind == TokenKind::Comment {
                continue;
            }
            let behind = start > offset && (reader.tokens.is_empty() || reader.begins(&token));
            if behind || start >= offset && reader.ends_with(&token) {
                break;
            }
            reader.take(token);
        }
        reader.place(offset, in_comment)
    }
}

/// Collects the tokens of the current statement.
struct Reader<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    /// Number of open brackets in the statement.
    depth: u32,
    /// Number of open blocks.
    blocks: u32,
}

impl Reader<'_> {
    fn starts_with_word(&self) -> bool {
        self.tokens.first().is_some_and(|t| t.kind == TokenKind::Word)
    }

    /// Whether a `{` here opens a block, as opposed to a vector or an initial value.
    fn opens_block(&self) -> bool {
        let after_equal =
            self.depth > 0 || self.tokens.last().is_some_and(|t| t.kind == TokenKind::Other(b'='));
        self.tokens.is_empty() || self.starts_with_word() && !after_equal
    }

    /// Whether a token ends the statement.
    fn ends_with(&self, token: &Token) -> bool {
        match token.kind {
            TokenKind::Other(b';') => true,
            TokenKind::Other(b'{') => self.opens_block(),
            TokenKind::Other(b'}') => self.depth == 0,
            TokenKind::Other(b':') => self.tokens.len() == 1 && !self.starts_with_word(),
            _ => false,
        }
    }

    /// Whether a token begins another statement although the previous one has no end.
    fn begins(&self, token: &Token) -> bool {
        let Some(last) = self.tokens.last() else { return true };
        let guard = matches!(last.kind, TokenKind::Other(b'@' | b'!'));
        if !token.first_on_line || guard || last.kind == TokenKind::Other(b',') {
            return false;
        }
        let name = token.text(self.text);
        match token.kind {
            TokenKind::Ident => self.depth == 0 && Opcode::from_name(name).is_some(),
            TokenKind::Other(b'@') => true,
            TokenKind::Word => {
                let function = matches!(name, "entry" | "func");
                let linkage = self.tokens.len() == 1 && self.starts_with_word();
                !linkage && (function || matches!(name, "reg" | "visible" | "version" | "target"))
            }
            _ => false,
        }
    }

    fn take(&mut self, token: Token) {
        if self.ends_with(&token) {
            match token.kind {
                TokenKind::Other(b'{') => self.blocks += 1,
                TokenKind::Other(b'}') => self.blocks = self.blocks.saturating_sub(1),
                _ => {}
            }
            return self.clear();
        }
        if self.begins(&token) {
            self.clear();
        }
        match token.kind {
            TokenKind::Other(b'{' | b'(' | b'[') => self.depth += 1,
            TokenKind::Other(b'}' | b')' | b']') => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        if self.tokens.len() < MAX_TOKENS {
            self.tokens.push(token);
        }
    }

    fn clear(&mut self) {
        self.tokens.clear();
        self.depth = 0;
    }

    fn place(self, offset: usize, in_comment: bool) -> CursorContext {
        let is_word =
            |t: &Token| matches!(t.kind, TokenKind::Ident | TokenKind::Word | TokenKind::Number);
        // Between two adjacent words (`%tid` and `.x`), the cursor belongs to the first.
        let word = self.tokens.iter().position(|t| is_word(t) && t.touches(offset));
        let ended = |t: &&Token| t.span.end as usize <= offset;
        let before = word.unwrap_or_else(|| self.tokens.iter().take_while(ended).count());
        CursorContext { statement: self.tokens, before, word, in_body: self.blocks > 0, in_comment }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tokens of the statement at `|`, the index of the cursor's word, and the number of tokens
    /// before it.
    fn at(text: &str) -> (Vec<String>, Option<usize>, usize, CursorContext) {
        let offset = text.find('|').unwrap();
        let text = text.replacen('|', "", 1);
        let place = CursorContext::find(&text, 0, offset);
        let words = place.statement.iter().map(|t| text[t.span.range()].to_string()).collect();
        (words, place.word, place.before, place)
    }

    #[test]
    fn statements() {
        let (words, word, before, place) =
            at(".entry k() {\n mov.u32 %r1, 1; @!%p te|x.1d.v4 {%a, %b}, [t, %f];\n}");
        assert_eq!(words[..5], ["@", "!", "%p", "tex", ".1d"]);
        assert_eq!((word, before, place.in_body), (Some(3), 3, true));
        assert_eq!(words.last().unwrap(), "]");
        let (words, word, before, _) = at("{ tex.|\n mov.u32 %r1, 2; }");
        assert_eq!((words, word, before), (vec!["tex".into(), ".".into()], Some(1), 1));
        let (words, word, before, _) = at("{ ld.global.u32 %r1, [%rd1 + |] ; }");
        assert_eq!((words.len(), word, before), (9, None, 8));
        let (words, _, _, place) = at("{ L: | }");
        assert!(words.is_empty() && place.in_body);
        let (words, word, ..) = at(".version 8.0\n.tar|get sm_75");
        assert_eq!((words[0].as_str(), word), (".target", Some(0)));
        let (words, _, _, place) = at(".global .u32 a[2] = { 1, | };");
        assert!(!place.in_body && words.contains(&"=".to_string()));
        assert!(!at(".func f() { } |").3.in_body);
    }

    #[test]
    fn comments_and_strings() {
        for text in ["// a|b", "/* | */", "/* ; |", "// x|", ".file 1 \"a|\"", "#li|ne", "\"a|"] {
            assert!(at(text).3.in_comment, "{text}");
        }
        for text in ["/* */|", "|// a", "// a\n|", "\"a\"|", "|\"a\""] {
            assert!(!at(text).3.in_comment, "{text}");
        }
    }

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
