//! The settings of a report.

use crate::Format;

/// Settings of the output.
#[derive(Clone, Copy)]
pub struct Settings<'r> {
    /// The format of the report.
    pub format: Format,
    /// Shows only errors. Warnings are counted but not shown, and there is no line with totals.
    pub quiet: bool,
    /// Maximum number of diagnostics of a file in the format for people, errors before warnings.
    pub most_shown: usize,
    /// The program's version, for SARIF.
    pub version: &'r str,
    /// The program's home page, for SARIF.
    pub home: &'r str,
    /// Looks up the rule of a code, for SARIF.
    pub rule: &'r dyn Fn(&str) -> Option<Rule>,
}

/// The description of a code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// A short title of the rule.
    pub title: String,
    /// A paragraph of explanation and advice.
    pub text: String,
    /// The paragraph as Markdown, with examples.
    pub markdown: String,
}
