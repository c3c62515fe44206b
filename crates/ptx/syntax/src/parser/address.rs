//! Parsing of operands in brackets: addresses, and handles with coordinates.

use super::operand::is_operator;
use super::{Parse, Parser};
use crate::ast::{Address, Expr, Operand, OperandKind};
use crate::diagnostic::Diagnostic;
use crate::span::Span;
use crate::token::{Token, TokenKind};

impl<'a> Parser<'a> {
    /// Parses `[base]`, `[base+4]`, `[texture, {x, y}]`, `[texture, sampler, {x, y}]`.
    pub(crate) fn bracket(&mut self) -> Parse<OperandKind<'a>> {
        let open = self.advance();
        let base = self.address_base()?;
        let mut offset = None;
        match self.kind() {
            TokenKind::Plus => offset = Some(self.address_offset(&base)?),
            kind if is_operator(kind) => return self.address_operator(),
            _ => {}
        }
        if self.kind() != TokenKind::Comma {
            self.bracket_end(open)?;
            return Ok(OperandKind::Address(Address { base: Box::new(base), offset }));
        }
        if let Some(offset) = offset {
            let message = "an offset in a texture, surface or tensor operand";
            let help = "write the handle alone: a name or a 64-bit register";
            let span = base.span.to(offset.span);
            return self.fail(Diagnostic::error("E0042", span, message).help(help));
        }
        if let OperandKind::Constant(_) = base.kind {
            let message = "a number in place of a handle";
            let diagnostic = Diagnostic::error("E0042", base.span, message);
            return self.fail(diagnostic.help("write the handle: a name or a 64-bit register"));
        }
        let mut operands = vec![base];
        while self.eat(TokenKind::Comma).is_some() {
            operands.push(self.bracket_element()?);
        }
        self.bracket_end(open)?;
        Ok(OperandKind::Bracket(operands))
    }

    fn address_base(&mut self) -> Parse<Operand<'a>> {
        let start = self.at;
        let help = "an address is `[register]`, `[register+constant]`, `[variable+constant]` or `[constant]`";
        let kind = match self.kind() {
            TokenKind::Ident if self.at_name() => {
                let name = self.take_ident();
                if self.kind() == TokenKind::Word {
                    let help = "copy the element to a register with `mov` before";
                    return self.unexpected("E0043", "`]`", help);
                }
                if self.kind() == TokenKind::LeftBracket {
                    let help = "an element of an array is written without brackets: \
                                `ld.global.u32 %r1, name[2];`; an address is `[name+8]`";
                    return self.unexpected("E0042", "`+` or `]`", help);
                }
                OperandKind::Name { name, component: None }
            }
            TokenKind::Minus if self.name_follows() => {
                return self.unexpected("E0042", "an address", help);
            }
            TokenKind::RightBracket
            | TokenKind::LeftBrace
            | TokenKind::LeftBracket
            | TokenKind::Underscore
            | TokenKind::Comma => {
                return self.unexpected("E0042", "an address", help);
            }
            _ => self.constant_operand()?,
        };
        Ok(Operand { kind, span: self.span_from(start) })
    }

    fn address_offset(&mut self, base: &Operand<'a>) -> Parse<Expr> {
        self.advance();
        if self.at_name() {
            let help =
                "an address is one register and a constant: add registers with `add.s64` before";
            let message = format!("expected a constant offset, found {}", self.shown());
            let diagnostic = Diagnostic::error("E0042", self.peek().span, message)
                .label("not a constant")
                .note(base.span, "added to this");
            return self.fail(diagnostic.help(help));
        }
        self.constant()
    }

    /// Reports a minus in place of `+-`, with a correction if only a number follows.
    pub(super) fn minus_for_plus<T>(&mut self, help: impl Into<String>) -> Parse<T> {
        let (number, end) = (self.peek_at(1).kind, self.peek_at(2).kind);
        if number == TokenKind::Integer && end == TokenKind::RightBracket {
            let before = Span { end: self.peek().span.start, ..self.peek().span };
            return self.unexpected_fixed("E0042", "`+` or `]`", help, (before, "+"));
        }
        self.unexpected("E0042", "`+` or `]`", help)
    }

    fn address_operator<T>(&mut self) -> Parse<T> {
        if self.kind() == TokenKind::Minus {
            return self.minus_for_plus("write a negative offset as `+-4`");
        }
        let help = "an address is one register or variable and a constant: compute the rest before";
        self.unexpected("E0042", "`+` or `]`", help)
    }

    /// Parses an operand after the handle in `[texture, sampler, {x, y}]`.
    fn bracket_element(&mut self) -> Parse<Operand<'a>> {
        let start = self.at;
        let kind = match self.kind() {
            TokenKind::LeftBrace => self.vector()?,
            TokenKind::Ident if self.at_name() => {
                let name = self.take_ident();
                let component = self.component()?;
                if is_operator(self.kind()) || self.kind() == TokenKind::Plus {
                    self.arithmetic(name)?;
                }
                OperandKind::Name { name, component }
            }
            TokenKind::RightBracket | TokenKind::Comma => return self.trailing_comma("an operand"),
            _ => {
                let help = "the handle is followed by a sampler, or by coordinates in braces: `[texture, {%f1, %f2}]`";
                return self.unexpected("E0040", "coordinates or a sampler", help);
            }
        };
        Ok(Operand { kind, span: self.span_from(start) })
    }

    fn bracket_end(&mut self, open: Token) -> Parse<()> {
        self.list_end(TokenKind::RightBracket, "]", open, "operands in brackets")?;
        match self.kind() {
            TokenKind::Plus | TokenKind::Minus | TokenKind::LeftBracket => {
                let help = "write the offset inside the brackets: `[%rd1+4]`";
                self.unexpected("E0042", "`,` or `;`", help)
            }
            _ => Ok(()),
        }
    }
}
