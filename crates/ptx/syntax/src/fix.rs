//! Application of the corrections that diagnostics propose.
//!
//! Corrections are assumed to be right; the code that reports a mistake ensures this.

use std::collections::BTreeMap;

use crate::diagnostic::{Diagnostic, Edit};
use texunit_forms::sort_by_key;

/// Applies edits, in any order. Returns `None` if two edits change the same bytes, or if an edit
/// does not fit the text. Insertions at the same position are kept in their order.
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

/// Sorts edits by position; `None` if edits overlap or do not fit the text.
fn in_order<'e>(text: &str, edits: &'e [Edit]) -> Option<Vec<&'e Edit>> {
    let mut sorted: Vec<&Edit> = edits.iter().collect();
    sort_by_key(&mut sorted, |e| (e.span.start, e.span.end));
    let mut done = 0;
    for edit in &sorted {
        let range = edit.span.range();
        // `get` refuses ranges that end before they start, exceed the text or split a character.
        if range.start < done || text.get(range.clone()).is_none() {
            return None;
        }
        done = range.end;
    }
    Some(sorted)
}

/// Selects diagnostics whose corrections are compatible, in the order of `diagnostics`; a
/// correction is applied completely or not at all. Corrections that touch each other are not
/// compatible, because their result would depend on the order. Corrections that were not selected
/// may be applied after the new text has been checked again.
pub fn choose<'d>(
    text: &str,
    diagnostics: impl IntoIterator<Item = &'d Diagnostic>,
) -> Vec<&'d Diagnostic> {
    let mut taken: BTreeMap<u32, u32> = BTreeMap::new();
    // The ranges are disjoint and sorted, so the last one that begins before the edit's end reaches
    // farthest.
    let touches = |taken: &BTreeMap<u32, u32>, edit: &Edit| {
        taken.range(..=edit.span.end).next_back().is_some_and(|(_, &end)| end >= edit.span.start)
    };
    let mut chosen = Vec::new();
    for diagnostic in diagnostics {
        let Some(edits) = in_order(text, &diagnostic.fix) else { continue };
        if edits.is_empty() || edits.iter().any(|e| touches(&taken, e)) {
            continue;
        }
        taken.extend(edits.iter().map(|e| (e.span.start, e.span.end)));
        chosen.push(diagnostic);
    }
    chosen
}

/// The edits of compatible diagnostics ([`choose`]) in text order.
pub fn edits(chosen: &[&Diagnostic]) -> Vec<Edit> {
    let mut edits: Vec<Edit> = chosen.iter().flat_map(|d| &d.fix).cloned().collect();
    sort_by_key(&mut edits, |e| (e.span.start, e.span.end));
    edits
}

/// Applies compatible corrections ([`choose`]). Returns the text and the number of corrected
/// diagnostics.
pub fn apply_all<'d>(
    text: &str,
    diagnostics: impl IntoIterator<Item = &'d Diagnostic>,
) -> (String, usize) {
    let chosen = choose(text, diagnostics);
    let new = apply(text, &edits(&chosen)).expect("chosen fixes fit the text, and are apart");
    (new, chosen.len())
}

#[cfg(test)]
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
        // The edits of one correction may touch, and be in any order.
        let meeting = [fix(&[(1, 4, "-"), (1, 1, "+")]), fix(&[(2, 3, "c")]), fix(&[(5, 6, "F")])];
        assert_eq!(apply_all("abcdef", &meeting), ("a+-eF".into(), 2));
    }
}
