//! Error recovery: where parsing continues after an error.

use super::{Parse, Parser};
use crate::ast::Linkage;
use crate::diagnostic::Diagnostic;
use crate::span::Span;
use crate::token::{Token, TokenKind};
use crate::words;

/// Where a broken statement stands: at module scope or in a body.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    Module,
    Body,
}

/// Directives that always begin an item of module scope.
const ITEM_STARTS: &str = "entry func visible extern weak common global const shared file section \
                           alias pragma version target address_size";

fn begins_item(word: &str) -> bool {
    ITEM_STARTS.split(' ').any(|start| start == word)
}

/// Directives that begin a statement of a function body.
const BODY_STARTS: &[&str] =
    &["reg", "local", "param", "loc", "shared", "const", "global", "pragma"];

impl Parser<'_> {
    /// Skips the rest of the broken statement that began at token `start`.
    pub(crate) fn recover(&mut self, start: usize, scope: Scope) {
        let error = self.at.max(start);
        let (mut braces, mut parens) = (0u32, 0u32);
        let mut i = start;
        loop {
            let token = self.tokens[i];
            let fresh = i > start && i >= error && token.first_on_line;
            match token.kind {
                TokenKind::End => break,
                TokenKind::Semicolon if i >= error && !self.closes_in_line(i + 1) => {
                    i += 1;
                    break;
                }
                TokenKind::LeftBrace
                    if i >= error && i > start && braces == 0 && self.holds_statements(i) =>
                {
                    break;
                }
                TokenKind::LeftBrace => braces += 1,
                TokenKind::RightBrace if braces == 0 && self.closes_block(i, scope) => break,
                TokenKind::RightBrace => braces = braces.saturating_sub(1),
                TokenKind::LeftParen => parens += 1,
                TokenKind::RightParen => parens = parens.saturating_sub(1),
                _ if fresh && self.begins_statement(i, scope, parens > 0) => break,
                _ => {}
            }
            i += 1;
        }
        self.go_on_at(error, i.max(start));
    }

    /// Whether the `}` at `i` closes a block, as opposed to a vector of the broken statement.
    fn closes_block(&self, i: usize, scope: Scope) -> bool {
        let next = self.tokens[(i + 1).min(self.tokens.len() - 1)];
        let goes_on = matches!(
            next.kind,
            TokenKind::Semicolon
                | TokenKind::Comma
                | TokenKind::Pipe
                | TokenKind::RightBracket
                | TokenKind::RightParen
        );
        scope == Scope::Body && (self.tokens[i].first_on_line || next.first_on_line || !goes_on)
            || scope == Scope::Module && self.tokens[i].first_on_line
    }

    /// Whether a closing bracket follows on the same line from `i` on; then the `;` before `i` is a
    /// mistake inside brackets.
    fn closes_in_line(&self, i: usize) -> bool {
        let first = self.tokens[i];
        if first.kind == TokenKind::LeftBrace && !first.first_on_line && !self.holds_statements(i) {
            return true;
        }
        let rest = self.tokens[i..].iter().take_while(|t| !t.first_on_line);
        let mut closed = false;
        for token in rest {
            match token.kind {
                TokenKind::LeftBrace | TokenKind::LeftBracket | TokenKind::LeftParen if !closed => {
                    return false;
                }
                TokenKind::RightBracket | TokenKind::RightParen | TokenKind::RightBrace => {
                    closed = true
                }
                TokenKind::Semicolon => return closed,
                _ => {}
            }
        }
        false
    }

    /// After a broken function header, continues at the body, at the prototype's end or at the next
    /// item.
    pub(crate) fn recover_header(&mut self) {
        let error = self.at;
        let mut i = error;
        loop {
            let token = self.tokens[i];
            match token.kind {
                TokenKind::End | TokenKind::LeftBrace => break,
                TokenKind::RightBrace if token.first_on_line => break,
                TokenKind::Semicolon if !self.header_goes_on(i + 1) => {
                    i += 1;
                    break;
                }
                TokenKind::Word if token.first_on_line && i > error && self.starts_item(i) => break,
                _ => i += 1,
            }
        }
        self.go_on_at(error, i);
    }

    /// Whether a broken function header continues after its `;` with parameters or a body.
    fn header_goes_on(&self, i: usize) -> bool {
        let token = self.tokens[i];
        match token.kind {
            TokenKind::Word if self.word(token).text == "param" => true,
            TokenKind::Word => !token.first_on_line && !self.starts_item(i),
            TokenKind::End | TokenKind::Semicolon => false,
            _ => !token.first_on_line,
        }
    }

    /// After text that is not valid at module scope, continues at the next item.
    pub(crate) fn recover_to_item(&mut self, start: usize) {
        let mut braces = 0u32;
        let mut i = start;
        loop {
            let token = self.tokens[i];
            match token.kind {
                TokenKind::End => break,
                TokenKind::LeftBrace => braces += 1,
                TokenKind::RightBrace => braces = braces.saturating_sub(1),
                TokenKind::Word if i > start && self.starts_item(i) => {
                    let headed = matches!(self.word(token).text, "entry" | "func" | "visible");
                    if (braces == 0 && token.first_on_line) || headed {
                        break;
                    }
                }
                _ => {}
            }
            i += 1;
        }
        self.go_on_at(start, i);
    }

    /// Skips a block from its `{` (token `open`) to its `}` without parsing it. The error that
    /// makes the block unusable is at token `error`.
    pub(crate) fn skip_block(&mut self, open: usize, error: usize) {
        let mut braces = 0u32;
        let mut i = open;
        loop {
            match self.tokens[i].kind {
                TokenKind::End => break,
                TokenKind::LeftBrace => braces += 1,
                TokenKind::RightBrace => braces -= 1,
                _ => {}
            }
            i += 1;
            if braces == 0 {
                break;
            }
        }
        // Parsing never goes backwards: the error may be after the block, at the end of the text.
        self.go_on_at(error, i.max(error));
    }

    /// Marks the tokens from `error` up to the next token as skipped.
    pub(crate) fn pass_over(&mut self, error: usize) {
        self.go_on_at(error, self.at);
    }

    fn go_on_at(&mut self, error: usize, next: usize) {
        let last = self.tokens.len() - 1;
        let from = self.tokens[error.min(last)];
        let to = self.tokens[next.min(last)];
        if from.span.end < to.span.start {
            self.skipped.push(Span { start: from.span.end, end: to.span.start });
        }
        self.at = next.min(last);
    }

    /// Whether the `{` at `i` opens a block instead of a vector: a `;` precedes its `}`.
    pub(crate) fn holds_statements(&self, i: usize) -> bool {
        let mut kinds = self.tokens[i + 1..].iter().map(|t| t.kind);
        let label = kinds.clone().take(2).eq([TokenKind::Ident, TokenKind::Colon]);
        label
            || kinds.find(|k| {
                matches!(
                    k,
                    TokenKind::Semicolon
                        | TokenKind::RightBrace
                        | TokenKind::LeftBrace
                        | TokenKind::End
                )
            }) == Some(TokenKind::Semicolon)
    }

    /// Whether the token at `i` is a directive that begins an item of module scope.
    pub(crate) fn starts_item(&self, i: usize) -> bool {
        let token = self.tokens[i];
        token.kind == TokenKind::Word && begins_item(self.word(token).text)
    }

    /// Whether the next token begins a function, so that the enclosing blocks lack their `}`.
    pub(crate) fn starts_function(&self) -> bool {
        let mut ahead = 0;
        while ahead < 3 {
            let token = self.peek_at(ahead);
            if token.kind != TokenKind::Word {
                return false;
            }
            match self.word(token).text {
                "entry" | "func" => return true,
                word if Linkage::from_name(word).is_some() => ahead += 1,
                _ => return false,
            }
        }
        false
    }

    /// Whether the function that begins at the next token is a prototype of a `.func`.
    pub(crate) fn is_prototype(&self) -> bool {
        let word = |token: &Token| match token.kind {
            TokenKind::Word => self.word(*token).text,
            _ => "",
        };
        let ends = |token: &&Token| {
            matches!(token.kind, TokenKind::Semicolon | TokenKind::LeftBrace)
                || matches!(word(token), "entry" | "func")
        };
        let mut tokens = self.tokens[self.at..].iter();
        tokens.find(ends).is_some_and(|first| word(first) == "func")
            && tokens.find(ends).is_some_and(|end| end.kind == TokenKind::Semicolon)
    }

    /// Whether the token at `i`, the first on its line, begins a statement.
    pub(crate) fn begins_statement(&self, i: usize, scope: Scope, in_parens: bool) -> bool {
        let token = self.tokens[i];
        let next = self.tokens[(i + 1).min(self.tokens.len() - 1)];
        match (scope, token.kind) {
            (_, TokenKind::Word) => {
                let word = self.word(token).text;
                let function = matches!(word, "entry" | "func" | "visible" | "extern" | "weak");
                function
                    || !in_parens && begins_item(word)
                    || scope == Scope::Body && !in_parens && BODY_STARTS.contains(&word)
            }
            (Scope::Body, TokenKind::At) => matches!(next.kind, TokenKind::Ident | TokenKind::Bang),
            (Scope::Body, TokenKind::Ident) => match next.kind {
                TokenKind::Word | TokenKind::Colon | TokenKind::Semicolon => true,
                TokenKind::LeftParen | TokenKind::Ident => {
                    !in_parens && matches!(self.text_of(token), "call" | "bra")
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// Takes the `;` of a statement. If it is missing at the end of a line, the error is reported
    /// and the statement is kept.
    pub(crate) fn semicolon(&mut self, scope: Scope, what: &str) -> Parse<()> {
        if self.eat(TokenKind::Semicolon).is_some() {
            return Ok(());
        }
        let next = self.peek();
        let ended = match next.kind {
            TokenKind::End => true,
            TokenKind::RightBrace => self.closes_block(self.at, scope),
            TokenKind::LeftBrace => next.first_on_line || self.holds_statements(self.at),
            _ => {
                next.first_on_line
                    && (self.begins_statement(self.at, scope, false)
                        || matches!(scope, Scope::Body) && self.is_last_word(next)
                        || next.kind == TokenKind::Word
                            && words::is_directive(self.word(next).text))
            }
        };
        if ended {
            let message = format!("missing `;` after {what}");
            let diagnostic = Diagnostic::error("E0020", self.previous().span, message)
                .label("`;` expected after this")
                .help("end the statement with `;`")
                .fix(self.behind(), ";");
            self.report(diagnostic);
            return Ok(());
        }
        self.not_ended(what)
    }

    /// Whether a token is an instruction of a single word, which is recognisable without a `;`.
    fn is_last_word(&self, token: Token) -> bool {
        token.kind == TokenKind::Ident && matches!(self.text_of(token), "ret" | "exit" | "trap")
    }

    /// Reports a closing bracket without an opening bracket.
    pub(crate) fn unmatched<T>(&mut self, help: &str) -> Parse<T> {
        let message = format!("unmatched {}", self.shown());
        let diagnostic = Diagnostic::error("E0025", self.peek().span, message);
        self.fail(diagnostic.label("no partner").help(help))
    }

    /// Reports that the next token is not `,` or `;`, which must follow an operand.
    fn not_ended(&mut self, what: &str) -> Parse<()> {
        use TokenKind::{Bang, Ident, LeftBrace, LeftBracket, LeftParen, Tilde, Underscore};
        let expected = "`,` or `;`";
        match self.kind() {
            TokenKind::RightParen | TokenKind::RightBracket | TokenKind::RightBrace => {
                self.unmatched("remove it, or add the bracket that opens it")
            }
            kind if kind.is_number()
                || matches!(kind, Ident | LeftBrace | LeftBracket | LeftParen | Underscore)
                || matches!(kind, Bang | Tilde) =>
            {
                let message = format!("missing comma or `;` before {}", self.shown());
                let next = self.peek();
                let diagnostic = Diagnostic::error("E0021", next.span, message);
                let glued = self.previous().span.end == next.span.start
                    && self.text_of(next).starts_with('%');
                let help = match glued {
                    true => {
                        "`%` and letters or digits are a name: for a remainder write a space after `%`"
                    }
                    false => "separate operands with commas and end the statement with `;`",
                };
                let diagnostic =
                    diagnostic.label(format!("{expected} expected before this")).help(help);
                // A token that is the first on its line may also begin the next statement.
                let operand = matches!(next.kind, Ident | LeftBrace | LeftBracket)
                    || self.previous().kind == Ident;
                match glued || next.first_on_line || !operand {
                    true => self.fail(diagnostic),
                    false => self.fail(diagnostic.fix(self.behind(), ",")),
                }
            }
            TokenKind::Equal => {
                let help = "PTX has no assignments: write `mov.u32 result, value;`";
                self.unexpected("E0053", expected, help)
            }
            TokenKind::Word => {
                let help = "modifiers such as `.u32` follow the name of the instruction, before the operands";
                self.unexpected("E0040", expected, help)
            }
            _ => self.unexpected("E0020", expected, format!("end {what} with `;`")),
        }
    }
}
