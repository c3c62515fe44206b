//! Parsing of blocks and their statements.

use super::recovery::Scope;
use super::{Parse, Parser, Reported};
use crate::ast::{
    Block, BranchTargets, CallPrototype, Content, Directive, Ident, Item, Linkage, Space, Statement,
};
use crate::diagnostic::Diagnostic;
use crate::span::Span;
use crate::token::TokenKind;
use crate::words;

/// C keywords that begin a statement; no PTX statement begins with them.
const C_WORDS: &str = "\
    if else for while do switch case return goto break continue int unsigned float double void \
    char bool auto struct asm __asm__ __shared__ __device__ __global__ __syncthreads";

/// End of the error message about directives in a body that belong at module scope.
const INSIDE_BODY: &str = " inside a function body";

impl<'a> Parser<'a> {
    /// Parses a block; the next token is the `{`. Errors inside are reported and skipped.
    pub(crate) fn block(&mut self) -> Parse<Block<'a>> {
        let (start, is_too_deep) = (self.at, self.depth >= super::MAX_DEPTH);
        let block = self.nested(|p| {
            let open = p.advance().span;
            p.statements(start, open)
        });
        if is_too_deep {
            self.skip_block(start, start);
        }
        block
    }

    /// Parses statements up to the `}` that matches the `{`, which is token `start` or is missing
    /// there. `open` is the position to report if there is no `}`.
    pub(crate) fn statements(&mut self, start: usize, open: Span) -> Parse<Block<'a>> {
        let mut statements = Vec::new();
        loop {
            let first = self.begin();
            match self.kind() {
                TokenKind::RightBrace => {
                    self.advance();
                    break;
                }
                TokenKind::End => {
                    self.unclosed(open);
                    break;
                }
                TokenKind::Word if self.starts_function() && !self.is_prototype() => {
                    self.unclosed(open);
                    break;
                }
                _ => {}
            }
            if self.statement(&mut statements).is_err() && !self.unwinding {
                // After an error, the parser is already behind a nested block.
                if self.tokens[first].kind != TokenKind::LeftBrace {
                    self.recover(first, Scope::Body);
                }
                self.lose(first);
            }
            if self.unwinding {
                break;
            }
        }
        // Saves memory: the syntax tree is kept until the module has been checked.
        statements.shrink_to_fit();
        Ok(Block { statements, span: self.span_from(start) })
    }

    /// Reports a missing `}` once for all enclosing blocks.
    fn unclosed(&mut self, open: Span) {
        if !self.unwinding {
            // Module-scope directives in the body are no errors if the body ends before them.
            let told = self.diagnostics.len();
            self.diagnostics.retain(|d| {
                d.primary.span < open || d.code != "E0031" || !d.message.ends_with(INSIDE_BODY)
            });
            let what = match self.kind() {
                TokenKind::End => "at the end of the file".to_string(),
                _ => format!("before {}", self.shown()),
            };
            let diagnostic = Diagnostic::error("E0024", open, format!("missing `}}` {what}"))
                .label("this `{` is never closed")
                .help("close the block with `}`");
            // Any nested block may lack its `}`; without nested blocks, the body ends here.
            let alone = self.depth == 1 && self.diagnostics.len() == told;
            let fixed = match alone {
                true if self.kind() == TokenKind::End => diagnostic.fix(self.peek().span, "\n}\n"),
                true => diagnostic.fix(self.behind(), "\n}\n"),
                false => diagnostic,
            };
            // An unterminated comment may contain the missing braces.
            if self.kind() != TokenKind::End || self.lexical.iter().all(|d| d.code != "E0011") {
                self.report(fixed);
            }
        }
        self.unwinding = true;
    }

    fn statement(&mut self, statements: &mut Vec<Statement<'a>>) -> Parse<()> {
        let start = self.at;
        match self.kind() {
            TokenKind::LeftBrace => statements.push(Statement::Block(self.block()?)),
            TokenKind::Semicolon => self.stray_semicolon(),
            TokenKind::At => statements.push(Statement::Instruction(self.instruction()?)),
            TokenKind::Word => self.body_word(statements)?,
            TokenKind::Ident if self.peek_at(1).kind == TokenKind::Colon => {
                let label = self.name("a label")?;
                self.advance();
                statements.push(self.labelled(start, label)?);
            }
            TokenKind::Ident if self.lacks_colon() => statements.push(self.label_without_colon()),
            TokenKind::Ident => {
                self.refuse_foreign()?;
                statements.push(Statement::Instruction(self.instruction()?));
            }
            TokenKind::Underscore if self.peek_at(1).kind == TokenKind::Colon => {
                let help = "`_` alone is not a name: add a letter or digit";
                self.unexpected("E0049", "a label", help)?;
            }
            TokenKind::Integer if self.peek_at(1).kind == TokenKind::Colon => {
                let help = "a label begins with a letter, `_`, `$` or `%`";
                self.unexpected("E0049", "a label", help)?;
            }
            TokenKind::RightParen | TokenKind::RightBracket => self.unmatched("remove it")?,
            _ => {
                let help = "a body holds labels, instructions, declarations and blocks";
                self.unexpected("E0052", "a statement", help)?;
            }
        }
        Ok(())
    }

    /// Whether the next token is a label without its colon: a name that no instruction has.
    fn lacks_colon(&self) -> bool {
        let name = self.text_of(self.peek());
        let next = self.peek_at(1);
        let begins = matches!(next.kind, TokenKind::Ident | TokenKind::At | TokenKind::LeftBrace);
        let ends = matches!(next.kind, TokenKind::RightBrace | TokenKind::Word);
        let semicolon = next.kind == TokenKind::Semicolon;
        name.starts_with(['$', '_']) && (begins || semicolon || next.first_on_line && ends)
            || name.bytes().any(|b| b.is_ascii_uppercase())
                && next.first_on_line
                && (begins || ends)
    }

    fn label_without_colon(&mut self) -> Statement<'a> {
        let label = self.take_ident();
        let after = match self.eat(TokenKind::Semicolon) {
            Some(semicolon) => semicolon.span,
            None => self.behind(),
        };
        let message = format!("missing `:` after the label `{}`", label.text);
        let diagnostic = Diagnostic::error("E0049", label.span, message)
            .label("`:` expected after this")
            .help(format!("write `{}:`", label.text))
            .fix(after, ":");
        self.report(diagnostic);
        Statement::Label(label)
    }

    pub(crate) fn stray_semicolon(&mut self) {
        let token = self.advance();
        let diagnostic = Diagnostic::error("E0027", token.span, "`;` without a statement")
            .label("nothing ends here")
            .help("remove it: labels, blocks, `.loc`, `.file` and the header directives do not end with `;`")
            .fix(token.span, "");
        self.report(diagnostic);
    }

    /// Reports statements of other languages that look like instructions: `if (...)`, `%r1 = ...`,
    /// `reg .u32 a`.
    pub(crate) fn refuse_foreign(&mut self) -> Parse<()> {
        let token = self.peek();
        let next = self.peek_at(1);
        let text = self.text_of(token);
        let dotless = Space::from_name(text).is_some() && text != "tex"
            || matches!(text, "entry" | "func" | "visible" | "extern" | "align" | "pragma");
        if dotless && matches!(next.kind, TokenKind::Word | TokenKind::Ident) {
            let message = format!("`{text}` without its dot");
            let diagnostic = Diagnostic::error("E0030", token.span, message);
            return self.fail(
                diagnostic
                    .label("directives begin with a dot")
                    .help(format!("write `.{text}`"))
                    .fix(Span { start: token.span.start, end: token.span.start }, "."),
            );
        }
        let help = match (text, next.kind) {
            (_, TokenKind::Equal | TokenKind::EqualEqual) => {
                "PTX has no assignments: write `mov.u32 result, value;`"
            }
            ("if" | "else" | "switch" | "case", _) => {
                "compare with `setp` and guard instructions or a `bra` with `@p`"
            }
            ("for" | "while" | "do" | "break" | "continue", _) => {
                "write a loop with a label and `@p bra label;`"
            }
            ("return", _) => "write `ret;`",
            ("goto", _) => "write `bra label;`",
            ("__syncthreads", _) => "write `bar.sync 0;`",
            (word, TokenKind::Ident | TokenKind::LeftParen | TokenKind::Star)
                if C_WORDS.split(' ').any(|of_c| of_c == word) =>
            {
                "declare registers as `.reg .u32 %r1;`"
            }
            // `pmevent +1;` is PTX, not an expression: a constant operand may have a sign.
            (_, TokenKind::Plus | TokenKind::Minus | TokenKind::Star | TokenKind::Slash)
                if !self.is_signed(1) =>
            {
                "PTX has no expressions over registers: write `add.u32 result, a, b;`"
            }
            _ => return Ok(()),
        };
        let message = format!("`{text}` begins a statement of C, not of PTX");
        let diagnostic = Diagnostic::error("E0053", token.span, message);
        self.report(diagnostic.label("not PTX").help(help));
        if matches!(text, "if" | "for" | "while" | "switch") {
            self.skip_condition();
        }
        Err(Reported)
    }

    /// Whether a constant begins `ahead` positions after the next token, behind its signs.
    fn is_signed(&self, ahead: usize) -> bool {
        let mut kinds = (ahead..).map(|n| self.peek_at(n).kind);
        use TokenKind::{Bang, Minus, Plus, Tilde};
        let first = kinds.find(|kind| !matches!(kind, Plus | Minus | Bang | Tilde));
        matches!(first, Some(TokenKind::Integer | TokenKind::LeftParen))
    }

    /// Skips the parentheses of a C statement: semicolons in `for (...)` do not end it.
    fn skip_condition(&mut self) {
        let error = self.at;
        let mut parens = 0u32;
        self.advance();
        loop {
            match self.kind() {
                TokenKind::LeftParen => parens += 1,
                TokenKind::RightParen if parens > 0 => parens -= 1,
                TokenKind::LeftBrace | TokenKind::RightBrace | TokenKind::End => break,
                _ if parens == 0 => break,
                _ => {}
            }
            self.advance();
        }
        self.pass_over(error);
    }

    /// Parses a statement that begins with a directive.
    fn body_word(&mut self, statements: &mut Vec<Statement<'a>>) -> Parse<()> {
        let start = self.at;
        let word = self.word(self.peek()).text;
        match word {
            "loc" => statements.push(Statement::Directive(self.loc()?)),
            "pragma" => statements.push(Statement::Directive(self.pragma(Scope::Body)?)),
            "alias" => {
                let alias = self.other_directive(word)?;
                self.inner.push(alias);
            }
            _ if self.starts_function() => {
                let linkage = Linkage::from_name(word).map(|found| (found, self.advance().span));
                self.check_function_linkage(linkage)?;
                let prototype = self.function(start, linkage)?;
                self.inner.push(Item::Function(prototype));
            }
            "branchtargets" | "calltargets" | "callprototype" => {
                let message = format!("`.{word}` without a label");
                let diagnostic = Diagnostic::error("E0031", self.peek().span, message);
                self.fail(diagnostic.help(format!("name it: `label: .{word} ...;`")))?;
            }
            _ if Self::is_declaration_word(word) => {
                let variables = self.declaration(start, None, Scope::Body)?;
                statements.extend(variables.into_iter().map(|v| Statement::Variable(Box::new(v))));
            }
            _ => self.misplaced_in_body(word)?,
        }
        Ok(())
    }

    fn misplaced_in_body(&mut self, word: &str) -> Parse<()> {
        let span = self.peek().span;
        let help = if Linkage::from_name(word).is_some() {
            "linkage words are allowed at module scope only: declare the variable outside the function"
        } else if words::BOUNDS.iter().any(|b| b.name == word) {
            "write it between the parameters and the body"
        } else if matches!(word, "version" | "target" | "address_size") {
            "write it once, at the beginning of the file"
        } else if matches!(word, "file" | "section") {
            "write it outside functions"
        } else {
            return self.unknown_word(word);
        };
        let message = format!("`.{word}`{INSIDE_BODY}");
        self.report(Diagnostic::error("E0031", span, message).label("not here").help(help));
        // Directives without `;` are parsed completely, so that the next statement is not lost.
        match word {
            "file" => drop(self.file()),
            "section" => drop(self.section()),
            "version" | "target" | "address_size" => {
                self.advance();
                self.skip_line(TokenKind::Semicolon);
            }
            _ => return Err(Reported),
        }
        Ok(())
    }

    /// Parses what follows a label: a list of targets or a prototype, which includes the label, or
    /// another statement, before which the label is a separate statement.
    fn labelled(&mut self, start: usize, label: Ident<'a>) -> Parse<Statement<'a>> {
        Ok(match self.peek_word() {
            Some("branchtargets") => Statement::BranchTargets(self.targets(start, label)?),
            Some("calltargets") => Statement::CallTargets(self.targets(start, label)?),
            Some("callprototype") => Statement::CallPrototype(self.prototype(start, label)?),
            _ => Statement::Label(label),
        })
    }

    fn targets(&mut self, start: usize, label: Ident<'a>) -> Parse<BranchTargets<'a>> {
        let word = self.take_word().text;
        let mut targets = Vec::new();
        loop {
            let name = self.name("a label or function")?;
            let count = self.count()?.map(|(count, _)| count);
            targets.push((name, count));
            if self.eat(TokenKind::Comma).is_none() {
                break;
            }
            if self.kind() == TokenKind::Semicolon {
                return self.trailing_comma("a name");
            }
        }
        self.semicolon(Scope::Body, &format!("`.{word}`"))?;
        Ok(BranchTargets { label, targets, span: self.span_from(start) })
    }

    fn prototype(&mut self, start: usize, label: Ident<'a>) -> Parse<CallPrototype<'a>> {
        self.advance();
        let returns = match self.kind() {
            TokenKind::LeftParen => self.parameters()?,
            _ => Vec::new(),
        };
        if self.eat(TokenKind::Underscore).is_none() {
            let help = "a prototype has `_` in place of a name: `label: .callprototype (.param .b32 _) _ (.param .b64 _);`";
            return self.unexpected("E0050", "`_`", help);
        }
        let params = match self.kind() {
            TokenKind::LeftParen => self.parameters()?,
            _ => Vec::new(),
        };
        let directives = self.bounds(false)?;
        self.semicolon(Scope::Body, "`.callprototype`")?;
        Ok(CallPrototype { label, returns, params, directives, span: self.span_from(start) })
    }

    /// A directive that is kept as text, from token `start` to the last token taken, without `;`.
    /// `content` is its parsed content.
    pub(crate) fn kept(&self, start: usize, content: Content<'a>) -> Directive<'a> {
        let name = self.word(self.tokens[start]);
        let mut last = self.at - 1;
        if self.tokens[last].kind == TokenKind::Semicolon {
            last -= 1;
        }
        let text = match last > start {
            true => {
                &self.text[self.tokens[start + 1].span.start as usize
                    ..self.tokens[last].span.end as usize]
            }
            false => "",
        };
        Directive { name, text, content, span: self.span_from(start) }
    }
}
