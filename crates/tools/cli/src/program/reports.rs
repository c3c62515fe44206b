//! Writes the files of a run: reports in all formats, coverage and profiles.

use super::runner::Runner;
use super::{RunArgs, refusal, say};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use texunit_coverage::{Coverage, EXTENSION, lcov};
use texunit_evidence::{Format, Run};
use texunit_files::CommandFiles;
use texunit_forms::Count;
use texunit_profile::Profile;

/// A destination.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Target {
    /// Standard output.
    Output,
    File(PathBuf),
}

impl Target {
    /// Parses an option, and checks as far as possible that the file can be written. `-` is
    /// standard output.
    fn of(option: &str, file: &Path) -> Result<Self, String> {
        if is_output(file) {
            return Ok(Self::Output);
        }
        let path = std::path::absolute(file).map_err(|e| format!("{}: {e}", file.display()))?;
        let one = texunit_evidence::name_of_process(&path, std::process::id());
        refusal::writable(option.trim_start_matches('-'), &one)?;
        Ok(Self::File(if texunit_evidence::is_of_each_process(&path) { path } else { one }))
    }

    /// Writes a text, joined by `join` to the report that earlier tests of the same test runner
    /// have written. Returns whether it was written; an error is reported.
    fn write_joined(
        &self,
        what: &str,
        text: &str,
        runner: Option<&Runner>,
        join: impl Fn(&str) -> Result<String, &'static str>,
    ) -> bool {
        let (Some(runner), Some(path)) = (runner, self.replaced()) else {
            return self.write(what, text);
        };
        // Tests may end at the same time; the lock prevents one of them from overwriting another's
        // report.
        let folder = path.parent().and_then(|folder| File::open(folder).ok());
        let _locked = folder.as_ref().map(File::lock);
        match runner.earlier(path).map(|earlier| join(&earlier)) {
            None => self.write(what, text),
            Some(Ok(joined)) => self.write(what, &joined),
            Some(Err(why)) => {
                say(format_args!("texunit: {}", refused(what, path, runner, why)));
                false
            }
        }
    }

    /// Writes a text; returns whether it was written. An error is reported.
    fn write(&self, what: &str, text: &str) -> bool {
        let (name, written) = match self {
            Self::Output => {
                let written = crate::out::print(text);
                // A closed pipe is not a failure.
                let gone = |error: &std::io::Error| error.kind() == ErrorKind::BrokenPipe;
                ("-".as_ref(), if written.as_ref().is_err_and(gone) { Ok(()) } else { written })
            }
            Self::File(path) => (&**path, texunit_evidence::write(path, text.as_bytes())),
        };
        if let Err(error) = &written {
            say(format_args!("texunit: the {what} {} cannot be written: {error}", name.display()));
        }
        written.is_ok()
    }

    /// The file, if it can be written again later.
    fn replaced(&self) -> Option<&Path> {
        match self {
            Self::File(path) if !texunit_evidence::is_written_in_place(path) => Some(path),
            _ => None,
        }
    }
}

/// Why an earlier test's result is not overwritten.
fn refused(what: &str, path: &Path, runner: &Runner, why: &str) -> String {
    format!(
        "the {what} {} was written since {} began, and is not replaced: {why}; with `%p` in its name each process has \
         its own, and `texunit run` around {} has one report of all tests (docs/ci.md)",
        path.display(),
        runner.name,
        runner.name
    )
}

/// Whether a name stands for standard output.
pub(super) fn is_output(file: &Path) -> bool {
    file.as_os_str() == "-"
}

/// A requested report.
#[derive(Debug)]
struct Report {
    target: Target,
    format: Format,
}

impl Report {
    /// The texts with their destinations: one for all processes, or one for each.
    fn texts(&self, run: &Run) -> Vec<(Target, String)> {
        match &self.target {
            Target::File(path) if texunit_evidence::is_of_each_process(path) => {
                // A process may have executed several programs in turn.
                let processes: BTreeSet<u32> =
                    run.records.iter().map(|record| record.process.pid).collect();
                let one = |process: u32| {
                    let file = texunit_evidence::name_of_process(path, process);
                    (Target::File(file), self.format.render(&run.of_process(process)))
                };
                processes.into_iter().map(one).collect()
            }
            target => vec![(target.clone(), self.format.render(run))],
        }
    }
}

/// All requested outputs of a run.
#[derive(Debug)]
pub(super) struct Outputs {
    reports: Vec<Report>,
    coverage: Option<Target>,
    /// Whether to include CUDA's headers.
    coverage_toolkit: bool,
    profile: Option<(Target, texunit_profile::Format)>,
    /// The test runner that has started this run as one of its tests.
    runner: Option<Runner>,
}

impl Outputs {
    /// The outputs that the options name, after checking that they can be written.
    pub(super) fn of(args: &RunArgs) -> Result<Self, String> {
        let coverage = args.evidence.coverage.as_deref();
        let coverage = coverage.map(|file| Target::of("--coverage", file)).transpose()?;
        let coverage_toolkit = args.evidence.coverage_toolkit;
        let profile = args.evidence.profile.as_deref().map(|file| {
            let format = crate::profile::format(file, args.evidence.profile_format);
            Ok::<_, String>((Target::of("--profile", file)?, format))
        });
        let (reports, runner) = (reports(args)?, Runner::above());
        Ok(Self { reports, coverage, coverage_toolkit, profile: profile.transpose()?, runner })
    }

    /// Writes the coverage of all processes, from the folder of the run; returns whether it was
    /// written.
    pub(super) fn write_coverage(&self, folder: &Path) -> bool {
        let Some(target) = &self.coverage else { return true };
        let files = texunit_evidence::files(folder, EXTENSION);
        let mut is_empty = true;
        let written = covered(target, &files).fold(true, |fine, (target, mut coverage)| {
            is_empty &= coverage.is_empty();
            self.leave_out(&mut coverage);
            let text = lcov::text(&coverage);
            let join = |earlier: &str| {
                let mut all = lcov::parse(earlier).map_err(|_| "it is not a tracefile of lcov")?;
                all.add(&coverage);
                Ok(lcov::text(&all))
            };
            target.write_joined("coverage", &text, self.runner.as_ref(), join) && fine
        });
        if is_empty {
            say(format_args!("texunit: no kernel was loaded: the coverage is empty"));
        }
        written
    }

    /// Writes the profile of all processes, from the folder of the run; returns whether it was
    /// written.
    pub(super) fn write_profile(&self, folder: &Path) -> bool {
        let Some((target, format)) = &self.profile else { return true };
        let files = texunit_evidence::files(folder, texunit_profile::EXTENSION);
        if files.is_empty() {
            say(format_args!("texunit: no kernel was launched: the profile is empty"));
        }
        let join = |profile: &Profile, earlier: &str| match format {
            texunit_profile::Format::Json => {
                let mut all =
                    Profile::parse(earlier).map_err(|_| "it is not a profile of texunit")?;
                all.add(profile);
                Ok(format.text(&all))
            }
            texunit_profile::Format::Callgrind => Err("Callgrind's files cannot be joined"),
        };
        by_process(target, &files).into_iter().fold(true, |fine, (target, files)| {
            let profile = Profile::merged(&files);
            let join = |earlier: &str| join(&profile, earlier);
            target.write_joined("profile", &format.text(&profile), self.runner.as_ref(), join)
                && fine
        })
    }

    /// Removes CUDA's headers unless they are requested.
    fn leave_out(&self, coverage: &mut Coverage) {
        if !self.coverage_toolkit {
            coverage.leave_out_toolkit();
        }
    }

    /// Number of modules with coverage in the folder, if coverage is requested.
    pub(super) fn modules(&self, folder: &Path) -> u64 {
        let wanted = self.coverage.as_ref().map(|_| texunit_evidence::files(folder, EXTENSION));
        let readable = |file: &&PathBuf| Coverage::read(file).is_ok();
        wanted.map_or(u64::MAX, |files| files.iter().filter(readable).count() as u64)
    }

    /// Writes the reports; returns whether all were written.
    pub(super) fn write_reports(&self, run: &Run) -> bool {
        let mut fine = true;
        // All reports are attempted even if one fails.
        for report in &self.reports {
            for (target, text) in report.texts(run) {
                let join = |earlier: &str| report.format.joined(earlier, &text);
                fine &= target.write_joined("report", &text, self.runner.as_ref(), join);
            }
        }
        fine
    }

    /// Writes preliminary reports to files, which are replaced at the end of the run. Errors are
    /// reported then.
    pub(super) fn write_so_far(&self, run: &Run, folder: &Path) {
        if self.runner.is_some() {
            // The reports of earlier tests are kept until this test has ended.
            return;
        }
        for (target, text) in self.reports.iter().flat_map(|report| report.texts(run)) {
            let path = target.replaced();
            let _ = path.map(|path| texunit_evidence::write(path, text.as_bytes()));
        }
        if let Some(target) = &self.coverage {
            let files = texunit_evidence::files(folder, EXTENSION);
            for (target, mut coverage) in covered(target, &files) {
                self.leave_out(&mut coverage);
                let _ = target.replaced().map(|path| lcov::write(path, &coverage));
            }
        }
    }
}

/// The coverage with its destinations: of all processes, or of each.
fn covered<'a>(
    target: &'a Target,
    files: &'a [PathBuf],
) -> impl Iterator<Item = (Target, Coverage)> + 'a {
    by_process(target, files).into_iter().map(|(target, files)| (target, Coverage::merged(&files)))
}

/// The processes' files with their destinations: of all processes, or of each.
fn by_process<'a>(target: &Target, files: &'a [PathBuf]) -> Vec<(Target, Vec<&'a PathBuf>)> {
    let path = match target {
        Target::File(path) if texunit_evidence::is_of_each_process(path) => path,
        _ => return vec![(target.clone(), files.iter().collect())],
    };
    let mut of_each: BTreeMap<u32, Vec<&PathBuf>> = BTreeMap::new();
    for file in files {
        if let Some(process) = texunit_evidence::process_of(file) {
            of_each.entry(process).or_default().push(file);
        }
    }
    let of_each = of_each.into_iter();
    of_each
        .map(|(process, files)| {
            (Target::File(texunit_evidence::name_of_process(path, process)), files)
        })
        .collect()
}

/// The requested reports.
fn reports(args: &RunArgs) -> Result<Vec<Report>, String> {
    let (files, formats) = (&args.evidence.report, &args.evidence.report_format);
    if files.is_empty() {
        let report = |&format| Report { target: Target::Output, format: Format::from(format) };
        return Ok(formats.iter().map(report).collect());
    }
    if formats.len() > 1 && formats.len() != files.len() {
        return Err(format!(
            "--report-format is given {}, and --report {}; give one for each --report, or one for all \
             whose file extensions do not select a format",
            Count(formats.len(), "time"),
            Count(files.len(), "time")
        ));
    }
    let format = |i: usize, file: &Path| -> Format {
        let one = formats.first().map(|&format| Format::from(format));
        match (Format::of_ending(file), formats.len()) {
            (_, n) if n == files.len() => formats[i].into(),
            (Some(format), _) => format,
            (None, _) => one.unwrap_or(Format::Json),
        }
    };
    let report = |(i, file): (usize, &PathBuf)| {
        Ok(Report { target: Target::of("--report", file)?, format: format(i, file) })
    };
    files.iter().enumerate().map(report).collect()
}

/// Why the options are contradictory: a result would overwrite an input or another result.
pub(super) fn misused(args: &RunArgs) -> Option<String> {
    if args.record.kernel.is_some() && args.record.record.is_none() && args.checks.check.is_none() {
        return Some(
            "--kernel selects the kernels of --record and --check; give one of them".to_owned(),
        );
    }
    let mut places = CommandFiles::default();
    let words = args.command.iter().map(Path::new).filter(|word| word.is_file());
    words.for_each(|word| places.reads("is named on the command line, too", word));
    args.checks.suppressions.iter().for_each(|file| places.reads("--suppressions reads", file));
    let (evidence, record) = (&args.evidence, &args.record);
    evidence.report.iter().for_each(|file| places.writes("--report", file));
    for (option, place) in [
        ("--coverage", &evidence.coverage),
        ("--profile", &evidence.profile),
        ("--explain-out", &record.explain_out),
        ("--record", &record.record),
        ("--save-ptx", &args.save_ptx),
    ] {
        place.iter().for_each(|place| places.writes(option, place));
    }
    if let Some(why) = places.check().err() {
        return Some(why);
    }
    // An existing report that this one cannot be joined to is rejected before the test.
    let runner = Runner::above()?;
    let command: Vec<_> =
        args.command.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let own = Format::Json.render(&Run { command, ..Run::default() });
    let json = reports(args).ok()?.into_iter().filter(|report| report.format == Format::Json);
    json.filter_map(|report| report.target.replaced().map(Path::to_owned)).find_map(|path| {
        let earlier = runner.earlier(&path)?;
        let why = Format::Json.joined(&earlier, &own).err()?;
        Some(refused("report", &path, &runner, why))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Parses `texunit run WORDS program`.
    fn args(words: &[&str]) -> RunArgs {
        RunArgs::parse(words.iter().chain(&["program"]).map(Into::into).collect()).unwrap()
    }

    #[test]
    fn forms_of_reports() {
        let folder = texunit_testkit::TempDir::new("reports");
        let forms = |words: &[&str]| -> Result<Vec<Format>, String> {
            let words: Vec<String> = words
                .iter()
                .map(|word| match word.split_once('.') {
                    Some(_) => folder.text(word),
                    None => (*word).to_owned(),
                })
                .collect();
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            Ok(reports(&args(&words))?.iter().map(|report| report.format).collect())
        };
        use Format::{Github, Json, Junit, Sarif};
        let four =
            ["--report", "a.json", "--report", "b.sarif", "--report", "c.xml", "--report", "d.txt"];
        assert_eq!(forms(&four), Ok(vec![Json, Sarif, Junit, Json]));
        let words = [&four[..], &["--report-format", "github"]].concat();
        assert_eq!(forms(&words), Ok(vec![Json, Sarif, Junit, Github]));
        assert_eq!(forms(&["--report", "a.json", "--report-format", "sarif"]), Ok(vec![Sarif]));
        assert_eq!(forms(&["--report", "-", "--report-format", "github"]), Ok(vec![Github]));
        assert_eq!(forms(&["--report-format", "github"]), Ok(vec![Github]));
        let words = [&four[..], &["--report-format", "json", "--report-format", "json"]].concat();
        assert!(forms(&words).unwrap_err().starts_with("--report-format is given 2 times"));
    }

    #[test]
    fn one_name_is_one_output() {
        let misused = |words: &[&str]| super::misused(&args(words));
        for fine in [
            &["--report", "a.json", "--coverage", "a.info"][..],
            &["--report", "-", "--report", "a"],
            &["--report-format", "json", "--report-format", "github"],
        ] {
            assert_eq!(misused(fine), None, "{fine:?}");
        }
        for wrong in [
            &["--report", "a.json", "--report", "./a.json"][..],
            &["--coverage", "x", "--report", "x"],
            &["--report", "-", "--coverage", "-"],
            &["--report", "r-%p", "--report", "r-%p"],
        ] {
            assert!(misused(wrong).unwrap().ends_with("name another file"), "{wrong:?}");
        }
    }

    /// `%%` stands for `%` even in names without `%p`.
    #[test]
    fn percent_signs() {
        let folder = texunit_testkit::TempDir::new("percent");
        let target = |name: &str| Target::of("--report", &folder.join(name)).unwrap();
        assert_eq!(target("100%%.json"), Target::File(folder.join("100%.json")));
        assert_eq!(target("%%%p"), Target::File(folder.join("%%%p")));
        assert_eq!(target("%p").replaced(), Some(&*folder.join("%p")));
    }
}
