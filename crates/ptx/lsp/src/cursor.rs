//! The statement around a cursor, found without the parser: while a user types, the statement at
//! the cursor is usually broken and missing in the syntax tree.
//!
//! [`CursorContext::find`] returns the tokens of the statement at an offset, and whether the offset
//! is inside a body or a comment, in linear time.

use texunit_isa::Opcode;
use texunit_syntax::scan::{Scan, Token, TokenKind};

/// The statement around a cursor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CursorContext {
    /// The tokens of the statement without comments; empty between statements.
    pub(crate) statement: Vec<Token>,
    /// Number of the statement's tokens that end before the offset, without the word at the cursor.
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
    /// Finds the statement around `offset`. The scan starts at `from`: a function's or the text's
    /// start.
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
    /// Number of brackets in the statement that are not closed yet.
    depth: u32,
    /// Number of blocks `{ ... }` that are not closed yet.
    blocks: u32,
}

impl Reader<'_> {
    fn starts_with_word(&self) -> bool {
        self.tokens.first().is_some_and(|t| t.kind == TokenKind::Word)
    }

    /// Whether a `{` as the next token opens a block, as opposed to a vector or an initial value.
    fn opens_block(&self) -> bool {
        let after_equal =
            self.depth > 0 || self.tokens.last().is_some_and(|t| t.kind == TokenKind::Other(b'='));
        self.tokens.is_empty() || self.starts_with_word() && !after_equal
    }

    /// Whether a token is the last of the current statement.
    fn ends_with(&self, token: &Token) -> bool {
        match token.kind {
            TokenKind::Other(b';') => true,
            TokenKind::Other(b'{') => self.opens_block(),
            TokenKind::Other(b'}') => self.depth == 0,
            TokenKind::Other(b':') => self.tokens.len() == 1 && !self.starts_with_word(),
            _ => false,
        }
    }

    /// Whether a token begins a new statement although the current statement lacks its `;`.
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

    /// The context of a cursor that `|` marks in the text: the statement's tokens, the index of the
    /// word at the cursor, the number of tokens before it, and the whole context.
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
}
