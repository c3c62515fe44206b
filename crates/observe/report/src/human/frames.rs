//! Excerpts of the source that a module was compiled from, which stand before those of the PTX.

use std::ops::Range;

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

/// What is marked of a line: the word at a column; the whole line if no column is known, or one where a compiler has none
/// that says more: at the line's begin (Numba knows no other), in the head of a function or a list of arguments (nvcc's
/// for a call is its first argument), and at a sign such as `{`.
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

/// Whether what stands before a word is the head of a function of a device.
fn is_head(before: &str) -> bool {
    ["__global__", "__device__"].iter().any(|word| before.contains(word)) && !before.contains('{')
}

/// Whether what stands before a word ends within parentheses of a call, or of a function's head.
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
            // All of it.
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
        // Numba's column, and those that are in no line.
        for column in [1, 2, 4, 99, u32::MAX] {
            assert_eq!(word("    \u{e9}[i] = 1", Some(column)), 4..13, "{column}");
        }
        assert_eq!(word("", Some(1)), 0..0);
    }
}
