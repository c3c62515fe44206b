//! Making the changes that diagnostics propose.
//!
//! What it leaves out: whether a change is right; the site that reports a mistake decides that.

use crate::diagnostic::{Diagnostic, Edit};

/// The text with the edits made, in whatever order they come. `None` if two of them touch the same
/// bytes, or one does not fit the text; edits that insert at one place stand in their order.
pub fn apply(text: &str, edits: &[Edit]) -> Option<String> {
    let sorted = in_order(text, edits)?;
    let added: usize = sorted.iter().map(|e| e.text.len()).sum();
    let mut result = String::with_capacity(text.len().saturating_add(added));
    let mut done = 0;
    for edit in sorted {
        let range = edit.span.range();
        result.push_str(&text[done..range.start]);
        result.push_str(&edit.text);
        done = range.end;
    }
    result.push_str(&text[done..]);
    Some(result)
}

/// The edits in the order of the text; `None` if they overlap or do not fit it.
fn in_order<'e>(text: &str, edits: &'e [Edit]) -> Option<Vec<&'e Edit>> {
    let mut sorted: Vec<&Edit> = edits.iter().collect();
    sorted.sort_by_key(|e| (e.span.start, e.span.end));
    let mut done = 0;
    for edit in &sorted {
        let range = edit.span.range();
        // `get` refuses what ends before it starts, or lies past the end or inside a character.
        if range.start < done || text.get(range.clone()).is_none() {
            return None;
        }
        done = range.end;
    }
    Some(sorted)
}

/// Makes the fixes of as many diagnostics as go together, the earlier ones first; each with all of
/// its edits or none. Returns the text and how many diagnostics were fixed. A fix that had to wait
/// because another one touches its place finds it when the new text is checked again.
pub fn apply_all<'a>(
    text: &str,
    diagnostics: impl IntoIterator<Item = &'a Diagnostic>,
) -> (String, usize) {
    let mut taken = std::collections::BTreeMap::new();
    let mut edits: Vec<Edit> = Vec::new();
    let mut fixed = 0;
    for diagnostic in diagnostics {
        let fix = &diagnostic.fix;
        if fix.is_empty() || in_order(text, fix).is_none() || fix.iter().any(|e| touches(&taken, e))
        {
            continue;
        }
        for edit in fix {
            taken.insert(edit.span.start, edit.span.end.max(edit.span.start));
        }
        edits.extend(fix.iter().cloned());
        fixed += 1;
    }
    match apply(text, &edits) {
        Some(new) => (new, fixed),
        None => (text.to_owned(), 0),
    }
}

/// Whether an edit touches one of the ranges (start, end) that are taken; ranges that meet do.
fn touches(taken: &std::collections::BTreeMap<u32, u32>, edit: &Edit) -> bool {
    // The ranges are apart, so the last one that begins before the edit's end reaches farthest.
    taken.range(..=edit.span.end).next_back().is_some_and(|(_, &end)| end >= edit.span.start)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::span::Span;

    fn edit(start: usize, end: usize, text: &str) -> Edit {
        Edit { span: Span::new(start, end), text: text.into() }
    }

    #[test]
    fn edits_are_made_in_any_order() {
        let text = "tex. 2d.v4 x";
        assert_eq!(apply(text, &[]).unwrap(), text);
        assert_eq!(apply(text, &[edit(12, 12, ";"), edit(4, 5, "")]).unwrap(), "tex.2d.v4 x;");
        assert_eq!(apply(text, &[edit(3, 3, "a"), edit(3, 3, "b")]).unwrap(), "texab. 2d.v4 x");
        assert_eq!(apply(text, &[edit(0, 3, ""), edit(3, 4, "-")]).unwrap(), "- 2d.v4 x");
        assert_eq!(apply("", &[edit(0, 0, "a")]).unwrap(), "a");
    }

    #[test]
    fn edits_that_do_not_fit() {
        assert_eq!(apply("abc", &[edit(0, 2, ""), edit(1, 3, "")]), None);
        assert_eq!(apply("abc", &[edit(2, 4, "")]), None);
        assert_eq!(apply("abc", &[edit(4, 4, "")]), None);
        assert_eq!(apply("abc", &[edit(2, 1, "")]), None);
        assert_eq!(apply("aéb", &[edit(2, 3, "")]), None);
        assert_eq!(apply("aéb", &[edit(0, 2, "")]), None);
        assert_eq!(apply("abc", &[edit(usize::MAX, usize::MAX, "")]), None);
    }

    #[test]
    fn fixes_that_go_together() {
        let fix = |edits: &[(usize, usize, &str)]| {
            let d = Diagnostic::error("E0000", Span::new(0, 1), "x");
            edits.iter().fold(d, |d, &(a, b, t)| d.fix(Span::new(a, b), t))
        };
        let all = [
            fix(&[(0, 1, "A"), (4, 5, "E")]),
            fix(&[(2, 3, "C"), (4, 5, "-")]),
            fix(&[]),
            fix(&[(9, 9, "-")]),
            fix(&[(2, 3, "c")]),
            fix(&[(5, 5, "-")]),
        ];
        assert_eq!(apply_all("abcdef", &all), ("AbcdEf".into(), 2));
        assert_eq!(apply_all("abcdef", &[]), ("abcdef".into(), 0));
    }
}
