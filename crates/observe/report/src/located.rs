//! A text together with its line table.

use crate::place::{CodeLocation, Frame};
use texunit_simt::Sources;
use texunit_syntax::{Diagnostic, SourceFile, Span};

/// A text that diagnostics refer to, and its line table, if known. With a line table, source
/// positions are shown before those in the PTX.
#[derive(Clone, Copy, Debug)]
pub struct Located<'a> {
    /// The text.
    pub text: &'a SourceFile,
    /// The line table, from `.loc` directives.
    pub sources: Option<&'a Sources>,
}

impl<'a> From<&'a SourceFile> for Located<'a> {
    fn from(text: &'a SourceFile) -> Self {
        Self { text, sources: None }
    }
}

impl<'a, S: Into<Option<&'a Sources>>> From<(&'a SourceFile, S)> for Located<'a> {
    fn from((text, sources): (&'a SourceFile, S)) -> Self {
        Self { text, sources: sources.into() }
    }
}

impl Located<'_> {
    /// The position of a diagnostic.
    pub fn place(&self, diagnostic: &Diagnostic) -> CodeLocation {
        self.place_of(diagnostic.primary.span)
    }

    /// The position of an instruction.
    pub fn place_of(&self, span: Span) -> CodeLocation {
        match self.sources {
            Some(sources) => CodeLocation::new(sources, self.text, span),
            None => CodeLocation::of_text(self.text, span),
        }
    }

    /// The source positions of an instruction, innermost first; empty if unknown.
    pub(crate) fn frames(&self, span: Span) -> Vec<Frame> {
        self.sources.map_or_else(Vec::new, |sources| crate::place::frames_at(sources, span))
    }
}
