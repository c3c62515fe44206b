//! The full form: title, source lines with marks and labels, help.
//!
//! Only the lines that are pointed at go to the renderer, so that one diagnostic costs the same
//! in a large file as in a small one.

use std::ops::Range;

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{Annotation, AnnotationKind, Element, Level, Origin, Renderer, Snippet};
use texunit_syntax::{Diagnostic, Label, Severity, SourceFile};

use crate::visible;

/// Labels whose lines are at most this far apart are shown in one excerpt.
const SAME_EXCERPT: u32 = 100;
/// Most bytes of a line that are shown; of longer ones a part around the mark is.
const LONG_LINE: usize = 400;
/// Most secondary places that are shown.
const MOST_NOTES: usize = 8;
/// A mark over more lines than this is cut to its first line.
const MOST_LINES: u32 = 8;

pub(crate) fn render(source: &SourceFile, diagnostic: &Diagnostic, color: bool) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let title = level.primary_title(visible(&diagnostic.message)).id(diagnostic.code);
    let mut group = title.elements(excerpts(source, diagnostic));
    if let Some(more) = diagnostic.secondary.len().checked_sub(MOST_NOTES).filter(|&more| more > 0)
    {
        group = group.element(Level::NOTE.message(format!("and {more} other places")));
    }
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(visible(help)));
    }
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    renderer.decor_style(DecorStyle::Ascii).render(&[group])
}

/// A label with the lines it is on.
struct Mark<'d> {
    label: &'d Label,
    primary: bool,
    bytes: Range<usize>,
    lines: Range<u32>,
}

fn excerpts<'s>(source: &'s SourceFile, diagnostic: &'s Diagnostic) -> Vec<Element<'s>> {
    let mut marks = vec![mark(source, &diagnostic.primary, true)];
    marks.extend(
        diagnostic.secondary.iter().take(MOST_NOTES).map(|label| mark(source, label, false)),
    );
    // The excerpt with the primary place comes first; the others follow in source order.
    let first = marks[0].lines.start;
    let near = |m: &Mark<'_>| m.lines.start.abs_diff(first) <= SAME_EXCERPT;
    let (together, mut apart): (Vec<_>, Vec<_>) = marks.into_iter().partition(near);
    apart.sort_by_key(|m| m.bytes.start);
    let mut elements = excerpt(source, together);
    for mark in apart {
        elements.extend(excerpt(source, vec![mark]));
    }
    elements
}

fn mark<'d>(source: &SourceFile, label: &'d Label, primary: bool) -> Mark<'d> {
    let text = source.text();
    let mut start = (label.span.start as usize).min(text.len());
    let mut end = (label.span.end as usize).clamp(start, text.len());
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    while !text.is_char_boundary(end) {
        end += 1;
    }
    let first = source.location(start as u32).line;
    let mut last = source.location(end as u32).line;
    if last - first >= MOST_LINES {
        end = source.line_span(first).range().end.max(start);
        last = first;
    }
    Mark { label, primary, bytes: start..end, lines: first..last + 1 }
}

fn excerpt<'s>(source: &'s SourceFile, marks: Vec<Mark<'s>>) -> Vec<Element<'s>> {
    let first = marks.iter().map(|m| m.lines.start).min().unwrap_or(1);
    let last = marks.iter().map(|m| m.lines.end - 1).max().unwrap_or(1);
    let bytes = source.line_span(first).range().start..source.line_span(last).range().end;
    let long = (first..=last).any(|line| source.line(line).len() > LONG_LINE);
    if long {
        return marks.iter().flat_map(|mark| long_line(source, mark)).collect();
    }
    let annotations: Vec<Annotation<'s>> =
        marks.iter().map(|m| annotation(m, bytes.start..bytes.end)).collect();
    let snippet = Snippet::source(&source.text()[bytes])
        .line_start(first as usize)
        .path(visible(source.name()))
        .annotations(annotations);
    vec![snippet.into()]
}

fn annotation<'s>(mark: &Mark<'s>, shown: Range<usize>) -> Annotation<'s> {
    let clamp = |at: usize| at.clamp(shown.start, shown.end) - shown.start;
    let kind = if mark.primary { AnnotationKind::Primary } else { AnnotationKind::Context };
    let text = &mark.label.text;
    kind.span(clamp(mark.bytes.start)..clamp(mark.bytes.end))
        .label((!text.is_empty()).then(|| visible(text)))
}

/// A part of a very long line around the mark, with its true place above it.
fn long_line<'s>(source: &'s SourceFile, mark: &Mark<'s>) -> Vec<Element<'s>> {
    let place = source.location(mark.bytes.start as u32);
    let line = source.line_span(place.line).range();
    let text = source.text();
    let mut start = mark.bytes.start.saturating_sub(LONG_LINE / 4).max(line.start);
    let mut end = (mark.bytes.start + LONG_LINE / 2).clamp(start, line.end.max(start));
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    while !text.is_char_boundary(end) {
        end += 1;
    }
    let origin = Origin::path(visible(source.name()))
        .line(place.line as usize)
        .char_column(place.column as usize);
    let snippet = Snippet::source(&text[start..end])
        .line_start(place.line as usize)
        .annotation(annotation(mark, start..end));
    vec![origin.into(), snippet.into()]
}
