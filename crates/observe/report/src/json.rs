//! Diagnostics as JSON: one object for each diagnostic.

use crate::Located;
use crate::place::Frame;
use serde_core::{Serialize, Serializer};
use serde_json::{Value, json};
use texunit_syntax::{Diagnostic, SourceFile, Span};

/// A diagnostic as a JSON object: names and values of its members, in their order. Lines and
/// columns count from 1, columns in bytes; they are null without a text.
#[derive(Clone, Debug)]
pub struct Object(Vec<(&'static str, Member)>);

#[derive(Clone, Debug)]
enum Member {
    Value(Value),
    /// The source positions of the instruction, innermost first.
    Frames(Vec<Frame>),
    /// Texts with their positions: explanations, or replacements.
    Objects(Vec<Object>),
}

impl Serialize for Object {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(self.0.iter().map(|(name, member)| (name, member)))
    }
}

impl Serialize for Member {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Value(value) => value.serialize(to),
            Self::Frames(frames) => frames.serialize(to),
            Self::Objects(objects) => objects.serialize(to),
        }
    }
}

impl Object {
    /// Converts a diagnostic. Without `source`, its positions are unknown.
    pub fn new<'a, L: Into<Located<'a>>>(source: Option<L>, diagnostic: &Diagnostic) -> Self {
        let located = source.map(Into::into);
        let text = located.map(|located| located.text);
        let placed = |name: &'static str, span, value: &str| {
            let mut object = Self(Vec::new());
            object.put_range(text, span);
            object.put(name, json!(value));
            object
        };
        let notes = diagnostic.secondary.iter().map(|l| placed("message", l.span, &l.text));
        let fix = diagnostic.fix.iter().map(|edit| placed("text", edit.span, &edit.text));
        let mut object = Self(Vec::new());
        object.put("file", json!(text.map(SourceFile::name)));
        object.put_range(text, diagnostic.primary.span);
        object.put("severity", json!(diagnostic.severity.name()));
        object.put("code", json!(diagnostic.code));
        object.put("message", json!(diagnostic.message));
        object.put("label", json!(diagnostic.primary.text));
        let frames = located.map(|located| located.frames(diagnostic.primary.span));
        if let Some(frames) = frames.filter(|frames| !frames.is_empty()) {
            object.0.push(("frames", Member::Frames(frames)));
        }
        object.0.push(("notes", Member::Objects(notes.collect())));
        object.put("help", json!(diagnostic.help));
        object.0.push(("fix", Member::Objects(fix.collect())));
        object
    }

    fn put(&mut self, name: &'static str, value: Value) {
        self.0.push((name, Member::Value(value)));
    }

    /// Adds a range of a text, from the first byte to one past the last.
    fn put_range(&mut self, text: Option<&SourceFile>, span: Span) {
        let at = |offset: u32| text.map(|text| text.location(offset.min(text.text().len() as u32)));
        let (start, end) = (at(span.start), at(span.end.max(span.start)));
        self.put("line", json!(start.map(|at| at.line)));
        self.put("column", json!(start.map(|at| at.column)));
        self.put("end_line", json!(end.map(|at| at.line)));
        self.put("end_column", json!(end.map(|at| at.column)));
    }

    /// The object on one line, ending with a line feed.
    pub fn line(&self) -> String {
        let text = serde_json::to_string(self);
        let text = text.expect("strings and numbers always have a JSON form");
        crate::in_json(&text).into_owned() + "\n"
    }
}
