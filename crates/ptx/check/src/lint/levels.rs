//! Warning levels: which warnings are hidden, and which count as errors.

use std::collections::BTreeSet;

use texunit_syntax::{Diagnostic, Severity};

/// The error for a code given to `--allow` or `--deny` that is not the code of a warning.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not the code of a warning, such as W0101")]
pub struct UnknownCode(pub String);

/// The settings of `--allow` and `--deny`. `warnings` stands for all codes. A code given by name
/// has precedence over `warnings`, and `--deny` has precedence over `--allow`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Levels {
    allow: BTreeSet<String>,
    deny: BTreeSet<String>,
}

/// The word that stands for all warning codes.
const ALL: &str = "warnings";

impl Levels {
    /// Parses the lists of warning codes given to `--allow` and `--deny`.
    ///
    /// # Errors
    ///
    /// A listed word is neither the code of a warning nor `warnings`.
    pub fn new<S: AsRef<str>>(allow: &[S], deny: &[S]) -> Result<Self, UnknownCode> {
        let read = |list: &[S]| -> Result<BTreeSet<String>, UnknownCode> {
            list.iter().map(|code| known(code.as_ref())).collect()
        };
        Ok(Self { allow: read(allow)?, deny: read(deny)? })
    }

    /// Removes allowed warnings, and turns denied ones into errors.
    pub fn apply(&self, diagnostics: &mut Vec<Diagnostic>) {
        let all = |set: &BTreeSet<String>| set.contains(ALL);
        diagnostics.retain_mut(|d| {
            if d.is_error() {
                return true;
            }
            let (allowed, denied) = (self.allow.contains(d.code), self.deny.contains(d.code));
            if denied || (all(&self.deny) && !allowed) {
                d.severity = Severity::Error;
                return true;
            }
            !(allowed || all(&self.allow))
        });
    }
}

fn known(code: &str) -> Result<String, UnknownCode> {
    let code = code.trim();
    let upper = code.to_ascii_uppercase();
    if code == ALL {
        Ok(code.to_owned())
    } else if upper.starts_with('W') && crate::find_code(&upper).is_some() {
        Ok(upper)
    } else {
        Err(UnknownCode(code.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use texunit_syntax::Span;

    fn after(allow: &[&str], deny: &[&str]) -> Vec<(&'static str, bool)> {
        let mut list = vec![
            Diagnostic::error("E0110", Span::default(), ""),
            Diagnostic::warning("W0101", Span::default(), ""),
            Diagnostic::warning("W0102", Span::default(), ""),
        ];
        Levels::new(allow, deny).unwrap().apply(&mut list);
        list.iter().map(|d| (d.code, d.is_error())).collect()
    }

    #[test]
    fn levels() {
        let error = ("E0110", true);
        assert_eq!(after(&[], &[]), [error, ("W0101", false), ("W0102", false)]);
        assert_eq!(after(&["W0101"], &[]), [error, ("W0102", false)]);
        assert_eq!(after(&[], &["w0101"]), [error, ("W0101", true), ("W0102", false)]);
        assert_eq!(after(&[" W0101 "], &[]), [error, ("W0102", false)]);
        assert_eq!(after(&["warnings"], &["W0102"]), [error, ("W0102", true)]);
        assert_eq!(after(&["W0102"], &["warnings"]), [error, ("W0101", true)]);
        for wrong in ["E0110", "W9999", "", "all"] {
            assert_eq!(Levels::new(&[wrong], &[]), Err(UnknownCode(wrong.to_owned())));
        }
    }
}
