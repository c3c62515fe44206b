//! Lexer, error-recovering parser and syntax tree of PTX modules.
//!
//! [`parse`] returns a tree of everything that could be parsed together with all errors; it never
//! panics and never stops at the first error. Names are resolved and types are checked in crate
//! `check`; diagnostics are rendered in crate `report`.

pub mod ast;
pub mod codes;
pub mod diagnostic;
pub mod examples;
pub mod fix;
pub mod foreign;
mod handed;
mod lexer;
mod number;
mod parser;
mod print;
mod repeated;
pub mod scan;
pub mod span;
mod token;
pub mod utf16;
mod words;

pub use diagnostic::{Diagnostic, Edit, Label, Severity};
pub use handed::{HandedSource, handed_comments, handed_sources, has_handed};
pub use lexer::token_spans;
pub use number::{is_cut, low_32};
pub use repeated::by_opcode;
pub use span::{Location, SourceFile, Span};
pub use words::numbered;

/// The result of [`parse`].
#[derive(Clone, Debug)]
pub struct Parsed<'a> {
    /// The syntax tree of the parts that could be parsed.
    pub module: ast::Module<'a>,
    /// All diagnostics in source order. If there are errors, the tree is incomplete.
    pub diagnostics: Vec<Diagnostic>,
    /// Ranges of statements that could not be parsed, ordered by their ends. Declarations in them
    /// are missing in the tree.
    pub lost: Vec<Span>,
}

/// Maximum number of errors that are reported per file; a further error says that there are more.
pub const MAX_ERRORS: usize = 200;

/// Parses a PTX module.
pub fn parse(source: &SourceFile) -> Parsed<'_> {
    let text = foreign::without_end_marks(source.text());
    let refused = |d| Parsed {
        module: ast::Module::default(),
        diagnostics: vec![d],
        lost: vec![Span::new(0, text.len())],
    };
    if let Some(diagnostic) = foreign::binary(text, source.first_bytes()) {
        return refused(diagnostic);
    }
    let mut parser = parser::Parser::new(text, lexer::lex(text));
    if !parser.begins_with_version()
        && let Some(diagnostic) = foreign::not_ptx(text)
    {
        return refused(diagnostic);
    }
    let module = parser.module();
    let (mut diagnostics, lost) = parser.finish();
    if let Some(next) = diagnostics.get(MAX_ERRORS) {
        let message = format!("more than {MAX_ERRORS} errors; the rest is not shown");
        let last = Diagnostic::error("E0061", next.primary.span, message)
            .help("correct the first ones; one early mistake may have caused many");
        diagnostics.truncate(MAX_ERRORS);
        diagnostics.push(last);
    }
    Parsed { module, diagnostics, lost }
}
