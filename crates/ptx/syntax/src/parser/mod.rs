//! The parser: converts tokens to a syntax tree by recursive descent, with error recovery.
//!
//! A broken statement is reported once and skipped up to its `;`, a closing brace, or a line that
//! begins like a new statement. The recursion depth is limited to [`MAX_DEPTH`] levels, and the
//! operators of an expression to [`MAX_OPERATORS`], which limits the height of the tree.

mod address;
mod body;
mod declaration;
mod directive;
mod expression;
mod function;
mod initializer;
mod instruction;
mod module;
mod operand;
mod recovery;

pub(crate) use expression::symbol_and_precedence;

use crate::ast::{Function, Ident, Item};
use crate::diagnostic::Diagnostic;
use crate::lexer::Lexed;
use crate::span::Span;
use crate::token::{Token, TokenKind};
use texunit_forms::sort_by_key;

/// Maximum nesting of blocks, parentheses and initial values, counted together.
pub(crate) const MAX_DEPTH: u32 = 128;
/// Maximum number of operators in a constant expression.
pub(crate) const MAX_OPERATORS: u32 = 256;

/// The result of parsing after an error has been reported: the statement cannot be used.
pub(crate) struct Reported;

pub(crate) type Parse<T> = Result<T, Reported>;

pub(crate) struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    at: usize,
    depth: u32,
    operators: u32,
    /// Offset of the first byte of the current statement.
    statement_start: u32,
    /// Whether error recovery after a broken function is already done.
    recovered: bool,
    /// Whether parsing has failed, in which case at least one error must be reported.
    failed: bool,
    /// Whether a missing `}` has been reported, so that all enclosing blocks end here.
    unwinding: bool,
    lexical: Vec<Diagnostic>,
    diagnostics: Vec<Diagnostic>,
    /// Ranges that error recovery has skipped, in which no lexical error is reported.
    skipped: Vec<Span>,
    /// Ranges of statements and items that are missing in the syntax tree.
    lost: Vec<Span>,
    /// The function whose header is being parsed, once its name is known.
    named_function: Option<Function<'a>>,
    /// Prototypes and aliases in the body that is being parsed, which become items of the module.
    inner: Vec<Item<'a>>,
}

impl<'a> Parser<'a> {
    pub(crate) fn new(text: &'a str, lexed: Lexed) -> Self {
        Self {
            text,
            tokens: lexed.tokens,
            at: 0,
            depth: 0,
            operators: 0,
            statement_start: 0,
            recovered: false,
            failed: false,
            unwinding: false,
            lexical: lexed.diagnostics,
            diagnostics: Vec::new(),
            skipped: Vec::new(),
            lost: Vec::new(),
            named_function: None,
            inner: Vec::new(),
        }
    }

    /// Records that the tokens from `start` up to the next token are missing in the syntax tree.
    fn lose(&mut self, start: usize) {
        let span = self.tokens[start].span;
        let end = self.peek().span.start.max(span.end);
        self.lost.push(Span { start: span.start, end });
    }

    /// All diagnostics in source order, and the ranges that are missing in the syntax tree.
    pub(crate) fn finish(mut self) -> (Vec<Diagnostic>, Vec<Span>) {
        let mut all = self.diagnostics;
        self.lexical.retain(|d| {
            let start = d.primary.span.start;
            let before = self.skipped.partition_point(|s| s.start <= start);
            before == 0 || self.skipped[before - 1].end <= start
        });
        all.append(&mut self.lexical);
        sort_by_key(&mut all, |d| d.primary.span);
        all.iter_mut().for_each(Diagnostic::shorten);
        debug_assert!(!self.failed || !all.is_empty(), "a hole in the tree without an error");
        (all, self.lost)
    }

    fn peek(&self) -> Token {
        self.tokens[self.at]
    }

    fn kind(&self) -> TokenKind {
        self.tokens[self.at].kind
    }

    /// The token `ahead` positions after the next token, or the end token.
    fn peek_at(&self, ahead: usize) -> Token {
        self.tokens[(self.at + ahead).min(self.tokens.len() - 1)]
    }

    /// The last token taken (at the beginning, the next token).
    fn previous(&self) -> Token {
        self.tokens[self.at.saturating_sub(1)]
    }

    fn advance(&mut self) -> Token {
        let token = self.peek();
        if token.kind != TokenKind::End {
            self.at += 1;
        }
        token
    }

    /// Skips the rest of the line, or up to a token of kind `end` in it.
    fn skip_line(&mut self, end: TokenKind) {
        while !self.peek().first_on_line && ![end, TokenKind::End].contains(&self.kind()) {
            self.advance();
        }
    }

    fn eat(&mut self, kind: TokenKind) -> Option<Token> {
        (self.kind() == kind).then(|| self.advance())
    }

    fn text_of(&self, token: Token) -> &'a str {
        &self.text[token.span.range()]
    }

    /// The text of the next token for messages.
    fn shown(&self) -> String {
        match self.kind() {
            TokenKind::End => "the end of the file".into(),
            _ => {
                let text = self.text_of(self.peek());
                let cut: String = text.chars().take(40).collect();
                let cut = cut.replace(char::is_control, "?");
                format!("`{cut}{}`", if cut.len() < text.len() { "..." } else { "" })
            }
        }
    }

    fn ident(&self, token: Token) -> Ident<'a> {
        Ident { text: self.text_of(token), span: token.span }
    }

    /// The text and span of a [`TokenKind::Word`] without its dot.
    fn word(&self, token: Token) -> Ident<'a> {
        let span = Span { start: token.span.start + 1, end: token.span.end };
        let whole = self.text_of(token);
        match whole.strip_prefix('.') {
            Some(text) => Ident { text, span },
            // The lexer has reported a space after the dot; the token is then the word alone.
            None => Ident { text: whole, span: token.span },
        }
    }

    /// Takes the next token, which is a name.
    fn take_ident(&mut self) -> Ident<'a> {
        let token = self.advance();
        self.ident(token)
    }

    /// Takes the next token, which is a [`TokenKind::Word`].
    fn take_word(&mut self) -> Ident<'a> {
        let token = self.advance();
        self.word(token)
    }

    /// The next token's text without the dot, if it is a [`TokenKind::Word`].
    fn peek_word(&self) -> Option<&'a str> {
        (self.kind() == TokenKind::Word).then(|| self.word(self.peek()).text)
    }

    /// The span from token number `start` to the last token taken.
    fn span_from(&self, start: usize) -> Span {
        self.tokens[start].span.to(self.previous().span)
    }

    /// Begins a statement; returns the index of its first token.
    fn begin(&mut self) -> usize {
        self.statement_start = self.peek().span.start;
        self.at
    }

    /// Reports an error, unless the lexer has reported an error in the same statement.
    fn report(&mut self, diagnostic: Diagnostic) {
        let (from, to) = (self.statement_start, self.peek().span.end);
        let first = self.lexical.partition_point(|d| d.primary.span.start < from);
        let told = self.lexical[first..]
            .iter()
            .take_while(|d| d.primary.span.start < to)
            // After these lexical errors of numbers, the token is still usable.
            .any(|d| d.code != "E0014" && (d.code != "E0017" || self.kind() == TokenKind::Bad));
        if !told && self.diagnostics.len() <= crate::MAX_ERRORS {
            self.diagnostics.push(diagnostic);
        }
    }

    fn fail<T>(&mut self, diagnostic: Diagnostic) -> Parse<T> {
        self.report(diagnostic);
        self.failed = true;
        Err(Reported)
    }

    /// Reports an error at the next token: what was expected, and advice.
    fn unexpected<T>(
        &mut self,
        code: &'static str,
        expected: &str,
        help: impl Into<String>,
    ) -> Parse<T> {
        let message = format!("expected {expected}, found {}", self.shown());
        let diagnostic = Diagnostic::error(code, self.place(), message);
        self.fail(diagnostic.label(format!("expected {expected}")).help(help))
    }

    /// [`Self::unexpected`] with a correction that is certain: `text` replaces `span`.
    fn unexpected_fixed<T>(
        &mut self,
        code: &'static str,
        expected: &str,
        help: impl Into<String>,
        fix: (Span, &str),
    ) -> Parse<T> {
        let message = format!("expected {expected}, found {}", self.shown());
        let diagnostic = Diagnostic::error(code, self.place(), message);
        self.fail(diagnostic.label(format!("expected {expected}")).help(help).fix(fix.0, fix.1))
    }

    /// The empty span after the last token taken.
    fn behind(&self) -> Span {
        let end = self.previous().span.end;
        Span { start: end, end }
    }

    /// The span of the next token for a message; at the end, the span of the last character.
    fn place(&self) -> Span {
        match self.kind() {
            TokenKind::End => self.previous().span,
            _ => self.peek().span,
        }
    }

    /// Takes a closing bracket, or reports the unmatched opening bracket `open`.
    fn close(&mut self, kind: TokenKind, shown: &str, open: Token) -> Parse<Token> {
        match self.eat(kind) {
            Some(token) => Ok(token),
            None => {
                let message = format!("expected `{shown}`, found {}", self.shown());
                let diagnostic = Diagnostic::error("E0026", self.place(), message)
                    .label(format!("expected `{shown}`"))
                    .note(open.span, "opened here")
                    .help(format!("close it with `{shown}`"));
                self.fail(diagnostic)
            }
        }
    }

    /// Runs `parse` one nesting level deeper, or reports that the limit is exceeded.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.depth >= MAX_DEPTH {
            let message = format!("nested more than {MAX_DEPTH} levels deep");
            let help = "reduce the nesting: no compiler nests this deep";
            return self.fail(Diagnostic::error("E0060", self.place(), message).help(help));
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }

    /// Takes a name, or reports that `what` was expected.
    fn name(&mut self, what: &str) -> Parse<Ident<'a>> {
        let constant = self.text_of(self.peek()) == "WARP_SZ";
        if self.kind() == TokenKind::Ident && !constant {
            return Ok(self.take_ident());
        }
        let help = match self.kind() {
            TokenKind::Ident => "`WARP_SZ` is a constant: choose another name",
            TokenKind::Integer | TokenKind::Decimal => "a name cannot begin with a digit",
            TokenKind::Underscore => "`_` alone is not a name: add a letter or digit",
            TokenKind::Word => "names have no dots",
            _ => "write a name: a letter, or `_`, `$` or `%` and one more character",
        };
        self.unexpected("E0036", what, help)
    }

    /// Takes an integer or `WARP_SZ`, if it is next.
    fn eat_integer(&mut self) -> Option<(u64, Span)> {
        let token = self.peek();
        let value = match (token.kind, self.text_of(token)) {
            (TokenKind::Integer, text) => crate::number::integer(text).0,
            (_, "WARP_SZ") => 32,
            _ => return None,
        };
        self.advance();
        Some((value, token.span))
    }

    /// Takes an integer without an operator.
    fn plain_integer(&mut self, what: &str) -> Parse<(u64, Span)> {
        let Some(integer) = self.eat_integer() else {
            let help = "write a plain integer such as `16`; expressions are not accepted here";
            return self.unexpected("E0035", what, help);
        };
        Ok(integer)
    }
}
