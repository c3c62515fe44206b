//! The lexer: converts text to tokens, byte by byte. Every byte belongs to a token, white space, a
//! comment, a `#` line or an error; the parser never looks at characters.

use crate::diagnostic::Diagnostic;
use crate::number;
use crate::span::Span;
use crate::token::{PUNCTUATION, SINGLE, Token, TokenKind};

/// The tokens of a text, ending with [`TokenKind::End`], and lexical errors.
pub(crate) struct Lexed {
    pub(crate) tokens: Vec<Token>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

pub(crate) fn lex(text: &str) -> Lexed {
    let mut lexer = Lexer {
        text,
        bytes: text.as_bytes(),
        at: 0,
        first_on_line: true,
        // The capacity is usually too large, which costs nothing: unused pages are not touched.
        tokens: Vec::with_capacity(text.len() / 2),
        diagnostics: Vec::new(),
    };
    if text.starts_with('\u{feff}') {
        let help = "save the file without a byte order mark";
        let message = "byte order mark at the beginning".into();
        lexer.error_fixed("E0002", 0, 3, message, help, &[(0, 3, "")]);
        lexer.at = 3;
    }
    while lexer.at < lexer.bytes.len() {
        lexer.step();
    }
    let end = lexer.bytes.len();
    lexer.push(TokenKind::End, end, end);
    Lexed { tokens: lexer.tokens, diagnostics: lexer.diagnostics }
}

/// The spans of a text's tokens. The last span is empty, at the end of the text.
pub fn token_spans(text: &str) -> impl Iterator<Item = Span> {
    lex(text).tokens.into_iter().map(|token| token.span)
}

/// Maximum number of lexical errors; more than are shown, because the parser drops some.
const MAX_ERRORS: usize = 10_000;

/// Maximum number of non-ASCII characters in a comment that a correction replaces.
const MAX_REPLACED: usize = 1000;

/// The ASCII replacement of a non-ASCII character in a comment.
fn look_alike(c: char) -> &'static str {
    match c {
        '\u{feff}' | '\u{200b}' | '\u{200d}' => "",
        '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{3000}' => " ",
        '\u{2010}'..='\u{2015}' | '\u{2212}' => "-",
        '\u{2018}' | '\u{2019}' | '\u{b4}' => "'",
        '\u{201c}' | '\u{201d}' | '\u{ab}' | '\u{bb}' => "\"",
        '\u{d7}' => "x",
        '\u{b5}' | '\u{3bc}' => "u",
        '\u{2190}' => "<-",
        '\u{2192}' => "->",
        '\u{2264}' => "<=",
        '\u{2265}' => ">=",
        '\u{2026}' => "...",
        _ => "?",
    }
}

struct Lexer<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    first_on_line: bool,
    tokens: Vec<Token>,
    diagnostics: Vec<Diagnostic>,
}

/// For each character, whether it is valid in a name after the first character.
const FOLLOW: [bool; 256] = {
    let mut follow = [false; 256];
    let mut b = 0;
    while b < 128 {
        follow[b] = (b as u8).is_ascii_alphanumeric() || b as u8 == b'_' || b as u8 == b'$';
        b += 1;
    }
    follow
};

/// Whether a character is valid in a name after the first character.
pub(crate) fn is_follow(b: u8) -> bool {
    FOLLOW[usize::from(b)]
}

/// The beginning of a line of debug information before PTX ISA 2.0.
const DWARF: &str = "@@DWARF";

/// The length of a preprocessor line marker at the beginning of a text, without its line end: `#`,
/// possibly `line`, a number, a file name in quotes, more numbers.
fn length_of_marker(text: &str) -> Option<usize> {
    let blank = |c: char| matches!(c, ' ' | '\t' | '\r' | '\x0c');
    let rest = text.strip_prefix('#')?.trim_start_matches(blank);
    let number = rest.strip_prefix("line").unwrap_or(rest).trim_start_matches(blank);
    let gap = number.trim_start_matches(|c: char| c.is_ascii_digit());
    let name = gap.trim_start_matches(blank);
    if gap.len() == number.len() || name.len() == gap.len() {
        return None;
    }
    let (_, after) = name.strip_prefix('"')?.split_once('"')?;
    let (flags, _) = after.split_once('\n')?;
    let digits = |word: &str| word.bytes().all(|b| b.is_ascii_digit());
    let numbers = flags.split(blank).enumerate().all(|(n, w)| w.is_empty() || n > 0 && digits(w));
    numbers.then(|| text.len() - after.len() + flags.len())
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn push(&mut self, kind: TokenKind, start: usize, end: usize) {
        let span = Span::new(start, end);
        self.tokens.push(Token { kind, first_on_line: self.first_on_line, span });
        self.first_on_line = false;
        self.at = end;
    }

    fn error(&mut self, code: &'static str, start: usize, end: usize, message: String, help: &str) {
        self.error_fixed(code, start, end, message, help, &[]);
    }

    /// Reports an error with a correction: ranges and their new texts.
    fn error_fixed(
        &mut self,
        code: &'static str,
        start: usize,
        end: usize,
        message: String,
        help: &str,
        fix: &[(usize, usize, &str)],
    ) {
        if self.diagnostics.len() >= MAX_ERRORS {
            return;
        }
        let diagnostic = Diagnostic::error(code, Span::new(start, end), message).help(help);
        let add =
            |d: Diagnostic, &(a, b, text): &(usize, usize, &str)| d.fix(Span::new(a, b), text);
        self.diagnostics.push(fix.iter().fold(diagnostic, add));
    }

    fn step(&mut self) {
        let start = self.at;
        match self.bytes[start] {
            b'\n' => {
                self.first_on_line = true;
                self.at += 1;
            }
            b' ' | b'\t' | b'\r' | 0x0c | 0x1a => self.at += 1,
            b'/' if self.peek(1) == b'/' => self.line_comment(),
            b'/' if self.peek(1) == b'*' => self.block_comment(),
            b'#' => self.line_marker(),
            b'@' if self.text[start..].starts_with(DWARF) => {
                self.push(TokenKind::Word, start, start + DWARF.len());
            }
            b'"' => self.string(),
            b'.' => self.dot(),
            b'0'..=b'9' => self.number(),
            b'_' if !is_follow(self.peek(1)) => self.push(TokenKind::Underscore, start, start + 1),
            b'%' | b'$' | b'_' if is_follow(self.peek(1)) => self.name(),
            b if b.is_ascii_alphabetic() => self.name(),
            _ => self.punctuation(),
        }
    }

    fn name(&mut self) {
        let start = self.at;
        let more = self.bytes[start + 1..].iter().take_while(|&&b| is_follow(b)).count();
        self.push(TokenKind::Ident, start, start + 1 + more);
    }

    fn number(&mut self) {
        let start = self.at;
        let scanned = number::scan(&self.text[start..]);
        let end = start + scanned.len;
        match scanned.kind {
            Ok(kind) => self.push(kind, start, end),
            Err(malformed) => {
                let (code, message, help) = (malformed.code, malformed.message, malformed.help);
                match number::without_c_suffix(&self.text[start..end]) {
                    Some(right) => {
                        let fix = [(start, end, right.as_str())];
                        self.error_fixed(code, start, end, message, &help, &fix);
                    }
                    None => self.error(code, start, end, message, &help),
                }
                self.push(malformed.meant, start, end);
            }
        }
    }

    /// Reads a token that begins with a dot: `.word`, `.L1::evict_last`, `.2d`, or `.5` where a
    /// value is expected.
    fn dot(&mut self) {
        let start = self.at;
        let value_due = self.tokens.last().is_some_and(|t| t.kind.expects_value());
        if value_due && self.peek(1).is_ascii_digit() {
            return self.number();
        }
        let mut end = start + 1;
        loop {
            end += self.bytes[end..].iter().take_while(|&&b| is_follow(b)).count();
            let next = self.bytes.get(end + 2).copied().unwrap_or(0);
            if end == start + 1 || !self.text[end..].starts_with("::") || !is_follow(next) {
                break;
            }
            end += 2;
        }
        if end > start + 1 {
            return self.push(TokenKind::Word, start, end);
        }
        let gap = self.bytes[end..].iter().take_while(|b| b.is_ascii_whitespace()).count();
        let word = self.bytes[end + gap..].iter().take_while(|&&b| is_follow(b)).count();
        if gap > 0 && word > 0 {
            let end = end + gap + word;
            let shown = &self.text[end - word..end];
            let help = format!("write `.{shown}`; a space is allowed before the dot");
            let gap = [(start + 1, end - word, "")];
            self.error_fixed("E0016", start, end, "space after a dot".into(), &help, &gap);
            return self.push(TokenKind::Word, end - word, end);
        }
        let help = "directives and modifiers are a dot and a word, as in `.u32`";
        self.error("E0010", start, end, "a dot without a word".into(), help);
        self.push(TokenKind::Bad, start, end);
    }

    fn string(&mut self) {
        let start = self.at;
        let rest = &self.bytes[start + 1..];
        let mut len = rest.iter().position(|&b| b == b'"' || b == b'\n').unwrap_or(rest.len());
        if rest.get(len) == Some(&b'\n')
            && let Some((text, after)) = self.text[start + 1..].split_once('"')
            && after.trim_start().starts_with([';', ','])
        {
            // A quote after the line end closes this string, and begins no other string.
            len = text.len();
        }
        let end = start + 1 + len;
        if rest.get(len) != Some(&b'"') {
            let help = "a string ends with `\"` on the line where it begins";
            self.error("E0012", start, end, "unterminated string".into(), help);
            return self.push(TokenKind::Text, start, end);
        }
        self.check_ascii(start, end + 1, "a string");
        self.push(TokenKind::Text, start, end + 1);
    }

    fn line_comment(&mut self) {
        let start = self.at;
        self.skip_line();
        self.check_ascii(start, self.at, "a comment");
    }

    fn block_comment(&mut self) {
        let start = self.at;
        match self.text[start + 2..].find("*/") {
            Some(len) => self.at = start + 2 + len + 2,
            None => {
                let help = "end the comment with `*/`; comments do not nest";
                self.error("E0011", start, start + 2, "unterminated comment".into(), help);
                self.at = self.bytes.len();
            }
        }
        self.first_on_line |= self.text[start..self.at].contains('\n');
        self.check_ascii(start, self.at, "a block comment");
    }

    /// Skips `# 1 "a.cu"` or `#line 1 "a.cu"`, the only preprocessor lines that ptxas accepts.
    fn line_marker(&mut self) {
        let start = self.at;
        match length_of_marker(&self.text[start..]) {
            Some(len) => {
                self.at += len;
                self.first_on_line = true;
                self.check_ascii(start, self.at, "a line marker");
            }
            None if self.first_on_line => {
                self.skip_line();
                let help = "of a preprocessor's lines PTX has `# 1 \"file\"` and `#line 1 \"file\"`; \
                            each on a line of its own; comments begin with `//`";
                let message = "not a line marker".to_owned();
                self.error("E0010", start, self.at, message, help);
            }
            None => self.punctuation(),
        }
    }

    fn skip_line(&mut self) {
        let rest = &self.bytes[self.at..];
        self.at += rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
    }

    /// Reports non-ASCII characters, which some releases of ptxas refuse even in comments.
    fn check_ascii(&mut self, start: usize, end: usize, place: &str) {
        let Some(offset) = self.bytes[start..end].iter().position(|b| !b.is_ascii()) else {
            return;
        };
        let from = start + offset;
        let len = self.bytes[from..end].iter().take_while(|b| !b.is_ascii()).count();
        self.non_ascii(from, from + len, &format!(" in {place}"));
        let comment = self.bytes[start] == b'/';
        if let Some(diagnostic) = self.diagnostics.last_mut().filter(|_| comment) {
            // Any replacement is valid in a comment; similar ASCII characters are the most
            // readable.
            let others = self.text[from..end].char_indices().filter(|(_, c)| !c.is_ascii());
            for (at, c) in others.take(MAX_REPLACED) {
                let span = Span::new(from + at, from + at + c.len_utf8());
                diagnostic.fix.push(crate::Edit { span, text: look_alike(c).to_owned() });
            }
        }
    }

    fn non_ascii(&mut self, start: usize, end: usize, place: &str) {
        let shown: String = self.text[start..end].chars().take(8).collect();
        let message = format!("non-ASCII character `{}`{place}", shown.escape_debug());
        let help = "PTX is ASCII only, in comments and strings too: remove the character or write it in ASCII";
        self.error("E0017", start, end, message, help);
    }

    fn punctuation(&mut self) {
        let start = self.at;
        if let Some(kind) = SINGLE[usize::from(self.bytes[start])] {
            return self.push(kind, start, start + 1);
        }
        let rest = &self.text[start..];
        if let Some(&(text, kind)) = PUNCTUATION.iter().find(|(text, _)| rest.starts_with(text)) {
            return self.push(kind, start, start + text.len());
        }
        let first = self.bytes[start];
        if !first.is_ascii() {
            let len = self.bytes[start..].iter().take_while(|b| !b.is_ascii()).count();
            self.non_ascii(start, start + len, "");
            return self.push(TokenKind::Bad, start, start + len);
        }
        let shown = char::from(first).escape_debug().to_string();
        let help = match first {
            b'\'' => "PTX has no character literals: write the number",
            b'\\' => {
                "PTX has no line continuation: a statement may simply continue on the next line"
            }
            b'#' => "only a line marker begins with `#`; comments begin with `//`",
            b'$' => "a name that begins with `$` needs at least one more character",
            b'`' | b'\0'..=b'\x1f' | b'\x7f' => "remove it",
            _ => "remove it; comments begin with `//`",
        };
        self.error("E0010", start, start + 1, format!("unexpected character `{shown}`"), help);
        self.push(TokenKind::Bad, start, start + 1);
    }
}
