//! Parsing of directives that are kept as text: `.file`, `.loc`, `.pragma`, `.section`.

use super::recovery::Scope;
use super::{Parse, Parser};
use crate::ast::{Content, Directive, FilePlace, Loc, Section};
use crate::diagnostic::Diagnostic;
use crate::token::TokenKind;
use crate::{number, words};

impl<'a> Parser<'a> {
    /// Parses `.file 1 "name.cu"`, optionally with time and size.
    pub(crate) fn file(&mut self) -> Parse<Directive<'a>> {
        let start = self.at;
        self.advance();
        let help = "write `.file 1 \"name.cu\"`";
        let number = self.place_number("the file's index", help)?;
        let Some(name) = self.eat(TokenKind::Text) else {
            return self.unexpected("E0055", "the file's name in quotes", help);
        };
        for what in ["a time", "a size"] {
            if self.eat(TokenKind::Comma).is_some() {
                self.number_of(what, "the name may be followed by a time and a size")?;
            }
        }
        let name = self.text_of(name).trim_matches('"');
        Ok(self.kept(start, Content::File(number, name)))
    }

    /// Parses `.loc 1 2 3, function_name $L+4, inlined_at 1 2 3`.
    pub(crate) fn loc(&mut self) -> Parse<Directive<'a>> {
        let start = self.at;
        self.advance();
        let mut loc = Loc { place: self.file_place()?, function: None, inlined_at: None };
        while self.eat(TokenKind::Comma).is_some() {
            let help =
                "a comma is followed by `function_name label` or `inlined_at file line column`";
            match (self.kind(), self.text_of(self.peek())) {
                (TokenKind::Ident, "function_name") => {
                    self.advance();
                    let label = self.name("a label")?.text;
                    let offset = match self.eat(TokenKind::Plus) {
                        Some(_) => {
                            u32::try_from(self.number_of("an offset", help)?).unwrap_or(u32::MAX)
                        }
                        None => 0,
                    };
                    loc.function = Some((label, offset));
                }
                (TokenKind::Ident, "inlined_at") => {
                    self.advance();
                    loc.inlined_at = Some(self.file_place()?);
                }
                _ => return self.unexpected("E0055", "`function_name` or `inlined_at`", help),
            }
        }
        if loc.function.is_some() && loc.inlined_at.is_none() {
            let help = "a function name belongs to a call: `, inlined_at file line column`";
            return self.unexpected("E0055", "`, inlined_at`", help);
        }
        Ok(self.kept(start, Content::Loc(loc)))
    }

    fn file_place(&mut self) -> Parse<FilePlace> {
        let mut number = |what| self.place_number(what, "write three numbers: `.loc 1 20 5`");
        let (file, line) = (number("the file's index")?, number("the line")?);
        Ok(FilePlace { file, line, column: number("the column")? })
    }

    fn number_of(&mut self, what: &str, help: &str) -> Parse<u64> {
        match self.eat_integer() {
            Some((value, _)) => Ok(value),
            None => self.unexpected("E0055", what, help),
        }
    }

    /// Parses the index of a file, a line or a column.
    fn place_number(&mut self, what: &str, help: &str) -> Parse<u32> {
        let value = self.number_of(what, help)?;
        if let Some(low) = number::low_32(value) {
            return Ok(low);
        }
        let (span, message) = (self.previous().span, format!("number too large: `{value}`"));
        self.fail(Diagnostic::error("E0014", span, message).help("places have numbers of 32 bits"))
    }

    /// Parses `.pragma "nounroll";`.
    pub(crate) fn pragma(&mut self, scope: Scope) -> Parse<Directive<'a>> {
        let start = self.at;
        self.advance();
        let strings = self.strings()?;
        self.semicolon(scope, "`.pragma`")?;
        Ok(self.kept(start, Content::Pragma(strings)))
    }

    /// Parses comma-separated strings; quotes are removed.
    pub(crate) fn strings(&mut self) -> Parse<Vec<&'a str>> {
        let mut strings = Vec::new();
        loop {
            let Some(token) = self.eat(TokenKind::Text) else {
                let help = "write the text in quotes: `.pragma \"nounroll\";`";
                return self.unexpected("E0055", "a string", help);
            };
            strings.push(self.text_of(token).trim_matches('"'));
            if self.eat(TokenKind::Comma).is_none() {
                return Ok(strings);
            }
        }
    }

    /// Parses `.section .debug_info { ... }`.
    pub(crate) fn section(&mut self) -> Parse<Directive<'a>> {
        let start = self.at;
        self.advance();
        let Some(name) = self.eat(TokenKind::Word) else {
            let help = "a section's name begins with a dot: `.section .debug_str { ... }`";
            return self.unexpected("E0054", "the section's name", help);
        };
        if self.kind() != TokenKind::LeftBrace {
            return self.unexpected("E0054", "`{`", "write the section's contents in braces");
        }
        let open = self.at;
        self.advance();
        let mut section = Section::default();
        let kept = self.word(name).text == "debug_str";
        if self.section_body(&mut section, kept).is_err() {
            self.skip_block(open, self.at);
        }
        Ok(self.kept(start, Content::Section(Box::new(section))))
    }

    /// Parses `@@DWARF .byte 1, 2` or `@@DWARF .section .debug_info, "", @progbits`.
    pub(crate) fn dwarf(&mut self) -> Parse<Directive<'a>> {
        let start = self.at;
        self.advance();
        let mut section = Section::default();
        let help = "write `@@DWARF .byte 1, 2` or `@@DWARF .section .debug_info, \"\", @progbits`";
        if self.peek_word() == Some("section") {
            self.advance();
            section.begun = Some(self.peek().span);
            use TokenKind::{At, Comma, Ident, Text, Word};
            for kind in [Word, Comma, Text, Comma, At, Ident] {
                let wrong = kind == Ident && self.text_of(self.peek()) != "progbits";
                if wrong || self.eat(kind).is_none() {
                    let wanted = "the section's name, `\"\"` and `@progbits`";
                    return self.unexpected("E0054", wanted, help);
                }
            }
            return Ok(self.kept(start, Content::Section(Box::new(section))));
        }
        let bits = match self.peek_word() {
            Some("byte") => Some(8),
            Some("4byte") => Some(32),
            Some("quad") => Some(64),
            word => word.and_then(bits_of),
        };
        let Some(bits) = bits else {
            return self.unexpected("E0054", "`.byte`, `.4byte`, `.quad` or `.section`", help);
        };
        self.advance();
        let first = self.kind();
        self.section_value(&mut section, bits)?;
        while self.eat(TokenKind::Comma).is_some() {
            self.number_of("a number", help)?;
        }
        // In `@@DWARF` lines, every PTX version supports `name+4`.
        section.offset = section.offset.filter(|_| first == TokenKind::Integer);
        Ok(self.kept(start, Content::Section(Box::new(section))))
    }

    /// Parses the contents of a section; their bytes are kept if `kept`.
    fn section_body(&mut self, section: &mut Section<'a>, kept: bool) -> Parse<()> {
        let open = self.previous();
        loop {
            match self.kind() {
                TokenKind::RightBrace => {
                    self.advance();
                    return Ok(());
                }
                TokenKind::End => {
                    let diagnostic =
                        Diagnostic::error("E0024", open.span, "missing `}` at the end of the file")
                            .label("this `{` is never closed")
                            .help("close the section with `}`");
                    return self.fail(diagnostic);
                }
                TokenKind::Ident if self.peek_at(1).kind == TokenKind::Colon => {
                    section.labels.push((self.take_ident(), section.bytes.len() as u32));
                    self.advance();
                }
                TokenKind::Word => {
                    let Some(bits) = self.peek_word().and_then(bits_of) else {
                        return self.section_error("`.b8`, `.b16`, `.b32`, `.b64` or a label");
                    };
                    self.advance();
                    // A line such as `.b8` may have several numbers, but only one name.
                    let mut is_list = false;
                    loop {
                        let is_name = matches!(self.kind(), TokenKind::Ident | TokenKind::Word);
                        if is_name && is_list {
                            return self.section_error("a number");
                        }
                        let value = self.section_value(section, bits)?.to_le_bytes();
                        if kept {
                            section.bytes.extend_from_slice(&value[..bits as usize / 8]);
                        }
                        if is_name || self.eat(TokenKind::Comma).is_none() {
                            break;
                        }
                        is_list = true;
                    }
                }
                _ => return self.section_error("`.b8`, `.b16`, `.b32`, `.b64`, a label or `}`"),
            }
        }
    }

    /// Parses a value of `bits` bits: a number, a name or section with an offset, or the difference
    /// of two names. Names need 32 or 64 bits; of a number, ptxas uses the low 32 bits unless
    /// `bits` is 64. Returns the number, or 0 for names.
    fn section_value(&mut self, section: &mut Section<'a>, bits: u32) -> Parse<i64> {
        let minus = self.eat(TokenKind::Minus);
        let negative = minus.is_some();
        section.negative = section.negative.or(minus.map(|m| m.span));
        let token = self.peek();
        match token.kind {
            TokenKind::Integer => {
                let literal = self.text_of(token);
                let (whole, _) = number::integer(literal);
                let low = i64::from(whole as u32);
                let value = if negative { -low } else { low };
                if bits < 64 && !(-(1 << (bits - 1))..1 << bits).contains(&value) {
                    return self.section_error(&format!("a number of {bits} bits"));
                }
                self.advance();
                return Ok(match bits {
                    64 if negative => (whole as i64).wrapping_neg(),
                    64 => whole as i64,
                    _ => value,
                });
            }
            _ if bits < 32 => return self.section_error("a number"),
            TokenKind::Word if words::is_directive(self.word(token).text) => {
                return self.section_error("a number or a name");
            }
            TokenKind::Ident | TokenKind::Word => self.advance(),
            _ => return self.section_error("a number or a name"),
        };
        let (found, wanted) = match self.kind() {
            TokenKind::Plus => (&mut section.offset, (TokenKind::Integer, "a number")),
            TokenKind::Minus => (&mut section.difference, (TokenKind::Ident, "a name")),
            _ => return Ok(0),
        };
        found.get_or_insert(token.span);
        self.advance();
        if self.eat(wanted.0).is_none() {
            return self.section_error(wanted.1);
        }
        Ok(0)
    }

    fn section_error<T>(&mut self, expected: &str) -> Parse<T> {
        let help =
            "a section holds labels and lines such as `.b8 1, 2` and `.b32 name+4`, without `;`";
        self.unexpected("E0054", expected, help)
    }
}

/// The width in bits of the numbers after a directive in a `.section`, such as `.b32 1, 2`.
fn bits_of(word: &str) -> Option<u32> {
    Some(match word {
        "b8" => 8,
        "b16" => 16,
        "b32" => 32,
        "b64" => 64,
        _ => return None,
    })
}
