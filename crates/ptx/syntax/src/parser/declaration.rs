//! Parsing of variable declarations: directives, names and dimensions.

use super::recovery::Scope;
use super::{Parse, Parser};
use crate::ast::{Expr, Ident, Initializer, Linkage, OpaqueType, Ptr, Space, Variable};
use crate::diagnostic::Diagnostic;
use crate::span::Span;
use crate::token::TokenKind;
use crate::words;

/// The directives of a declaration before the declared names.
struct Head<'a> {
    space: Space,
    align: Option<(u64, Span)>,
    vector: u8,
    ty: Ident<'a>,
    ptr: Option<Ptr>,
    attributes: Vec<Ident<'a>>,
}

/// The directives of a declaration that have been parsed so far.
#[derive(Default)]
struct Words<'a> {
    space: Option<(Space, Span)>,
    align: Option<(u64, Span)>,
    vector: Option<(u8, Span)>,
    ty: Option<Ident<'a>>,
    ptr: Option<Ptr>,
}

const ORDER: &str = "the order is linkage, space, `.align` or `.attribute`, vector, type, names: `.visible .global .align 16 .v4 .f32 table[4];`";

impl<'a> Parser<'a> {
    /// Whether a directive can begin a declaration, valid or not.
    pub(crate) fn is_declaration_word(word: &str) -> bool {
        Space::from_name(word).is_some()
            || words::look_up(words::VECTORS, word).is_some()
            || words::TYPES.contains(&word)
            || matches!(word, "align" | "attribute")
    }

    /// Parses a declaration with its `;`: one variable for each name. `start` is the declaration's
    /// first token, including the linkage.
    pub(crate) fn declaration(
        &mut self,
        start: usize,
        linkage: Option<(Linkage, Span)>,
        scope: Scope,
    ) -> Parse<Vec<Variable<'a>>> {
        let head = self.head()?;
        if head.ptr.is_some() {
            let message = "`.ptr` on a variable";
            let diagnostic = Diagnostic::error("E0031", self.span_from(start), message);
            return self.fail(diagnostic.help("remove it: only kernel parameters have `.ptr`"));
        }
        let mut variables = Vec::new();
        // ptxas accepts a declaration without names.
        if self.kind() != TokenKind::Semicolon {
            loop {
                let variable = self.declarator(start, linkage, &head)?;
                variables.push(variable);
                if self.eat(TokenKind::Comma).is_none() {
                    break;
                }
                if self.kind() == TokenKind::Semicolon {
                    return self.trailing_comma("a name");
                }
            }
        }
        self.semicolon(scope, "the declaration")?;
        Ok(variables)
    }

    /// Parses a parameter: directives and a name, which may be `_`.
    pub(crate) fn parameter(&mut self) -> Parse<Variable<'a>> {
        let start = self.at;
        let head = self.head()?;
        if let Some(token) = self.eat(TokenKind::Underscore) {
            let name = Ident { text: "", span: token.span };
            let dimensions = self.dimensions()?;
            return Ok(self.variable(start, None, &head, name, None, dimensions, None));
        }
        let name = self.name("the parameter's name")?;
        if self.kind() == TokenKind::Less {
            let message = "a parameter cannot be a numbered name";
            let diagnostic = Diagnostic::error("E0037", self.peek().span, message);
            return self.fail(diagnostic.help("declare each parameter, or an array: `a[4]`"));
        }
        let dimensions = self.dimensions()?;
        Ok(self.variable(start, None, &head, name, None, dimensions, None))
    }

    #[allow(clippy::too_many_arguments)] // the parts of one statement, in source order
    fn variable(
        &self,
        start: usize,
        linkage: Option<(Linkage, Span)>,
        head: &Head<'a>,
        name: Ident<'a>,
        count: Option<(u64, Span)>,
        dimensions: Vec<Option<Expr>>,
        initializer: Option<Initializer<'a>>,
    ) -> Variable<'a> {
        Variable {
            linkage,
            space: head.space,
            align: head.align,
            vector: head.vector,
            ty: head.ty,
            ptr: head.ptr,
            attributes: head.attributes.clone(),
            name,
            count,
            dimensions,
            initializer,
            span: self.span_from(start),
        }
    }

    fn head(&mut self) -> Parse<Head<'a>> {
        let start = self.at;
        let mut attributes = Vec::new();
        let mut seen = Words::default();
        while let Some(word) = self.peek_word() {
            if word == "attribute" {
                self.in_order(&seen, "attributes come before vector and type")?;
                attributes.append(&mut self.attributes()?);
            } else {
                self.head_word(word, &mut seen)?;
            }
        }
        let Some((space, _)) = seen.space else {
            let found = self.tokens[start];
            let message = "declaration without a state space";
            let diagnostic = Diagnostic::error("E0032", found.span, message)
                .label("`.reg`, `.shared`, `.param`, ... expected before this")
                .help("say where the variable lives: `.reg .u32 %r1;`, `.shared .f32 tile[64];`");
            return self.fail(diagnostic);
        };
        let Some(ty) = seen.ty else { return self.no_type() };
        let vector = seen.vector.map_or(1, |(elements, _)| elements);
        Ok(Head { space, align: seen.align, vector, ty, ptr: seen.ptr, attributes })
    }

    fn no_type<T>(&mut self) -> Parse<T> {
        let text = self.text_of(self.peek());
        if self.kind() == TokenKind::Ident && words::TYPES.contains(&text) {
            let help = format!("write the type with its dot: `.{text}`");
            let before = Span { end: self.peek().span.start, ..self.peek().span };
            return self.unexpected_fixed("E0033", "a type", help, (before, "."));
        }
        let help = "write a type after the space, as in `.reg .u32 %r1;`";
        self.unexpected("E0033", "a type", help)
    }

    /// Parses one of the directives at the beginning of a declaration.
    fn head_word(&mut self, word: &'a str, seen: &mut Words<'a>) -> Parse<()> {
        let token = self.peek();
        if let Some(space) = Space::from_name(word) {
            if seen.space.is_some() {
                return self.out_of_order("there is a state space already");
            }
            self.in_order(seen, "the state space comes before vector and type")?;
            self.advance();
            seen.space = Some((space, token.span));
        } else if word == "align" {
            self.in_order(seen, "`.align` comes before vector and type")?;
            self.advance();
            let (value, span) = self.plain_integer("the alignment in bytes")?;
            seen.align = Some((value, token.span.to(span)));
        } else if let Some(elements) = words::look_up(words::VECTORS, word) {
            if seen.vector.is_some() || seen.ty.is_some() {
                return self.out_of_order("one vector word, before the type");
            }
            self.advance();
            seen.vector = Some((elements, token.span));
        } else if words::TYPES.contains(&word) {
            if seen.ty.is_some() {
                return self.out_of_order("there is a type already");
            }
            self.advance();
            seen.ty = Some(self.word(token));
        } else if word == "ptr" {
            if seen.ty.is_none() || seen.ptr.is_some() {
                return self.out_of_order("`.ptr` comes once, after the type");
            }
            seen.ptr = Some(self.ptr()?);
        } else if Linkage::from_name(word).is_some() {
            return self.out_of_order("the linkage comes first, at module scope");
        } else {
            return self.unknown_word(word);
        }
        Ok(())
    }

    /// Checks that the directive `what` (space, alignment, attribute) precedes vector and type.
    fn in_order(&mut self, seen: &Words<'a>, what: &str) -> Parse<()> {
        if seen.ty.is_some() || seen.vector.is_some() { self.out_of_order(what) } else { Ok(()) }
    }

    fn out_of_order<T>(&mut self, what: &str) -> Parse<T> {
        let message = format!("{} is out of place", self.shown());
        let diagnostic = Diagnostic::error("E0034", self.peek().span, message);
        self.fail(diagnostic.label(what).help(ORDER))
    }

    /// Reports a directive that is not valid in a declaration.
    pub(crate) fn unknown_word<T>(&mut self, word: &str) -> Parse<T> {
        let span = self.peek().span;
        if words::is_directive(word) {
            let message = format!("`.{word}` is not allowed here");
            let help = "see the order of words: `.visible .global .align 16 .v4 .f32 table[4];`, `.visible .entry name(...) .maxntid 256 { ... }`";
            return self.fail(Diagnostic::error("E0031", span, message).help(help));
        }
        let shown: String = word.chars().take(40).collect();
        let message = format!("unknown directive or type `.{shown}`");
        let help = match (word, words::nearest(word)) {
            ("v1" | "v3" | "v16", _) => {
                "vectors have 2, 4 or 8 elements: `.v2`, `.v4`, `.v8`".into()
            }
            ("int" | "s" | "i32", _) => "signed 32-bit integers are `.s32`".into(),
            ("uint" | "u" | "unsigned", _) => "unsigned 32-bit integers are `.u32`".into(),
            ("float", _) => "32-bit floats are `.f32`".into(),
            ("double", _) => "64-bit floats are `.f64`".into(),
            ("bool" | "b1" | "p", _) => "truth values are `.pred`".into(),
            (_, Some(near)) => format!("did you mean `.{near}`?"),
            _ => "directives and types are those of the PTX ISA, in lower case".into(),
        };
        let diagnostic = Diagnostic::error("E0030", span, message).help(help);
        match words::certainly(word) {
            Some(near) => self.fail(diagnostic.fix(span, format!(".{near}"))),
            None => self.fail(diagnostic),
        }
    }

    /// Parses `.attribute(.managed, .unified(1, 2))`; an attribute includes its arguments.
    pub(crate) fn attributes(&mut self) -> Parse<Vec<Ident<'a>>> {
        self.advance();
        let help = "write `.attribute(.managed)`";
        let Some(open) = self.eat(TokenKind::LeftParen) else {
            return self.unexpected("E0055", "`(`", help);
        };
        let mut attributes = Vec::new();
        loop {
            let start = self.at;
            if self.kind() != TokenKind::Word {
                return self.unexpected("E0055", "an attribute such as `.managed`", help);
            }
            let word = self.word(self.peek()).text;
            if !matches!(word, "managed" | "unified") {
                let message = format!("unknown attribute `.{word}`");
                let span = self.peek().span;
                let help = "attributes are `.managed` and `.unified(number, number)`";
                return self.fail(Diagnostic::error("E0030", span, message).help(help));
            }
            self.advance();
            if word == "unified" {
                self.unified_id()?;
            }
            let mut span = self.span_from(start);
            span.start = self.word(self.tokens[start]).span.start;
            attributes.push(Ident { text: &self.text[span.range()], span });
            if self.eat(TokenKind::Comma).is_none() {
                break;
            }
        }
        self.close(TokenKind::RightParen, ")", open)?;
        Ok(attributes)
    }

    /// Parses the two numbers of `.unified(1, 2)`, with their parentheses.
    fn unified_id(&mut self) -> Parse<()> {
        let help = "write the two numbers of the UUID: `.unified(1, 2)`";
        let Some(open) = self.eat(TokenKind::LeftParen) else {
            return self.unexpected("E0055", "`(`", help);
        };
        self.plain_integer("a number")?;
        if self.eat(TokenKind::Comma).is_none() {
            return self.unexpected("E0055", "`,`", help);
        }
        self.plain_integer("a number")?;
        self.close(TokenKind::RightParen, ")", open).map(|_| ())
    }

    /// Parses `.ptr .global .align 4`, `.ptr .texref`.
    fn ptr(&mut self) -> Parse<Ptr> {
        self.advance();
        let mut ptr = Ptr { space: None, align: None, opaque: None };
        if let Some(word) = self.peek_word() {
            match word {
                "const" | "global" | "local" | "shared" => ptr.space = Space::from_name(word),
                "texref" | "samplerref" | "surfref" => ptr.opaque = OpaqueType::from_name(word),
                "align" => {}
                _ => {
                    let message = format!("`.ptr` cannot point to `.{word}`");
                    let diagnostic = Diagnostic::error("E0034", self.peek().span, message);
                    return self.fail(diagnostic.help(
                        "write `.ptr`, then `.const`, `.global`, `.local`, `.shared` or nothing, then `.align n` or nothing",
                    ));
                }
            }
            if word != "align" {
                self.advance();
            }
        }
        if self.peek_word() == Some("align") {
            self.advance();
            ptr.align = Some(self.plain_integer("the alignment in bytes")?.0);
        }
        Ok(ptr)
    }

    fn declarator(
        &mut self,
        start: usize,
        linkage: Option<(Linkage, Span)>,
        head: &Head<'a>,
    ) -> Parse<Variable<'a>> {
        if self.kind() == TokenKind::Comma {
            return self.trailing_comma("a name");
        }
        let name = self.name("the variable's name")?;
        let count = self.count()?;
        let dimensions = if count.is_some() { Vec::new() } else { self.dimensions()? };
        if (count.is_some() && self.kind() == TokenKind::LeftBracket)
            || (!dimensions.is_empty() && self.kind() == TokenKind::Less)
        {
            let message = "a name is either numbered or an array";
            let help = "write `name<4>` for four variables or `name[4]` for one array";
            let span = self.peek().span;
            return self.fail(Diagnostic::error("E0037", span, message).help(help));
        }
        if count.is_some() && self.kind() == TokenKind::Equal {
            let message = "numbered names have no initial value";
            let diagnostic = Diagnostic::error("E0037", self.peek().span, message);
            return self.fail(diagnostic.help("declare each variable with its own value"));
        }
        let initializer = match self.eat(TokenKind::Equal) {
            Some(_) => Some(self.initializer(head.ty.text)?),
            None => None,
        };
        Ok(self.variable(start, linkage, head, name, count, dimensions, initializer))
    }

    /// Parses a count `<10>`.
    pub(crate) fn count(&mut self) -> Parse<Option<(u64, Span)>> {
        let Some(open) = self.eat(TokenKind::Less) else { return Ok(None) };
        let (value, _) = self.plain_integer("the number of names")?;
        let close = self.close(TokenKind::Greater, ">", open)?;
        Ok(Some((value, open.span.to(close.span))))
    }

    /// Parses dimensions `[2][3]`, `[]`.
    fn dimensions(&mut self) -> Parse<Vec<Option<Expr>>> {
        let mut dimensions = Vec::new();
        while let Some(open) = self.eat(TokenKind::LeftBracket) {
            let token = self.peek();
            let is_constant = token.kind == TokenKind::Integer
                || token.kind == TokenKind::Ident && self.text_of(token) == "WARP_SZ";
            if token.kind == TokenKind::RightBracket && dimensions.is_empty() {
                dimensions.push(None);
            } else if is_constant && self.peek_at(1).kind == TokenKind::RightBracket {
                dimensions.push(Some(self.constant()?));
            } else {
                let help = "write the length as a plain integer; only the first one may be omitted";
                let message = format!("expected the array's length, found {}", self.shown());
                let diagnostic = Diagnostic::error("E0037", self.place(), message);
                return self.fail(diagnostic.note(open.span, "of this dimension").help(help));
            }
            self.close(TokenKind::RightBracket, "]", open)?;
        }
        Ok(dimensions)
    }
}
