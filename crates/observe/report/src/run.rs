//! What was found in many files, written as it is found.

use std::borrow::Cow;
use std::io::{self, Write};
use texunit_forms::Count;

use serde::Serialize;
use texunit_syntax::{Diagnostic, SourceFile, by_opcode};

use crate::sarif::{Rule, Sarif};
use crate::{Format, Located, Object, counts, human, short_line};

/// The codes of instructions that the module's `.version` or `.target` does not have: one change of its head mends all, so
/// people are told of each opcode once.
const LACKING: [&str; 2] = ["E0230", "E0231"];

/// How a run is shown.
#[derive(Clone, Copy)]
pub struct Settings<'r> {
    /// The form.
    pub format: Format,
    /// Shows errors only; warnings are counted but not shown, and people get no line with totals.
    pub quiet: bool,
    /// Most diagnostics of one file that are shown to people, errors before warnings.
    pub most_shown: usize,
    /// Version of the program, for SARIF.
    pub version: &'r str,
    /// Where the program is at home, for SARIF.
    pub home: &'r str,
    /// What a code stands for, for SARIF.
    pub rule: &'r dyn Fn(&str) -> Option<Rule>,
}

/// What a run has found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Totals {
    /// Files, unreadable ones included.
    pub files: usize,
    /// Errors in all of them.
    pub errors: usize,
    /// Warnings in all of them.
    pub warnings: usize,
    /// Mistakes that were corrected in the files; `None` if that was not asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fixed: Option<usize>,
}

impl Totals {
    /// `3 files: 2 errors, 1 warning`
    fn text(&self) -> String {
        let files = Count(self.files, "file");
        let fixed = self.fixed.filter(|&n| n > 0).map(|n| format!("{n} fixed, "));
        let left = counts(self.errors, self.warnings).unwrap_or_else(|| "no errors".to_owned());
        format!("{files}: {}{left}\n", fixed.unwrap_or_default())
    }
}

/// Writes the diagnostics of file after file. A stream that cannot be written to ends the writing
/// but not the counting: [`Run::finish`] tells.
pub struct Run<'r, W> {
    out: W,
    settings: Settings<'r>,
    sarif: Sarif,
    totals: Totals,
    result: io::Result<()>,
}

impl<'r, W: Write> Run<'r, W> {
    /// Nothing is written before the first file.
    pub fn new(out: W, settings: Settings<'r>) -> Self {
        let (sarif, totals) = (Sarif::default(), Totals::default());
        Self { out, settings, sarif, totals, result: Ok(()) }
    }

    /// What was found in one file, in the order in which it is to be shown.
    pub fn file<'a>(&mut self, source: impl Into<Located<'a>>, diagnostics: &[Diagnostic]) {
        let errors = diagnostics.iter().filter(|d| d.is_error()).count();
        self.count(errors, diagnostics.len() - errors);
        if self.result.is_ok() {
            self.result = self.write(source.into(), diagnostics);
        }
    }

    /// A file that could not be read, and why.
    pub fn unreadable(&mut self, name: &str, why: &Diagnostic) {
        self.count(1, 0);
        if self.result.is_ok() {
            self.result = self.write_unreadable(&SourceFile::new(name, ""), why);
        }
    }

    /// Mistakes that were corrected; makes the number of them part of the totals.
    pub fn fixed(&mut self, number: usize) {
        *self.totals.fixed.get_or_insert(0) += number;
    }

    /// What was counted up to now.
    pub fn totals(&self) -> Totals {
        self.totals
    }

    /// Writes what comes last. The error is the first one of the whole run.
    ///
    /// # Errors
    /// The first error of the run.
    pub fn finish(mut self) -> io::Result<()> {
        self.result?;
        match self.settings.format {
            Format::Human { .. } if !self.settings.quiet => {
                self.out.write_all(self.totals.text().as_bytes())?;
            }
            Format::Human { .. } | Format::Short => {}
            Format::Json => {
                let totals = serde_json::to_string(&self.totals).map_err(io::Error::other)?;
                writeln!(self.out, "{totals}")?;
            }
            Format::Sarif => self.sarif.finish(&mut self.out, &self.settings)?,
        }
        self.out.flush()
    }

    fn count(&mut self, errors: usize, warnings: usize) {
        self.totals.files += 1;
        self.totals.errors += errors;
        self.totals.warnings += warnings;
    }

    fn write(&mut self, source: Located<'_>, diagnostics: &[Diagnostic]) -> io::Result<()> {
        let quiet = self.settings.quiet;
        let is_told_once = |d: &Diagnostic| LACKING.contains(&d.code);
        let told = match self.settings.format {
            Format::Human { .. } => Cow::Owned(by_opcode(source.text, diagnostics, is_told_once)),
            _ => Cow::Borrowed(diagnostics),
        };
        let wanted = || told.iter().filter(|d| d.is_error() || !quiet);
        let out = &mut self.out;
        match self.settings.format {
            Format::Human { color } => {
                let errors = wanted().filter(|d| d.is_error()).count();
                let most = self.settings.most_shown;
                let mut room = [most, most.saturating_sub(errors)];
                let mut left = [0; 2];
                for diagnostic in wanted() {
                    let kind = usize::from(!diagnostic.is_error());
                    if room[kind] == 0 {
                        left[kind] += 1;
                        continue;
                    }
                    room[kind] -= 1;
                    let shown = human::render(source, diagnostic, color);
                    out.write_all((shown + "\n\n").as_bytes())?;
                }
                if let Some(left) = counts(left[0], left[1]) {
                    let name = crate::visible(source.text.name());
                    write!(out, "{name}: {left} more, not shown\n\n")?;
                }
            }
            Format::Short => {
                for diagnostic in wanted() {
                    out.write_all(short_line(source, diagnostic).as_bytes())?;
                }
            }
            Format::Json => {
                for diagnostic in wanted() {
                    out.write_all(Object::new(Some(source), diagnostic).line().as_bytes())?;
                }
            }
            Format::Sarif => self.sarif.file(out, source, wanted())?,
        }
        Ok(())
    }

    fn write_unreadable(&mut self, source: &SourceFile, why: &Diagnostic) -> io::Result<()> {
        match self.settings.format {
            Format::Human { color } => {
                let shown = human::render_without_text(source.name(), why, color);
                self.out.write_all((shown + "\n\n").as_bytes())
            }
            Format::Short | Format::Json => self.write(source.into(), std::slice::from_ref(why)),
            Format::Sarif => self.sarif.unreadable(&mut self.out, source.name(), why),
        }
    }
}
