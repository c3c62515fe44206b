//! Lexer, recovering parser and syntax tree for PTX modules.
//!
//! [`parse`] takes the text of a whole module and returns a tree of everything it could read
//! together with every error it found; it never panics and never stops at the first mistake.
//! What it leaves out: names are not resolved and types are not checked (crate `check`), and
//! nothing is rendered (crate `report`).

pub mod ast;
pub mod diagnostic;
pub mod span;

pub use diagnostic::{Diagnostic, Label, Severity};
pub use span::{Location, SourceFile, Span};

/// What [`parse`] found.
#[derive(Clone, Debug)]
pub struct Parsed<'a> {
    /// Everything that could be read.
    pub module: ast::Module<'a>,
    /// Every mistake, in source order. With an error among them the tree has holes.
    pub diagnostics: Vec<Diagnostic>,
}
