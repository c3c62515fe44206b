//! Parsing of initial values and of the ends of lists.

use super::recovery::Scope;
use super::{Parse, Parser};
use crate::ast::{FieldValue, Ident, InitialValue, Initializer, WholeValue};
use crate::diagnostic::Diagnostic;
use crate::span::Span;
use crate::token::{Token, TokenKind};

impl<'a> Parser<'a> {
    pub(crate) fn trailing_comma<T>(&mut self, expected: &str) -> Parse<T> {
        let message = format!("expected {expected} after the comma, found {}", self.shown());
        let span = match self.kind() {
            TokenKind::Comma => self.peek().span,
            _ => self.previous().span,
        };
        let diagnostic = Diagnostic::error("E0022", span, message)
            .label("extra comma")
            .help("remove the comma, or write what is missing");
        // Before the end of a list of names or values, the comma is superfluous; in an instruction,
        // an operand may be missing.
        let list = matches!(expected, "a name" | "a value" | "a parameter");
        match list && self.kind() != TokenKind::Comma && self.previous().kind == TokenKind::Comma {
            true => self.fail(diagnostic.fix(span, "")),
            false => self.fail(diagnostic),
        }
    }

    pub(crate) fn initializer(&mut self, ty: &str) -> Parse<Initializer<'a>> {
        self.nested(|p| match p.kind() {
            TokenKind::LeftBrace => p.initializer_list(ty),
            TokenKind::Text => {
                let help = "write the bytes as a list: \"abc\" is `{97, 98, 99, 0}`";
                p.unexpected("E0038", "an initial value", help)
            }
            TokenKind::Semicolon | TokenKind::Comma | TokenKind::RightBrace => {
                let help = "write a number, an address, or a list in braces after `=`";
                p.unexpected("E0038", "an initial value", help)
            }
            // ptxas accepts a field of a reference without braces.
            TokenKind::Ident if p.peek_at(1).kind == TokenKind::Equal => {
                let start = p.at;
                let field = p.field()?;
                Ok(Initializer::Fields(vec![field], p.span_from(start)))
            }
            _ => Ok(Initializer::Value(p.initial_value()?)),
        })
    }

    fn initializer_list(&mut self, ty: &str) -> Parse<Initializer<'a>> {
        let start = self.at;
        let open = self.advance();
        let opaque = matches!(ty, "texref" | "samplerref" | "surfref");
        let named = self.kind() == TokenKind::Ident && self.peek_at(1).kind == TokenKind::Equal;
        if self.eat(TokenKind::RightBrace).is_some() {
            let span = self.span_from(start);
            return Ok(if opaque {
                Initializer::Fields(Vec::new(), span)
            } else {
                Initializer::List(Vec::new(), span)
            });
        }
        let mut fields = Vec::new();
        let mut list = Vec::new();
        loop {
            if named {
                fields.push(self.field()?);
            } else {
                list.push(self.initializer(ty)?);
            }
            if self.eat(TokenKind::Comma).is_none() {
                break;
            }
            if matches!(self.kind(), TokenKind::RightBrace | TokenKind::Comma) {
                return self.trailing_comma("a value");
            }
        }
        self.list_end(TokenKind::RightBrace, "}", open, "initial values")?;
        let span = self.span_from(start);
        Ok(if named { Initializer::Fields(fields, span) } else { Initializer::List(list, span) })
    }

    /// Parses a field: `filter_mode = linear`.
    fn field(&mut self) -> Parse<(Ident<'a>, FieldValue<'a>)> {
        let name = self.name("a field's name")?;
        if self.eat(TokenKind::Equal).is_none() {
            let help = "write `field = value`, as in `filter_mode = linear`";
            return self.unexpected("E0038", "`=`", help);
        }
        match self.at_name() {
            true => Ok((name, FieldValue::Word(self.name("a value")?))),
            false => Ok((name, FieldValue::Number(self.constant()?))),
        }
    }

    /// Parses the closing bracket of a list, or reports that a comma is missing.
    pub(crate) fn list_end(
        &mut self,
        kind: TokenKind,
        shown: &str,
        open: Token,
        what: &str,
    ) -> Parse<()> {
        use TokenKind::{Ident, LeftBrace, Underscore};
        let begins_value =
            self.kind().is_number() || matches!(self.kind(), Ident | LeftBrace | Underscore);
        if begins_value
            && !(self.peek().first_on_line && self.begins_statement(self.at, Scope::Body, false))
        {
            return self.missing_comma(what);
        }
        self.close(kind, shown, open)?;
        Ok(())
    }

    /// Reports an element of a list that begins where a comma was expected.
    pub(crate) fn missing_comma<T>(&mut self, what: &str) -> Parse<T> {
        let message = format!("missing comma before {}", self.shown());
        let diagnostic = Diagnostic::error("E0021", self.peek().span, message)
            .label("`,` expected before this")
            .help(format!("separate {what} with commas"))
            .fix(self.behind(), ",");
        self.fail(diagnostic)
    }

    /// Parses a number, an address, or a byte of a number or address: `0xff(name)`.
    fn initial_value(&mut self) -> Parse<InitialValue<'a>> {
        let start = self.at;
        let mut mask = None;
        if self.kind() == TokenKind::Integer && self.peek_at(1).kind == TokenKind::LeftParen {
            mask = self.eat_integer().map(|(mask, _)| (mask, self.advance()));
        }
        let whole = match self.at_name() {
            true => self.address_value()?,
            false => WholeValue::Number(self.constant()?),
        };
        if let Some((_, open)) = mask {
            self.close(TokenKind::RightParen, ")", open)?;
        }
        Ok(InitialValue { mask: mask.map(|(mask, _)| mask), whole, span: self.span_from(start) })
    }

    /// Parses an address: `name`, `name+4`, `generic(name)`, `generic(name)+4`.
    fn address_value(&mut self) -> Parse<WholeValue<'a>> {
        let mut name = self.name("a variable's name")?;
        let generic = self.kind() == TokenKind::LeftParen;
        if generic {
            if name.text != "generic" {
                let message = format!("`{}` cannot be called in an initial value", name.text);
                let diagnostic = Diagnostic::error("E0038", name.span, message);
                return self.fail(diagnostic.help("`generic(name)` is the generic address of a variable; a byte of an address is `0xff(name)`"));
            }
            let open = self.advance();
            name = self.name("a variable's name")?;
            if self.kind() == TokenKind::Plus {
                let help = format!("write the offset after it: `generic({})+4`", name.text);
                return self.unexpected("E0041", "`)`", help);
            }
            self.close(TokenKind::RightParen, ")", open)?;
        }
        match self.kind() {
            TokenKind::Plus => {
                self.advance();
                Ok(WholeValue::Address { generic, name, offset: Some(self.constant()?) })
            }
            TokenKind::Minus => {
                let help = format!("write a negative offset as `{}+-4`", name.text);
                let before = Span { end: self.peek().span.start, ..self.peek().span };
                self.unexpected_fixed("E0041", "`+` and a constant", help, (before, "+"))
            }
            TokenKind::LeftBracket | TokenKind::Star | TokenKind::Slash | TokenKind::Percent => {
                let help = format!("the only arithmetic is an offset in bytes: `{}+4`", name.text);
                self.unexpected("E0041", "`+` and a constant", help)
            }
            _ => Ok(WholeValue::Address { generic, name, offset: None }),
        }
    }
}
