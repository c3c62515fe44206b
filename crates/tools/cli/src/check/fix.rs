//! Applies the certain corrections of diagnostics, and reports the remaining ones.

use super::read::Text;
use texunit_syntax::fix::{choose, edits};
use texunit_syntax::{Diagnostic, Edit, SourceFile};

/// Maximum number of rounds of correcting and checking. Several are needed because overlapping
/// corrections wait for each other, and not all errors are reported at once.
const MAX_ROUNDS: usize = 20;

/// A corrected text.
pub(crate) struct Fixed {
    pub(crate) source: SourceFile,
    /// The bytes that `source` was decoded from.
    pub(crate) bytes: Vec<u8>,
    /// The remaining diagnostics.
    pub(crate) left: Vec<Diagnostic>,
    /// Number of corrected errors.
    pub(crate) number: usize,
}

/// Corrects a text until nothing changes. `check` returns the diagnostics of a text.
pub(crate) fn fix(text: Text, mut check: impl FnMut(&SourceFile) -> Vec<Diagnostic>) -> Fixed {
    let Text { source, original } = text;
    let bytes = original.unwrap_or_else(|| source.text().as_bytes().to_vec());
    let mut fixed = Fixed { left: check(&source), source, bytes, number: 0 };
    // The attempted corrections with their current positions: one whose error persists is not
    // repeated.
    let mut tried: Vec<(&'static str, u32)> = Vec::new();
    for _ in 0..MAX_ROUNDS {
        tried.sort_unstable();
        let wanted =
            |d: &&Diagnostic| tried.binary_search(&(d.code, d.primary.span.start)).is_err();
        let chosen = choose(fixed.source.text(), fixed.left.iter().filter(wanted));
        if chosen.is_empty() {
            break;
        }
        tried.extend(chosen.iter().map(|d| (d.code, d.primary.span.start)));
        let number = chosen.len();
        let edits = edits(&chosen);
        let bytes = apply(&fixed, &edits);
        if bytes.len() > SourceFile::MAX_LEN / 3 {
            break;
        }
        move_places(&mut tried, &edits);
        fixed.bytes = bytes;
        fixed.source = SourceFile::from_bytes(fixed.source.name(), &fixed.bytes);
        fixed.number += number;
        fixed.left = check(&fixed.source);
    }
    fixed
}

/// Applies sorted, disjoint edits to the bytes. Positions of edits refer to the text, in which a
/// character can stand for an invalid byte sequence.
fn apply(fixed: &Fixed, edits: &[Edit]) -> Vec<u8> {
    let mut result = Vec::with_capacity(fixed.bytes.len() + edits.len() * 16);
    let mut done = 0;
    for edit in edits {
        let at = |offset| fixed.source.byte_offset(offset) as usize;
        result.extend_from_slice(&fixed.bytes[done..at(edit.span.start)]);
        result.extend_from_slice(edit.text.as_bytes());
        done = at(edit.span.end);
    }
    result.extend_from_slice(&fixed.bytes[done..]);
    result
}

/// Moves positions according to the edits.
fn move_places(places: &mut [(&'static str, u32)], edits: &[Edit]) {
    places.sort_unstable_by_key(|&(_, at)| at);
    let mut moved: i64 = 0;
    let mut edits = edits.iter().peekable();
    for (_, at) in places {
        while let Some(edit) = edits.next_if(|edit| edit.span.end <= *at) {
            moved += edit.text.len() as i64 - edit.span.range().len() as i64;
        }
        *at = (i64::from(*at) + moved) as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use texunit_syntax::Span;

    fn text(bytes: &[u8]) -> Text {
        let source = SourceFile::from_bytes("k.ptx", bytes);
        Text { original: source.is_lossy().then(|| bytes.to_vec()), source }
    }

    /// A checker that replaces `a` by `bb` and invalid text by `?`, and removes the `!` of `b!`.
    fn check(source: &SourceFile) -> Vec<Diagnostic> {
        let mut list = Vec::new();
        for (at, c) in source.text().char_indices() {
            let span = Span::new(at, at + c.len_utf8());
            let error = |code| Diagnostic::error(code, span, "m");
            match c {
                'a' => list.push(error("E0001").fix(span, "bb")),
                '\u{fffd}' => list.push(error("E0002").fix(span, "?")),
                '!' => list.push(error("E0003").fix(Span::new(at.saturating_sub(1), at + 1), "b")),
                _ => {}
            }
        }
        list
    }

    #[test]
    fn corrections_that_touch_wait() {
        let fixed = fix(text(b"xa!\xff\xe2\x82 a\n!"), check);
        assert_eq!(fixed.bytes, b"xbb?? bbb");
        assert_eq!((fixed.source.text(), fixed.number), ("xbb?? bbb", 6));
        assert!(fixed.left.is_empty() && !fixed.source.is_lossy());
    }

    /// A correction without effect is tried only once, even if its position moves.
    #[test]
    fn corrections_that_do_not_help() {
        let useless = |source: &SourceFile| {
            let insert = |at: usize, code, text: &str| {
                Diagnostic::error(code, Span::new(at, at + 1), "m").fix(Span::new(at, at), text)
            };
            let text = source.text();
            let mut list = vec![insert(text.find('x').unwrap(), "E0001", ";")];
            list.extend(
                text.find('a').map(|at| insert(at, "E0002", "b").fix(Span::new(at, at + 1), "")),
            );
            list
        };
        let fixed = fix(text(b"a.x"), useless);
        assert_eq!((fixed.source.text(), fixed.left.len(), fixed.number), ("b.;x", 1, 2));
    }

    #[test]
    fn edits_that_do_not_fit_are_not_made() {
        for (start, end) in [(0, 99), (2, 3), (3, 1)] {
            let span = Span { start, end };
            let wrong = |_: &SourceFile| vec![Diagnostic::error("E0001", span, "m").fix(span, "x")];
            let fixed = fix(text("a\u{20ac}b".as_bytes()), wrong);
            assert_eq!((fixed.bytes, fixed.number), ("a\u{20ac}b".into(), 0));
        }
    }
}
