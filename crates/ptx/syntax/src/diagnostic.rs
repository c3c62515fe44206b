//! Mistakes in a source text, as data. Crate `report` renders them.

use crate::span::Span;

/// How bad it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// Worth knowing, and often meant so: no mistake in a module is one.
    Note,
    /// The module can be used; something in it deserves a look.
    Warning,
    /// The module cannot be used.
    #[default]
    Error,
}

impl Severity {
    /// All of them, the least first.
    pub const ALL: [Self; 3] = [Self::Note, Self::Warning, Self::Error];

    /// `note`, `warning` or `error`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }

    /// The one of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|severity| severity.name() == name)
    }
}

/// A place in the text with what is to be said about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Where.
    pub span: Span,
    /// What; may be empty for the place itself.
    pub text: String,
}

/// A change of the text: what stands at `span` is replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// What is replaced; empty where something is inserted.
    pub span: Span,
    /// What stands there afterwards.
    pub text: String,
}

/// One mistake: a stable code, one sentence, where, and what to write instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Stable code: `E0xxx` for errors, `W0xxx` for warnings. Listed in docs/diagnostics.md.
    pub code: &'static str,
    /// Of mistakes error or warning.
    pub severity: Severity,
    /// One sentence without a final stop.
    pub message: String,
    /// The place of the mistake.
    pub primary: Label,
    /// Other places that explain it.
    pub secondary: Vec<Label>,
    /// What to write instead, or why it is so.
    pub help: Option<String>,
    /// What else is known, a line each.
    pub remarks: Vec<String>,
    /// Changes that certainly correct the mistake, in source order, not overlapping; empty where
    /// nothing is certain. All are made or none.
    pub fix: Vec<Edit>,
}

impl Diagnostic {
    /// An error at `span`.
    pub fn error(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Error, span, message)
    }

    /// A warning at `span`.
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

    /// Says something at the primary place.
    #[must_use]
    pub fn label(mut self, text: impl Into<String>) -> Self {
        self.primary.text = text.into();
        self
    }

    /// Adds another place.
    #[must_use]
    pub fn note(mut self, span: Span, text: impl Into<String>) -> Self {
        self.secondary.push(Label { span, text: text.into() });
        self
    }

    /// Says what to write instead.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }

    /// Adds a line of what else is known.
    #[must_use]
    pub fn remark(mut self, text: impl Into<String>) -> Self {
        self.remarks.push(text.into());
        self
    }

    /// Adds a change to the fix.
    #[must_use]
    pub fn fix(mut self, span: Span, text: impl Into<String>) -> Self {
        self.fix.push(Edit { span, text: text.into() });
        self
    }

    /// Cuts the middle out of what repeats a name or number of absurd length, and drops a fix that
    /// writes one.
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

    /// Whether this is an error.
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
