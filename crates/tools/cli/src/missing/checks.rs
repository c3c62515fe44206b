//! `--check` in a build without the feature `checks`.

use crate::failure::Failure;
use clap::Args;
use serde_json::{Value, json};
use texunit_device::{Fault, LaunchStats, Observer};
use texunit_forms::Count;
use texunit_report::place::function_name;
use texunit_report::{CodeLocation, Host, Located, bad_fetch_diagnostic};
use texunit_syntax::{Diagnostic, SourceFile};

/// Options of `texunit launch`.
#[derive(Clone, Debug, Default, Args)]
pub struct CheckOptions {
    /// Not in this build.
    #[arg(long, value_name = "LIST", hide = true, value_parser = list)]
    pub check: Option<Never>,
}

/// The type of `--check`'s value, which has no values because the parser rejects everything.
#[derive(Clone, Copy, Debug)]
pub enum Never {}

fn list(_: &str) -> Result<Never, String> {
    Err(super::option())
}

impl CheckOptions {
    /// No log, because nothing is checked.
    pub(crate) fn log(&self, _kernels: &[String]) -> Result<Option<Log>, Box<Failure>> {
        Ok(None)
    }

    /// Uninitialised bytes are not tracked.
    pub(crate) fn follows_init(&self) -> bool {
        false
    }

    /// No suppression files are read.
    pub(crate) fn files(&self) -> &[std::path::PathBuf] {
        &[]
    }

    /// There are no findings to suppress.
    pub(crate) fn gen_suppressions(&self) -> bool {
        false
    }
}

/// The findings that exist without checks: fetches without a matching texture.
#[derive(Debug, Default)]
pub struct Log {
    found: Vec<Value>,
    shown: Vec<Diagnostic>,
    more: u64,
}

impl Log {
    /// Adds a launch's fetches without a matching texture.
    pub(crate) fn bad_fetches(&mut self, stats: &LaunchStats, source: &SourceFile, host: Host) {
        let faults = &stats.bad_fetches.faults;
        self.more = stats.bad_fetches.more;
        self.shown = faults.iter().map(|f| bad_fetch_diagnostic(f, host)).collect();
        let found = (1..).zip(faults).zip(&self.shown);
        self.found = found.map(|((n, fault), d)| object(n, fault, d, source)).collect();
    }

    /// Whether there are findings, which are always errors.
    pub fn fails(&self) -> bool {
        self.has_findings()
    }

    /// Whether there are findings.
    pub fn has_findings(&self) -> bool {
        !self.found.is_empty()
    }

    /// Number of suppressed findings, always 0.
    pub fn suppressed(&self) -> u64 {
        0
    }

    /// Number of findings that are counted only.
    pub fn more(&self) -> u64 {
        self.more
    }
}

/// A finding as in reports.
fn object(number: u64, fault: &Fault, diagnostic: &Diagnostic, source: &SourceFile) -> Value {
    let place = CodeLocation::of_fault(fault, source);
    json!({
        "number": number, "count": 1, "places": 1, "severity": "error", "launch": 1,
        "kind": diagnostic.code, "check": "texture",
        "message": diagnostic.message, "help": diagnostic.help, "notes": diagnostic.remarks,
        "kernel": fault.kernel, "block": fault.cta, "thread": fault.thread, "code": null,
        "object": fault.kind.object(), "function": function_name(&fault.kernel),
        "file": place.file(), "line": place.line(), "column": place.column(), "place": place,
    })
}

pub(crate) fn observer<'a>(_: &'a Log, _kernel: &str) -> Option<Box<dyn Observer + 'a>> {
    None
}

pub(crate) fn launched(_: &Log, _ended_well: bool) {}

pub(crate) fn text(
    log: &Log,
    source: Option<Located<'_>>,
    _with_suppressions: bool,
    color: bool,
) -> String {
    source.map_or_else(String::new, |source| texunit_report::human(source, &log.shown, color))
}

pub(crate) fn summary(log: &Log) -> String {
    let n = log.found.len() as u64 + log.more;
    format!("checks: {}\n", Count(n, "finding"))
}

pub(crate) fn more(log: &Log) -> u64 {
    log.more()
}

pub(crate) fn json(log: &Log, _with_suppressions: bool) -> Vec<Value> {
    log.found.clone()
}
