//! Severities and counts of findings (`commands/severities.cu`, `commands/grouped.cu`).

use crate::checked::{headed, lacks};
use crate::commands::{NVCC, Row, SHARED, contains, program, same};
use crate::evidence::{file, json};
use crate::process::succeed;
use crate::tools::Setup;
use libtest_mimic::Failed;
use serde_json::Value;
use std::collections::BTreeSet;
use std::ffi::OsStr;

/// The tests of this module.
pub(crate) const TESTS: &[Row] = &[
    ("severities in every report", NVCC, severities),
    ("one finding for a pair of lines", NVCC, grouped),
];

/// Notes, warnings and errors in reports.
fn severities(setup: &Setup) -> Result<(), Failed> {
    let program = program(setup, "severities.cu", SHARED, &["-lineinfo", "-g"])?;
    // Every report has the same severities.
    let files = ["json", "sarif", "xml", "github"].map(|e| file(setup, &format!("severities.{e}")));
    let mut command = setup.run();
    command.args(["--check", "all"]);
    command.args(files.iter().flat_map(|file| [OsStr::new("--report"), file.as_os_str()]));
    command.args([
        "--report-format",
        "json",
        "--report-format",
        "sarif",
        "--report-format",
        "junit",
    ]);
    command.args(["--report-format", "github"]).arg(&program).args(["note", "warning", "error"]);
    let ended = succeed(&mut command, &program)?;
    let [own, sarif] = [json(&files[0])?, json(&files[1])?];
    let of = |all: &Value, key: &str| -> BTreeSet<String> {
        all.as_array().into_iter().flatten().map(|one| one[key].to_string()).collect()
    };
    let all: BTreeSet<String> = ["\"error\"", "\"note\"", "\"warning\""].map(str::to_owned).into();
    same(of(&own["findings"], "severity"), all.clone(), &ended)?;
    same(of(&sarif["runs"][0]["results"], "level"), all, &ended)?;
    let [junit, github] =
        [std::fs::read_to_string(&files[2])?, std::fs::read_to_string(&files[3])?];
    same(junit.matches("<failure ").count(), 2, &ended)?;
    same(junit.contains("name=\"race-write-after-write at "), true, &ended)?;
    for level in ["::notice ", "::warning ", "::error "] {
        same(github.matches(level).count(), 1, &ended)?;
    }
    // Code for suppressions.
    let list = file(setup, "padding.supp");
    std::fs::write(&list, "{\n   structures\n   rule: padding\n}\n")?;
    let mut command = setup.run();
    command.args(["--check", "init", "--suppressions"]).arg(&list).arg(&program).arg("note");
    lacks(&succeed(&mut command, &program)?, "init-copy-to-host")
}

/// Unrolled loops with one missing barrier give few findings, the same ones as a debug build.
fn grouped(setup: &Setup) -> Result<(), Failed> {
    let mut all = Vec::new();
    for options in [&["-O3", "-lineinfo", "-g"][..], &["-G", "-g"]] {
        let program = program(setup, "grouped.cu", SHARED, options)?;
        let [xml, own] = ["xml", "json"].map(|ending| file(setup, &format!("grouped.{ending}")));
        let mut command = setup.run();
        command.args(["--check", "all", "--report"]).arg(&xml).arg("--report").arg(&own);
        let ended = succeed(command.arg(&program), &program)?;
        let (lines, failures) = (
            ended.stderr.lines().count(),
            std::fs::read_to_string(&xml)?.matches("<failure ").count(),
        );
        same(lines <= 220 && (1..=8).contains(&failures), true, &ended)?;
        let findings = json(&own)?["findings"].as_array().cloned().unwrap_or_default();
        same(findings.len(), failures, &ended)?;
        let row = |f: &Value| {
            let with = f["related"][0]["place"]["frames"][0]["line"].clone();
            [f["kind"].clone(), f["line"].clone(), with].map(|value| value.to_string())
        };
        let rows: BTreeSet<_> = findings.iter().map(row).collect();
        // The opposite order of the same accesses is part of the finding.
        contains(&ended, "the other way round, too (`race-write-after-read`, ")?;
        for kind in ["race-read-after-write", "init-store", "leak-allocation"] {
            contains(&ended, &headed(kind))?;
            same(rows.iter().any(|row| row[0].contains(kind)), true, &ended)?;
        }
        all.push((rows, ended));
    }
    same(&all[0].0, &all[1].0, &all[1].1)
}
