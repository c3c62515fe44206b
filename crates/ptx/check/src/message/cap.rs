//! Limits for the number of diagnostics for one text: a broken generator can cause a million
//! errors, and a million messages help nobody.
//!
//! Limits do not change the verdict, and some warnings of each code are always kept, so that levels
//! ([`crate::lint::Levels`]) can be applied afterwards.

use texunit_forms::Count;
use texunit_syntax::Diagnostic;

/// Maximum number of errors that are shown; a further message says that there are more.
pub(crate) const MAX_ERRORS: usize = 1000;
/// Maximum number of warnings per code that are shown; a further message says that there are more.
const MAX_WARNINGS: usize = 200;
/// Maximum number of errors, and of warnings per code, that are kept during a check; more than are
/// shown, because they are not found in source order.
const MAX_KEPT: usize = 10_000;

/// Code of the message that there are more errors than are shown.
const TOO_MANY: &str = "E0061";

/// The number of errors, and of warnings with each code.
#[derive(Default)]
pub(crate) struct Counts {
    errors: usize,
    warnings: Vec<(&'static str, usize)>,
}

impl Counts {
    /// Counts a diagnostic; returns the number of errors, or of warnings with its code.
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

    /// Counts a diagnostic; returns whether it is kept.
    pub(crate) fn admit(&mut self, diagnostic: &Diagnostic) -> bool {
        self.add(diagnostic) <= MAX_KEPT
    }
}

/// Removes the diagnostics that are not shown from a list in source order.
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
