//! Problems in a job, with their codes, and their conversion to diagnostics.

use texunit_syntax::{Diagnostic, Edit, SourceFile, Span};

pub use texunit_spec::problem::{Problem, listed, nearest};

/// The codes of problems in job files.
pub mod codes {
    pub use texunit_spec::codes::*;

    /// The text is not TOML.
    pub const SYNTAX: &str = "J0001";
    /// A file cannot be read, or is not what the job says.
    pub const FILE: &str = "J0007";
    /// The module or kernel does not have this name.
    pub const NAME: &str = "J0008";
    /// The kernel's parameter does not accept the value.
    pub const PARAMETER: &str = "J0009";
    /// The device rejects an object.
    pub const REFUSED: &str = "J0010";
    /// An object's contents are not as expected after the launch.
    pub const DIFFERENT: &str = "J0011";
}

/// Problems as positions and diagnostics in a job's text.
pub trait InText {
    /// The problem as a diagnostic. Deprecated names are warnings.
    fn diagnostic(&self) -> Diagnostic;

    /// Line and column of the problem.
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
