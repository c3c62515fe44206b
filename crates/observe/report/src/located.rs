//! A text, with what its instructions come from.

use texunit_simt::Sources;
use texunit_syntax::{Diagnostic, SourceFile, Span};

use crate::place::{CodeLocation, Frame};

/// A text that diagnostics are about, and what its instructions come from, if that is known: then the place in the
/// source is shown first, and the PTX behind it.
#[derive(Clone, Copy, Debug)]
pub struct Located<'a> {
    /// The text.
    pub text: &'a SourceFile,
    /// What its `.loc` say.
    pub sources: Option<&'a Sources>,
}

impl<'a> From<&'a SourceFile> for Located<'a> {
    fn from(text: &'a SourceFile) -> Self {
        Self { text, sources: None }
    }
}

impl<'a> From<(&'a SourceFile, &'a Sources)> for Located<'a> {
    fn from((text, sources): (&'a SourceFile, &'a Sources)) -> Self {
        Self { text, sources: Some(sources) }
    }
}

impl<'a> From<(&'a SourceFile, Option<&'a Sources>)> for Located<'a> {
    fn from((text, sources): (&'a SourceFile, Option<&'a Sources>)) -> Self {
        Self { text, sources }
    }
}

impl Located<'_> {
    /// The place of a diagnostic.
    pub fn place(&self, diagnostic: &Diagnostic) -> CodeLocation {
        self.place_of(diagnostic.primary.span)
    }

    /// The place of an instruction.
    pub fn place_of(&self, span: Span) -> CodeLocation {
        match self.sources {
            Some(sources) => CodeLocation::new(sources, self.text, span),
            None => CodeLocation::of_text(self.text, span),
        }
    }

    /// Where an instruction comes from, the innermost first; empty if that is not known.
    pub(crate) fn frames(&self, span: Span) -> Vec<Frame> {
        self.sources.map_or_else(Vec::new, |sources| crate::place::frames_at(sources, span))
    }
}
