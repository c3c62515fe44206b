//! Renders mistakes in PTX for people and for programs.
//!
//! [`render`] turns [`Diagnostic`]s and the text that they point into to a string: in full with
//! the source around it ([`Format::Human`]), one line each ([`Format::Short`]), or one JSON object
//! a line ([`Format::Json`]). Nothing is printed here, and nothing of the text is trusted: control
//! characters come out as visible ones, and lines of any length are cut.

mod fault;
mod human;
mod json;

use texunit_syntax::{Diagnostic, Severity, SourceFile};

pub use fault::fault_diagnostic;

/// How diagnostics are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// With the source around them, labels and help.
    Human {
        /// With ANSI colours.
        color: bool,
    },
    /// `file:line:column: error[E0020]: message`
    Short,
    /// One object a line: `file`, `line`, `column`, `end_line`, `end_column`, `severity`, `code`,
    /// `message`, `label`, `notes`, `help`.
    Json,
}

/// Renders all diagnostics, in their order. Every line ends with a line feed.
pub fn render(format: Format, source: &SourceFile, diagnostics: &[Diagnostic]) -> String {
    match format {
        Format::Human { color } => human(source, diagnostics, color),
        Format::Short => short(source, diagnostics),
        Format::Json => json(source, diagnostics),
    }
}

/// Diagnostics with the source around them, and an empty line after each.
pub fn human(source: &SourceFile, diagnostics: &[Diagnostic], color: bool) -> String {
    diagnostics.iter().map(|d| human::render(source, d, color) + "\n\n").collect()
}

/// One line for each diagnostic; line and column count from 1, the column in bytes.
pub fn short(source: &SourceFile, diagnostics: &[Diagnostic]) -> String {
    let mut text = String::new();
    for diagnostic in diagnostics {
        let place = source.location(diagnostic.primary.span.start);
        text += &visible(&format!(
            "{}:{}:{}: {}[{}]: {}",
            source.name(),
            place.line,
            place.column,
            severity(diagnostic.severity),
            diagnostic.code,
            diagnostic.message
        ));
        text.push('\n');
    }
    text
}

/// One JSON object a line for each diagnostic.
pub fn json(source: &SourceFile, diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().map(|d| json::render(source, d) + "\n").collect()
}

/// How many errors and warnings there are: `2 errors, 1 warning`; none if there are none.
pub fn summary(diagnostics: &[Diagnostic]) -> Option<String> {
    let errors = diagnostics.iter().filter(|d| d.is_error()).count();
    let warnings = diagnostics.len() - errors;
    let count = |n: usize, what: &str| match n {
        0 => None,
        1 => Some(format!("1 {what}")),
        _ => Some(format!("{n} {what}s")),
    };
    let parts: Vec<String> =
        [count(errors, "error"), count(warnings, "warning")].into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// `error` or `warning`.
fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}

/// Most characters of a message: names in it may have any length.
const LONG_TEXT: usize = 2000;

/// The text on one line, without characters that a terminal would obey.
fn visible(text: &str) -> String {
    let cut = text.char_indices().nth(LONG_TEXT).map(|(at, _)| at);
    let more = if cut.is_some() { "..." } else { "" };
    text[..cut.unwrap_or(text.len())]
        .chars()
        .map(|c| match c {
            '\t' | '\n' | '\r' => ' ',
            // U+2400 to U+241F are pictures of the control characters.
            '\0'..='\x1f' => char::from_u32(0x2400 + c as u32).unwrap_or('\u{fffd}'),
            '\x7f' => '\u{2421}',
            // C1 controls, and marks that turn the direction of writing.
            '\u{80}'..='\u{9f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '\u{fffd}',
            _ => c,
        })
        .chain(more.chars())
        .collect()
}
