//! Parsing of instructions: guard, opcode, modifiers, operands.

use super::operand::OperandPosition;
use super::recovery::Scope;
use super::{Parse, Parser};
use crate::ast::{Guard, Instruction, Operand, OperandKind};
use crate::diagnostic::Diagnostic;
use crate::token::TokenKind;
use crate::words;

/// Maximum number of tokens that are examined to count modifiers or operands.
const MAX_COUNTED: usize = 64;

const CALL_HELP: &str =
    "write `call (results), function, (arguments);`, separated by commas; lists may be omitted";

impl<'a> Parser<'a> {
    /// Parses an instruction with its `;`.
    pub(crate) fn instruction(&mut self) -> Parse<Instruction<'a>> {
        let start = self.at;
        let guard = match self.kind() {
            TokenKind::At => Some(self.guard()?),
            _ => None,
        };
        let opcode = self.name("an instruction")?;
        let words = self.tokens[self.at..].iter().take_while(|t| t.kind == TokenKind::Word);
        let mut modifiers = Vec::with_capacity(words.take(MAX_COUNTED).count());
        while self.kind() == TokenKind::Word && !self.begins_next_statement() {
            self.check_modifier(words::is_no_modifier)?;
            modifiers.push(self.take_word());
        }
        let operands = self.operands(opcode.text == "call")?;
        if self.kind() == TokenKind::Semicolon && self.operand_behind_semicolon() {
            return self.semicolon_for_comma();
        }
        self.semicolon(Scope::Body, "the instruction")?;
        Ok(Instruction { guard, opcode, modifiers, operands, span: self.span_from(start) })
    }

    /// Whether an operand follows the next `;`, which is then a typing error for `,`.
    fn operand_behind_semicolon(&self) -> bool {
        let (next, after) = (self.peek_at(1), self.peek_at(2));
        let ends = matches!(after.kind, TokenKind::Comma | TokenKind::Semicolon);
        !next.first_on_line
            && match next.kind {
                TokenKind::Ident => {
                    after.kind == TokenKind::Comma || ends && self.text_of(next).starts_with('%')
                }
                kind if kind.is_number() => ends,
                TokenKind::LeftBracket => true,
                TokenKind::LeftBrace => {
                    after.kind != TokenKind::RightBrace && !self.holds_statements(self.at + 1)
                }
                _ => false,
            }
    }

    fn semicolon_for_comma<T>(&mut self) -> Parse<T> {
        let token = self.advance();
        let message = format!("`;` before the operand {}", self.shown());
        let diagnostic = Diagnostic::error("E0021", token.span, message)
            .label("`,` expected here")
            .help("separate operands with commas; `;` ends the statement")
            .fix(token.span, ",");
        self.fail(diagnostic)
    }

    /// Reports directives and numbers in the position of a modifier or selector.
    pub(crate) fn check_modifier(&mut self, refused: fn(&str) -> bool) -> Parse<()> {
        let word = self.word(self.peek()).text;
        let what = if refused(word) {
            "a directive or type"
        } else if word.bytes().all(|b| b.is_ascii_digit()) {
            "a number"
        } else {
            return Ok(());
        };
        let help = match word {
            "branchtargets" | "calltargets" | "callprototype" => "a label ends with `:`",
            _ => "end the statement before it with `;`, or put a comma or operand in between",
        };
        let message = format!("`.{word}` is {what}, not a modifier or selector");
        let diagnostic = Diagnostic::error("E0031", self.peek().span, message);
        self.fail(diagnostic.label("not here").help(help))
    }

    /// Whether a word on a new line probably begins a statement and is no modifier.
    fn begins_next_statement(&self) -> bool {
        self.peek().first_on_line
            && matches!(
                self.peek_word(),
                Some("reg" | "loc" | "pragma" | "entry" | "func" | "visible")
            )
    }

    fn guard(&mut self) -> Parse<Guard<'a>> {
        let start = self.at;
        self.advance();
        let negated = self.eat(TokenKind::Bang).is_some();
        let help = "a guard is `@p` or `@!p`, with a predicate register";
        let jump = matches!(self.text_of(self.peek()), "bra" | "call" | "ret" | "exit");
        if self.kind() != TokenKind::Ident || jump {
            return self.unexpected("E0045", "a predicate register", help);
        }
        let register = self.take_ident();
        let span = self.span_from(start);
        let help = match self.kind() {
            TokenKind::Ident if self.peek_at(1).kind == TokenKind::Colon => {
                "write the label before the guard: `label: @p ...`"
            }
            TokenKind::Ident => return Ok(Guard { register, negated, span }),
            TokenKind::LeftBrace => {
                "blocks cannot be guarded: jump over them with `@!p bra label;`"
            }
            TokenKind::At => "one guard only: combine predicates with `and.pred`",
            _ => help,
        };
        let code = if self.kind() == TokenKind::Word { "E0043" } else { "E0045" };
        self.unexpected(code, "an instruction after the guard", help)
    }

    fn operands(&mut self, is_call: bool) -> Parse<Vec<Operand<'a>>> {
        let mut operands = Vec::new();
        let next = self.peek();
        match next.kind {
            TokenKind::Semicolon if is_call => {
                return self.unexpected("E0046", "a function", CALL_HELP);
            }
            TokenKind::Semicolon | TokenKind::RightBrace | TokenKind::End | TokenKind::At => {
                return Ok(operands);
            }
            TokenKind::Comma => {
                let help = "operands begin directly after the instruction's name";
                return self.unexpected("E0022", "an operand", help);
            }
            _ if next.first_on_line && self.begins_statement(self.at, Scope::Body, false) => {
                return Ok(operands);
            }
            _ => {}
        }
        operands.reserve_exact(self.count_operands());
        loop {
            let place = match (is_call, operands.is_empty()) {
                (true, _) => OperandPosition::Call,
                (false, true) => OperandPosition::First,
                (false, false) => OperandPosition::Later,
            };
            operands.push(self.operand(place)?);
            if self.eat(TokenKind::Comma).is_none() {
                break;
            }
            if matches!(
                self.kind(),
                TokenKind::Semicolon | TokenKind::Comma | TokenKind::RightBrace | TokenKind::End
            ) {
                return self.trailing_comma("an operand");
            }
        }
        if is_call {
            self.check_call(&operands)?;
        }
        Ok(operands)
    }

    /// The probable number of operands. Operands take nearly all memory of a syntax tree, so
    /// operand lists are allocated with exact capacity.
    fn count_operands(&self) -> usize {
        let (mut operands, mut depth) = (1, 0u32);
        for token in self.tokens[self.at..].iter().take(MAX_COUNTED) {
            match token.kind {
                TokenKind::Semicolon | TokenKind::End => break,
                TokenKind::LeftBrace | TokenKind::LeftBracket | TokenKind::LeftParen => depth += 1,
                TokenKind::RightBrace | TokenKind::RightBracket | TokenKind::RightParen => {
                    depth = depth.saturating_sub(1);
                }
                TokenKind::Comma if depth == 0 => operands += 1,
                _ => {}
            }
        }
        operands
    }

    /// Checks the order of a call's operands, and the commas between them.
    fn check_call(&mut self, operands: &[Operand<'a>]) -> Parse<()> {
        if self.kind() == TokenKind::LeftParen {
            let fix = (self.behind(), ",");
            let what = "`,` before the arguments";
            return self.unexpected_fixed("E0046", what, CALL_HELP, fix);
        }
        let is_list = |o: &Operand<'_>| matches!(o.kind, OperandKind::List(_));
        let is_name = |o: &Operand<'_>| matches!(o.kind, OperandKind::Name { component: None, .. });
        if operands.len() == 1 && is_list(&operands[0]) && self.kind() == TokenKind::Ident {
            let fix = (self.behind(), ",");
            return self.unexpected_fixed("E0046", "`,` after the results", CALL_HELP, fix);
        }
        let rest = &operands[usize::from(is_list(&operands[0]))..];
        let right = match rest {
            [function] => is_name(function),
            [function, second] => is_name(function) && (is_list(second) || is_name(second)),
            [function, arguments, prototype] => {
                is_name(function) && is_list(arguments) && is_name(prototype)
            }
            _ => false,
        };
        if right {
            return Ok(());
        }
        let wrong = operands[0].span.to(self.previous().span);
        let diagnostic = Diagnostic::error("E0046", wrong, "malformed call");
        self.fail(diagnostic.label("not results, function, arguments").help(CALL_HELP))
    }
}
