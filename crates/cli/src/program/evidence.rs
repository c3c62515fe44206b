//! What `texunit run` is asked to fail for and to keep: the options, and what comes of them when the program has
//! ended.

use super::{RunArgs, refusal, say};
use crate::color::ColorChoice;
use crate::number;
use clap::{Args, ValueEnum};
use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use texunit_evidence::{Format, Run};
use texunit_files::Identity;

/// Exit code of a run that `--timeout` has ended: that of `timeout`.
const TIMED_OUT: u8 = 124;

/// Options of `texunit run` for tests.
#[derive(Clone, Debug, Args)]
pub struct EvidenceArgs {
    /// Exit code if a kernel of any process of the run has a fault, and the program ends with 0.
    #[arg(long, value_name = "N", allow_negative_numbers = true,
          value_parser = number::whole::<u8>("an exit code", 0..=255))]
    pub error_exitcode: Option<u8>,
    /// End the program, and all that it has started, after so many seconds, with exit code 124; a kernel that is
    /// running ends with where it was.
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = seconds)]
    pub timeout: Option<Duration>,
    /// Instructions that a warp may execute before the launch ends as one in an infinite loop.
    #[arg(long, value_name = "N", env = "TEXUNIT_MAX_STEPS", allow_negative_numbers = true,
          value_parser = number::whole::<u64>("instructions of a warp", 1..=u64::MAX))]
    pub max_steps: Option<u64>,
    /// A fault ends the launch only: the context stays usable, and further faults are counted.
    #[arg(long)]
    pub continue_after_fault: bool,
    /// Write a report to this file when the program has ended: kernels, launches, time, instructions, fetches, faults of
    /// all processes together. The ending says in which form: .json, .sarif, .xml (JUnit). `%p` in the name is the
    /// number of a process: each has a report of its own then. `-` is standard output. May stand more than once.
    #[arg(long, value_name = "FILE")]
    pub report: Vec<PathBuf>,
    /// The form of a report; one for each --report in the same order, or one for those whose endings do not say it.
    /// Without --report, on standard output.
    #[arg(long, value_name = "FORM", value_enum)]
    pub report_format: Vec<ReportFormat>,
    /// Write the coverage of device code to this file, as lcov: lines, functions and branches of all kernels that are
    /// loaded by any process, with counts of threads. `%p` in the name is the number of a process: each has a file
    /// of its own then.
    #[arg(long, value_name = "FILE", env = "TEXUNIT_COVERAGE")]
    pub coverage: Option<PathBuf>,
    /// When messages of the libraries are coloured.
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = ColorChoice::Auto)]
    pub color: ColorChoice,
}

/// Forms of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// texunit's own, with everything that is known (docs/cuda-api.md).
    Json,
    /// SARIF 2.1.0, for viewers and code scanning.
    Sarif,
    /// JUnit XML: a test suite for each process, a test case for each kernel.
    Junit,
    /// Annotations of GitHub Actions.
    Github,
}

impl From<ReportFormat> for Format {
    fn from(format: ReportFormat) -> Self {
        match format {
            ReportFormat::Json => Self::Json,
            ReportFormat::Sarif => Self::Sarif,
            ReportFormat::Junit => Self::Junit,
            ReportFormat::Github => Self::Github,
        }
    }
}

/// Longest time that can be waited for: a year.
const LONGEST: f64 = 366.0 * 86400.0;

fn seconds(text: &str) -> Result<Duration, &'static str> {
    let seconds = text.parse::<f64>().ok().filter(|s| *s > 0.0 && *s <= LONGEST);
    seconds.map(Duration::from_secs_f64).ok_or("expected a number of seconds, such as 90 or 0.5")
}

impl EvidenceArgs {
    /// Whether somebody has to be there when the program has ended.
    pub(super) fn need_a_parent(&self) -> bool {
        self.error_exitcode.is_some()
            || self.timeout.is_some()
            || self.wants_reports()
            || self.merged_coverage().is_some()
    }

    fn wants_reports(&self) -> bool {
        !self.report.is_empty() || !self.report_format.is_empty()
    }

    /// The file with the coverage of all processes together.
    fn merged_coverage(&self) -> Option<&Path> {
        self.coverage.as_deref().filter(|file| !texunit_evidence::is_of_each_process(file))
    }

    /// Sets what the libraries read.
    pub(super) fn set(&self, command: &mut Command) {
        if let Some(steps) = self.max_steps {
            command.env("TEXUNIT_MAX_STEPS", steps.to_string());
        }
        if self.continue_after_fault {
            command.env("TEXUNIT_CONTINUE_AFTER_FAULT", "1");
        }
        match self.color {
            ColorChoice::Auto => {}
            ColorChoice::Always => drop(command.env("TEXUNIT_COLOR", "always")),
            ColorChoice::Never => drop(command.env("TEXUNIT_COLOR", "never")),
        }
        // The program may change its folder.
        if let Some(file) = self.coverage.as_ref().and_then(|file| std::path::absolute(file).ok()) {
            command.env("TEXUNIT_COVERAGE", file);
        }
        if self.wants_reports() {
            command.env("TEXUNIT_COUNTERS", "1").env_remove("TEXUNIT_REPORT");
        }
    }
}

/// A report that is wanted.
#[derive(Debug)]
struct Report {
    /// `None`: standard output.
    path: Option<PathBuf>,
    format: Format,
}

/// The reports that are wanted, all of which can be written as far as that can be known before.
fn reports(args: &RunArgs) -> Result<Vec<Report>, String> {
    let (files, formats) = (&args.evidence.report, &args.evidence.report_format);
    if files.is_empty() {
        let report = |&format| Report { path: None, format: Format::from(format) };
        return Ok(formats.iter().map(report).collect());
    }
    if formats.len() > 1 && formats.len() != files.len() {
        return Err(format!(
            "--report-format stands {} times, and --report {} times; give one for each, or one for those whose \
             endings do not say it",
            formats.len(),
            files.len()
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
        let path = match file.as_os_str() == "-" {
            true => None,
            false => Some(place("--report", file, args)?),
        };
        Ok(Report { path, format: format(i, file) })
    };
    files.iter().enumerate().map(report).collect()
}

/// The file of a report or of the coverage, if it can be written.
fn place(option: &str, file: &Path, args: &RunArgs) -> Result<PathBuf, String> {
    let path = std::path::absolute(file).map_err(|e| format!("{}: {e}", file.display()))?;
    let named = Identity::of(&path);
    if named.is_some() && args.command.iter().any(|a| Identity::of(Path::new(a)) == named) {
        return Err(format!(
            "{option}: {} is named on the command line, too; name another file",
            path.display()
        ));
    }
    let what = option.trim_start_matches('-');
    refusal::writable(what, &texunit_evidence::name_of_process(&path, std::process::id()))?;
    Ok(path)
}

/// Runs the program, and does with what its processes leave behind what is asked for; the exit code of the run.
#[cfg(not(target_os = "linux"))]
pub(super) fn run(_: Command, _: &Path, args: &RunArgs) -> Result<u8, String> {
    reports(args)?;
    Err("the drop-in libraries are for Linux".to_owned())
}

/// Runs the program, and does with what its processes leave behind what is asked for; the exit code of the run.
#[cfg(target_os = "linux")]
pub(super) fn run(command: Command, path: &Path, args: &RunArgs) -> Result<u8, String> {
    use super::parent;
    let reports = reports(args)?;
    let coverage = args.evidence.merged_coverage();
    let coverage = coverage.map(|file| place("--coverage", file, args)).transpose()?;
    let folder = parent::Folder::new()?;
    let outcome = parent::run(command, path, args.evidence.timeout, &folder)?;
    let words = args.command.iter().map(|word| word.to_string_lossy().into_owned());
    let mut run = Run {
        texunit: env!("CARGO_PKG_VERSION").to_owned(),
        command: words.collect(),
        records: texunit_evidence::read(folder.path()),
        milliseconds: Some(outcome.wall.as_secs_f64() * 1e3),
        cpu_milliseconds: Some(outcome.cpu.as_secs_f64() * 1e3),
        exit_code: None,
        signal: outcome.signal,
        timed_out: outcome.timed_out.map(|time| time.as_secs_f64()),
    };
    let code = exit_code(&run, outcome.code, args.evidence.error_exitcode);
    run.exit_code = Some(code);
    summarize(&run, code != outcome.code);
    if let Some(file) = coverage {
        crate::coverage::write_merged(&file, folder.path());
    }
    // A signal may end what follows, and is to leave nothing behind.
    drop(folder);
    reports.iter().for_each(|report| write(report, &run));
    Ok(code)
}

/// The exit code of a run whose program has ended with this one.
fn exit_code(run: &Run, program: u8, for_errors: Option<u8>) -> u8 {
    match (run.timed_out, for_errors) {
        (Some(_), _) => TIMED_OUT,
        (None, Some(code)) if program == 0 && run.failures() > 0 => code,
        _ => program,
    }
}

/// Says what went wrong in all processes together; each has told of its own faults.
fn summarize(run: &Run, is_changed: bool) {
    for record in &run.records {
        for running in record.running.values() {
            let kernel = texunit_report::place::function_name(&running.kernel);
            let place = running.place.as_ref().map_or(String::new(), |place| format!(" ({place})"));
            say(format_args!(
                "texunit: process {} was ended while kernel {kernel} was running{place}",
                record.process.pid
            ));
        }
    }
    let (faults, of) = (run.failures(), run.records.iter().filter(|r| r.failures() > 0).count());
    if faults > 0 {
        let code = match (run.exit_code, is_changed && run.timed_out.is_none()) {
            (Some(code), true) => format!("; exit code {code} (--error-exitcode)"),
            _ => String::new(),
        };
        say(format_args!(
            "texunit: {} in {}{code}",
            count(faults, "fault", "faults"),
            count(of as u64, "process", "processes")
        ));
    }
}

fn count(n: u64, one: &str, more: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { more })
}

fn write(report: &Report, run: &Run) {
    let Some(path) = &report.path else {
        let text = report.format.render(run);
        let mut out = std::io::stdout();
        let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
        return;
    };
    if !texunit_evidence::is_of_each_process(path) {
        return write_file(path, &report.format.render(run));
    }
    // A process may have been several programs, one after the other.
    let processes: BTreeSet<u32> = run.records.iter().map(|record| record.process.pid).collect();
    for process in processes {
        let file = texunit_evidence::name_of_process(path, process);
        write_file(&file, &report.format.render(&run.of_process(process)));
    }
}

fn write_file(path: &Path, text: &str) {
    if let Err(error) = texunit_evidence::write(path, text.as_bytes()) {
        say(format_args!("texunit: the report {} cannot be written: {error}", path.display()));
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use clap::{FromArgMatches, Parser};

    fn args(words: &[&str]) -> RunArgs {
        #[derive(Parser)]
        struct Words {
            #[command(flatten)]
            run: RunArgs,
        }
        let all = ["run"].iter().chain(words).chain(&["program"]);
        let matches = <Words as clap::CommandFactory>::command().try_get_matches_from(all);
        Words::from_arg_matches(&matches.unwrap()).unwrap().run
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
        assert!(forms(&words).unwrap_err().starts_with("--report-format stands 2 times"));
    }

    #[test]
    fn times() {
        assert_eq!(seconds("0.5"), Ok(Duration::from_millis(500)));
        for wrong in ["", "0", "-1", "nan", "inf", "1e300", "x"] {
            assert!(seconds(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn exit_codes() {
        use texunit_evidence::{Finding, Record};
        let mut faulty = Record::default();
        faulty.findings.insert(1, Finding::default());
        let run = |records, timed_out| Run { records, timed_out, ..Run::default() };
        let failing = run(vec![Record::default(), faulty], None);
        assert_eq!(exit_code(&failing, 0, Some(9)), 9);
        assert_eq!(exit_code(&failing, 3, Some(9)), 3);
        assert_eq!(exit_code(&failing, 0, None), 0);
        assert_eq!(exit_code(&run(vec![Record::default()], None), 0, Some(9)), 0);
        assert_eq!(exit_code(&run(Vec::new(), Some(1.0)), 0, Some(9)), TIMED_OUT);
    }
}
