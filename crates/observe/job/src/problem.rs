//! Mistakes in a job, as data, and their codes.

use texunit_syntax::{Diagnostic, Edit, SourceFile, Span};

pub use texunit_spec::problem::{Problem, listed, nearest};

/// Codes of job mistakes.
pub mod codes {
    pub use texunit_spec::codes::*;

    /// Not TOML.
    pub const SYNTAX: &str = "J0001";
    /// A file that cannot be read as wanted.
    pub const FILE: &str = "J0007";
    /// A name that the module or the kernel does not have.
    pub const NAME: &str = "J0008";
    /// A value that the kernel's parameter does not take.
    pub const PARAMETER: &str = "J0009";
    /// An object that the device refuses to make.
    pub const REFUSED: &str = "J0010";
    /// An object that does not hold what the job expects after the launch.
    pub const DIFFERENT: &str = "J0011";
}

/// A mistake in the text of a job, for those who show it.
pub trait InText {
    /// As a diagnostic over the text of the job, for rendering. Old names are warnings.
    fn diagnostic(&self) -> Diagnostic;

    /// Line and column of the place.
    fn location(&self, source: &SourceFile) -> (u32, u32);
}

impl InText for Problem {
    fn diagnostic(&self) -> Diagnostic {
        let span = Span::new(self.span.start, self.span.end);
        let kind =
            if self.code == codes::OLD_NAME { Diagnostic::warning } else { Diagnostic::error };
        let mut d = kind(self.code, span, self.message.clone());
        if !self.key.is_empty() {
            d = d.label(format!("key `{}`", self.key));
        }
        let edit = |(range, text): &(std::ops::Range<usize>, String)| Edit {
            span: Span::new(range.start, range.end),
            text: text.clone(),
        };
        d.help = self.help.clone();
        d.fix = self.edits.iter().map(edit).collect();
        d
    }

    fn location(&self, source: &SourceFile) -> (u32, u32) {
        let at = source.location(self.span.start as u32);
        (at.line, at.column)
    }
}
