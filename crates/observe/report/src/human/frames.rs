//! Excerpts of the source that a module was compiled from, which are shown above the excerpts of
//! the PTX.

use super::{Head, MAX_NOTES};
use crate::place::{Frame, Via, leading, shown_file};
use crate::{Located, visible};
use annotate_snippets::{Annotation, AnnotationKind, Element, Origin, Snippet};
use std::ops::Range;
use texunit_syntax::Diagnostic;

/// Maximum number of source positions shown.
const MAX_FRAMES: usize = 12;

/// The excerpts of source files for a diagnostic, and what the excerpt of the PTX must still show.
#[derive(Default)]
pub(super) struct Source<'s> {
    pub(super) elements: Vec<Element<'s>>,
    /// Whether an excerpt shows the label of the primary position.
    pub(super) labelled: bool,
    /// Number of positions that are not shown.
    pub(super) more: usize,
}

/// Excerpts of the position that a reader looks at first, then of the other frames from the
/// innermost on, then of the secondary positions.
pub(super) fn source<'s>(
    located: Located<'_>,
    diagnostic: &Diagnostic,
    heads: &mut Vec<Head>,
) -> Source<'s> {
    let mut frames = located.frames(diagnostic.primary.span);
    let is_explained = super::is_explained(diagnostic);
    // An error in PTX without source is shown in the PTX only. A fault is shown at the calls that
    // led to it: with `-G`, nvcc gives the function that an `assert` calls no lines.
    if frames.is_empty() && !is_explained {
        return Source::default();
    }
    let first = (!frames.is_empty()).then(|| frames.remove(leading(&frames)));
    // The label of a PTX error names PTX words and stays in the PTX excerpt; a fault's label goes
    // to the source line.
    let labelled = is_explained && first.as_ref().is_some_and(|first| first.text.is_some());
    let label = if labelled { diagnostic.primary.text.clone() } else { String::new() };
    let mut shown = Vec::from_iter(first.map(|first| (first, label)));
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

/// A line of a file with a mark, or only its position if the file cannot be read.
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

/// The part of a line to mark: the word at the column. The whole line is marked if the column is
/// unknown, or where compilers emit columns without meaning: at the beginning of the line (Numba
/// emits no other), in a function's head or an argument list (nvcc gives a call the column of its
/// first argument), and at a sign such as `{`.
fn word(text: &str, column: Option<u32>) -> Range<usize> {
    let whole = text.len() - text.trim_start().len()..text.trim_end().len();
    let Some(start) = column.map(|column| (column as usize).saturating_sub(1)) else {
        return whole;
    };
    let (Some(before), Some(rest)) = (text.get(..start), text.get(start..)) else { return whole };
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let len = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
    if len == 0 || start <= whole.start || is_head(before) || is_in_arguments(before) {
        return whole;
    }
    start..start + len
}

/// Whether the text before a word is the head of a device function.
fn is_head(before: &str) -> bool {
    ["__global__", "__device__"].iter().any(|word| before.contains(word)) && !before.contains('{')
}

/// Whether the text before a word ends within the parentheses of a call or function head.
fn is_in_arguments(before: &str) -> bool {
    let mut closed = 0;
    let open = before.char_indices().rev().find(|&(_, c)| {
        closed += i32::from(c == ')') - i32::from(c == '(');
        closed < 0
    });
    let Some((open, _)) = open else { return false };
    let callee = before[..open].trim_end();
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let name = &callee[callee.trim_end_matches(is_word).len()..];
    !matches!(name, "" | "for" | "if" | "while" | "switch" | "return" | "in" | "and" | "or" | "not")
        || callee.ends_with('>')
}

#[cfg(test)]
mod tests {
    use super::word;

    #[test]
    fn lines_are_marked_as_a_whole_where_the_column_says_little() {
        let call = "        put(out, one(out, n));";
        for (line, at, marked) in [
            ("    out[i] = x + in[i];", "x +", "x"),
            ("    if (i < n) { f[i] = 2; }", "f[i]", "f"),
            ("    for (int i = 0; i < n; ++i)", "i < n", "i"),
            ("__global__ void k(int *p) { p[0] = 1; }", "p[0]", "p"),
            // The whole line is marked.
            ("    out[i] = x + in[i];", "out", ""),
            ("__global__ void k(int *p, int n)", "__global__", ""),
            ("__global__ void k(int *p, int n)", "k(", ""),
            ("template <typename T> __device__ T one(const T *p)", "one", ""),
            ("void k(int *p, int n)", "n)", ""),
            ("    int n) { out[n] = n; }", "{", ""),
            (call, "out,", ""),
            (call, "n)", ""),
            ("    tile<4>(out, n);", "n)", ""),
        ] {
            let column = line.find(at).map(|at| at as u32 + 1);
            let wanted = if marked.is_empty() { line.trim() } else { marked };
            assert_eq!(&line[word(line, column)], wanted, "{line}: {at}");
            assert_eq!(&line[word(line, None)], line.trim());
        }
        // Column 1, the only one that Numba emits, and columns beyond the line.
        for column in [1, 2, 4, 99, u32::MAX] {
            assert_eq!(word("    \u{e9}[i] = 1", Some(column)), 4..13, "{column}");
        }
        assert_eq!(word("", Some(1)), 0..0);
    }
}
