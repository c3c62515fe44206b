//! Renders diagnostics, faults and findings for people and for programs.
//!
//! [`Run`] writes the diagnostics of many files to a stream in any [`Format`], holding one
//! diagnostic at a time. [`human`], [`short`] and [`json`] render the diagnostics of one text to a
//! string. Text from files is untrusted: control characters are made visible, and long lines are
//! cut.
//!
//! Not in this crate: which diagnostics are enabled (crate `check` knows the levels of warnings),
//! and where the output goes.

mod fault;
mod fidelity;
mod human;
mod json;
pub mod place;
mod record;
pub mod rules;
mod run;
pub mod sarif;
mod shown;

use texunit_forms::Count;
use texunit_syntax::Diagnostic;
pub use texunit_syntax::Severity;

pub use fault::{
    FAULTS, Host, LIBRARY, POOL, bad_fetch_diagnostic, fault_diagnostic, fault_json, who,
    who_called,
};
pub use fidelity::{Instruction, fidelity_json, fidelity_sentence, fidelity_totals};
pub use human::fit;
pub use json::Object;
pub use place::{CodeLocation, Located};
pub use rules::{CHECK_RULES, CheckRule, check_rule};
pub use run::{Run, Totals};
pub use shown::{in_json, in_xml, is_obeyed, screen, visible};

/// The format of diagnostics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Text for people, with source lines, labels, advice and corrected lines.
    Human {
        /// Whether to use ANSI colours.
        color: bool,
    },
    /// One line per diagnostic: `file:line:column: error[E0020]: message`.
    Short,
    /// One [`Object`] per line, and a last line with the totals.
    Json,
    /// One SARIF 2.1.0 document.
    Sarif,
}

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

/// Renders diagnostics for people, each followed by an empty line. `source` is the text, with or
/// without its line table.
pub fn human<'a>(
    source: impl Into<Located<'a>>,
    diagnostics: &[Diagnostic],
    color: bool,
) -> String {
    let source = source.into();
    diagnostics.iter().map(|d| human::render(source, d, color) + "\n\n").collect()
}

/// Renders a diagnostic that is not about a text, with advice and remarks, followed by an empty
/// line.
pub fn plain(diagnostic: &Diagnostic, color: bool) -> String {
    human::plain(diagnostic, color) + "\n\n"
}

/// Renders one line for each diagnostic; line and column count from 1, the column in bytes.
pub fn short<'a>(source: impl Into<Located<'a>>, diagnostics: &[Diagnostic]) -> String {
    let source = source.into();
    diagnostics.iter().map(|d| short_line(source, d)).collect()
}

/// The PTX position comes first, where programs that read this format expect it, and the source
/// position last.
fn short_line(source: Located<'_>, diagnostic: &Diagnostic) -> String {
    let frames = source.frames(diagnostic.primary.span);
    let from = frames.get(place::leading(&frames));
    let from = from.map_or_else(String::new, |frame| format!(" ({frame})"));
    let text = source.text;
    let place = text.location(diagnostic.primary.span.start);
    let line = format!(
        "{}:{}:{}: {}[{}]: {}{from}",
        text.name(),
        place.line,
        place.column,
        diagnostic.severity.name(),
        diagnostic.code,
        diagnostic.message
    );
    visible(&line) + "\n"
}

/// Renders one JSON object per line for each diagnostic.
pub fn json<'a>(source: impl Into<Located<'a>>, diagnostics: &[Diagnostic]) -> String {
    let source = source.into();
    diagnostics.iter().map(|d| Object::new(Some(source), d).line()).collect()
}

/// Counts errors and warnings: `2 errors, 1 warning`; `None` if there are none.
pub fn summary(diagnostics: &[Diagnostic]) -> Option<String> {
    let errors = diagnostics.iter().filter(|d| d.is_error()).count();
    counts(errors, diagnostics.len() - errors)
}

fn counts(errors: usize, warnings: usize) -> Option<String> {
    let parts: Vec<String> = [(errors, "error"), (warnings, "warning")]
        .into_iter()
        .filter(|&(n, _)| n > 0)
        .map(|(n, what)| Count(n, what).to_string())
        .collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// A number with digit groups: `1,088`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let comma = |i: usize| i > 0 && (digits.len() - i).is_multiple_of(3);
    let parts = digits.chars().enumerate();
    parts.flat_map(|(i, digit)| comma(i).then_some(',').into_iter().chain([digit])).collect()
}
