//! A judge for errors of `texunit check`, which requires the error codes that the original text
//! had.

use crate::Judge;
use crate::case::Case;
use std::collections::BTreeSet;
use texunit_check::{Options, check_source};
use texunit_syntax::{Diagnostic, SourceFile};

/// A judge that requires the error codes on the line of the first error. Errors with codes that the
/// original text did not have are not allowed.
#[derive(Clone, Debug)]
pub struct CheckJudge {
    first: BTreeSet<&'static str>,
    all: BTreeSet<&'static str>,
    options: Options,
    /// Whether an error with any code is accepted.
    any: bool,
}

impl CheckJudge {
    /// A judge for the errors of a text; `None` if the text has none. With `any`, an error with any
    /// code is accepted.
    pub fn of(ptx: &str, options: Options, any: bool) -> Option<Self> {
        let (first, all) = codes(ptx, &options);
        (!first.is_empty()).then_some(Self { first, all, options, any })
    }

    /// The required codes: `E0304`, or several separated by commas.
    pub fn codes(&self) -> String {
        if self.any {
            return "any error".to_owned();
        }
        self.first.iter().copied().collect::<Vec<_>>().join(", ")
    }

    /// The first error of a text.
    pub fn first_error(&self, ptx: &str) -> Option<(SourceFile, Diagnostic)> {
        let source = SourceFile::new("kernel.ptx", ptx);
        let first = check_source(&source, &self.options).into_iter().find(Diagnostic::is_error)?;
        Some((source, first))
    }
}

/// The error codes on the line of the first error, and the codes of all errors.
fn codes(ptx: &str, options: &Options) -> (BTreeSet<&'static str>, BTreeSet<&'static str>) {
    let source = SourceFile::new("kernel.ptx", ptx);
    let diagnostics = check_source(&source, options);
    let errors: Vec<&Diagnostic> = diagnostics.iter().filter(|d| d.is_error()).collect();
    let line = |d: &Diagnostic| source.location(d.primary.span.start).line;
    let Some(first) = errors.iter().map(|d| line(d)).min() else { return Default::default() };
    let there = errors.iter().filter(|d| line(d) == first);
    (there.map(|d| d.code).collect(), errors.iter().map(|d| d.code).collect())
}

impl Judge for CheckJudge {
    fn fails(&mut self, case: &Case) -> bool {
        super::trying(|| codes(&case.ptx, &self.options)).is_ok_and(|(first, all)| match self.any {
            true => !first.is_empty(),
            false => first == self.first && all.is_subset(&self.all),
        })
    }
}
