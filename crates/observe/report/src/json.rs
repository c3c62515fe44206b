//! Diagnostics as JSON: one object for each diagnostic.

use serde_core::ser::SerializeMap;
use serde_core::{Serialize, Serializer};
use texunit_syntax::{Diagnostic, Severity, SourceFile, Span};

use crate::Located;
use crate::place::Frame;

/// A diagnostic as JSON. Lines and columns count from 1, columns in bytes; they are null without a
/// text.
#[derive(Clone, Debug)]
pub struct Object<'a> {
    file: Option<&'a str>,
    place: TextRange,
    severity: &'static str,
    code: Option<&'a str>,
    message: &'a str,
    label: &'a str,
    /// The source positions of the instruction, innermost first.
    frames: Vec<Frame>,
    notes: Vec<PlacedText<'a>>,
    help: Option<&'a str>,
    fix: Vec<PlacedText<'a>>,
}

/// A range of the text, from the first byte to one past the last.
#[derive(Clone, Copy, Debug, Default)]
struct TextRange {
    line: Option<u32>,
    column: Option<u32>,
    end_line: Option<u32>,
    end_column: Option<u32>,
}

/// A text with its position: another one that explains the diagnostic, or a replacement.
#[derive(Clone, Debug)]
struct PlacedText<'a> {
    place: TextRange,
    /// The member with the text.
    key: &'static str,
    text: &'a str,
}

impl TextRange {
    /// Adds the range to an object.
    fn put<M: SerializeMap>(&self, object: &mut M) -> Result<(), M::Error> {
        object.serialize_entry("line", &self.line)?;
        object.serialize_entry("column", &self.column)?;
        object.serialize_entry("end_line", &self.end_line)?;
        object.serialize_entry("end_column", &self.end_column)
    }
}

impl Serialize for Object<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut object = to.serialize_map(None)?;
        object.serialize_entry("file", &self.file)?;
        self.place.put(&mut object)?;
        object.serialize_entry("severity", self.severity)?;
        object.serialize_entry("code", &self.code)?;
        object.serialize_entry("message", self.message)?;
        object.serialize_entry("label", self.label)?;
        if !self.frames.is_empty() {
            object.serialize_entry("frames", &self.frames)?;
        }
        object.serialize_entry("notes", &self.notes)?;
        object.serialize_entry("help", &self.help)?;
        object.serialize_entry("fix", &self.fix)?;
        object.end()
    }
}

impl Serialize for PlacedText<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut object = to.serialize_map(None)?;
        self.place.put(&mut object)?;
        object.serialize_entry(self.key, self.text)?;
        object.end()
    }
}

impl<'a> Object<'a> {
    /// Converts a diagnostic. Without `source`, its positions are unknown.
    pub fn new<L: Into<Located<'a>>>(source: Option<L>, diagnostic: &'a Diagnostic) -> Self {
        let located = source.map(Into::into);
        let frames = located.map(|located| located.frames(diagnostic.primary.span));
        let source = located.map(|located| located.text);
        let place = |span| source.map_or(TextRange::default(), |source| place(source, span));
        let placed = |key, span, text| PlacedText { place: place(span), key, text };
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
            notes: notes.map(|l| placed("message", l.span, &*l.text)).collect(),
            help: diagnostic.help.as_deref(),
            fix: fix.map(|e| placed("text", e.span, &*e.text)).collect(),
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
