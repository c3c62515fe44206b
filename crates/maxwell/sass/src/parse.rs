//! Parses the text of a TXD, in the disassembler's style or that of the instruction's page, into
//! the instruction and the text position of each field.

use texunit_syntax::{Diagnostic, Span};

use crate::control::{PHASE, READ, REUSE, SCHED, WAIT, WRITE};
use crate::field::{Field, Kind};
use crate::txd::{
    COORDINATES, GUARD, GUARD_NOT, INDEX, MASK, MODIFIERS, OPERANDS, PS, PT, RZ, Txd,
};

/// A parsed instruction with the text positions of its fields.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The instruction. [`crate::rules::check`] has yet to check it against the restrictions of the
    /// instruction's documentation.
    pub txd: Txd,
    /// The text positions of the instruction's fields.
    pub places: FieldPositions,
}

/// The text positions of an instruction's fields.
#[derive(Clone, Debug, Default)]
pub struct FieldPositions {
    mnemonic: Span,
    fields: Vec<(&'static str, Span)>,
}

impl FieldPositions {
    /// The text position of a field; for an omitted field, the position of the mnemonic.
    pub fn of(&self, field: &Field) -> Span {
        let found = self.fields.iter().find(|(name, _)| *name == field.name);
        found.map_or(self.mnemonic, |(_, span)| *span)
    }

    fn add(&mut self, field: &Field, span: Span) {
        self.fields.push((field.name, span));
    }
}

/// Parses an instruction. Comments between `/*` and `*/`, a final semicolon and upper or lower case
/// do not matter; `#` may precede numbers and coordinates.
pub fn parse(text: &str) -> Result<Parsed, Box<Diagnostic>> {
    Parser { text, at: 0, txd: Txd::PLAIN, places: FieldPositions::default() }.instruction()
}

/// Advice for messages about wrong syntax.
const FORM: &str = "write for instance `@P0 TXD.B.AOFFI R0, R4, R8, 0x0, ARRAY_2D, 0xf`";

struct Parser<'a> {
    text: &'a str,
    at: usize,
    txd: Txd,
    places: FieldPositions,
}

/// A token of the text: a name, a number, or a single character.
#[derive(Clone, Copy)]
struct Token<'a> {
    text: &'a str,
    span: Span,
}

impl<'a> Parser<'a> {
    fn instruction(mut self) -> Result<Parsed, Box<Diagnostic>> {
        if self.accept("{")?.is_some() {
            self.txd.control = self.txd.control.with(&SCHED, 0x10);
        }
        self.guard()?;
        self.mnemonic()?;
        self.operands()?;
        self.annotations()?;
        self.accept(";")?;
        let rest = self.peek()?;
        if rest.text.is_empty() {
            Ok(Parsed { txd: self.txd, places: self.places })
        } else {
            Err(unexpected(rest, "the end of the instruction"))
        }
    }

    /// The next token without consuming it; empty at the end.
    fn peek(&mut self) -> Result<Token<'a>, Box<Diagnostic>> {
        loop {
            let rest = &self.text[self.at..];
            let blank = rest.len() - rest.trim_start().len();
            self.at += blank;
            let rest = &rest[blank..];
            if !rest.starts_with("/*") {
                break;
            }
            let Some(end) = rest.find("*/") else {
                let span = Span::new(self.at, self.at + 2);
                let error = Diagnostic::error("E0600", span, "a comment that does not end");
                return Err(Box::new(error.help("close it with */")));
            };
            self.at += end + 2;
        }
        let rest = &self.text[self.at..];
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let length = match rest.find(|c| !word(c)).unwrap_or(rest.len()) {
            0 => rest.chars().next().map_or(0, char::len_utf8),
            length => length,
        };
        Ok(Token { text: &rest[..length], span: Span::new(self.at, self.at + length) })
    }

    fn next(&mut self) -> Result<Token<'a>, Box<Diagnostic>> {
        let token = self.peek()?;
        self.at = token.span.end as usize;
        Ok(token)
    }

    fn accept(&mut self, text: &str) -> Result<Option<Token<'a>>, Box<Diagnostic>> {
        if self.peek()?.text == text { self.next().map(Some) } else { Ok(None) }
    }

    fn expect(&mut self, text: &str, what: &str) -> Result<(), Box<Diagnostic>> {
        match self.accept(text)? {
            Some(_) => Ok(()),
            None => Err(unexpected(self.peek()?, what)),
        }
    }

    fn guard(&mut self) -> Result<(), Box<Diagnostic>> {
        if self.accept("@")?.is_none() {
            return Ok(());
        }
        if let Some(not) = self.accept("!")? {
            self.set(&GUARD_NOT, 1, not.span);
        }
        let token = self.next()?;
        match predicate(token.text) {
            Some(number) => self.set(&GUARD, number, token.span),
            None => return Err(unexpected(token, "a predicate P0 to P6, or PT")),
        }
        Ok(())
    }

    fn set(&mut self, field: &'static Field, value: u64, span: Span) {
        self.txd = self.txd.with(field, value);
        self.places.add(field, span);
    }

    fn mnemonic(&mut self) -> Result<(), Box<Diagnostic>> {
        let token = self.next()?;
        if !token.text.eq_ignore_ascii_case("TXD") {
            return Err(unexpected(token, "TXD"));
        }
        self.places.mnemonic = token.span;
        while self.accept(".")?.is_some() {
            let word = self.next()?;
            let phase = match word.text.to_ascii_uppercase().as_str() {
                "T" => 1,
                "P" => 2,
                upper => {
                    let Some(field) = MODIFIERS.into_iter().find(|field| field.name == upper)
                    else {
                        return Err(unknown_modifier(word));
                    };
                    if self.places.fields.iter().any(|(name, _)| *name == field.name) {
                        return Err(twice(word));
                    }
                    self.set(field, 1, word.span);
                    continue;
                }
            };
            let phases = self.txd.control.get(&PHASE);
            if phases & phase != 0 {
                return Err(twice(word));
            }
            self.txd.control = self.txd.control.with(&PHASE, phases | phase);
            self.places.fields.retain(|(name, _)| *name != PHASE.name);
            self.places.add(&PHASE, word.span);
        }
        Ok(())
    }

    fn operands(&mut self) -> Result<(), Box<Diagnostic>> {
        for (place, field) in OPERANDS.into_iter().enumerate() {
            if *field == PS {
                let token = self.peek()?;
                if let Some(number) = predicate(token.text) {
                    self.next()?;
                    self.set(&PS, number, token.span);
                    self.expect(",", "a comma and Rd")?;
                }
                continue;
            }
            if *field == MASK && self.accept(",")?.is_none() {
                return Ok(());
            }
            // No comma precedes the first register and an optional mask.
            if place > 1 && *field != MASK {
                self.expect(",", &format!("a comma and {}", field.name))?;
            }
            self.operand(field)?;
        }
        Ok(())
    }

    fn operand(&mut self, field: &'static Field) -> Result<(), Box<Diagnostic>> {
        match field.kind {
            Kind::Register => {
                let token = self.next()?;
                let number = register(token.text)
                    .ok_or_else(|| unexpected(token, &format!("a register as {}", field.name)))?;
                self.set(field, number, token.span);
            }
            Kind::Coordinates => {
                self.accept("#")?;
                let token = self.next()?;
                let upper = token.text.to_ascii_uppercase();
                let number = COORDINATES.iter().position(|name| *name == upper);
                let number = number
                    .ok_or_else(|| unexpected(token, "coordinates: 1D, ARRAY_1D, 2D, ARRAY_2D"))?;
                self.set(field, number as u64, token.span);
            }
            _ if *field == INDEX => self.index()?,
            _ => {
                let (value, span) = self.number(field.name, field.max())?;
                self.set(field, value, span);
            }
        }
        Ok(())
    }

    /// Parses the index, `0x105`, or its older spelling `5, 1`, which is recognised because a
    /// second number is in the position of the coordinates.
    fn index(&mut self) -> Result<(), Box<Diagnostic>> {
        let (value, span) = self.number(INDEX.name, INDEX.max())?;
        let start = self.at;
        if self.accept(",")?.is_some() {
            self.accept("#")?;
            let token = self.peek()?;
            let is_number = token.text.starts_with(|c: char| c.is_ascii_digit())
                && !COORDINATES.iter().any(|name| token.text.eq_ignore_ascii_case(name));
            if is_number {
                if value > 0xff {
                    return Err(out_of_range("#tidU08", span, 0xff));
                }
                let (sampler, second) = self.number("#smpU05", 0x1f)?;
                self.set(&INDEX, sampler << 8 | value, span.to(second));
                return Ok(());
            }
        }
        self.at = start;
        self.set(&INDEX, value, span);
        Ok(())
    }

    fn number(&mut self, name: &str, max: u64) -> Result<(u64, Span), Box<Diagnostic>> {
        self.accept("#")?;
        let token = self.next()?;
        let digits = token.text.to_ascii_lowercase();
        let (digits, radix) = digits.strip_prefix("0x").map_or((&*digits, 10), |hex| (hex, 16));
        if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
            return Err(unexpected(token, &format!("a number as {name}")));
        }
        match u64::from_str_radix(digits, radix) {
            Ok(value) if value <= max => Ok((value, token.span)),
            _ => Err(out_of_range(name, token.span, max)),
        }
    }

    /// Parses annotations of the control field: `&req_0x3 &rd0 &wr1 &reuse_0x1 ?0x0d`.
    fn annotations(&mut self) -> Result<(), Box<Diagnostic>> {
        let mut seen = Vec::new();
        loop {
            let (name, field, token) = if let Some(mark) = self.accept("?")? {
                ("?", &SCHED, mark)
            } else if self.accept("&")?.is_some() {
                let token = self.peek()?;
                let lower = token.text.to_ascii_lowercase();
                let names = [("req_", &WAIT), ("rd", &READ), ("wr", &WRITE), ("reuse_", &REUSE)];
                let Some((name, field)) = names.into_iter().find(|(n, _)| lower.starts_with(n))
                else {
                    return Err(unexpected(token, "&req_, &rd, &wr or &reuse_"));
                };
                // The value follows the annotation's name in the same token.
                self.at += name.len();
                (name, field, token)
            } else {
                return Ok(());
            };
            if seen.contains(&name) {
                return Err(twice(token));
            }
            seen.push(name);
            let (value, span) = self.number(field.name, field.max())?;
            self.txd.control = self.txd.control.with(field, value);
            self.places.add(field, span);
        }
    }
}

/// Parses a register, `R12` or `RZ`, into its number.
fn register(text: &str) -> Option<u64> {
    let rest = text.strip_prefix(['R', 'r'])?;
    if rest.eq_ignore_ascii_case("Z") {
        return Some(RZ);
    }
    let canonical = rest == "0" || !rest.starts_with('0');
    let number = rest.bytes().all(|b| b.is_ascii_digit()).then(|| rest.parse().ok()).flatten();
    number.filter(|&n| n < RZ && canonical)
}

/// Parses a predicate, `P3` or `PT`, into its number.
fn predicate(text: &str) -> Option<u64> {
    let rest = text.strip_prefix(['P', 'p'])?;
    if rest.eq_ignore_ascii_case("T") {
        return Some(PT);
    }
    match rest.as_bytes() {
        [digit @ b'0'..=b'6'] => Some(u64::from(digit - b'0')),
        _ => None,
    }
}

fn unexpected(found: Token<'_>, wanted: &str) -> Box<Diagnostic> {
    let what = if found.text.is_empty() { "the end".into() } else { format!("`{}`", found.text) };
    let message = format!("expected {wanted}, found {what}");
    Box::new(Diagnostic::error("E0600", found.span, message).help(FORM))
}

fn unknown_modifier(word: Token<'_>) -> Box<Diagnostic> {
    let names: Vec<String> = MODIFIERS.iter().map(|field| format!(".{}", field.name)).collect();
    let message = format!("TXD has no modifier .{}", word.text);
    let help = format!("its modifiers are {}, and the phases .T and .P", names.join(", "));
    Box::new(Diagnostic::error("E0601", word.span, message).help(help))
}

fn twice(token: Token<'_>) -> Box<Diagnostic> {
    let message = format!("{} is written twice", token.text);
    Box::new(Diagnostic::error("E0602", token.span, message).help("remove one of them"))
}

fn out_of_range(name: &str, span: Span, max: u64) -> Box<Diagnostic> {
    let message = format!("{name} is at most {max:#x}");
    Box::new(Diagnostic::error("E0603", span, message).help("write a smaller number"))
}
