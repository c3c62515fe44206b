//! `texunit cases run`: runs case files and compares them value by value.

use crate::args::OutputFormat;
use crate::examples;
use clap::{Args, ValueEnum};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use texunit_cases::{Engine, Verdict, find_files, load};
use texunit_forms::Count;

/// Arguments of `texunit cases run`.
#[derive(Clone, Debug, Args)]
#[command(after_help = examples::of("texunit cases run"))]
pub struct RunArgs {
    /// Case files (.toml, .toml.gz), and folders of them.
    #[arg(value_name = "FILES", required = true)]
    pub files: Vec<PathBuf>,
    /// Print the last line alone.
    #[arg(long, short)]
    pub quiet: bool,
    /// Output format.
    #[arg(long, value_enum, default_value_t = OutputFormat::Human)]
    pub format: OutputFormat,
    /// The engine that executes fetches.
    #[arg(long, value_enum, default_value_t = EngineArg::All)]
    pub engine: EngineArg,
}

/// Engines that a case runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum EngineArg {
    /// The reference sampler.
    Reference,
    /// The planned path, at every SIMD level of this machine.
    Plan,
    /// Both.
    All,
}

impl EngineArg {
    fn engines(self) -> Vec<Engine> {
        match self {
            EngineArg::Reference => vec![Engine::Reference],
            EngineArg::Plan => Engine::plans().collect(),
            EngineArg::All => std::iter::once(Engine::Reference).chain(Engine::plans()).collect(),
        }
    }
}

/// Maximum depth of searched folders.
const DEPTH: usize = 4;

/// Maximum number of fetches or accesses shown for a case; JSON has all of them.
const SHOWN: usize = 10;

/// Counts of cases and values, and of those that differ.
#[derive(Clone, Copy, Default)]
struct Tally {
    cases: usize,
    values: usize,
    differ: usize,
}

impl Tally {
    fn add(&mut self, verdict: &Verdict) {
        self.cases += 1;
        self.values += verdict.values;
        self.differ += verdict.differing();
    }
}

/// A case that differs.
struct Differs {
    file: String,
    /// Number of the case in its file, from 1.
    number: usize,
    name: String,
    verdict: Verdict,
}

/// The result of all files.
#[derive(Default)]
struct Report {
    all: Tally,
    rules: BTreeMap<String, Tally>,
    differs: Vec<Differs>,
    unreadable: Vec<String>,
}

/// Runs the command; returns the exit code.
pub(super) fn run(args: &RunArgs) -> u8 {
    let mut report = Report::default();
    let engines = args.engine.engines();
    for path in &args.files {
        report.path(path, &engines);
    }
    let succeeded = report.all.differ == 0 && report.unreadable.is_empty();
    let text = match args.format {
        OutputFormat::Json => format!("{}\n", report.json(args.quiet)),
        OutputFormat::Human => report.human(args.quiet),
    };
    for error in &report.unreadable {
        crate::out::stderr_line(&format!("error: {error}"));
    }
    let printed = match args.format {
        OutputFormat::Json => crate::out::print_json(&text),
        OutputFormat::Human => crate::out::print(&text),
    };
    crate::exit(printed, succeeded)
}

impl Report {
    /// Runs a file, or the files of a folder.
    fn path(&mut self, path: &Path, engines: &[Engine]) {
        if !path.is_dir() {
            return self.file(path, engines);
        }
        match find_files(path, DEPTH) {
            Ok(files) if files.is_empty() => self.unreadable.push(format!(
                "there are no case files (*.toml, *.toml.gz) in `{}`",
                path.display()
            )),
            Ok(files) => files.iter().for_each(|file| self.file(file, engines)),
            Err(e) => self.unreadable.push(format!("cannot read `{}`: {e}", path.display())),
        }
    }

    fn file(&mut self, path: &Path, engines: &[Engine]) {
        let file = match load(path) {
            Ok(file) => file,
            Err(e) => return self.unreadable.push(e.to_string()),
        };
        let name = path.display().to_string();
        crate::warn_deprecated(&name, &file.notes);
        for (n, case) in file.cases.iter().enumerate() {
            let verdict = case.verdict(engines);
            self.all.add(&verdict);
            let unnamed = ["-".to_owned()];
            let rules = if case.rules.is_empty() { &unnamed[..] } else { &case.rules };
            for rule in rules {
                self.rules.entry(rule.clone()).or_default().add(&verdict);
            }
            if !verdict.wrong.is_empty() {
                let (file, name) = (name.clone(), case.name.clone());
                self.differs.push(Differs { file, number: n + 1, name, verdict });
            }
        }
    }

    fn human(&self, quiet: bool) -> String {
        let mut out = String::new();
        if !quiet {
            // The result is ignored, because writing to a `String` cannot fail.
            let _ = self.write_details(&mut out);
        }
        let Tally { cases, values, differ } = self.all;
        let _ =
            writeln!(out, "{}, {}, {differ} differ", Count(cases, "case"), Count(values, "value"));
        out
    }

    fn write_details(&self, out: &mut String) -> std::fmt::Result {
        for Differs { file, number, name, verdict } in &self.differs {
            for wrong in verdict.wrong.iter().take(SHOWN) {
                let fetch = wrong.number.map_or(String::new(), |n| format!(":{n}"));
                writeln!(out, "{file}#{number}{fetch} {name}: {wrong}")?;
            }
            let more = verdict.wrong.len().saturating_sub(SHOWN);
            if more > 0 {
                writeln!(out, "{file}#{number} {name}: {more} more")?;
            }
        }
        writeln!(out, "{:<12} {:>7} {:>10} {:>10}", "rule", "cases", "values", "differ")?;
        for (rule, Tally { cases, values, differ }) in &self.rules {
            writeln!(out, "{rule:<12} {cases:>7} {values:>10} {differ:>10}")?;
        }
        Ok(())
    }

    fn json(&self, quiet: bool) -> Value {
        let tally = |t: &Tally| json!({ "cases": t.cases, "values": t.values, "differ": t.differ });
        let mut report = tally(&self.all);
        report["unreadable"] = json!(self.unreadable);
        if !quiet {
            let rules = self.rules.iter().map(|(rule, t)| {
                let mut row = tally(t);
                row["rule"] = json!(rule);
                row
            });
            report["rules"] = rules.collect();
            report["differences"] = self.differs.iter().flat_map(Differs::json).collect();
        }
        report
    }
}

impl Differs {
    fn json(&self) -> impl Iterator<Item = Value> {
        self.verdict.wrong.iter().map(|wrong| {
            let got = wrong.got.iter().map(|(answer, engines)| {
                let engines: Vec<_> = engines.iter().map(Engine::to_string).collect();
                json!({ "answer": answer, "engines": engines })
            });
            json!({
                "file": self.file,
                "case": self.number,
                "name": self.name,
                "number": wrong.number,
                "values": wrong.values,
                "wanted": wrong.wanted,
                "got": got.collect::<Vec<_>>(),
            })
        })
    }
}
