//! The format for people: title, source lines with marks and labels, advice.
//!
//! Only the lines that labels refer to are given to the renderer, so that a diagnostic costs the
//! same in a large file as in a small one.

mod frames;

use crate::{FAULTS, Located, check_rule, visible};
use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{
    Annotation, AnnotationKind, Element, Group, Level, Origin, Patch, Renderer, Snippet,
};
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use texunit_forms::{Count, sort_by_key};
use texunit_syntax::{Diagnostic, Label, Severity, SourceFile};

/// Labels on lines at most this far apart share an excerpt.
const SAME_EXCERPT: u32 = 100;
/// Maximum number of bytes shown of a line; of a longer line, the part around the mark is shown.
const LONG_LINE: usize = 400;
/// Maximum number of secondary positions shown.
const MAX_NOTES: usize = 8;
/// A mark on more lines than this is cut to its first line.
const MAX_LINES: u32 = 8;

/// Width of the terminal, to which source lines are cut.
static WIDTH: AtomicUsize = AtomicUsize::new(140);

/// Sets the width of the terminal.
pub fn fit(columns: usize) {
    WIDTH.store(columns.max(60), Relaxed);
}

/// What is added to a file name in the renderer's output. The renderer counts columns in characters
/// and within the shown part of a line, and does not print functions.
struct Head {
    /// The column to show; `None` if it is unknown and none is shown.
    column: Option<u32>,
    function: Option<String>,
}

pub(crate) fn render(located: Located<'_>, diagnostic: &Diagnostic, color: bool) -> String {
    let source = located.text;
    let mut places = Vec::new();
    let from = frames::source(located, diagnostic, &mut places);
    // The label is shown at the source line instead.
    let said = from.labelled.then(|| {
        let mut instruction = diagnostic.clone();
        instruction.primary.text = "the instruction in PTX".to_owned();
        instruction
    });
    let mut group = title(diagnostic).elements(from.elements);
    if from.more > 0 {
        let places = Count(from.more, "other place");
        group = group.element(Level::NOTE.message(format!("and {places} in the source")));
    }
    group = group.elements(excerpts(source, said.as_ref().unwrap_or(diagnostic), &mut places));
    if let Some(more) = diagnostic.secondary.len().checked_sub(MAX_NOTES).filter(|&more| more > 0) {
        group = group.element(Level::NOTE.message(format!("and {}", Count(more, "other place"))));
    }
    let suggestion = suggestion(source, diagnostic);
    if let (None, Some(help)) = (&suggestion, &diagnostic.help) {
        group = group.element(Level::HELP.message(visible(help)));
    }
    for remark in &diagnostic.remarks {
        group = group.element(Level::NOTE.message(visible(remark)));
    }
    if is_explained(diagnostic) {
        let more = format!("`texunit explain-code {}` says more", diagnostic.code);
        group = group.element(Level::NOTE.message(more));
    }
    let groups: Vec<Group<'_>> = std::iter::once(group).chain(suggestion).collect();
    let shown = draw(&groups, color);
    with_columns(&shown, &places)
}

/// Renders a diagnostic about a whole file, without text.
pub(crate) fn render_without_text(name: &str, diagnostic: &Diagnostic, color: bool) -> String {
    let group = title(diagnostic).element(Origin::path(visible(name)));
    let shown = match &diagnostic.help {
        Some(help) => draw(&[group.element(Level::HELP.message(visible(help)))], color),
        None => draw(&[group], color),
    };
    // Without an excerpt there are no line numbers, but the arrow is indented as if there were.
    shown.replace('\n', "\n ")
}

/// Whether a diagnostic is a fault or finding, and not an error in a text.
fn is_explained(diagnostic: &Diagnostic) -> bool {
    FAULTS.iter().any(|fault| fault.code == diagnostic.code)
        || check_rule(diagnostic.code).is_some()
}

/// Renders a diagnostic that is not about a text.
pub(crate) fn plain(diagnostic: &Diagnostic, color: bool) -> String {
    let help = diagnostic.help.iter().map(|help| Level::HELP.message(visible(help)));
    let remarks = diagnostic.remarks.iter().map(|text| Level::NOTE.message(visible(text)));
    let group = title(diagnostic).elements(help.chain(remarks));
    draw(&[group], color)
}

fn title(diagnostic: &Diagnostic) -> annotate_snippets::Title<'_> {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    level.primary_title(visible(&diagnostic.message)).id(diagnostic.code)
}

fn draw(groups: &[Group<'_>], color: bool) -> String {
    draw_within(WIDTH.load(Relaxed), groups, color)
}

fn draw_within(columns: usize, groups: &[Group<'_>], color: bool) -> String {
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    let drawn = renderer.decor_style(DecorStyle::Ascii).term_width(columns).render(groups);
    crate::screen(&drawn, color).into_owned()
}

/// The help with the corrected lines; `None` if there is no fix or it is too large to show.
fn suggestion<'s>(source: &'s SourceFile, diagnostic: &'s Diagnostic) -> Option<Group<'s>> {
    let (text, edits) = (source.text(), &diagnostic.fix);
    let start = edits.first()?.span.start;
    let mut end = start;
    for edit in edits {
        let short = edit.text.len() <= LONG_LINE
            && edit.text.matches('\n').count() <= MAX_LINES as usize
            && visible(&edit.text.replace(['\n', '\t'], "")) == edit.text.replace(['\n', '\t'], "");
        if edit.span.start < end || text.get(edit.span.range()).is_none() || !short {
            return None;
        }
        end = edit.span.end;
    }
    let (first, last) = (source.location(start).line, source.location(end).line);
    let long = |line| source.line(line).len() > LONG_LINE;
    if last - first >= MAX_LINES || (first..=last).any(long) {
        return None;
    }
    let shown =
        source.line_span(first).range().start..source.line_span(last).range().end.max(end as usize);
    let patches = edits.iter().map(|edit| {
        let at = |offset: u32| offset as usize - shown.start;
        Patch::new(at(edit.span.start)..at(edit.span.end), edit.text.as_str())
    });
    let snippet = Snippet::source(&text[shown.clone()]).line_start(first as usize).patches(patches);
    let help = diagnostic.help.as_deref().unwrap_or("write this instead");
    Some(Level::HELP.secondary_title(visible(help)).element(snippet))
}

/// A label of a diagnostic, and the lines of the text that it marks.
struct Mark<'d> {
    label: &'d Label,
    primary: bool,
    bytes: Range<usize>,
    lines: Range<u32>,
}

/// The excerpts of a text with the marks of a diagnostic; the columns of the excerpts are added to
/// `places`.
fn excerpts<'s>(
    source: &'s SourceFile,
    diagnostic: &'s Diagnostic,
    places: &mut Vec<Head>,
) -> Vec<Element<'s>> {
    let mut marks = vec![mark(source, &diagnostic.primary, true)];
    let secondary = diagnostic.secondary.iter().take(MAX_NOTES);
    marks.extend(secondary.map(|label| mark(source, label, false)));
    // The excerpt with the primary place comes first; the others follow in source order.
    let first = marks[0].lines.start;
    let near = |m: &Mark<'_>| m.lines.start.abs_diff(first) <= SAME_EXCERPT;
    let (together, mut apart): (Vec<_>, Vec<_>) = marks.into_iter().partition(near);
    sort_by_key(&mut apart, |m| m.bytes.start);
    let mut elements = excerpt(source, together, places);
    for mark in apart {
        elements.extend(excerpt(source, vec![mark], places));
    }
    elements
}

fn mark<'d>(source: &SourceFile, label: &'d Label, primary: bool) -> Mark<'d> {
    let text = source.text();
    let start = text.floor_char_boundary(label.span.start as usize);
    let mut end = text.ceil_char_boundary((label.span.end as usize).max(start));
    let first = source.location(start as u32).line;
    let mut last = source.location(end as u32).line;
    if last - first >= MAX_LINES {
        end = source.line_span(first).range().end.max(start);
        last = first;
    }
    Mark { label, primary, bytes: start..end, lines: first..last + 1 }
}

fn excerpt<'s>(
    source: &'s SourceFile,
    marks: Vec<Mark<'s>>,
    places: &mut Vec<Head>,
) -> Vec<Element<'s>> {
    let first = marks.iter().map(|m| m.lines.start).min().unwrap_or(1);
    let last = marks.iter().map(|m| m.lines.end - 1).max().unwrap_or(1);
    let bytes = source.line_span(first).range().start..source.line_span(last).range().end;
    if (first..=last).any(|line| source.line(line).len() > LONG_LINE) {
        return marks.iter().map(|mark| long_line(source, mark, places)).collect();
    }
    let annotations: Vec<Annotation<'s>> =
        marks.iter().map(|m| annotation(m, bytes.start..bytes.end)).collect();
    let named = marks.iter().find(|m| m.primary).unwrap_or(&marks[0]);
    let column = source.location(named.bytes.start as u32).column;
    places.push(Head { column: Some(column), function: None });
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

/// The excerpt of a very long line: the part around the mark.
fn long_line<'s>(source: &'s SourceFile, mark: &Mark<'s>, places: &mut Vec<Head>) -> Element<'s> {
    let place = source.location(mark.bytes.start as u32);
    let line = source.line_span(place.line).range();
    let text = source.text();
    let start = mark.bytes.start.saturating_sub(LONG_LINE / 4).max(line.start);
    let end = (mark.bytes.start + LONG_LINE / 2).clamp(start, line.end.max(start));
    let (start, end) = (text.floor_char_boundary(start), text.ceil_char_boundary(end));
    places.push(Head { column: Some(place.column), function: None });
    let snippet = Snippet::source(&text[start..end])
        .line_start(place.line as usize)
        .path(visible(source.name()))
        .annotation(annotation(mark, start..end));
    snippet.into()
}

/// Adds the true columns and the functions to file names.
fn with_columns(shown: &str, places: &[Head]) -> String {
    let mut places = places.iter();
    let mut result = String::with_capacity(shown.len() + 8);
    for line in shown.split_inclusive('\n') {
        match (names_file(line), line.rfind(':')) {
            (true, Some(colon)) => {
                let (head, tail) = line.split_at(colon + 1);
                let rest = tail.trim_start_matches(|c: char| c.is_ascii_digit());
                let Some(Head { column, function }) = places.next() else {
                    result += line;
                    continue;
                };
                match column {
                    Some(column) => result += &format!("{head}{column}"),
                    None => result += &line[..colon],
                }
                if let Some(function) = function {
                    result += &format!(" in {function}");
                }
                result += rest;
            }
            _ => result += line,
        }
    }
    result
}

/// Whether a line is the head of an excerpt: an arrow, possibly coloured, and a position.
fn names_file(line: &str) -> bool {
    let mut rest = line.trim_start_matches(' ');
    while let Some(styled) = rest.strip_prefix("\x1b[") {
        rest = styled.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';');
        rest = rest.strip_prefix('m').unwrap_or(rest).trim_start_matches(' ');
    }
    rest.starts_with("-->") || rest.starts_with(":::")
}

#[cfg(test)]
mod tests {
    use super::*;
    use texunit_syntax::Span;

    /// On a narrow terminal the source line is cut, and the label stays beside its mark.
    #[test]
    fn long_lines_fit_into_the_terminal() {
        let line = format!("texture = {{ {}filter = \"bilinear\" }}", "key = 1, ".repeat(12));
        let at = line.find("\"bil").unwrap_or_default();
        let source = SourceFile::new("job.toml", line);
        let place = Span::new(at, at + 10);
        let diagnostic =
            Diagnostic::error("J0005", place, "wrong".to_owned()).label("key `filter`");
        let drawn = |columns| {
            let group =
                title(&diagnostic).elements(excerpts(&source, &diagnostic, &mut Vec::new()));
            draw_within(columns, &[group], false)
        };
        assert!(drawn(200).lines().any(|line| line.len() > 120));
        let narrow = drawn(80);
        assert!(narrow.lines().all(|line| line.len() <= 80), "{narrow}");
        assert!(narrow.contains("\"bilinear\"") && narrow.contains("^ key `filter`"), "{narrow}");
    }
}
