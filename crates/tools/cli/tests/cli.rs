//! Runs the program on every job of tests/cli and compares exit code, standard output and
//! standard error with the files beside the job: `x.toml`, `x.stdout`, `x.stderr`.
//!
//! The first lines of a job may be `# args: --quiet` and `# exit: 2`; the default exit code is 1.
//! `TEXUNIT_BLESS=1` writes the files instead of comparing them.
#![allow(clippy::unwrap_used)]

mod golden;

use libtest_mimic::{Arguments, Failed, Trial};
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    let args = Arguments::from_args();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/cli");
    let folder = folder.canonicalize().unwrap();
    let mut jobs: Vec<PathBuf> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == "toml"))
        .collect();
    jobs.sort();
    assert!(jobs.len() > 20, "the jobs are not where they were");
    let trial = |job: PathBuf| {
        let name = job.file_stem().unwrap().to_str().unwrap().to_owned();
        Trial::test(name, move || run(&job))
    };
    libtest_mimic::run(&args, jobs.into_iter().map(trial).collect()).exit();
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
    let output = Command::new(env!("CARGO_BIN_EXE_texunit"))
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .args(["launch", name, "--out"])
        .arg(&out)
        .args(arguments.split_whitespace())
        .output()?;
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
    golden::compare(&job.with_extension("stderr"), &stderr)
}

/// Names of the files of a folder, if it exists.
fn list(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).map(|d| d.map(|e| e.unwrap().path()).collect());
    entries.unwrap_or_default()
}
