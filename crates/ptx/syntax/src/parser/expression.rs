//! Parsing of constant expressions: C's operators with C's precedence, on numbers and `WARP_SZ`.

use super::{MAX_OPERATORS, Parse, Parser};
use crate::ast::{BinaryOp, Expr, ExprKind, UnaryOp};
use crate::diagnostic::Diagnostic;
use crate::number;
use crate::token::{PUNCTUATION, Token, TokenKind};

/// Binary operators: token, operator, precedence (higher binds tighter).
#[rustfmt::skip]
const BINARY: &[(TokenKind, BinaryOp, u8)] = &[
    (TokenKind::OrOr,         BinaryOp::LogicalOr,  1),
    (TokenKind::AndAnd,       BinaryOp::LogicalAnd, 2),
    (TokenKind::Pipe,         BinaryOp::Or,         3),
    (TokenKind::Caret,        BinaryOp::Xor,        4),
    (TokenKind::Ampersand,    BinaryOp::And,        5),
    (TokenKind::EqualEqual,   BinaryOp::Eq,         6),
    (TokenKind::NotEqual,     BinaryOp::Ne,         6),
    (TokenKind::Less,         BinaryOp::Lt,         7),
    (TokenKind::Greater,      BinaryOp::Gt,         7),
    (TokenKind::LessEqual,    BinaryOp::Le,         7),
    (TokenKind::GreaterEqual, BinaryOp::Ge,         7),
    (TokenKind::ShiftLeft,    BinaryOp::Shl,        8),
    (TokenKind::ShiftRight,   BinaryOp::Shr,        8),
    (TokenKind::Plus,         BinaryOp::Add,        9),
    (TokenKind::Minus,        BinaryOp::Sub,        9),
    (TokenKind::Star,         BinaryOp::Mul,       10),
    (TokenKind::Slash,        BinaryOp::Div,       10),
    (TokenKind::Percent,      BinaryOp::Rem,       10),
];

/// Spelling and precedence of a binary operator, for the printer.
pub(crate) fn symbol_and_precedence(op: BinaryOp) -> (&'static str, u8) {
    let row = BINARY.iter().find(|row| row.1 == op);
    let symbol = |kind| PUNCTUATION.iter().find(|(_, of)| *of == kind).map_or("", |(text, _)| text);
    row.map_or(("", 0), |row| (symbol(row.0), row.2))
}

/// Unary operators, by token.
const UNARY: &[(TokenKind, UnaryOp)] = &[
    (TokenKind::Plus, UnaryOp::Plus),
    (TokenKind::Minus, UnaryOp::Minus),
    (TokenKind::Bang, UnaryOp::Not),
    (TokenKind::Tilde, UnaryOp::BitNot),
];

impl<'a> Parser<'a> {
    /// Parses a constant expression.
    pub(crate) fn constant(&mut self) -> Parse<Expr> {
        self.operators = 0;
        self.conditional()
    }

    fn conditional(&mut self) -> Parse<Expr> {
        self.nested(|p| {
            let condition = p.binary(1)?;
            if p.kind() != TokenKind::Question {
                return Ok(condition);
            }
            p.count_operator()?;
            p.advance();
            let yes = p.conditional()?;
            if p.eat(TokenKind::Colon).is_none() {
                let help = "a conditional is `condition ? value : value`";
                return p.unexpected("E0047", "`:`", help);
            }
            let no = p.conditional()?;
            let span = condition.span.to(no.span);
            let kind = ExprKind::Conditional(Box::new(condition), Box::new(yes), Box::new(no));
            Ok(Expr { kind, span })
        })
    }

    fn binary(&mut self, least: u8) -> Parse<Expr> {
        let mut left = self.unary()?;
        while let Some(&(_, op, precedence)) = BINARY.iter().find(|row| row.0 == self.kind()) {
            if precedence < least {
                break;
            }
            self.count_operator()?;
            self.advance();
            let right = self.binary(precedence + 1)?;
            let span = left.span.to(right.span);
            left = Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), span };
        }
        Ok(left)
    }

    /// Counts an operator of the expression, to limit the height of its tree.
    fn count_operator(&mut self) -> Parse<()> {
        self.operators += 1;
        if self.operators <= MAX_OPERATORS {
            return Ok(());
        }
        let message = format!("a constant expression with more than {MAX_OPERATORS} operators");
        let diagnostic = Diagnostic::error("E0060", self.place(), message);
        self.fail(diagnostic.help("write its value as a number"))
    }

    fn unary(&mut self) -> Parse<Expr> {
        let start = self.at;
        if let Some(&(_, op)) = UNARY.iter().find(|row| row.0 == self.kind()) {
            self.count_operator()?;
            self.advance();
            let operand = self.nested(Self::unary)?;
            let span = self.span_from(start);
            return Ok(Expr { kind: ExprKind::Unary(op, Box::new(operand)), span });
        }
        if self.kind() == TokenKind::LeftParen && self.peek_at(1).kind == TokenKind::Word {
            let unsigned = self.cast()?;
            let operand = self.nested(Self::unary)?;
            let span = self.span_from(start);
            return Ok(Expr { kind: ExprKind::Cast(unsigned, Box::new(operand)), span });
        }
        self.primary()
    }

    /// Parses a cast; returns true for `(.u64)`, false for `(.s64)`.
    fn cast(&mut self) -> Parse<bool> {
        self.count_operator()?;
        let open = self.advance();
        let unsigned = match self.peek_word() {
            Some("s64") => false,
            Some("u64") => true,
            _ => {
                let message = format!("constant expressions cannot be cast to {}", self.shown());
                let diagnostic = Diagnostic::error("E0048", self.peek().span, message);
                return self.fail(diagnostic.help("cast to `.s64` or `.u64`"));
            }
        };
        self.advance();
        self.close(TokenKind::RightParen, ")", open)?;
        Ok(unsigned)
    }

    fn primary(&mut self) -> Parse<Expr> {
        let token = self.peek();
        let text = self.text_of(token);
        let kind = match token.kind {
            TokenKind::Integer => {
                let (value, unsigned) = number::integer(text);
                ExprKind::Integer { value, unsigned }
            }
            TokenKind::Decimal => ExprKind::F64(text.parse().unwrap_or(0f64).to_bits()),
            TokenKind::Float32 => {
                self.without_operator(token)?;
                ExprKind::F32(bits(text) as u32)
            }
            TokenKind::Float64 => ExprKind::F64(bits(text)),
            TokenKind::Ident if text == "WARP_SZ" => ExprKind::WarpSize,
            TokenKind::LeftParen => {
                self.advance();
                let mut inner = self.conditional()?;
                let close = self.close(TokenKind::RightParen, ")", token)?;
                inner.span = token.span.to(close.span);
                return Ok(inner);
            }
            TokenKind::Ident => {
                let message = format!("`{text}` in a constant expression");
                let diagnostic = Diagnostic::error("E0047", token.span, message)
                    .label("not a constant")
                    .help("an address comes first, outside parentheses: `name+4`; registers need an instruction");
                return self.fail(diagnostic);
            }
            _ => {
                let help = "write a number, `WARP_SZ`, or an expression of these in parentheses";
                return self.unexpected("E0047", "a constant", help);
            }
        };
        self.advance();
        Ok(Expr { kind, span: token.span })
    }
}

impl<'a> Parser<'a> {
    /// Reports an operator next to a literal `0f3f800000`, around which ptxas requires parentheses.
    fn without_operator(&mut self, token: Token) -> Parse<()> {
        let binary = |kind| BINARY.iter().any(|row| row.0 == kind);
        let unary = |kind| UNARY.iter().any(|row| row.0 == kind);
        let before = |n| self.at.checked_sub(n).map(|at| self.tokens[at]);
        let is_operand = before(1).is_some_and(|t| binary(t.kind) || unary(t.kind));
        if !is_operand && !binary(self.peek_at(1).kind) {
            return Ok(());
        }
        let text = self.text_of(token);
        let message = format!("`{text}` takes no operator");
        let mut diagnostic = Diagnostic::error("E0047", token.span, message)
            .help("write its value as a decimal number, or put it in parentheses");
        let is_sign = |t: &Token| t.kind == TokenKind::Minus;
        let begins =
            |t: Token| matches!(t.kind, TokenKind::Comma | TokenKind::LeftBrace | TokenKind::Equal);
        if let Some(minus) = before(1).filter(is_sign)
            && before(2).is_some_and(begins)
            && !binary(self.peek_at(1).kind)
        {
            let negated = format!("0f{:08X}", bits(text) as u32 ^ 1 << 31);
            diagnostic = diagnostic.fix(minus.span.to(token.span), negated);
        }
        self.fail(diagnostic)
    }
}

/// The bits of a literal `0f...` or `0d...`; 0 if it is malformed, which the lexer has reported.
fn bits(literal: &str) -> u64 {
    u64::from_str_radix(&literal[2..], 16).unwrap_or(0)
}
