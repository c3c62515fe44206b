//! Parsing of operands, except those in brackets.

use super::{Parse, Parser};
use crate::ast::{Expr, Ident, Operand, OperandKind, Subscript};
use crate::diagnostic::Diagnostic;
use crate::token::{Token, TokenKind};

/// The position of an operand, on which the grammar depends.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum OperandPosition {
    /// The first operand of an instruction, a destination: `d|p` and `_` are valid.
    First,
    /// An operand after the first.
    Later,
    /// An operand of a call: lists `(a, b)` are valid.
    Call,
}

/// Whether a token is an operator that C programmers may write after a register.
pub(crate) fn is_operator(kind: TokenKind) -> bool {
    use TokenKind::*;
    matches!(
        kind,
        Minus
            | Star
            | Slash
            | Percent
            | Ampersand
            | Caret
            | AndAnd
            | OrOr
            | EqualEqual
            | NotEqual
            | Less
            | Greater
            | LessEqual
            | GreaterEqual
            | ShiftLeft
            | ShiftRight
            | Question
    )
}

impl<'a> Parser<'a> {
    /// Parses an operand, including `d|p`.
    pub(crate) fn operand(&mut self, place: OperandPosition) -> Parse<Operand<'a>> {
        let start = self.at;
        let kind = match self.kind() {
            TokenKind::LeftBrace => self.vector()?,
            TokenKind::LeftBracket => self.bracket()?,
            TokenKind::LeftParen if place == OperandPosition::Call => self.list()?,
            TokenKind::Underscore => self.discard(place)?,
            TokenKind::Bang if self.name_follows() => {
                self.advance();
                OperandKind::Not(self.ident(self.peek()))
            }
            TokenKind::Minus if self.name_follows() => {
                self.advance();
                OperandKind::Negated(self.negated())
            }
            TokenKind::Ident if self.at_name() => self.named()?,
            _ => self.constant_operand()?,
        };
        if matches!(kind, OperandKind::Not(_)) {
            self.advance();
        }
        let operand = Operand { kind, span: self.span_from(start) };
        match self.kind() {
            TokenKind::Pipe => self.pair(operand, start, place),
            _ => Ok(operand),
        }
    }

    /// Whether the next token is the name of a register, variable or function.
    pub(crate) fn at_name(&self) -> bool {
        self.is_name(self.peek())
    }

    /// Whether a register or variable follows the next token, which is an operator.
    pub(crate) fn name_follows(&self) -> bool {
        self.is_name(self.peek_at(1))
    }

    fn is_name(&self, token: Token) -> bool {
        token.kind == TokenKind::Ident && self.text_of(token) != "WARP_SZ"
    }

    /// Parses a minus and the name after it, with the name's selector.
    fn negated(&mut self) -> Ident<'a> {
        let start = self.at;
        self.advance();
        if self.kind() == TokenKind::Word {
            self.advance();
        }
        let span = self.span_from(start);
        Ident { text: &self.text[span.range()], span }
    }

    fn discard(&mut self, place: OperandPosition) -> Parse<OperandKind<'a>> {
        if place == OperandPosition::Later {
            let help = "`_` stands for a result that is not wanted; write a register or a number";
            return self.unexpected("E0040", "an operand with a value", help);
        }
        self.advance();
        Ok(OperandKind::Discard)
    }

    /// Parses `|p` of the operand `d|p`.
    fn pair(
        &mut self,
        first: Operand<'a>,
        start: usize,
        place: OperandPosition,
    ) -> Parse<Operand<'a>> {
        if place != OperandPosition::First {
            let help = "PTX has no expressions over registers: write `or.b32 result, a, b;` before";
            return self.unexpected("E0041", "`,` or `;`", help);
        }
        self.advance();
        let token = self.peek();
        let kind = match token.kind {
            TokenKind::Ident => OperandKind::Name { name: self.ident(token), component: None },
            TokenKind::Underscore => OperandKind::Discard,
            _ => {
                let help = "`|` is followed by a predicate register or `_`";
                return self.unexpected("E0040", "a predicate register", help);
            }
        };
        self.advance();
        if self.kind() == TokenKind::Pipe {
            let help = "an instruction has at most two results: `d|p`";
            return self.unexpected("E0040", "`,` or `;`", help);
        }
        let second = Operand { kind, span: token.span };
        let kind = OperandKind::Pair(Box::new(first), Box::new(second));
        Ok(Operand { kind, span: self.span_from(start) })
    }

    pub(crate) fn constant_operand(&mut self) -> Parse<OperandKind<'a>> {
        use TokenKind::{Bang, Ident, LeftParen, Minus, Plus, Tilde};
        let what = "an operand";
        let help = match self.kind() {
            TokenKind::Text => {
                "a string cannot be an operand: declare `.global .b8 text[4] = {97, 98, 99, 0};` and use its name"
            }
            TokenKind::Word => "modifiers such as `.u32` come before the operands",
            TokenKind::Semicolon | TokenKind::Comma | TokenKind::RightBrace | TokenKind::End
                if self.previous().kind == TokenKind::Comma =>
            {
                return self.trailing_comma(what);
            }
            TokenKind::At => "a guard comes before the instruction: `@p mov.u32 ...`",
            kind if kind.is_number()
                || matches!(kind, Ident | LeftParen | Plus | Minus | Bang | Tilde) =>
            {
                return Ok(OperandKind::Constant(self.constant()?));
            }
            _ => "write a register, a number, an `[address]`, or a `{vector}`",
        };
        self.unexpected("E0040", what, help)
    }

    /// Parses `name`, `name.x`, `name+4`, `name[2]`.
    fn named(&mut self) -> Parse<OperandKind<'a>> {
        let name = self.take_ident();
        let component = self.component()?;
        match (self.kind(), component) {
            (TokenKind::Plus, None) => {
                let offset = self.offset(name)?;
                Ok(OperandKind::Offset(name, Box::new(offset)))
            }
            (TokenKind::LeftBracket, None) => {
                let subscript = self.subscript()?;
                Ok(OperandKind::Index(name, Box::new(subscript)))
            }
            (TokenKind::Plus | TokenKind::LeftBracket, Some(_)) => {
                let help = "a selector such as `.x` ends the operand";
                self.unexpected("E0043", "`,` or `;`", help)
            }
            (kind, _) if is_operator(kind) => self.arithmetic(name),
            _ => Ok(OperandKind::Name { name, component }),
        }
    }

    /// Parses the subscript of an array: `[2]`, `[%r1]`, `[%r1+2]`.
    fn subscript(&mut self) -> Parse<Subscript<'a>> {
        let open = self.advance();
        let subscript = match self.at_name() {
            true => {
                let register = self.take_ident();
                let offset = match self.kind() {
                    TokenKind::Plus => Some(self.offset(register)?),
                    TokenKind::RightBracket => None,
                    _ => return self.after_subscript(register),
                };
                Subscript::Register(register, offset)
            }
            false => Subscript::Constant(self.constant()?),
        };
        self.close(TokenKind::RightBracket, "]", open)?;
        if self.kind() == TokenKind::LeftBracket {
            let help = "an array has one subscript, which counts elements of its type: compute \
                        the place of the element in the whole array";
            return self.unexpected("E0042", "`,` or `;`", help);
        }
        Ok(subscript)
    }

    /// Reports text after the register of a subscript.
    fn after_subscript<T>(&mut self, register: Ident<'a>) -> Parse<T> {
        let (code, help) = match self.kind() {
            TokenKind::Word => ("E0043", "copy the element to a register with `mov` before"),
            TokenKind::Minus => {
                let help = format!("write a negative offset as `{}+-1`", register.text);
                return self.minus_for_plus(help);
            }
            kind if is_operator(kind) => {
                let help = "a subscript is a number, or a register and a constant: compute the \
                            rest before";
                ("E0042", help)
            }
            _ => ("E0026", "a subscript is a number, or a register and a constant"),
        };
        self.unexpected(code, "`+` or `]`", help)
    }

    /// Parses the component `.x` after a name.
    pub(crate) fn component(&mut self) -> Parse<Option<Ident<'a>>> {
        if self.kind() != TokenKind::Word
            || self.peek().first_on_line && self.begins_statement_here()
        {
            return Ok(None);
        }
        // `.b32` is valid: in video instructions, it is a selector of two bytes.
        self.check_modifier(|word| word != "b32" && crate::words::is_directive(word))?;
        let component = self.take_word();
        if self.kind() == TokenKind::Word && !self.peek().first_on_line {
            let help = "a vector register has one level of elements";
            return self.unexpected("E0043", "one selector", help);
        }
        Ok(Some(component))
    }

    fn begins_statement_here(&self) -> bool {
        self.begins_statement(self.at, super::recovery::Scope::Body, false)
    }

    /// Parses the constant after `name +`.
    fn offset(&mut self, name: Ident<'a>) -> Parse<Expr> {
        self.advance();
        if self.at_name() {
            let help = "only constants can be added here: add registers with `add` before";
            return self.unexpected("E0041", &format!("a constant after `{}+`", name.text), help);
        }
        self.constant()
    }

    pub(crate) fn arithmetic(&mut self, name: Ident<'a>) -> Parse<OperandKind<'a>> {
        let help = match self.kind() {
            TokenKind::Minus => format!(
                "write a negative offset as `{}+-4`; subtract registers with `sub`",
                name.text
            ),
            _ => "PTX has no expressions over registers: compute with an instruction before".into(),
        };
        let message = format!("arithmetic on `{}`: unexpected {}", name.text, self.shown());
        let diagnostic = Diagnostic::error("E0041", self.peek().span, message);
        self.fail(diagnostic.label("no operator is allowed here").help(help))
    }

    /// Parses a vector `{a, b, c, d}`.
    pub(crate) fn vector(&mut self) -> Parse<OperandKind<'a>> {
        let open = self.advance();
        let mut elements = Vec::new();
        if let TokenKind::RightBrace = self.kind() {
            let span = open.span.to(self.peek().span);
            let diagnostic = Diagnostic::error("E0023", span, "empty braces").label("no elements");
            return self.fail(diagnostic.help("a vector has at least one element: `{%f1, %f2}`"));
        }
        loop {
            elements.push(self.element()?);
            if self.eat(TokenKind::Comma).is_none() {
                break;
            }
            if matches!(self.kind(), TokenKind::RightBrace | TokenKind::Comma) {
                return self.trailing_comma("an element");
            }
        }
        self.list_end(TokenKind::RightBrace, "}", open, "elements")?;
        Ok(OperandKind::Vector(elements))
    }

    fn element(&mut self) -> Parse<Operand<'a>> {
        let start = self.at;
        let kind = match self.kind() {
            TokenKind::Underscore => {
                self.advance();
                OperandKind::Discard
            }
            TokenKind::Ident if self.at_name() => {
                let name = self.take_ident();
                let component = self.component()?;
                if is_operator(self.kind())
                    || matches!(self.kind(), TokenKind::Plus | TokenKind::Pipe)
                {
                    self.arithmetic(name)?;
                }
                OperandKind::Name { name, component }
            }
            TokenKind::LeftBrace => {
                return self.unexpected("E0044", "an element", "vectors do not nest");
            }
            TokenKind::Minus | TokenKind::Bang if self.name_follows() => {
                let help = "elements are registers as they are: negate with an instruction before";
                return self.unexpected("E0044", "an element", help);
            }
            TokenKind::LeftBracket => {
                let help = "close the vector with `}`, or load from memory with `ld` before";
                return self.unexpected("E0044", "an element", help);
            }
            _ => self.constant_operand()?,
        };
        Ok(Operand { kind, span: self.span_from(start) })
    }

    /// Parses the result or argument list `(a, b)` of a call.
    fn list(&mut self) -> Parse<OperandKind<'a>> {
        let open = self.advance();
        let mut elements = Vec::new();
        if self.eat(TokenKind::RightParen).is_some() {
            return Ok(OperandKind::List(elements));
        }
        loop {
            let element = match self.kind() {
                // A `(` begins the argument list although the result list has not been closed.
                TokenKind::LeftParen if self.name_follows() => {
                    self.close(TokenKind::RightParen, ")", open)?;
                    break;
                }
                TokenKind::Underscore => self.operand(OperandPosition::Call)?,
                _ => self.operand(OperandPosition::Later)?,
            };
            elements.push(element);
            if self.eat(TokenKind::Comma).is_none() {
                break;
            }
            if matches!(self.kind(), TokenKind::RightParen | TokenKind::Comma) {
                return self.trailing_comma("an argument");
            }
        }
        self.list_end(TokenKind::RightParen, ")", open, "arguments")?;
        Ok(OperandKind::List(elements))
    }
}
