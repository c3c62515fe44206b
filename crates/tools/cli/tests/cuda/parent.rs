//! `texunit run` and its surroundings: inherited signals, other processes, and nested runs.

use crate::commands::{NVCC, Row, SHARED, STATIC, contains, program, same};
use crate::evidence::{at, code, file, json, modes, text};
use crate::process::{Ended, run, succeed};
use crate::tools::{Setup, clean};
use libtest_mimic::Failed;
use serde_json::Value;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The tests of this module.
pub(crate) const TESTS: &[Row] = &[
    ("a program that ends at once", &[], at_once),
    ("ends of children are ignored", &[], forgotten),
    ("an alarm from before", &[], alarm),
    ("signals after the program", &[], after),
    ("processes from before", &[], strangers),
    ("a report in shared memory", &[], shared_memory),
    ("the time of an outer run", NVCC, outer),
    ("what a program leaves when it was asked to end", NVCC, asked),
    ("a program that stays when it was asked to end", NVCC, stays),
    ("scripts without an interpreter", &[], scripts),
    ("a cleared environment", NVCC, cleared),
    ("a run that is over", NVCC, over),
    ("kernels that cannot be executed", NVCC, not_executed),
    ("names of outputs", NVCC, names),
];

/// The program ends before the thread that started it continues, because both run on one core.
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

/// `texunit run` replaces a Python process that has executed `before`.
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

/// The kernel sends the timer's signal, and only to the parent.
fn alarm(setup: &Setup) -> Result<(), Failed> {
    let words = ["--error-exitcode", "9", "sleep", "60"];
    let ended = instead_of_python(setup, "signal.alarm(1)", &words)?;
    same(ended.status.code(), Some(128 + 14), &ended)
}

/// Signals end the work that remains after the program, as they would without a program.
fn after(setup: &Setup) -> Result<(), Failed> {
    let mut python = Command::new("python3");
    clean(&mut python);
    python.env("TEXUNIT_LIBS", &setup.libraries).arg(setup.cases().join("commands/ended.py"));
    let pipe = file(setup, "ended.pipe");
    let ended = run(python.arg(setup.texunit().get_program()).arg(&pipe), &pipe)?;
    same(&*ended.stdout, "code -15\n", &ended)
}

/// `--timeout` ends neither children of the shell that became `texunit run`, nor their children,
/// nor a process that such a child leaves behind while the program runs.
fn strangers(setup: &Setup) -> Result<(), Failed> {
    let script = "sh -c 'sleep 60 & echo $!; wait' & echo $!; sh -c 'sleep 1; sleep 60 & echo $!' & sleep 0.3; \
                  exec \"$@\"";
    let mut shell = Command::new("bash");
    clean(&mut shell);
    shell.env("TEXUNIT_LIBS", &setup.libraries).args(["-c", script, "bash"]);
    shell.arg(setup.texunit().get_program()).args(["run", "--timeout", "2", "sleep", "60"]);
    let start = Instant::now();
    let ended = run(&mut shell, &setup.build.join("strangers"))?;
    let kill = |pid: &str| Command::new("kill").arg(pid).status();
    let lives: Vec<bool> =
        ended.stdout.lines().map(|pid| Ok(kill(pid)?.success())).collect::<Result<_, Failed>>()?;
    same(ended.status.code(), Some(124), &ended)?;
    same(lives, vec![true; 3], &ended)?;
    same(start.elapsed() < Duration::from_secs(10), true, &ended)
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

/// When a run times out, a kernel of a run nested in it stops.
fn outer(setup: &Setup) -> Result<(), Failed> {
    let (modes, report) = (modes(setup)?, file(setup, "outer.json"));
    let texunit = setup.texunit().get_program().to_owned();
    let inner = [text(texunit.as_ref()), "run", "--report", text(&report), text(&modes), "endless"];
    let ended = code(setup, &["--timeout", "1.5"], &inner, 124)?;
    contains(&ended, "the kernel was running when the time of the run was over")?;
    at(&json(&report)?, "/faults/0/kind", "cancelled")
}

/// Starts `texunit run --report`, and waits until the program is ready.
fn started(setup: &Setup, report: &Path, command: &[&str]) -> Result<Child, Failed> {
    // The name is unique to this test, because others run at the same time.
    let stem = report.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    let ready = file(setup, &format!("{stem}-ready"));
    let mut run = setup.run();
    // The timeout ends the run if the test fails.
    run.args(["--timeout", "60", "--report", text(report)]).args(command).env("READY", &ready);
    let child = run.stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
    wait_for(|| ready.exists())?;
    Ok(child)
}

fn wait_for(is_there: impl Fn() -> bool) -> Result<(), Failed> {
    let start = Instant::now();
    while !is_there() {
        if start.elapsed() > Duration::from_secs(60) {
            return Err("nothing has come of it".into());
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    Ok(())
}

fn end(child: Child) -> Result<Ended, Failed> {
    let output = child.wait_with_output()?;
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    Ok(Ended { status: output.status, stdout: String::new(), stderr })
}

fn kill(signal: &str, pid: impl ToString) -> Result<(), Failed> {
    Ok(succeed(Command::new("kill").arg(signal).arg(pid.to_string()), Path::new("/tmp/kill"))
        .map(drop)?)
}

/// The shell ends at once, but the program that it has started ignores the signal.
fn asked(setup: &Setup) -> Result<(), Failed> {
    let (modes, report) = (modes(setup)?, file(setup, "asked.json"));
    let script = format!("{} good patient touch=$READY pause & wait", modes.display());
    let child = started(setup, &report, &["bash", "-c", &script])?;
    let start = Instant::now();
    kill("-TERM", child.id())?;
    let ended = end(child)?;
    same(ended.status.code(), Some(128 + 15), &ended)?;
    // Less than the time before containers kill their processes.
    same(start.elapsed() < Duration::from_secs(9), true, &ended)?;
    contains(&ended, "processes that it started have not, and are stopped now")?;
    let json = json(&report)?;
    at(&json, "/run/signal", 15)?;
    at(&json, "/run/timed_out_after_seconds", Value::Null)?;
    at(&json, "/kernels/0/launches", 1)
}

/// The report is written before anyone sends SIGKILL to both.
fn stays(setup: &Setup) -> Result<(), Failed> {
    let (modes, report) = (modes(setup)?, file(setup, "stays.json"));
    let script = format!("exec {} good patient touch=$READY pause", modes.display());
    let child = started(setup, &report, &["bash", "-c", &script])?;
    kill("-TERM", child.id())?;
    wait_for(|| report.exists())?;
    let first = json(&report)?;
    at(&first, "/run/exit_code", Value::Null)?;
    at(&first, "/kernels/0/launches", 1)?;
    kill("-KILL", &first["processes"][0]["pid"])?;
    let ended = end(child)?;
    same(ended.status.code(), Some(128 + 9), &ended)?;
    at(&json(&report)?, "/run/signal", 9)
}

/// Scripts run as in a shell, with and without a parent process.
fn scripts(setup: &Setup) -> Result<(), Failed> {
    let script = file(setup, "script");
    for (lines, expected, printed) in [("", 0, ""), ("echo \"$1\"; exit 7\n", 7, "a b\n")] {
        std::fs::write(&script, lines)?;
        succeed(Command::new("chmod").arg("+x").arg(&script), &script)?;
        for options in [&[][..], &["--error-exitcode", "9"]] {
            let ended = code(setup, options, &[text(&script), "a b"], expected)?;
            same(&*ended.stdout, printed, &ended)?;
            same(&*ended.stderr, "", &ended)?;
        }
    }
    Ok(())
}

/// With a cleared environment, the program finds the libraries by its search path, and the run and
/// its options by its parents.
fn cleared(setup: &Setup) -> Result<(), Failed> {
    let path = format!("-rpath={}", setup.libraries.display());
    let flags = ["-lineinfo", "-Xlinker", &path, "-Xlinker", "--disable-new-dtags"];
    let program = program(setup, "modes.cu", SHARED, &flags)?;
    let report = file(setup, "cleared.json");
    let covered = file(setup, "cleared.info");
    let options = ["--error-exitcode", "9", "--report", text(&report)];
    let more = ["--device", "sm_75,sm_86", "--coverage", text(&covered)];
    let cleared = ["env", "-i", text(&program), "good", "bad"];
    let ended = code(setup, &[&options[..], &more].concat(), &cleared, 9)?;
    same(ended.stderr.contains("cleared"), false, &ended)?;
    let found = json(&report)?;
    at(&found, "/faults/0/kind", "out-of-bounds")?;
    let named = |i: usize| found["devices"][i].as_str().unwrap_or_default().to_owned();
    same(named(0).contains("sm_75") && named(1).contains("sm_86"), true, &ended)?;
    let lines = std::fs::read_to_string(&covered)?;
    same(lines.contains("FNDA:64,fill(int*)"), true, &ended)?;
    // Variables of the program take precedence.
    let own = ["env", "-i", "TEXUNIT_DEVICE=sm_90", text(&program), "good"];
    let ended = code(setup, &[&options[..], &more].concat(), &own, 0)?;
    let found = json(&report)?;
    let name = found["devices"][0].as_str().unwrap_or_default();
    same(name.contains("sm_90"), true, &ended)
}

/// A process that outlives its run says that nobody receives its report.
fn over(setup: &Setup) -> Result<(), Failed> {
    let modes = modes(setup)?;
    let mut alone = Command::new(&modes);
    clean(&mut alone);
    alone.env("LD_LIBRARY_PATH", &setup.libraries).env("TEXUNIT_EVIDENCE", "/nowhere").arg("good");
    let ended = succeed(&mut alone, &modes)?;
    contains(
        &ended,
        "the `texunit run` that this process was started in has ended: /nowhere is gone",
    )?;
    contains(&ended, "its faults do not count for --error-exitcode")
}

/// The program ignores all errors and exits with 0, although nothing was tested.
fn not_executed(setup: &Setup) -> Result<(), Failed> {
    let modes = program(setup, "modes.cu", SHARED, &["-gencode=arch=compute_75,code=sm_75"])?;
    let (modes, nine) = (text(&modes), ["--error-exitcode", "9"]);
    let says = "texunit: no kernel of the program was executed; exit code 125 (--error-exitcode): ";
    let ended = code(setup, &nine, &[modes, "good"], 125)?;
    contains(&ended, &format!("{says}{modes} has machine code for GPUs but no PTX"))?;
    // A program that a shell starts is not inspected beforehand.
    let ended = code(setup, &nine, &["bash", "-c", &format!("{modes} good")], 125)?;
    contains(&ended, says)?;
    code(setup, &nine, &[modes, "good", "exit=3"], 3)?;
    code(setup, &[], &[modes, "good"], 0)?;
    let report = file(setup, "not-executed.json");
    code(setup, &["--report", text(&report), nine[0], nine[1]], &[modes, "good"], 125)?;
    let why = json(&report)?["run"]["not_executed"].as_str().unwrap_or_default().to_owned();
    same(why.contains("no PTX"), true, &ended)?;
    // NVIDIA's runtime is linked into the program, without symbols.
    let linked = program(setup, "device.cu", STATIC, &[])?;
    let stripped = linked.with_extension("stripped-run");
    succeed(Command::new("strip").arg("-o").args([&stripped, &linked]), &stripped)?;
    let ended = code(setup, &nine, &["bash", "-c", &format!("{}; true", text(&stripped))], 125)?;
    contains(&ended, "CUDA's runtime is linked into the program, where texunit cannot replace it")?;
    // No kernel is named.
    code(setup, &nine, &[modes, "error"], 0).map(drop)
}

/// One name for two outputs, an output that disappears, and paths relative to GitHub's workspace.
fn names(setup: &Setup) -> Result<(), Failed> {
    let folder = setup.build.join("names");
    std::fs::create_dir_all(&folder)?;
    let report = folder.join("r.json");
    let gone = format!("rm -r {}; exit $0", folder.display());
    let twice = ["--report", text(&report), "--coverage", text(&report)];
    let ended = code(setup, &twice, &["true"], 2)?;
    contains(&ended, "--report and --coverage both name")?;
    for (program, expected) in [("0", 1), ("7", 7)] {
        std::fs::create_dir_all(&folder)?;
        let ended =
            code(setup, &["--report", text(&report)], &["sh", "-c", &gone, program], expected)?;
        contains(&ended, "r.json cannot be written")?;
    }
    let modes = modes(setup)?;
    let mut command = setup.run();
    command.args(["--report-format", "github"]).arg(&modes).arg("bad");
    command.current_dir("/").env("GITHUB_WORKSPACE", &setup.root);
    let ended = succeed(&mut command, &modes)?;
    let begin = "::error file=tests/cuda/commands/modes.cu,line=12,";
    same(ended.stdout.starts_with(begin), true, &ended)
}
