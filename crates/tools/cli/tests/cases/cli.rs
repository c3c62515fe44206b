//! Runs the program on every job of tests/cli and compares exit code, standard output and
//! standard error with the files beside the job: `x.toml`, `x.stdout`, `x.stderr`.
//!
//! The first lines of a job may be `# args: --quiet` and `# exit: 2`; the default exit code is 1.
//! With a line `# json`, the report of `--format json` is compared with `x.json`, too.
//! `TEXUNIT_BLESS=1` writes the files instead of comparing them.

use crate::{Trials, golden};
use libtest_mimic::Failed;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

pub(crate) fn add(trials: &mut Trials) {
    golden::of_files(trials, ("cli", "toml"), 20, run);
}

fn run(job: &Path) -> Result<(), Failed> {
    let folder = job.parent().unwrap();
    let name = job.file_name().unwrap().to_str().unwrap();
    let text = std::fs::read(job)?;
    let text = String::from_utf8_lossy(&text);
    let head = |key: &str| {
        let lines = text.lines().take_while(|l| l.starts_with('#'));
        lines.filter_map(|l| l.strip_prefix(key)).last().map(str::trim)
    };
    let exit = head("# exit:").map_or(1, |code| code.parse().unwrap());
    let arguments = head("# args:").unwrap_or_default();
    let scratch = texunit_testkit::TempDir::new("cli");
    let out = scratch.join("out");
    let command = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_texunit"));
        command.current_dir(folder).env("NO_COLOR", "1").args(["launch", name, "--out"]);
        command.arg(&out).args(arguments.split_whitespace());
        command
    };
    let output = command().output()?;
    let files = list(&out);

    let place = out.display().to_string();
    let clean = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace(&place, "OUT");
    let (stdout, stderr) = (clean(&output.stdout), clean(&output.stderr));
    if output.status.code() != Some(exit) {
        return Err(format!("exit {:?}, expected {exit}\n{stdout}{stderr}", output.status).into());
    }
    if exit != 0 && !files.is_empty() {
        return Err(format!("a failed launch has written {files:?}").into());
    }
    golden::compare(&job.with_extension("stdout"), &stdout)?;
    golden::compare(&job.with_extension("stderr"), &stderr)?;
    if !text.lines().any(|line| line == "# json") {
        return Ok(());
    }
    let output = command().args(["--format", "json"]).output()?;
    let (text, stderr) = (clean(&output.stdout), clean(&output.stderr));
    if output.status.code() != Some(exit) || !stderr.is_empty() || text.lines().count() != 1 {
        return Err(format!("exit {:?}, expected {exit}\n{text}{stderr}", output.status).into());
    }
    golden::compare(&job.with_extension("json"), &format!("{:#}\n", report(&text)?))
}

/// A report without what differs from run to run. All errors and warnings have the same members.
fn report(text: &str) -> Result<Value, Failed> {
    #[rustfmt::skip]
    let members = [
        "code", "column", "end_column", "end_line", "file", "fix", "help", "key", "label", "line",
        "message", "notes", "severity",
    ];
    let mut report: Value = serde_json::from_str(text)?;
    for item in ["errors", "warnings"].iter().flat_map(|list| report[list].as_array()).flatten() {
        let found: Vec<_> = item.as_object().unwrap().keys().collect();
        assert_eq!(found, members);
    }
    // A launch that fails has no time of its later parts.
    let is_whole = report["succeeded"] == true;
    for (part, time) in report["times"].as_object_mut().into_iter().flatten() {
        assert!(time.as_f64().is_some_and(|time| time > 0.0 || !is_whole), "{part}: {time}");
        *time = "TIME".into();
    }
    if let Some(fault) = report["fault"].as_object_mut() {
        for name in ["address", "allocation"] {
            if let Some(value) = fault.get_mut(name).filter(|value| !value.is_null()) {
                *value = name.to_uppercase().into();
            }
        }
    }
    Ok(report)
}

/// Names of the files of a folder, if it exists.
fn list(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).map(|d| d.map(|e| e.unwrap().path()).collect());
    entries.unwrap_or_default()
}
