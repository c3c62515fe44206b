//! `texunit run --check`: `commands/checked.cu`.

use crate::commands::{NVCC, Row, SHARED, contains, program, same};
use crate::evidence::{at, file, json};
use crate::process::{Ended, run, succeed};
use crate::tools::{Setup, clean};
use libtest_mimic::Failed;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use texunit_testkit::findings::Expected;

/// The tests of this module.
pub(crate) const TESTS: &[Row] = &[
    ("fresh memory", NVCC, fresh),
    ("exit codes, reports, kernels, suppressions", NVCC, options),
    ("asynchronous work late", NVCC, late),
    ("memory of pools in the order of streams", NVCC, pools),
    ("without texunit run", NVCC, alone),
];

const EARLY: &str =
    "14 threads of the CTA have exited without coming to barrier 0, which is for all threads";

pub(crate) fn lacks(ended: &Ended, text: &str) -> Result<(), Failed> {
    match ended.stderr.contains(text) {
        true => Err(format!("`{text}` in {ended:?}").into()),
        false => Ok(()),
    }
}

/// The beginning of a finding of a kind: `warning[init-copy-to-host]`.
pub(crate) fn headed(code: &str) -> String {
    let severity = texunit_report::check_rule(code).map_or("error", |rule| rule.severity.name());
    format!("{severity}[{code}]")
}

/// Checks that the marks of a program (`// finding[CODE]: words`, as in tests/findings) are
/// reported with their lines.
pub(crate) fn marked(setup: &Setup, source: &str, ended: &Ended) -> Result<(), Failed> {
    let text = std::fs::read_to_string(setup.root.join("tests/cuda/commands").join(source))?;
    let all = texunit_testkit::findings::expected(&text);
    same(all.is_empty(), false, ended)?;
    for Expected { line, code, words, .. } in all {
        contains(ended, &headed(&code))?;
        contains(ended, &words)?;
        contains(ended, &format!("{source}:{line}"))?;
    }
    Ok(())
}

/// The seed that is told gives the same memory again.
fn fresh(setup: &Setup) -> Result<(), Failed> {
    let program = program(setup, "fresh.cu", SHARED, &["-lineinfo", "-g"])?;
    let ended = succeed(setup.run().args(["--fill", "random"]).arg(&program), &program)?;
    let seed = ended.stderr.split("--fill ").nth(1).and_then(|rest| rest.lines().next());
    let seed = seed.ok_or("no seed is told")?;
    let again = succeed(setup.run().args(["--fill", seed]).arg(&program), &program)?;
    same(&*again.stdout, &*ended.stdout, &again)
}

/// Work that does not wait for an allocation from a pool, and frees that do not wait for work; also
/// with late streams.
fn pools(setup: &Setup) -> Result<(), Failed> {
    let program = program(setup, "pool_order.cu", SHARED, &["-lineinfo", "-g"])?;
    let (early, free) = ("race-pool-allocation", "race-pool-free");
    for (case, code, text) in [
        ("same", "", ""),
        ("event", "", ""),
        ("host", "", ""),
        ("kernel", early, "a kernel stores to memory of a pool"),
        ("copy", early, "1024 bytes of a pool"),
        (
            "set",
            early,
            "are written by a copy or fill in a stream that does not wait for the allocation",
        ),
        ("free", free, "a kernel of another stream stores to it"),
        ("reused", early, "a kernel stores to memory of a pool"),
    ] {
        for seed in [None, Some("3")] {
            let mut command = setup.run();
            command
                .args(["--check", "race", "--host-backtrace"])
                .args(seed.iter().flat_map(|seed| ["--schedule", seed]));
            let ended = run(command.arg(&program).arg(case), &program)?;
            // The seed decides whether the memory is freed before the kernel runs; that would be a
            // fault of the kernel.
            if case == "free" && ended.stdout == "cudaErrorIllegalAddress\n" {
                same(seed.is_some(), true, &ended)?;
                contains(&ended, "error[freed]")?;
                contains(&ended, "pool_order.cu:23")?;
                continue;
            }
            same(&*ended.stdout, "cudaSuccess\n", &ended)?;
            if code.is_empty() {
                same(&*ended.stderr, "", &ended)?;
                continue;
            }
            if case == "reused" && seed.is_some() {
                // The seed decides whether the kernel runs before the first of the two is freed.
                contains(&ended, "error[race-pool-")?;
                continue;
            }
            contains(&ended, &format!("error[{code}]"))?;
            contains(&ended, text)?;
            let made = if case == "reused" { "pool_order.cu:61" } else { "pool_order.cu:23" };
            contains(&ended, made)?;
            same(ended.stderr.matches("error[").count(), 1, &ended)?;
        }
    }
    Ok(())
}

/// The output of `late.cu` with a seed.
fn late_with(
    setup: &Setup,
    program: &Path,
    seed: Option<u64>,
    case: &str,
) -> Result<Ended, Failed> {
    let mut command = setup.run();
    command.args(seed.iter().flat_map(|seed| ["--schedule".to_owned(), seed.to_string()]));
    Ok(succeed(command.arg(program).arg(case), program)?)
}

/// With `--schedule`, work of streams is executed when the program waits: correct results stay the
/// same, races become visible, and a seed always gives the same results.
fn late(setup: &Setup) -> Result<(), Failed> {
    let program = program(setup, "late.cu", SHARED, &["-lineinfo"])?;
    let with = |seed, case| late_with(setup, &program, seed, case);
    let now = with(None, "late")?;
    same(&*now.stdout, "7 16843009 1\n7 1010101 1\n1\n", &now)?;
    let plain = with(None, "right")?;
    if !plain.stdout.ends_with("13 10 cudaSuccess\n") {
        return Err(format!("{plain:?}").into());
    }
    let many = with(None, "many")?;
    let straight = with(None, "order")?;
    same(&*straight.stdout, &*format!("{}\n", "2".repeat(40)), &straight)?;
    let mut orders = BTreeSet::new();
    for seed in 1..6 {
        let later = with(Some(seed), "late")?;
        same(&*later.stdout, "0 0 0\n7 1010101 1\n2\n", &later)?;
        let right = with(Some(seed), "right")?;
        same(&*right.stdout, &*plain.stdout, &right)?;
        let order = with(Some(seed), "order")?;
        same(&*with(Some(seed), "order")?.stdout, &*order.stdout, &order)?;
        orders.insert(order.stdout);
    }
    if orders.len() < 4 {
        return Err(format!("{orders:?}").into());
    }
    let ended = with(Some(7), "many")?;
    same(&*ended.stdout, &*many.stdout, &ended)?;
    let ended = with(Some(7), "exit")?;
    same(&*ended.stdout, "end\nsaid\n", &ended)?;
    let ended = with(Some(7), "fault")?;
    let expected = "cudaErrorInvalidConfiguration\ncudaSuccess 0\ncudaErrorIllegalAddress 0\ncudaErrorIllegalAddress\n";
    same(&*ended.stdout, expected, &ended)?;
    contains(&ended, "late.cu:9")?;
    // Correct code has no race findings.
    let mut command = setup.run();
    command.args(["--schedule", "3", "--check", "race"]).arg(&program).arg("right");
    let ended = succeed(&mut command, &program)?;
    same(&*ended.stderr, "", &ended)?;
    same(&*ended.stdout, &*plain.stdout, &ended)
}

fn options(setup: &Setup) -> Result<(), Failed> {
    let program = program(setup, "checked.cu", SHARED, &["-lineinfo"])?;
    let report = file(setup, "checked.json");
    let mut command = setup.run();
    command.args(["--check", "synccheck", "--error-exitcode", "9", "--report"]).arg(&report);
    let ended = run(command.arg(&program), &program)?;
    same(ended.status.code(), Some(9), &ended)?;
    contains(&ended, "1 finding (1 warning) in 1 process; exit code 9 (--error-exitcode)")?;
    lacks(&ended, "leak")?;
    let found = json(&report)?;
    at(&found, "/findings/0/kind", "sync-barrier-missed")?;
    at(&found, "/findings/0/check", "sync")?;
    at(&found, "/findings/0/count", 4)?;
    at(&found, "/findings/0/function", "early(int*, int)")?;
    // The compiler merges all returns into one.
    at(&found, "/findings/0/related/0/place/frames/0/line", 20)?;
    at(&found, "/faults/0", Value::Null)?;
    // Other kernels have no findings.
    let mut command = setup.run();
    command.args(["--check", "sync", "--kernel", "keep*", "--error-exitcode", "9"]);
    let ended = succeed(command.arg(&program), &program)?;
    lacks(&ended, "sync-")?;
    // The generated suppressions suppress the findings.
    let mut command = setup.run();
    command.args(["--check", "sync", "--gen-suppressions"]);
    let ended = succeed(command.arg(&program), &program)?;
    let start = ended.stderr.find("\n{\n").ok_or("no block")?;
    let end = ended.stderr[start..].find("\n}").ok_or("no end of a block")? + start + 2;
    let list = file(setup, "checked.supp");
    std::fs::write(&list, &ended.stderr[start..end])?;
    let mut command = setup.run();
    command.args(["--check", "sync", "--error-exitcode", "9", "--suppressions"]).arg(&list);
    let ended = succeed(command.arg(&program), &program)?;
    lacks(&ended, EARLY)?;
    contains(&ended, "checks: 4 suppressed")?;
    let mut command = setup.run();
    command.args(["--check", "all", "--max-findings", "1"]);
    let ended = succeed(command.arg(&program), &program)?;
    // One finding, and the first of each other kind; the table lists all.
    same(ended.stderr.matches("warning[sync-barrier-missed]").count(), 1, &ended)?;
    same(ended.stderr.matches("warning[leak-allocation]").count(), 1, &ended)?;
    contains(&ended, "not shown (--max-findings)")?;
    for words in ["kind", "times", "leak-allocation", "leak-object", "leak-device-heap"] {
        contains(&ended, words)?;
    }
    // Findings that are not printed count.
    let mut command = setup.run();
    command.args(["--check", "sync", "--max-findings", "0", "--error-exitcode", "9", "--report"]);
    let ended = run(command.arg(&report).arg(&program), &program)?;
    same(ended.status.code(), Some(9), &ended)?;
    contains(&ended, "1 finding (1 warning) in 1 process; exit code 9 (--error-exitcode)")?;
    at(&json(&report)?, "/more_findings", 1)?;
    // Errors in the list of suppressions.
    std::fs::write(&list, "rule: x\n")?;
    for words in [&["--check", "shader"][..], &["--kernel", "x"], &["--max-findings", "1"]] {
        let ended = run(setup.run().args(words).arg(&program), &program)?;
        same(ended.status.code(), Some(2), &ended)?;
    }
    let mut command = setup.run();
    let ended = run(
        command.args(["--check", "sync", "--suppressions"]).arg(&list).arg(&program),
        &program,
    )?;
    same(ended.status.code(), Some(125), &ended)?;
    contains(&ended, "line 1: expected `{`")
}

/// With environment variables only, without `texunit run`.
fn alone(setup: &Setup) -> Result<(), Failed> {
    let program = program(setup, "checked.cu", SHARED, &["-lineinfo"])?;
    let mut command = Command::new(&program);
    clean(&mut command);
    command.env("LD_LIBRARY_PATH", &setup.libraries).env("TEXUNIT_CHECK", "sync");
    let ended = succeed(&mut command, &program)?;
    contains(&ended, EARLY)?;
    contains(&ended, "checks: 1 finding (1 warning), 4 times in all")?;
    command.env("TEXUNIT_CHECK", "shader");
    let ended = succeed(&mut command, &program)?;
    contains(&ended, "TEXUNIT_CHECK: unknown check `shader`")
}
