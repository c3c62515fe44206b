//! The form for programs: one object a line.

use serde::Serialize;
use texunit_syntax::{Diagnostic, SourceFile};

use crate::severity;

/// One diagnostic.
#[derive(Serialize)]
struct Object<'a> {
    file: &'a str,
    line: u32,
    column: u32,
    end_line: u32,
    end_column: u32,
    severity: &'static str,
    code: &'a str,
    message: &'a str,
    label: &'a str,
    notes: Vec<Note<'a>>,
    help: Option<&'a str>,
}

/// Another place that explains it.
#[derive(Serialize)]
struct Note<'a> {
    line: u32,
    column: u32,
    message: &'a str,
}

pub(crate) fn render(source: &SourceFile, diagnostic: &Diagnostic) -> String {
    let start = source.location(diagnostic.primary.span.start);
    let end = source.location(diagnostic.primary.span.end);
    let note = |label: &'_ texunit_syntax::Label| source.location(label.span.start);
    let object = Object {
        file: source.name(),
        line: start.line,
        column: start.column,
        end_line: end.line,
        end_column: end.column,
        severity: severity(diagnostic.severity),
        code: diagnostic.code,
        message: &diagnostic.message,
        label: &diagnostic.primary.text,
        notes: diagnostic
            .secondary
            .iter()
            .map(|l| Note { line: note(l).line, column: note(l).column, message: &l.text })
            .collect(),
        help: diagnostic.help.as_deref(),
    };
    serde_json::to_string(&object).expect("strings and numbers always have a JSON form")
}
