//! `--check`: the options for checks of launches and runs, and the output of findings.

use crate::args::integer;
use crate::failure::Failure;
use clap::Args;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
pub use texunit_checks::Log;
use texunit_checks::{Check, Checks, InitWhen, Options, Pattern, Suppressions};
use texunit_device::Observer;
use texunit_report::{Located, Severity};

/// Options of `texunit launch` and `texunit run`.
#[derive(Clone, Debug, Default, Args)]
pub struct CheckOptions {
    /// Check for what a GPU hides: a list of memory (always on), init, race, sync, leak and
    /// texture, or `all`; `race=strict` also finds lanes that store one value to one place by one
    /// instruction; compute-sanitizer's names of tools (memcheck, initcheck, racecheck, synccheck)
    /// mean the same. docs/checks.md has every finding.
    #[arg(long, value_name = "LIST", value_parser = Checks::parse)]
    pub check: Option<Checks>,
    /// Where the check `init` reports uninitialised data: where it is used (`use`), or at each load
    /// of it (`load`), as compute-sanitizer's initcheck does.
    #[arg(long, value_name = "WHEN", requires = "check", value_parser = InitWhen::parse)]
    pub init: Option<InitWhen>,
    /// Maximum number of findings to print, besides the first one of each kind; the others are only
    /// counted. 0 prints none.
    #[arg(long, value_name = "N", requires = "check", allow_negative_numbers = true,
          value_parser = integer::<u64>("findings", 0..=u64::MAX))]
    pub max_findings: Option<u64>,
    /// The least severity of findings that make a launch fail, and count for --error-exitcode of
    /// `texunit run` and as failures in reports: note, warning or error; default: warning. Faults
    /// always do.
    #[arg(long, value_name = "SEVERITY", env = "TEXUNIT_FAIL_ON", value_parser = severity)]
    pub fail_on: Option<Severity>,
    /// A file of findings that are not reported and do not count. May be given more than once.
    #[arg(long, value_name = "FILE", requires = "check")]
    pub suppressions: Vec<PathBuf>,
    /// Print a block for such a file with each finding.
    #[arg(long, requires = "check")]
    pub gen_suppressions: bool,
}

impl CheckOptions {
    /// The log for findings; `None` if no check is enabled.
    pub(crate) fn log(&self, kernels: &[String]) -> Result<Option<Log>, Box<Failure>> {
        let Some(checks) = self.check else { return Ok(None) };
        let mut suppressions = Suppressions::default();
        for file in &self.suppressions {
            let failure = |message| Failure::File { path: file.clone(), message, help: None };
            suppressions.extend(read(file).map_err(|message| Box::new(failure(message)))?);
        }
        let kernels = kernels.iter().map(|name| Pattern::new(name)).collect();
        let (init, max_findings) = (self.init.unwrap_or_default(), self.max_findings);
        let fail_on = self.fail_on();
        Ok(Some(Log::new(Options { checks, init, max_findings, fail_on, kernels, suppressions })))
    }

    /// Minimum severity of findings that make a launch or run fail.
    pub(crate) fn fail_on(&self) -> Severity {
        self.fail_on.unwrap_or(Severity::Warning)
    }

    /// Whether the device has to track uninitialised bytes.
    pub(crate) fn follows_init(&self) -> bool {
        self.check.is_some_and(|checks| checks.has(Check::Init))
    }

    /// The files that suppressions are read from.
    pub(crate) fn files(&self) -> &[PathBuf] {
        &self.suppressions
    }

    /// Whether findings are printed with the texts that suppress them.
    pub(crate) fn gen_suppressions(&self) -> bool {
        self.gen_suppressions
    }

    /// Passes the options to the libraries by environment variables; checks are limited to kernels
    /// with this name.
    #[cfg(feature = "run")]
    pub(crate) fn set(
        &self,
        command: &mut std::process::Command,
        kernel: Option<&str>,
    ) -> Result<(), String> {
        if let Some(severity) = self.fail_on {
            command.env("TEXUNIT_FAIL_ON", severity.name());
        }
        let Some(checks) = self.check else { return Ok(()) };
        // A run inside a checked run uses its own options.
        for name in ["INIT", "MAX_FINDINGS", "SUPPRESSIONS", "GEN_SUPPRESSIONS", "CHECK_KERNEL"] {
            command.env_remove(format!("TEXUNIT_{name}"));
        }
        command.env("TEXUNIT_CHECK", checks.to_string());
        if let Some(when) = self.init {
            command.env("TEXUNIT_INIT", when.name());
        }
        if let Some(most) = self.max_findings {
            command.env("TEXUNIT_MAX_FINDINGS", most.to_string());
        }
        if !self.suppressions.is_empty() {
            let mut files = Vec::new();
            for file in &self.suppressions {
                read(file)?;
                // The program may change its current folder.
                let file = std::path::absolute(file);
                files.push(file.map_err(|error| format!("--suppressions: {error}"))?);
            }
            let list = std::env::join_paths(files);
            let list = list.map_err(|error| format!("--suppressions: {error}"))?;
            command.env("TEXUNIT_SUPPRESSIONS", list);
        }
        if self.gen_suppressions {
            command.env("TEXUNIT_GEN_SUPPRESSIONS", "1");
        }
        if let Some(kernel) = kernel {
            command.env("TEXUNIT_CHECK_KERNEL", kernel);
        }
        Ok(())
    }
}

/// The severity of this name.
fn severity(name: &str) -> Result<Severity, &'static str> {
    Severity::from_name(name.trim()).ok_or("expected `note`, `warning` or `error`")
}

/// The observer with the checks of a launch; `None` if the kernel is not checked.
pub(crate) fn observer<'a>(log: &'a Log, kernel: &str) -> Option<Box<dyn Observer + 'a>> {
    Some(Box::new(log.launch(kernel)?))
}

/// Completes the checks of a launch, after its observer was dropped.
pub(crate) fn launched(log: &Log, ended_well: bool) {
    log.heap_ends(0, ended_well);
}

/// Formats the findings.
pub(crate) fn text(
    log: &Log,
    source: Option<Located<'_>>,
    with_suppressions: bool,
    color: bool,
) -> String {
    let mut text = String::new();
    for finding in log.findings() {
        text += &texunit_checks::text(&finding, source, color);
        if with_suppressions {
            text += &finding.suppression();
            text.push('\n');
        }
    }
    text
}

/// Summarises the number of findings; empty if there are none.
pub(crate) fn summary(log: &Log) -> String {
    texunit_checks::summary(log).map_or_else(String::new, |text| text + "\n")
}

/// Number of findings that are not reported individually.
pub(crate) fn more(log: &Log) -> u64 {
    log.more().total()
}

/// The findings as in reports of runs.
pub(crate) fn json(log: &Log, with_suppressions: bool) -> Vec<Value> {
    let all = (1..).zip(log.findings());
    let object = |(number, finding): (u64, texunit_checks::Finding)| {
        let mut value = finding.json(number);
        if with_suppressions {
            value["suppression"] = json!(finding.suppression());
        }
        value
    };
    all.map(object).collect()
}

/// Reads a suppression file; the error is a message.
fn read(file: &Path) -> Result<Suppressions, String> {
    Suppressions::read(file).map_err(|e| format!("--suppressions: {}: {e}", file.display()))
}
