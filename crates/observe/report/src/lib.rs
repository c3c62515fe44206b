//! Renders mistakes in PTX for people and for programs.
//!
//! [`Run`] writes what was found in many files to a stream, in any [`Format`], without holding more
//! than one diagnostic at a time. [`human`], [`short`] and [`json`] turn the diagnostics of one text
//! to a string. Nothing of the text is trusted: control characters come out as visible ones, and
//! lines of any length are cut.
//!
//! What it leaves out: which diagnostics are wanted (crate `check` knows the levels of warnings),
//! and where the output goes.

mod fault;
mod fidelity;
mod findings;
mod human;
mod json;
mod located;
pub mod place;
mod run;
mod sarif;
mod shown;

use texunit_forms::Count;
use texunit_syntax::Diagnostic;
pub use texunit_syntax::Severity;

pub use fault::{
    FAULTS, Host, LIBRARY, POOL, bad_fetch_diagnostic, fault_diagnostic, fault_json, who_called,
};
pub use fidelity::{Instruction, fidelity_json, fidelity_sentence, fidelity_totals};
pub use findings::{CHECK_RULES, CheckRule, check_rule};
pub use human::fit;
pub use json::Object;
pub use located::Located;
pub use place::CodeLocation;
pub use run::{Run, Settings, Totals};
pub use sarif::{Rule, uri};
pub use shown::{in_json, in_xml, is_obeyed, screen, visible};

/// How diagnostics are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// With the source around them, labels, help and the text that corrects them.
    Human {
        /// With ANSI colours.
        color: bool,
    },
    /// `file:line:column: error[E0020]: message`
    Short,
    /// One [`Object`] a line, and a last line with the totals.
    Json,
    /// One SARIF 2.1.0 document.
    Sarif,
}

/// Diagnostics with the source around them, and an empty line after each. `source` is the text, or the text and what
/// its instructions come from.
pub fn human<'a>(
    source: impl Into<Located<'a>>,
    diagnostics: &[Diagnostic],
    color: bool,
) -> String {
    let source = source.into();
    diagnostics.iter().map(|d| human::render(source, d, color) + "\n\n").collect()
}

/// A diagnostic that is about no text, and an empty line after it: what it says, its help and remarks.
pub fn plain(diagnostic: &Diagnostic, color: bool) -> String {
    human::plain(diagnostic, color) + "\n\n"
}

/// One line for each diagnostic; line and column count from 1, the column in bytes.
pub fn short<'a>(source: impl Into<Located<'a>>, diagnostics: &[Diagnostic]) -> String {
    let source = source.into();
    diagnostics.iter().map(|d| short_line(source, d)).collect()
}

/// The place in the PTX comes first, as programs that read this form expect it; that in the source last.
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

/// One JSON object a line for each diagnostic.
pub fn json<'a>(source: impl Into<Located<'a>>, diagnostics: &[Diagnostic]) -> String {
    let source = source.into();
    diagnostics.iter().map(|d| Object::new(Some(source), d).line()).collect()
}

/// How many errors and warnings there are: `2 errors, 1 warning`; none if there are none.
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

/// A number with a comma after each three digits: `1,088`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let comma = |i: usize| i > 0 && (digits.len() - i).is_multiple_of(3);
    let parts = digits.chars().enumerate();
    parts.flat_map(|(i, digit)| comma(i).then_some(',').into_iter().chain([digit])).collect()
}
