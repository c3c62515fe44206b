//! Parsing of module scope: header directives, items, and texts that are not PTX.

use super::recovery::Scope;
use super::{Parse, Parser, Reported};
use crate::ast::{AddressSize, Alias, Directive, Item, Linkage, Module, Target, Version};
use crate::diagnostic::Diagnostic;
use crate::span::Span;
use crate::token::TokenKind;
use crate::{number, words};

/// The directives of the module header that have been parsed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Header {
    Nothing,
    Version,
    Target,
    AddressSize,
    Closed,
}

impl<'a> Parser<'a> {
    /// Whether the next token is `.version`.
    pub(crate) fn begins_with_version(&self) -> bool {
        self.peek_word() == Some("version")
    }

    /// Parses the whole text as a module.
    pub(crate) fn module(&mut self) -> Module<'a> {
        let mut module = Module::default();
        let mut header = Header::Nothing;
        if !self.begins_with_version() {
            self.no_version();
        }
        while self.kind() != TokenKind::End {
            let start = self.begin();
            self.unwinding = false;
            self.recovered = false;
            if header == Header::Version
                && self.peek_word() != Some("target")
                && self.kind() != TokenKind::Semicolon
            {
                self.no_target();
                header = Header::Target;
                self.pass_mangled_directive();
                continue;
            }
            if self.item(&mut module.items, &mut header).is_err() {
                if !self.recovered && !self.unwinding {
                    self.recover(start, Scope::Module);
                    if self.kind() == TokenKind::LeftBrace {
                        // The body of an unknown item is parsed only to report its errors.
                        let _ = self.block();
                    }
                }
                if self.at == start {
                    self.advance();
                }
                self.lose(start);
            }
        }
        self.statement_start = self.peek().span.start;
        if header == Header::Version {
            self.no_target();
        }
        module
    }

    fn no_version(&mut self) {
        let help = "a module begins with `.version 8.8` and `.target sm_75`";
        if self.kind() == TokenKind::End {
            if self.lexical.is_empty() {
                let diagnostic = Diagnostic::error("E0004", self.peek().span, "the file is empty");
                self.report(diagnostic.help(help));
            }
            return;
        }
        let span = self.peek().span;
        let message = format!("expected `.version`, found {}", self.shown());
        self.report(
            Diagnostic::error("E0003", span, message)
                .label("`.version` expected before this")
                .help(help),
        );
        self.pass_mangled_directive();
    }

    /// After a missing header directive, skips a line that is not a directive, such as `8.8`
    /// without `.version`.
    fn pass_mangled_directive(&mut self) {
        let known = self.peek_word().is_some_and(words::is_directive);
        let next = self.peek_at(1);
        let instruction =
            self.kind() == TokenKind::Ident && next.kind == TokenKind::Word && !next.first_on_line;
        if known || instruction {
            return;
        }
        let error = self.at;
        self.advance();
        self.skip_line(TokenKind::End);
        self.pass_over(error);
    }

    fn no_target(&mut self) {
        let message = format!("expected `.target` after `.version`, found {}", self.shown());
        let diagnostic = Diagnostic::error("E0005", self.place(), message);
        self.report(diagnostic.help("write `.target sm_75` on the line after `.version`"));
    }

    fn item(&mut self, items: &mut Vec<Item<'a>>, header: &mut Header) -> Parse<()> {
        let start = self.at;
        let Some(word) = self.peek_word() else { return self.no_item() };
        match word {
            "version" | "target" | "address_size" => {
                items.push(self.header_directive(word, header)?);
                return Ok(());
            }
            _ if words::is_directive(word) => *header = Header::Closed,
            _ => {}
        }
        let linkage = Linkage::from_name(word).map(|found| (found, self.advance().span));
        match self.peek_word() {
            Some("entry" | "func") => {
                self.check_function_linkage(linkage)?;
                let function = self.function(start, linkage)?;
                // An alias in a body may name the enclosing function, so it becomes a later item.
                let inner = std::mem::take(&mut self.inner).into_iter();
                let (prototypes, aliases): (Vec<_>, Vec<_>) =
                    inner.partition(|item| matches!(item, Item::Function(_)));
                items.extend(prototypes);
                items.push(Item::Function(function));
                items.extend(aliases);
            }
            Some(word) if Self::is_declaration_word(word) => {
                let variables = self.declaration(start, linkage, Scope::Module)?;
                items.extend(variables.into_iter().map(Item::Variable));
            }
            Some(word) if linkage.is_none() => items.push(self.other_directive(word)?),
            Some(word) if Linkage::from_name(word).is_some() => {
                let help = "one of `.extern`, `.visible`, `.weak` and `.common`, or none";
                self.unexpected("E0034", "a state space, `.entry` or `.func`", help)?;
            }
            Some(word) if !words::is_directive(word) => self.unknown_word(word)?,
            _ => {
                let help =
                    "the linkage is followed by a variable or a function: `.visible .entry name()`";
                self.unexpected("E0052", "a state space, `.entry` or `.func`", help)?;
            }
        }
        Ok(())
    }

    pub(crate) fn check_function_linkage(&mut self, linkage: Option<(Linkage, Span)>) -> Parse<()> {
        let Some((Linkage::Common, span)) = linkage else { return Ok(()) };
        let diagnostic = Diagnostic::error("E0031", span, "`.common` on a function");
        self.report(diagnostic.help("only variables in `.global` can be `.common`; write `.weak`"));
        Ok(())
    }

    pub(crate) fn other_directive(&mut self, word: &str) -> Parse<Item<'a>> {
        let directive: Directive<'a> = match word {
            "file" => self.file()?,
            "section" => self.section()?,
            "@@DWARF" => self.dwarf()?,
            "pragma" => self.pragma(Scope::Module)?,
            "alias" => return Ok(Item::Alias(self.alias()?)),
            _ => return self.misplaced_in_module(word),
        };
        Ok(Item::Directive(directive))
    }

    fn misplaced_in_module(&mut self, word: &str) -> Parse<Item<'a>> {
        let help = if words::BOUNDS.iter().any(|b| b.name == word) {
            "write it between a kernel's parameters and its body"
        } else if matches!(word, "loc" | "branchtargets" | "calltargets" | "callprototype") {
            "write it inside a function body"
        } else {
            return self.unknown_word(word);
        };
        let message = format!("`.{word}` outside of a function");
        let diagnostic = Diagnostic::error("E0031", self.peek().span, message);
        let result = self.fail(diagnostic.label("not here").help(help));
        if word == "loc" {
            // A statement at module scope is probably the rest of a body whose `{` is missing.
            self.recover_to_item(self.at);
        }
        result
    }

    /// Parses `.alias name, function;`.
    fn alias(&mut self) -> Parse<Alias<'a>> {
        let start = self.at;
        self.advance();
        let alias = self.name("the new name")?;
        if self.eat(TokenKind::Comma).is_none() {
            let help = "write `.alias name, function;`";
            return self.unexpected("E0055", "`,`", help);
        }
        let aliasee = self.name("the function's name")?;
        self.semicolon(Scope::Module, "`.alias`")?;
        Ok(Alias { alias, aliasee, span: self.span_from(start) })
    }

    fn header_directive(&mut self, word: &str, header: &mut Header) -> Parse<Item<'a>> {
        let span = self.peek().span;
        let (right, next) = match word {
            "version" => (*header == Header::Nothing, Header::Version),
            "target" => (matches!(header, Header::Version | Header::Target), Header::Target),
            _ => (*header == Header::Target, Header::AddressSize),
        };
        // A missing `.version` or `.target` has been reported; its consequences are not.
        let excused = *header == Header::Nothing || *header == Header::Version;
        if !right && !excused {
            let message = format!("`.{word}` is out of place");
            let help = "`.version`, `.target` and `.address_size` must appear once, in this order, before everything else";
            self.report(Diagnostic::error("E0006", span, message).help(help));
        }
        *header = next.max(*header);
        match word {
            "version" => self.version(),
            "target" => self.target(),
            _ => self.address_size(),
        }
    }

    fn version(&mut self) -> Parse<Item<'a>> {
        let start = self.at;
        self.advance();
        let help = "write major and minor version with a dot: `.version 8.8`";
        let text = self.text_of(self.peek());
        let parts = text.split_once('.').and_then(|(major, minor)| {
            Some((major.parse::<u32>().ok()?, minor.parse::<u32>().ok()?))
        });
        let Some((major, minor)) = parts.filter(|_| self.kind() == TokenKind::Decimal) else {
            return self.header_value("a version such as `8.8`", help);
        };
        self.advance();
        Ok(Item::Version(Version { major, minor, span: self.span_from(start) }))
    }

    fn target(&mut self) -> Parse<Item<'a>> {
        let start = self.at;
        self.advance();
        let mut options = Vec::new();
        let help =
            "write an architecture, and options after commas: `.target sm_75, texmode_independent`";
        loop {
            if self.kind() != TokenKind::Ident {
                return self.header_value("an architecture or option", help);
            }
            options.push(self.take_ident());
            if self.eat(TokenKind::Comma).is_none() {
                break;
            }
        }
        if self.kind() == TokenKind::Ident && !self.peek().first_on_line {
            return self.header_value("`,` or the end of the line", help);
        }
        Ok(Item::Target(Target { options, span: self.span_from(start) }))
    }

    fn address_size(&mut self) -> Parse<Item<'a>> {
        let start = self.at;
        self.advance();
        let bits = match self.kind() {
            TokenKind::Integer => number::integer(self.text_of(self.peek())).0,
            _ => 0,
        };
        if !matches!(bits, 32 | 64) {
            return self.header_value("32 or 64", "write `.address_size 64`");
        }
        self.advance();
        Ok(Item::AddressSize(AddressSize { bits, span: self.span_from(start) }))
    }

    /// Reports an invalid value and skips to the end of the line, because header directives have no
    /// `;`.
    fn header_value<T>(&mut self, expected: &str, help: &str) -> Parse<T> {
        let result = self.unexpected("E0007", expected, help);
        let error = self.at;
        self.skip_line(TokenKind::Word);
        self.pass_over(error);
        result
    }

    /// Reports a token that cannot begin an item.
    fn no_item(&mut self) -> Parse<()> {
        let start = self.at;
        match self.kind() {
            TokenKind::Semicolon => self.stray_semicolon(),
            TokenKind::RightBrace | TokenKind::RightParen | TokenKind::RightBracket => {
                let help = "remove it, or look for an extra `}` before it";
                let _: Result<(), Reported> = self.unmatched(help);
                self.advance();
            }
            _ => {
                if self.kind() != TokenKind::Ident || self.refuse_foreign().is_ok() {
                    let help = "instructions belong in the body of an `.entry` or `.func`; at module scope everything begins with a directive";
                    let _: Result<(), Reported> = self.unexpected("E0052", "a directive", help);
                }
                self.recover_to_item(start);
                self.lose(start);
            }
        }
        Ok(())
    }
}
