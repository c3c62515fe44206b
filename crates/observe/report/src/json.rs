//! Diagnostics as JSON: one object for each diagnostic.

use serde::Serialize;
use texunit_syntax::{Diagnostic, Severity, SourceFile, Span};

use crate::Located;
use crate::place::Frame;

/// A diagnostic as JSON. Lines and columns count from 1, columns in bytes; they are null without a
/// text.
#[derive(Clone, Debug, Serialize)]
pub struct Object<'a> {
    file: Option<&'a str>,
    #[serde(flatten)]
    place: TextRange,
    severity: &'static str,
    code: Option<&'a str>,
    message: &'a str,
    label: &'a str,
    /// The source positions of the instruction, innermost first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    frames: Vec<Frame>,
    notes: Vec<RelatedNote<'a>>,
    help: Option<&'a str>,
    fix: Vec<Change<'a>>,
}

/// A range of the text, from the first byte to one past the last.
#[derive(Clone, Copy, Debug, Default, Serialize)]
struct TextRange {
    line: Option<u32>,
    column: Option<u32>,
    end_line: Option<u32>,
    end_column: Option<u32>,
}

/// Another position that explains the diagnostic.
#[derive(Clone, Debug, Serialize)]
struct RelatedNote<'a> {
    #[serde(flatten)]
    place: TextRange,
    message: &'a str,
}

/// A replacement for the text at a position.
#[derive(Clone, Debug, Serialize)]
struct Change<'a> {
    #[serde(flatten)]
    place: TextRange,
    text: &'a str,
}

impl<'a> Object<'a> {
    /// Converts a diagnostic. Without `source`, its positions are unknown.
    pub fn new<L: Into<Located<'a>>>(source: Option<L>, diagnostic: &'a Diagnostic) -> Self {
        let located = source.map(Into::into);
        let frames = located.map(|located| located.frames(diagnostic.primary.span));
        let source = located.map(|located| located.text);
        let place = |span| source.map_or(TextRange::default(), |source| place(source, span));
        let notes = diagnostic.secondary.iter();
        let fix = diagnostic.fix.iter();
        Self {
            file: source.map(SourceFile::name),
            place: place(diagnostic.primary.span),
            severity: diagnostic.severity.name(),
            code: Some(diagnostic.code),
            message: &diagnostic.message,
            label: &diagnostic.primary.text,
            frames: frames.unwrap_or_default(),
            notes: notes.map(|l| RelatedNote { place: place(l.span), message: &l.text }).collect(),
            help: diagnostic.help.as_deref(),
            fix: fix.map(|e| Change { place: place(e.span), text: &e.text }).collect(),
        }
    }

    /// A message without code and position.
    pub fn plain(
        level: Severity,
        file: Option<&'a str>,
        message: &'a str,
        help: Option<&'a str>,
    ) -> Self {
        Self {
            file,
            place: TextRange::default(),
            severity: level.name(),
            code: None,
            message,
            label: "",
            frames: Vec::new(),
            notes: Vec::new(),
            help,
            fix: Vec::new(),
        }
    }

    /// The object on one line, ending with a line feed.
    pub fn line(&self) -> String {
        let text = serde_json::to_string(self);
        let text = text.expect("strings and numbers always have a JSON form");
        crate::in_json(&text).into_owned() + "\n"
    }
}

fn place(source: &SourceFile, span: Span) -> TextRange {
    let at = |offset: u32| source.location(offset.min(source.text().len() as u32));
    let (start, end) = (at(span.start), at(span.end.max(span.start)));
    TextRange {
        line: Some(start.line),
        column: Some(start.column),
        end_line: Some(end.line),
        end_column: Some(end.column),
    }
}
