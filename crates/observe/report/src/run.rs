//! Writes the diagnostics of many files as they are found, and counts them.

use std::borrow::Cow;
use std::io::{self, Write};
use std::path::Path;
use texunit_forms::Count;
use texunit_syntax::{Diagnostic, SourceFile, by_opcode};

use crate::record::record;
use crate::sarif::Sarif;
use crate::{Format, Located, Object, Settings, counts, human, short_line};

/// Codes of instructions that the module's `.version` or `.target` lacks. A single change in the
/// module's head corrects all of them, so each opcode is shown once.
const LACKING: [&str; 2] = ["E0230", "E0231"];

/// The counts of files, errors and warnings of a run of the program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Number of files, including unreadable ones.
    pub files: usize,
    /// Number of errors.
    pub errors: usize,
    /// Number of warnings.
    pub warnings: usize,
    /// Number of corrected errors; `None` if correction was not requested.
    pub fixed: Option<usize>,
}

record! { Totals { files, errors, warnings, fixed [?] } }

impl Totals {
    /// `3 files: 2 errors, 1 warning`
    fn text(&self) -> String {
        let files = Count(self.files, "file");
        let fixed = self.fixed.filter(|&n| n > 0).map(|n| format!("{n} fixed, "));
        let left = counts(self.errors, self.warnings).unwrap_or_else(|| "no errors".to_owned());
        format!("{files}: {}{left}\n", fixed.unwrap_or_default())
    }
}

/// Writes the diagnostics of one file after another. After a write error nothing more is written,
/// but counting continues; [`Run::finish`] returns the error.
pub struct Run<'r, W> {
    out: W,
    settings: Settings<'r>,
    sarif: Sarif,
    totals: Totals,
    result: io::Result<()>,
}

impl<'r, W: Write> Run<'r, W> {
    /// Starts a run; nothing is written before the first file.
    pub fn new(out: W, settings: Settings<'r>) -> Self {
        let (sarif, totals) = (Sarif::default(), Totals::default());
        Self { out, settings, sarif, totals, result: Ok(()) }
    }

    /// Sets the path of the next file. Its name in diagnostics is the path with characters that are
    /// not UTF-8 replaced.
    pub fn at(&mut self, path: &Path) {
        self.sarif.path = Some(path.to_owned());
    }

    /// Writes the diagnostics of a file, in the order to be shown.
    pub fn file<'a>(&mut self, source: impl Into<Located<'a>>, diagnostics: &[Diagnostic]) {
        let errors = diagnostics.iter().filter(|d| d.is_error()).count();
        self.count(errors, diagnostics.len() - errors);
        if self.result.is_ok() {
            self.result = self.write(source.into(), diagnostics);
        }
    }

    /// Reports a file that could not be read.
    pub fn unreadable(&mut self, name: &str, why: &Diagnostic) {
        self.count(1, 0);
        if self.result.is_ok() {
            self.result = self.write_unreadable(&SourceFile::new(name, ""), why);
        }
    }

    /// Adds to the number of corrected errors in the totals.
    pub fn fixed(&mut self, number: usize) {
        *self.totals.fixed.get_or_insert(0) += number;
    }

    /// The counts of files, errors and warnings until now.
    pub fn totals(&self) -> Totals {
        self.totals
    }

    /// Writes the end of the output.
    ///
    /// # Errors
    /// The first write error of the run.
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
