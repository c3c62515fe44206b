//! `texunit run --record` and `--explain`: launches of programs, repeated with `texunit launch`.
//!
//! The launches of `surfaces` and of a failing program are always repeated; those of all
//! programs are a step of `.ci/full` (`TEXUNIT_RECORD_ALL=1`). docs/record.md lists the
//! launches that are refused.

use crate::clients;
use crate::commands::{NVCC, Row, SHARED, contains, program, same};
use crate::process::{Ended, run, succeed};
use crate::program::{Case, cases};
use crate::tools::Setup;
use libtest_mimic::{Failed, Trial};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use texunit_testkit::TempDir;

pub(crate) fn trials(setup: &Setup) -> Vec<Trial> {
    let rows: [Row; 4] = [
        ("a launch that goes wrong", NVCC, fault),
        ("one launch of a kernel", NVCC, one),
        ("limits and folders", NVCC, limits),
        ("one thread is explained", NVCC, explained),
    ];
    let mut trials = crate::commands::trials(setup, "record", &rows);
    let all = std::env::var_os("TEXUNIT_RECORD_ALL").is_some();
    for case in cases(setup).into_iter().filter(|case| all || case.name == "surfaces") {
        let (setup, name) = (setup.clone(), format!("record/every launch of {}", case.name));
        let skipped = !setup.has(case.variant().needs());
        let trial = Trial::test(name, move || every_launch(&setup, &case));
        trials.push(trial.with_ignored_flag(skipped));
    }
    if all {
        for (script, kit) in clients::scripts(setup) {
            let skipped = !setup.has(&[kit, "nvrtc13"]);
            let name = script.file_stem().unwrap().to_string_lossy().into_owned();
            let of_trial = setup.clone();
            let trial = Trial::test(format!("record/every launch of python/{name}"), move || {
                let record = Record::new(&of_trial, &name)?;
                let mut command = record.command();
                clients::add_python(&of_trial, &mut command, &script, kit)?;
                record.repeat(&succeed(&mut command, &record.folder)?)
            });
            trials.push(trial.with_ignored_flag(skipped));
        }
        let of_trial = setup.clone();
        trials.push(Trial::test("record/every launch of cudarc", move || {
            let Some(program) = clients::cudarc_program(&of_trial)? else { return Ok(()) };
            let record = Record::new(&of_trial, "cudarc")?;
            record.repeat(&succeed(record.command().arg(program), &record.folder)?)
        }));
    }
    trials
}

/// An empty folder for a recording.
fn folder(setup: &Setup, name: &str) -> Result<PathBuf, Failed> {
    let folder = setup.build.join("record").join(name);
    if folder.exists() {
        std::fs::remove_dir_all(&folder)?;
    }
    Ok(folder)
}

/// Runs a job.
fn launch(setup: &Setup, job: &Path, options: &[&str]) -> Result<Ended, Failed> {
    let mut command = setup.texunit();
    command.arg("launch").arg(job).args(["--threads", "1", "--out"]);
    command.arg(job.with_file_name("out")).args(options);
    Ok(run(&mut command, job)?)
}

/// The refused launches that docs/record.md lists: kernel and reason.
fn refused_by_the_page(setup: &Setup, program: &str) -> BTreeSet<(String, String)> {
    let page = std::fs::read_to_string(setup.root.join("docs/record.md")).unwrap();
    let row = |line: &str| {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let [_, name, kernel, why, _] = cells.as_slice() else { return None };
        let plain = |cell: &str| cell.trim_matches('`').to_owned();
        (plain(name) == program).then(|| (plain(kernel), plain(why)))
    };
    page.lines().filter_map(row).collect()
}

/// Every launch of a program is recorded and can be repeated with equal results, or is refused and
/// listed.
fn every_launch(setup: &Setup, case: &Case) -> Result<(), Failed> {
    let record = Record::new(setup, &case.name)?;
    record.repeat(&case.run_with(setup, case.variant(), record.command())?)
}

/// The recording of a program.
struct Record<'a> {
    setup: &'a Setup,
    program: String,
    folder: PathBuf,
}

impl<'a> Record<'a> {
    fn new(setup: &'a Setup, program: &str) -> Result<Self, Failed> {
        Ok(Self { setup, program: program.to_owned(), folder: folder(setup, program)? })
    }

    /// `texunit run` with the options for recording.
    fn command(&self) -> Command {
        let mut command = self.setup.run();
        command.arg("--record").arg(&self.folder).args(["--record-limit", "10000,8G"]);
        command.env("TEXUNIT_THREADS", "1");
        command
    }

    fn repeat(&self, ended: &Ended) -> Result<(), Failed> {
        repeat_all(self, ended)
    }
}

/// Repeats the recorded launches, and compares the refused ones with the page.
fn repeat_all(Record { setup, program, folder }: &Record<'_>, ended: &Ended) -> Result<(), Failed> {
    let refusal = |line: &str| {
        let (head, why) =
            line.strip_prefix("texunit: launch ")?.split_once(", is not recorded: ")?;
        Some((head.split_once(", of ")?.1.to_owned(), why.to_owned()))
    };
    let refused: BTreeSet<_> = ended.stderr.lines().filter_map(refusal).collect();
    let listed = refused_by_the_page(setup, program);
    if refused != listed {
        let rows: String = refused
            .iter()
            .map(|(kernel, why)| format!("| `{program}` | `{kernel}` | {why} |\n"))
            .collect();
        return Err(format!("docs/record.md has other rows than\n{rows}").into());
    }
    let mut jobs: Vec<PathBuf> = match std::fs::read_dir(folder) {
        Ok(entries) => entries.map(|entry| entry.unwrap().path().join("job.toml")).collect(),
        Err(_) => Vec::new(),
    };
    jobs.sort();
    let said = ended.stderr.lines().filter(|line| line.contains(", is recorded: ")).count();
    same(jobs.len(), said, ended)?;
    let wrong: Vec<String> =
        jobs.iter().filter_map(|job| repeats(setup, job).err()).map(|e| format!("{e:?}")).collect();
    if wrong.is_empty() {
        return Ok(());
    }
    Err(format!("{} of {} launches: {}", wrong.len(), jobs.len(), wrong.join("\n")).into())
}

/// The job has the effects of the launch.
fn repeats(setup: &Setup, job: &Path) -> Result<(), Failed> {
    let text = std::fs::read_to_string(job)?;
    let ended = launch(setup, job, &["--format", "json"])?;
    let report: Value = serde_json::from_str(&ended.stdout)?;
    let fault = text.lines().find_map(|line| line.strip_prefix("# It ended with a fault: "));
    let again = report["fault"]["message"].as_str().map(|text| text.replace('\n', " "));
    if again.as_deref() != fault || report["succeeded"] != fault.is_none() {
        let (errors, job) = (&report["errors"], job.display());
        return Err(format!("{job}: {fault:?}, then {again:?}, {errors}").into());
    }
    Ok(())
}

fn fault(setup: &Setup) -> Result<(), Failed> {
    let program = program(setup, "fault.cu", SHARED, &[])?;
    let folder = folder(setup, "fault-behind")?;
    let mut command = setup.run();
    command.args(["--kernel", "behind"]).arg("--record").arg(&folder).arg(&program);
    let ended = succeed(&mut command, &program)?;
    contains(&ended, "texunit: launch 1, of behind(int*, unsigned long long), is recorded: ")?;
    repeats(setup, &folder.join("job.toml"))?;
    // The message is the same, and names the same allocation.
    let again = launch(setup, &folder.join("job.toml"), &[])?;
    same(again.status.code(), Some(1), &again)?;
    let error = |text: &str| {
        let line = text.lines().find(|line| line.contains("error[")).unwrap_or_default();
        line.split("error[").nth(1).unwrap_or_default().to_owned()
    };
    same(error(&again.stderr), error(&ended.stderr), &again)
}

fn one(setup: &Setup) -> Result<(), Failed> {
    let program = program(setup, "device.cu", SHARED, &[])?;
    let run_with = |name: &str, kernel: &str| -> Result<(Ended, PathBuf), Failed> {
        let folder = folder(setup, name)?;
        let mut command = setup.run();
        command.args(["--kernel", kernel]).arg("--record").arg(&folder).arg(&program);
        Ok((run(&mut command, &program)?, folder))
    };
    let (ended, folder) = run_with("one-missing", "other")?;
    contains(&ended, "no launch of `other` is recorded: the program launched ")?;
    same(folder.join("job.toml").exists(), false, &ended)?;
    let kernel = ended.stderr.split("launched ").nth(1).unwrap_or_default().trim();
    let (plain, _) = kernel.split_once('(').unwrap_or((kernel, ""));
    let (ended, folder) = run_with("one-second", &format!("{plain}:2"))?;
    contains(&ended, "it was launched once")?;
    same(folder.join("job.toml").exists(), false, &ended)?;
    let (ended, folder) = run_with("one-first", plain)?;
    contains(&ended, "is recorded: ")?;
    let again = launch(setup, &folder.join("job.toml"), &[])?;
    same(again.status.code(), Some(0), &again)?;
    same(again.stdout.contains("as expected"), true, &again)
}

fn limits(setup: &Setup) -> Result<(), Failed> {
    let case =
        cases(setup).into_iter().find(|case| case.name == "surfaces").ok_or("no surfaces")?;
    let record = |name: &str, limit: &str| -> Result<(Ended, usize), Failed> {
        let folder = folder(setup, name)?;
        let mut command = setup.run();
        command.args(["--record-limit", limit]).arg("--record").arg(&folder);
        let ended = case.run_with(setup, case.variant(), command)?;
        Ok((ended, std::fs::read_dir(&folder)?.count()))
    };
    let (ended, count) = record("limit-launches", "2")?;
    contains(&ended, "2 launches are recorded, and no more (--record-limit)")?;
    same(count, 2, &ended)?;
    let (ended, count) = record("limit-bytes", "100,1K")?;
    contains(
        &ended,
        "it holds more than the 1024 bytes that are left of the limit (--record-limit)",
    )?;
    same(count, 0, &ended)?;
    // A folder that is not empty is refused.
    let mut command = setup.run();
    command.arg("--record").arg(setup.cases()).arg("true");
    let ended = run(&mut command, &setup.build.join("record/occupied"))?;
    same(ended.status.code(), Some(125), &ended)?;
    contains(&ended, "is not empty; name a new folder")
}

fn explained(setup: &Setup) -> Result<(), Failed> {
    let program = program(setup, "fault.cu", SHARED, &[])?;
    let explain = |what: &str, format: &[&str]| -> Result<Ended, Failed> {
        let mut command = setup.run();
        command.args(["--explain", what]).args(format).arg(&program);
        Ok(succeed(&mut command, &program)?)
    };
    let plain = succeed(setup.run().arg(&program), &program)?;
    let ended = explain("behind:3", &[])?;
    same(&ended.stdout, &plain.stdout, &ended)?;
    contains(&ended, "--- thread (3, 0, 0), access 1 of 1")?;
    let ended = explain("behind:1:3,0,0", &["--format", "json"])?;
    let json = ended.stderr.lines().find(|line| line.starts_with('{')).unwrap_or_default();
    let json: Value = serde_json::from_str(json)?;
    same(&json["thread"], &serde_json::json!([3, 0, 0]), &ended)?;
    same(json["accesses"].as_array().map(Vec::len), Some(1), &ended)?;
    let ended = explain("behind:3", &["--format", "svg"])?;
    contains(&ended, "<svg ")?;
    let folder = TempDir::new("explain-out");
    let page = folder.join("page.svg");
    let ended = explain("behind:3", &["--explain-out", page.to_str().ok_or("a path")?])?;
    contains(&ended, "texunit: wrote ")?;
    let page = std::fs::read_to_string(page)?;
    if !page.contains("thread (3, 0, 0) of behind(") || !page.contains(": 1 access</text>") {
        return Err(page.into());
    }
    let ended = explain("behind:64", &[])?;
    contains(&ended, "no thread (64, 0, 0) is in the grid of 64 x 1 x 1")?;
    let ended = explain("before:0", &[])?;
    contains(
        &ended,
        "error: --explain: no launch of `before` is recorded: the program launched behind(",
    )
}
