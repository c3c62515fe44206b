//! Excerpts of the source that a module was compiled from, which stand before those of the PTX.

use annotate_snippets::{Annotation, AnnotationKind, Element, Origin, Snippet};
use texunit_syntax::Diagnostic;

use super::{Head, MAX_NOTES};
use crate::place::{Frame, Via, leading, shown_file};
use crate::{Located, visible};

/// Most places in the source that are shown.
const MAX_FRAMES: usize = 12;

/// What is shown of the source, and what is left to say at the instruction itself.
#[derive(Default)]
pub(super) struct Source<'s> {
    pub(super) elements: Vec<Element<'s>>,
    /// Whether the label of the primary place is said.
    pub(super) labelled: bool,
    /// Places that are not shown.
    pub(super) more: usize,
}

/// The place in the source that the reader looks at first, then the others from the innermost on, then those of the
/// secondary places.
pub(super) fn source<'s>(
    located: Located<'_>,
    diagnostic: &Diagnostic,
    heads: &mut Vec<Head>,
) -> Source<'s> {
    let mut frames = located.frames(diagnostic.primary.span);
    if frames.is_empty() {
        return Source::default();
    }
    let first = frames.remove(leading(&frames));
    // What is wrong with PTX is said of its words; a fault has come up in the line.
    let labelled = first.text.is_some() && super::is_explained(diagnostic);
    let label = if labelled { diagnostic.primary.text.clone() } else { String::new() };
    let mut shown = vec![(first, label)];
    shown.extend(frames.into_iter().map(|frame| (frame, String::new())));
    for label in diagnostic.secondary.iter().take(MAX_NOTES) {
        let outer = located.frames(label.span).into_iter().enumerate();
        shown.extend(outer.map(|(i, frame)| {
            let text = if i == 0 { label.text.clone() } else { String::new() };
            (frame, text)
        }));
    }
    let more = shown.len().saturating_sub(MAX_FRAMES);
    shown.truncate(MAX_FRAMES);
    let elements = shown.iter().enumerate();
    let elements = elements.map(|(i, (frame, label))| element(frame, label, i == 0, heads));
    Source { elements: elements.collect(), labelled, more }
}

/// A line of a file, with a mark, or only its place if the file cannot be read.
fn element<'s>(frame: &Frame, label: &str, primary: bool, heads: &mut Vec<Head>) -> Element<'s> {
    let function = frame.function.as_deref().map(visible);
    heads.push(Head { column: frame.column, function });
    let path = visible(&shown_file(&frame.file));
    let (line, column) = (frame.line as usize, frame.column.unwrap_or(1) as usize);
    let Some(text) = &frame.text else {
        return Origin::path(path).line(line).char_column(column).into();
    };
    let label = match (label, frame.via) {
        ("", Via::Inlined) if !primary => "inlined here".to_owned(),
        (label, _) => visible(label),
    };
    let kind = if primary { AnnotationKind::Primary } else { AnnotationKind::Context };
    let mark: Annotation<'s> =
        kind.span(word(text, frame.column)).label((!label.is_empty()).then_some(label));
    Snippet::source(text.clone()).line_start(line).path(path).annotation(mark).into()
}

/// The word at a column, or the whole line if no column is known.
fn word(text: &str, column: Option<u32>) -> std::ops::Range<usize> {
    let indent = text.len() - text.trim_start().len();
    let Some(column) = column else { return indent..text.len() };
    let mut start = (column as usize - 1).min(text.len());
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    let rest = &text[start..];
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let len = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
    let one = rest.chars().next().map_or(0, char::len_utf8);
    start..start + len.max(one)
}
