//! Parsing of kernels and functions: headers, parameters, performance directives.

use super::recovery::Scope;
use super::{Parse, Parser, Reported};
use crate::ast::{Function, Ident, Linkage, PerformanceDirective, Variable};
use crate::diagnostic::Diagnostic;
use crate::span::Span;
use crate::token::TokenKind;
use crate::words;

impl<'a> Parser<'a> {
    /// Parses a function with header and body; the next token is `.entry` or `.func`. After a
    /// broken header, the body is still parsed to report its errors.
    pub(crate) fn function(
        &mut self,
        start: usize,
        linkage: Option<(Linkage, Span)>,
    ) -> Parse<Function<'a>> {
        self.recovered = true;
        let header = self.header(start, linkage);
        let named = self.named_function.take();
        if header.is_err() {
            self.recover_header();
        }
        if self.kind() == TokenKind::LeftBrace {
            let header_end = self.peek().span.start;
            let body = self.block()?;
            let mut function = match (header, named) {
                (Err(Reported), Some(named)) => {
                    // The function is kept, so that its body is checked, too.
                    self.lost.push(Span { start: named.span.start, end: header_end });
                    named
                }
                (header, _) => header?,
            };
            function.body = Some(body);
            return Ok(function);
        }
        if header.is_ok() && self.body_without_brace() {
            let span = self.previous().span;
            let diagnostic = Diagnostic::error("E0050", span, "missing `{` after the header")
                .label("`{` expected after this")
                .help("a body is in braces: `.entry name(...) { ... }`")
                .fix(self.behind(), "\n{");
            self.report(diagnostic);
            self.failed = true;
            let start = self.at;
            let body = self.nested(|p| p.statements(start, span))?;
            let mut function = header?;
            function.body = Some(body);
            return Ok(function);
        }
        let function = header?;
        self.prototype_end(function.is_entry)?;
        Ok(function)
    }

    /// Whether statements follow the header without a `{`.
    fn body_without_brace(&self) -> bool {
        let declares = matches!(self.peek_word(), Some("reg" | "local" | "loc"));
        let begins =
            self.kind() != TokenKind::Word && self.begins_statement(self.at, Scope::Body, false);
        self.peek().first_on_line && (declares || begins)
    }

    /// Parses the `;` at the end of a prototype, which ptxas requires only for kernels.
    fn prototype_end(&mut self, is_entry: bool) -> Parse<()> {
        let next = self.peek();
        let item_follows = next.kind == TokenKind::End || !is_entry && self.starts_item(self.at);
        if self.eat(TokenKind::Semicolon).is_some() || item_follows {
            return Ok(());
        }
        let help = "a header is followed by its body in braces, or by `;` if it is a prototype";
        let result = match self.peek_word() {
            Some(word) => self.unknown_word(word),
            None => self.unexpected("E0050", "`{` or `;`", help),
        };
        self.recover_header();
        if self.kind() == TokenKind::LeftBrace {
            let _ = self.block();
        }
        result
    }

    fn header(&mut self, start: usize, linkage: Option<(Linkage, Span)>) -> Parse<Function<'a>> {
        let is_entry = self.peek_word() == Some("entry");
        self.advance();
        let attributes = self.function_attributes(is_entry)?;
        let mut returns = Vec::new();
        if self.kind() == TokenKind::LeftParen {
            if is_entry {
                let diagnostic =
                    Diagnostic::error("E0050", self.peek().span, "a kernel returns nothing")
                        .help("write the kernel's name here, then its parameters");
                return self.fail(diagnostic);
            }
            returns = self.parameters()?;
        }
        let name = self.function_name(is_entry)?;
        let function = Function {
            linkage,
            is_entry,
            attributes: Vec::new(),
            returns: Vec::new(),
            name,
            params: Vec::new(),
            directives: Vec::new(),
            body: None,
            span: self.span_from(start),
        };
        self.named_function = Some(function.clone());
        let params = match self.kind() {
            TokenKind::LeftParen => self.parameters()?,
            _ => Vec::new(),
        };
        let directives = self.bounds(is_entry)?;
        let span = self.span_from(start);
        Ok(Function { attributes, returns, params, directives, span, ..function })
    }

    /// Parses `.attribute(.unified(1, 2))`, the only attribute of a function.
    fn function_attributes(&mut self, is_entry: bool) -> Parse<Vec<Ident<'a>>> {
        if self.peek_word() != Some("attribute") {
            return Ok(Vec::new());
        }
        let attribute = self.peek().span;
        let attributes = self.attributes()?;
        let unified = attributes.len() == 1 && attributes[0].text.starts_with("unified");
        if !is_entry && unified {
            return Ok(attributes);
        }
        let (message, help) = match is_entry {
            true => ("`.attribute` on a kernel", "remove it: only functions and variables have it"),
            false => ("not an attribute of a function", "write `.attribute(.unified(1, 2))`"),
        };
        self.fail(Diagnostic::error("E0050", attribute, message).help(help))
    }

    fn function_name(&mut self, is_entry: bool) -> Parse<Ident<'a>> {
        let what = if is_entry { "the kernel's name" } else { "the function's name" };
        if let Some(word) = self.peek_word()
            && words::is_directive(word)
        {
            let message = format!("`.{word}` comes before the name");
            let diagnostic = Diagnostic::error("E0050", self.peek().span, message);
            return self.fail(
                diagnostic
                    .label(format!("{what} expected"))
                    .help("the order is name, parameters in parentheses, launch bounds, body"),
            );
        }
        self.name(what)
    }

    /// Parses `(.param .u32 a, .param .u64 b)`.
    pub(crate) fn parameters(&mut self) -> Parse<Vec<Variable<'a>>> {
        let open = self.advance();
        let mut parameters = Vec::new();
        if self.eat(TokenKind::RightParen).is_some() {
            return Ok(parameters);
        }
        loop {
            match self.kind() {
                TokenKind::Word => {}
                TokenKind::RightParen | TokenKind::Comma if !parameters.is_empty() => {
                    return self.trailing_comma("a parameter");
                }
                _ => {
                    let help = "write `.param`, a type and a name, as in `(.param .u64 image, .param .u32 width)`";
                    return self.unexpected("E0051", "a parameter", help);
                }
            }
            parameters.push(self.parameter()?);
            if self.eat(TokenKind::Comma).is_none() {
                break;
            }
        }
        match self.kind() {
            TokenKind::RightParen => {
                self.advance();
                Ok(parameters)
            }
            TokenKind::Word => self.missing_comma("parameters"),
            TokenKind::Semicolon => {
                let help = "separate parameters with commas, and close the list with `)`";
                self.unexpected("E0051", "`,` or `)`", help)
            }
            TokenKind::Equal => {
                let help = "parameters have no initial values; the launch gives them";
                self.unexpected("E0051", "`,` or `)`", help)
            }
            TokenKind::Ident => {
                let help = "each parameter needs its own `.param` and type";
                self.unexpected("E0051", "`,` or `)`", help)
            }
            _ => self.close(TokenKind::RightParen, ")", open).map(|_| parameters),
        }
    }

    /// Parses performance directives up to the body: `.maxntid 256, 1, 1 .pragma "nounroll";` and
    /// so on.
    pub(crate) fn bounds(&mut self, is_entry: bool) -> Parse<Vec<PerformanceDirective<'a>>> {
        let mut directives = Vec::new();
        while let Some(word) = self.peek_word() {
            let start = self.at;
            if word == "pragma" {
                if !is_entry {
                    // After a prototype without `;`, a `.pragma` is a separate item.
                    break;
                }
                let name = self.take_word();
                let strings = self.strings()?;
                self.semicolon(Scope::Module, "`.pragma`")?;
                let span = self.span_from(start);
                directives.push(PerformanceDirective { name, values: Vec::new(), strings, span });
                continue;
            }
            let Some(bound) = words::BOUNDS.iter().find(|b| b.name == word) else {
                if self.starts_item(self.at) || self.body_without_brace() {
                    break;
                }
                if self.previous().kind == TokenKind::Ident
                    && self.previous().span.end == self.peek().span.start
                {
                    let help = "names have no dots: write `_` or `$` in place of the dot";
                    return self.unexpected("E0036", "`(` or `{`", help);
                }
                return self.unknown_word(word);
            };
            if bound.of_entry != is_entry {
                let (this, other) =
                    if is_entry { ("kernel", "functions") } else { ("function", "kernels") };
                let message = format!("`.{word}` on a {this}");
                let diagnostic = Diagnostic::error("E0031", self.peek().span, message);
                return self.fail(diagnostic.help(format!("remove it: only {other} have it")));
            }
            directives.push(self.bound(bound)?);
        }
        Ok(directives)
    }

    fn bound(&mut self, bound: &words::Bound) -> Result<PerformanceDirective<'a>, Reported> {
        let start = self.at;
        let name = self.take_word();
        let mut values = Vec::new();
        while *bound.numbers.end() > 0 {
            let (value, span) = self.plain_integer(&format!("a number for `.{}`", bound.name))?;
            values.push(value);
            if values.len() > *bound.numbers.end() {
                let message = format!("too many numbers for `.{}`", bound.name);
                let help = format!("it takes at most {}", bound.numbers.end());
                return self.fail(Diagnostic::error("E0055", span, message).help(help));
            }
            if self.eat(TokenKind::Comma).is_none() {
                break;
            }
        }
        let span = self.span_from(start);
        Ok(PerformanceDirective { name, values, strings: Vec::new(), span })
    }
}
