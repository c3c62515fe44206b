//! Limits for the number of diagnostics for one text: a broken generator can cause a million
//! errors, and a million messages help nobody.
//!
//! Limits do not change the verdict, and some warnings of each code are always kept, so that levels
//! ([`crate::lint::Levels`]) can be applied afterwards.

use texunit_forms::Count;
use texunit_syntax::Diagnostic;

/// Maximum number of errors that are shown; one more message says that there are others.
pub(crate) const MAX_ERRORS: usize = 1000;
/// Maximum number of warnings per code that are shown; one more message says that there are others.
const MAX_WARNINGS: usize = 200;
/// Maximum number of diagnostics per kind that are kept during a check, so that the first ones in
/// source order can be shown in whatever order they were found.
const MAX_KEPT: usize = 10_000;

/// Code of the message that there are more errors.
const TOO_MANY: &str = "E0061";

/// Number of errors, and of warnings by code.
#[derive(Default)]
pub(crate) struct Counts {
    errors: usize,
    warnings: Vec<(&'static str, usize)>,
}

impl Counts {
    /// Counts a diagnostic, and returns the count for its kind.
    fn add(&mut self, diagnostic: &Diagnostic) -> usize {
        let count = if diagnostic.is_error() {
            &mut self.errors
        } else {
            let known = self.warnings.iter().position(|(code, _)| *code == diagnostic.code);
            let at = known.unwrap_or_else(|| {
                self.warnings.push((diagnostic.code, 0));
                self.warnings.len() - 1
            });
            &mut self.warnings[at].1
        };
        *count += 1;
        *count
    }

    /// Whether another diagnostic of this kind is kept.
    pub(crate) fn admit(&mut self, diagnostic: &Diagnostic) -> bool {
        self.add(diagnostic) <= MAX_KEPT
    }
}

/// Truncates a list, which is in source order, to what is shown.
pub(crate) fn limit(diagnostics: &mut Vec<Diagnostic>) {
    let mut counts = Counts::default();
    diagnostics.retain_mut(|d| {
        let count = counts.add(d);
        let max = if d.is_error() { MAX_ERRORS } else { MAX_WARNINGS };
        match count {
            _ if count <= max => d.shorten(),
            _ if count == max + 1 => *d = rest_not_shown(d, max),
            _ => return false,
        }
        true
    });
}

/// The message that replaces the first diagnostic that is not shown.
fn rest_not_shown(first: &Diagnostic, max: usize) -> Diagnostic {
    let span = first.primary.span;
    if first.is_error() {
        let message = format!("more than {}; the rest is not shown", Count(max, "error"));
        Diagnostic::error(TOO_MANY, span, message)
            .help("correct the first ones; one early mistake may have caused many")
    } else {
        let code = first.code;
        let message = format!("more than {} {code}; the rest is not shown", Count(max, "warning"));
        Diagnostic::warning(code, span, message)
            .help(format!("`--allow {code}` shows none of them"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use texunit_syntax::Span;

    #[test]
    fn the_first_of_each_kind_are_kept() {
        let mut list = Vec::new();
        for n in 0..3000 {
            let span = Span::new(n, n + 1);
            list.push(Diagnostic::error("E0110", span, "x".repeat(1000)));
            list.push(Diagnostic::warning("W0101", span, ""));
            if n % 100 == 0 {
                list.push(Diagnostic::warning("W0102", span, ""));
            }
        }
        limit(&mut list);
        let of = |code| list.iter().filter(|d| d.code == code).count();
        assert_eq!([of("E0110"), of(TOO_MANY), of("W0101"), of("W0102")], [1000, 1, 201, 30]);
        let last = list.iter().rfind(|d| d.is_error()).map(|d| (d.code, d.primary.span.start));
        assert_eq!(last, Some((TOO_MANY, 1000)));
        assert!(list.iter().all(|d| d.message.len() < 500));
        assert!(list.is_sorted_by_key(|d| d.primary.span.start));
    }
}
