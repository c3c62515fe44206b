//! Diagnostics as data: messages about a source text with positions and corrections. Crate `report`
//! renders them.

use crate::span::Span;
use texunit_forms::words;

words! {
    /// Severity of a diagnostic, the lowest first.
    #[derive(Default)]
    Severity {
        /// Information that is often intended; never used for mistakes in a module.
        Note = "note",
        /// The module is valid, but something in it is suspicious.
        Warning = "warning",
        /// The module is invalid.
        #[default]
        Error = "error",
    }
}

/// A position in the text with an explanation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Position in the text.
    pub span: Span,
    /// The explanation; may be empty for the primary position.
    pub text: String,
}

/// A replacement in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The range that is replaced; empty for an insertion.
    pub span: Span,
    /// The text that replaces the range.
    pub text: String,
}

/// A diagnostic: a stable code, a sentence, positions, and advice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Stable code: `E0xxx` for errors, `W0xxx` for warnings. Listed in docs/diagnostics.md.
    pub code: &'static str,
    /// Severity: error or warning if something is wrong, note if it is often intended.
    pub severity: Severity,
    /// The message: one sentence without a full stop.
    pub message: String,
    /// The position of the mistake.
    pub primary: Label,
    /// Other positions that explain the mistake.
    pub secondary: Vec<Label>,
    /// Advice on what to write instead, or a reason.
    pub help: Option<String>,
    /// Further information, one line each.
    pub remarks: Vec<String>,
    /// Replacements that together certainly correct the mistake, in source order and without
    /// overlaps; empty if no correction is certain.
    pub fix: Vec<Edit>,
}

impl Diagnostic {
    /// An error at a position.
    pub fn error(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Error, span, message)
    }

    /// A warning at a position.
    pub fn warning(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Warning, span, message)
    }

    fn new(code: &'static str, severity: Severity, span: Span, message: impl Into<String>) -> Self {
        Self {
            code,
            severity,
            message: message.into(),
            primary: Label { span, text: String::new() },
            secondary: Vec::new(),
            help: None,
            remarks: Vec::new(),
            fix: Vec::new(),
        }
    }

    /// Sets the explanation at the primary position.
    #[must_use]
    pub fn label(mut self, text: impl Into<String>) -> Self {
        self.primary.text = text.into();
        self
    }

    /// Adds another position with an explanation.
    #[must_use]
    pub fn note(mut self, span: Span, text: impl Into<String>) -> Self {
        self.secondary.push(Label { span, text: text.into() });
        self
    }

    /// Sets the advice on what to write instead.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }

    /// Adds a line of further information.
    #[must_use]
    pub fn remark(mut self, text: impl Into<String>) -> Self {
        self.remarks.push(text.into());
        self
    }

    /// Adds a replacement to the correction.
    #[must_use]
    pub fn fix(mut self, span: Span, text: impl Into<String>) -> Self {
        self.fix.push(Edit { span, text: text.into() });
        self
    }

    /// Shortens message texts that quote an extremely long name or number, and drops a correction
    /// that contains such a name or number.
    pub fn shorten(&mut self) {
        const MAX_WRITTEN: usize = 4096;
        shorten(&mut self.message);
        let labels = std::iter::once(&mut self.primary).chain(&mut self.secondary);
        labels.for_each(|label| shorten(&mut label.text));
        self.help.iter_mut().chain(&mut self.remarks).for_each(shorten);
        if self.fix.iter().any(|e| e.text.len() > MAX_WRITTEN) {
            self.fix.clear();
        }
    }

    /// Whether the severity is error.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

fn shorten(text: &mut String) {
    const MAX: usize = 400;
    if text.len() > MAX && text.chars().count() > MAX {
        let head: String = text.chars().take(MAX / 2).collect();
        let tail: Vec<char> = text.chars().rev().take(MAX / 4).collect();
        *text = head + "..." + &tail.into_iter().rev().collect::<String>();
    }
}
