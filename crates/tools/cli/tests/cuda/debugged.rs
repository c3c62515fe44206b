//! `texunit debug` of programs: the kernels run in the program's process, the commands come from a
//! script.

use crate::commands::{NVCC, Row, SHARED, program};
use crate::process::succeed;
use crate::tools::Setup;
use libtest_mimic::Failed;

/// The tests of this module.
pub(crate) const TESTS: &[Row] = &[
    ("variables", NVCC, variables),
    ("lines alone", NVCC, lines),
    ("killed, and let go", NVCC, ends),
];

/// The output of a session, without the process identifier.
fn session(
    setup: &Setup,
    flags: &[&str],
    options: &[&str],
    commands: &[&str],
) -> Result<Vec<String>, Failed> {
    let program = program(setup, "debugged.cu", SHARED, flags)?;
    let mut command = setup.texunit();
    command.args(["debug", "--batch"]).args(options);
    for line in commands {
        command.args(["-ex", line]);
    }
    let ended = succeed(command.arg(&program), &program)?;
    let lines = ended.stdout.lines().filter(|line| !line.is_empty());
    Ok(lines.map(|line| line.split(" (process").next().unwrap_or(line).to_owned()).collect())
}

fn compare(found: Vec<String>, expected: &[&str]) -> Result<(), Failed> {
    if found == expected {
        return Ok(());
    }
    Err(format!("{found:#?}, but {expected:#?} is expected").into())
}

fn variables(setup: &Setup) -> Result<(), Failed> {
    let commands = [
        "break debugged.cu:16 if i == 70",
        "run",
        "print p",
        "print i",
        "last-write q.v[2]",
        "bt 1",
        "continue",
    ];
    let found = session(setup, &["-G"], &[], &commands)?;
    let stack = found.get(8).cloned().unwrap_or_default();
    let expected = [
        "Breakpoint 1 (debugged.cu:16) pending.",
        "[Switching focus to CUDA kernel 0, grid 1, block (1,0,0), thread (6,0,0), device 0, sm 0, warp 0, lane 6]",
        found.get(2).map_or("", String::as_str),
        "16\t    if (i < n) out[i] = t + f + q.v[2] + gcount[1];",
        "$1 = {a = 70, b = 35}",
        "$2 = 70",
        found.get(6).map_or("", String::as_str),
        "11\t    Q q; q.p = p; for (int k = 0; k < 4; k++) q.v[k] = k * i;",
        &stack,
        // The host continues.
        "59.000000",
        "[Inferior 1",
    ];
    assert!(
        found[2].starts_with("Breakpoint 1, work (out=0x")
            && found[2].ends_with(", n=100) at debugged.cu:16"),
        "{found:?}"
    );
    assert!(
        found[6].starts_with("debugged.cu:11, block (1,0,0), thread (6,0,0): ")
            && found[6].contains(" -> 140, step "),
        "{found:?}"
    );
    assert!(stack.starts_with("#0  work (out=0x"), "{stack}");
    compare(found.clone(), &expected)
}

fn lines(setup: &Setup) -> Result<(), Failed> {
    let commands = ["tbreak work", "run", "next", "reverse-next", "info locals", "continue"];
    let found = session(setup, &["-lineinfo"], &[], &commands)?;
    assert!(
        found.iter().any(|line| line.contains("No locals. The PTX has no debug information")),
        "{found:#?}"
    );
    assert_eq!(found.last().map(String::as_str), Some("[Inferior 1"), "{found:#?}");
    Ok(())
}

/// `quit` ends the program before it prints; `detach` lets it continue.
fn ends(setup: &Setup) -> Result<(), Failed> {
    let quit = session(setup, &["-G"], &["--kernel", "work:1"], &["run", "info step", "quit"])?;
    let says = |found: &[String], text: &str| found.iter().any(|line| line.contains(text));
    assert!(says(&quit, "Step 0 of the launch.") && !says(&quit, "59.0"), "{quit:#?}");
    let detach = session(setup, &["-G"], &["--kernel", "work"], &["run", "detach"])?;
    assert!(says(&detach, "59.000000"), "{detach:#?}");
    let other = session(setup, &["-G"], &["--kernel", "work:2"], &["run"])?;
    assert!(says(&other, "59.000000") && !says(&other, "Switching"), "{other:#?}");
    let mut command = setup.texunit();
    command.args(["debug", "--batch", "-ex", "run", "no-such-program"]);
    let ended = command.output()?;
    if ended.status.code() != Some(125) {
        return Err(format!("{ended:?}").into());
    }
    Ok(())
}
