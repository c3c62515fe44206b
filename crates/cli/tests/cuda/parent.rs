//! What `texunit run` is started with, and what it leaves: signals, processes and runs around it.

use crate::commands::{Test, contains, same};
use crate::evidence::{at, code, file, json, modes, text};
use crate::process::{Ended, run, succeed};
use crate::tools::{Setup, clean};
use libtest_mimic::{Failed, Trial};
use std::process::Command;
use std::time::{Duration, Instant};

/// All of them.
pub(crate) fn trials(setup: &Setup) -> Vec<Trial> {
    let tests: [(&str, &[&str], Test); 7] = [
        ("a program that ends at once", &[], at_once),
        ("ends of children are ignored", &[], forgotten),
        ("an alarm from before", &[], alarm),
        ("signals after the program", &[], after),
        ("processes from before", &[], strangers),
        ("a report in shared memory", &[], shared_memory),
        ("the time of an outer run", &["nvcc"], outer),
    ];
    let trial = |(name, needs, test): (&str, &[&str], Test)| {
        let of_trial = setup.clone();
        let trial = Trial::test(format!("evidence/{name}"), move || test(&of_trial));
        trial.with_ignored_flag(!setup.has(needs))
    };
    tests.into_iter().map(trial).collect()
}

/// It has ended before the thread that started it has, as both have one core.
fn at_once(setup: &Setup) -> Result<(), Failed> {
    let (source, program) = (file(setup, "at-once.c"), file(setup, "at-once"));
    std::fs::write(&source, "int main(void) { return 5; }\n")?;
    succeed(Command::new("cc").args(["-static", "-o"]).args([&program, &source]), &program)?;
    for _ in 0..10 {
        let mut command = Command::new("taskset");
        clean(&mut command);
        command.env("TEXUNIT_LIBS", &setup.libraries).args(["-c", "0"]);
        command.arg(setup.texunit().get_program()).args(["run", "--error-exitcode", "9"]);
        let ended = run(command.arg(&program), &program)?;
        same(ended.status.code(), Some(5), &ended)?;
    }
    Ok(())
}

/// `texunit run` in the place of a Python process that has done something before.
fn instead_of_python(setup: &Setup, before: &str, words: &[&str]) -> Result<Ended, Failed> {
    let script = format!("import os, signal, sys\n{before}\nos.execv(sys.argv[1], sys.argv[1:])");
    let mut python = Command::new("python3");
    clean(&mut python);
    python.env("TEXUNIT_LIBS", &setup.libraries).args(["-c", &script]);
    python.arg(setup.texunit().get_program()).arg("run").args(words);
    Ok(run(&mut python, &setup.build.join("instead"))?)
}

fn forgotten(setup: &Setup) -> Result<(), Failed> {
    let before = "signal.signal(signal.SIGCHLD, signal.SIG_IGN)";
    let words = ["--error-exitcode", "9", "sh", "-c", "sleep 0.2; exit 7"];
    let ended = instead_of_python(setup, before, &words)?;
    same(ended.status.code(), Some(7), &ended)
}

/// It is the kernel that sends it, and to the parent alone.
fn alarm(setup: &Setup) -> Result<(), Failed> {
    let words = ["--error-exitcode", "9", "sleep", "60"];
    let ended = instead_of_python(setup, "signal.alarm(1)", &words)?;
    same(ended.status.code(), Some(128 + 14), &ended)
}

/// They end what is still to be done, as they would without a program.
fn after(setup: &Setup) -> Result<(), Failed> {
    let mut python = Command::new("python3");
    clean(&mut python);
    python.env("TEXUNIT_LIBS", &setup.libraries).arg(setup.cases().join("commands/ended.py"));
    let pipe = file(setup, "ended.pipe");
    let ended = run(python.arg(setup.texunit().get_program()).arg(&pipe), &pipe)?;
    same(&*ended.stdout, "code -15\n", &ended)
}

/// A child of the shell that became `texunit run`, and a child of that one, are nothing that `--timeout` ends.
fn strangers(setup: &Setup) -> Result<(), Failed> {
    let script = "sh -c 'sleep 60 & echo $!; wait' & echo $!; sleep 0.3; exec \"$@\"";
    let mut shell = Command::new("bash");
    clean(&mut shell);
    shell.env("TEXUNIT_LIBS", &setup.libraries).args(["-c", script, "bash"]);
    shell.arg(setup.texunit().get_program()).args(["run", "--timeout", "0.5", "sleep", "60"]);
    let start = Instant::now();
    let ended = run(&mut shell, &setup.build.join("strangers"))?;
    let kill = |pid: &str| Command::new("kill").arg(pid).status();
    let lives: Vec<bool> =
        ended.stdout.lines().map(|pid| Ok(kill(pid)?.success())).collect::<Result<_, Failed>>()?;
    same(ended.status.code(), Some(124), &ended)?;
    same(lives, vec![true, true], &ended)?;
    same(start.elapsed() < Duration::from_secs(8), true, &ended)
}

/// A folder of /dev with regular files.
fn shared_memory(setup: &Setup) -> Result<(), Failed> {
    let report = format!("/dev/shm/texunit-test-{}.json", std::process::id());
    let found = ["first", "second"].map(|_| {
        code(setup, &["--report", &report], &["sh", "-c", "exit 7"], 7)?;
        at(&json(report.as_ref())?, "/run/exit_code", 7)
    });
    std::fs::remove_file(&report)?;
    found.into_iter().collect()
}

/// A kernel of a run inside one whose time is over ends where it is.
fn outer(setup: &Setup) -> Result<(), Failed> {
    let (modes, report) = (modes(setup)?, file(setup, "outer.json"));
    let texunit = setup.texunit().get_program().to_owned();
    let inner = [text(texunit.as_ref()), "run", "--report", text(&report), text(&modes), "endless"];
    let ended = code(setup, &["--timeout", "1.5"], &inner, 124)?;
    contains(&ended, "the kernel was running when the time of the run was over")?;
    at(&json(&report)?, "/faults/0/kind", "cancelled")
}
