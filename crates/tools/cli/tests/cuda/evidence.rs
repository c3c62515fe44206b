//! `texunit run` with several processes: exit codes, merged reports in every format, killed
//! programs, timeouts.

use crate::commands::{NVCC, Row, SHARED, STATIC, contains, program, same};
use crate::process::{Ended, run, succeed};
use crate::tools::{Setup, clean};
use libtest_mimic::Failed;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The tests of this module.
pub(crate) const TESTS: &[Row] = &[
    ("a program without CUDA", &[], without_cuda),
    ("exit codes of the parent", NVCC, exit_codes),
    ("a merged report", NVCC, merged),
    ("reports of each process", NVCC, of_each_process),
    ("reports keep to their schemas", &["nvcc", "reports"], schemas),
    ("a program that is killed", NVCC, killed),
    ("signals are passed on", NVCC, signals),
    ("Ctrl-C reaches the program once", &[], interrupted),
    ("an endless kernel", NVCC, endless),
    ("a tree that does not want to end", &[], stubborn),
    ("faults that are gone on after", NVCC, continued),
    ("runs in runs, and processes left behind", NVCC, inner),
    ("a process without a parent", NVCC, alone),
    ("colours and progress", NVCC, colors),
    ("pytest", &["nvcc", "reports"], pytest),
];

pub(crate) fn modes(setup: &Setup) -> Result<PathBuf, Failed> {
    program(setup, "modes.cu", SHARED, &["-lineinfo"])
}

/// The path of a test's file.
pub(crate) fn file(setup: &Setup, name: &str) -> PathBuf {
    let file = setup.build.join(name);
    let _ = std::fs::remove_file(&file);
    file
}

pub(crate) fn json(path: &Path) -> Result<Value, Failed> {
    let text = std::fs::read(path).map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(serde_json::from_slice(&text)?)
}

/// Checks the value at a JSON pointer.
pub(crate) fn at(json: &Value, pointer: &str, expected: impl Into<Value>) -> Result<(), Failed> {
    let (found, expected) = (json.pointer(pointer).unwrap_or(&Value::Null), expected.into());
    if *found == expected {
        return Ok(());
    }
    Err(format!("{pointer} is {found}, but {expected} is expected: {json:#}").into())
}

pub(crate) fn code(
    setup: &Setup,
    options: &[&str],
    command: &[&str],
    expected: i32,
) -> Result<Ended, Failed> {
    let files = setup.build.join("evidence");
    let ended = run(setup.run().args(options).args(command), &files)?;
    same(ended.status.code(), Some(expected), &ended)?;
    Ok(ended)
}

pub(crate) fn text(path: &Path) -> &str {
    path.to_str().unwrap_or_else(|| panic!("{} is no text", path.display()))
}

/// Exit codes, signals, standard input, and removal of temporary files, with programs that do not
/// use CUDA.
fn without_cuda(setup: &Setup) -> Result<(), Failed> {
    let report = file(setup, "without-cuda.json");
    let with = ["--error-exitcode", "9", "--report", text(&report)];
    code(setup, &with, &["sh", "-c", "exit 7"], 7)?;
    at(&json(&report)?, "/run/exit_code", 7)?;
    at(&json(&report)?, "/processes", Vec::<Value>::new())?;
    code(setup, &with, &["sh", "-c", "kill -9 $$"], 137)?;
    at(&json(&report)?, "/run/signal", 9)?;
    let ended = code(setup, &with, &["sh", "-c", "ls -d $TEXUNIT_EVIDENCE; cat"], 0)?;
    same(Path::new(ended.stdout.trim()).exists(), false, &ended)?;
    code(setup, &with, &["/nowhere/program"], 125)?;
    let ended = run(setup.run().args(["--timeout", "0", "true"]), &report)?;
    same(ended.status.code(), Some(2), &ended)?;
    contains(&ended, "expected a number of seconds")
}

fn exit_codes(setup: &Setup) -> Result<(), Failed> {
    let modes = modes(setup)?;
    let modes = text(&modes);
    let nine = ["--error-exitcode", "9"];
    let ended = code(setup, &nine, &[modes, "good", "error"], 0)?;
    same(&*ended.stdout, "cudaSuccess\n", &ended)?;
    same(&*ended.stderr, "", &ended)?;
    let ended = code(setup, &nine, &[modes, "bad"], 9)?;
    contains(&ended, "texunit: 1 fault in 1 process; exit code 9 (--error-exitcode)")?;
    code(setup, &nine, &[modes, "bad", "exit=3"], 3)?;
    code(setup, &["--timeout", "100"], &[modes, "bad"], 0)?;
    code(setup, &[], &[modes, "bad"], 0)?;
    let both = format!("{modes} bad; {modes} good");
    code(setup, &nine, &["bash", "-c", &both], 9)?;
    // A runtime inside the program.
    let linked = program(setup, "modes.cu", STATIC, &["-lineinfo"])?;
    code(setup, &nine, &[text(&linked), "bad"], 9).map(drop)
}

fn merged(setup: &Setup) -> Result<(), Failed> {
    let (modes, report) = (modes(setup)?, file(setup, "merged.json"));
    let both = format!("{0} good good; {0} good bad", modes.display());
    let ended = code(setup, &["--report", text(&report)], &["bash", "-c", &both], 0)?;
    contains(&ended, "texunit: 1 fault in 1 process")?;
    let json = json(&report)?;
    at(&json, "/launches", 4)?;
    at(&json, "/devices", vec!["sm_86"])?;
    at(&json, "/processes/0/launches", 2)?;
    at(&json, "/processes/1/launches", 2)?;
    at(&json, "/processes/1/command", vec![text(&modes), "good", "bad"])?;
    at(&json, "/processes/1/has_ended", true)?;
    let kernels = json["kernels"].as_array().map_or(0, Vec::len);
    same(kernels, 2, &ended)?;
    at(&json, "/kernels/1/function", "behind(int*)")?;
    at(&json, "/kernels/0/name", "_Z4fillPi")?;
    at(&json, "/kernels/0/launches", 3)?;
    at(&json, "/kernels/0/threads", 192)?;
    at(&json, "/faults/0/kind", "out-of-bounds")?;
    at(&json, "/faults/0/process", json["processes"][1]["pid"].clone())?;
    at(&json, "/faults/0/line", 12)?;
    at(&json, "/faults/0/place/frames/0/text", "    out[threadIdx.x + 32] = 1;")?;
    same(
        json["faults"][0]["file"].as_str().is_some_and(|f| f.ends_with("modes.cu")),
        true,
        &ended,
    )?;
    for time in ["/run/milliseconds", "/run/cpu_milliseconds", "/cpu_milliseconds", "/milliseconds"]
    {
        if json.pointer(time).and_then(Value::as_f64).is_none_or(|time| time <= 0.0) {
            return Err(format!("{time}: {json:#}").into());
        }
    }
    Ok(())
}

fn of_each_process(setup: &Setup) -> Result<(), Failed> {
    let folder = setup.build.join("each-process");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir(&folder)?;
    let modes = modes(setup)?;
    let both = format!("{0} good; {0} bad", modes.display());
    let name = folder.join("r-%p.json");
    code(setup, &["--report", text(&name)], &["bash", "-c", &both], 0)?;
    let mut faults = 0;
    for entry in std::fs::read_dir(&folder)? {
        let (path, json) = (entry.as_ref().unwrap().path(), json(&entry?.path())?);
        at(&json, "/launches", 1)?;
        let own = folder.join(format!("r-{}.json", json["processes"][0]["pid"]));
        if own != path {
            return Err(format!("{}: {json:#}", path.display()).into());
        }
        faults += json["faults"].as_array().map_or(0, Vec::len);
    }
    let files = std::fs::read_dir(&folder)?.count();
    if (files, faults) == (2, 1) {
        Ok(())
    } else {
        Err(format!("{files} files, {faults} faults").into())
    }
}

/// Every format, for a run with all kinds of entries and for an empty one.
fn schemas(setup: &Setup) -> Result<(), Failed> {
    let modes = modes(setup)?;
    let script = format!("{0} good bad; {0} 'bad<&\"' endless", modes.display());
    let names = ["s.json", "s.sarif", "s.xml", "s.txt"].map(|name| file(setup, name));
    let mut options = vec!["--timeout", "3", "--report-format", "github"];
    options.extend(names.iter().flat_map(|name| ["--report", text(name)]));
    let checker = setup.cases().join("commands/schemas.py");
    for (command, expected) in [(["bash", "-c", &script], 124), (["bash", "-c", "exit 1"], 1)] {
        code(setup, &options, &command, expected)?;
        let mut validate = Command::new("python3");
        validate.env("PYTHONPATH", setup.file("reports")).env("PYTHONDONTWRITEBYTECODE", "1");
        validate
            .arg(&checker)
            .arg(setup.root.join("crates/observe/evidence/schemas"))
            .args(&names[..3]);
        succeed(&mut validate, &names[0].with_extension("checked"))?;
        if expected != 124 {
            continue;
        }
        let sarif = json(&names[1])?;
        at(&sarif, "/runs/0/results/0/ruleId", "out-of-bounds")?;
        at(&sarif, "/runs/0/results/0/locations/0/physicalLocation/region/startLine", 12)?;
        at(&sarif, "/runs/0/results/1/ruleId", "cancelled")?;
        at(&sarif, "/runs/0/invocations/0/exitCode", 124)?;
        let xml = std::fs::read_to_string(&names[2])?;
        for part in [
            "<testcase name=\"fill(int*)\" classname=\"modes",
            "<failure message=\"",
            "type=\"out-of-bounds\"",
            "type=\"cancelled\"",
            "the run was stopped after 3 s (--timeout)",
        ] {
            if !xml.contains(part) {
                return Err(format!("no {part} in {xml}").into());
            }
        }
        let lines = std::fs::read_to_string(&names[3])?;
        let first = lines.lines().next().unwrap_or_default();
        let begins = first.starts_with("::error file=") && first.contains("modes.cu,line=12,");
        if !begins
            || lines.lines().count() != 3
            || !first.contains("::out of bounds") && !first.contains("%0A")
        {
            return Err(lines.into());
        }
    }
    Ok(())
}

/// After a signal, the report contains everything until then, and the exit code tells the signal.
fn killed(setup: &Setup) -> Result<(), Failed> {
    let (modes, report) = (modes(setup)?, file(setup, "killed.json"));
    let with = ["--error-exitcode", "9", "--report", text(&report)];
    for (how, signal) in [("kill", 9), ("abort", 6)] {
        code(setup, &with, &[text(&modes), "good", "bad", how], 128 + signal)?;
        let json = json(&report)?;
        at(&json, "/launches", 2)?;
        at(&json, "/faults/0/kind", "out-of-bounds")?;
        at(&json, "/run/signal", signal)?;
        at(&json, "/processes/0/has_ended", false)?;
    }
    Ok(())
}

/// SIGTERM and SIGINT to the parent, while the program waits and while a kernel runs.
fn signals(setup: &Setup) -> Result<(), Failed> {
    let modes = modes(setup)?;
    for (signal, number, last) in [("-TERM", 15, "pause"), ("-INT", 2, "endless")] {
        let (ready, report) = (file(setup, "ready"), file(setup, "signals.json"));
        let touch = format!("touch={}", ready.display());
        let run = setup.run();
        let mut command = Command::new("env");
        // A shell starts background commands with SIGINT ignored.
        command.arg("--default-signal=INT").arg(run.get_program()).args(run.get_args());
        command.envs(run.get_envs().filter_map(|(name, value)| Some((name, value?))));
        for (name, _) in run.get_envs().filter(|(_, value)| value.is_none()) {
            command.env_remove(name);
        }
        // The timeout ends the run if the test fails.
        command.args(["--timeout", "60", "--report", text(&report)]);
        command.arg(&modes).args(["good", &touch, last]).stderr(Stdio::piped());
        let child = command.spawn()?;
        let start = Instant::now();
        while !ready.exists() && start.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(5));
        }
        // The kernel has been running for some time.
        std::thread::sleep(Duration::from_millis(400));
        succeed(Command::new("kill").arg(signal).arg(child.id().to_string()), &ready)?;
        let output = child.wait_with_output()?;
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        let ended = Ended { status: output.status, stdout: String::new(), stderr };
        same(ended.status.code(), Some(128 + number), &ended)?;
        let json = json(&report)?;
        at(&json, "/run/signal", number)?;
        at(&json, "/kernels/0/launches", 1)?;
        if last == "endless" {
            at(&json, "/running/0/function", "endless(int volatile*)")?;
            contains(&ended, "was ended while kernel endless(int volatile*) was running")?;
        }
    }
    Ok(())
}

/// A terminal sends SIGINT to the program itself, so `texunit run` must not send it again.
fn interrupted(setup: &Setup) -> Result<(), Failed> {
    let script = setup.cases().join("commands/interrupt.py");
    let mut python = Command::new("python3");
    clean(&mut python);
    python.env("TEXUNIT_LIBS", &setup.libraries).arg(&script).arg(setup.texunit().get_program());
    let ended = run(&mut python, &setup.build.join("interrupt"))?;
    same(&*ended.stdout, "interrupted 1 times, exit code 7\n", &ended)
}

fn endless(setup: &Setup) -> Result<(), Failed> {
    let (modes, report) = (modes(setup)?, file(setup, "endless.json"));
    let both = format!("{0} endless & {0} endless error; wait", modes.display());
    let with = ["--timeout", "1.5", "--report", text(&report)];
    let start = Instant::now();
    let ended = code(setup, &with, &["bash", "-c", &both], 124)?;
    same(start.elapsed() < Duration::from_secs(30), true, &ended)?;
    contains(&ended, "the program has not ended within 1.5 s (--timeout)")?;
    contains(&ended, "the kernel was running when the time of the run was over")?;
    contains(&ended, "for (; *flag == 0;")?;
    let json = json(&report)?;
    at(&json, "/run/timed_out_after_seconds", 1.5)?;
    for (pointer, value) in [("kind", Value::from("cancelled")), ("line", 17.into())] {
        at(&json, &format!("/faults/0/{pointer}"), value.clone())?;
        at(&json, &format!("/faults/1/{pointer}"), value)?;
    }
    // The limit of steps needs no parent process.
    let ended = code(setup, &["--max-steps", "20000"], &[text(&modes), "endless", "error"], 0)?;
    contains(&ended, "a warp has executed 20000 instructions")?;
    contains(&ended, "endless(int volatile*)")?;
    same(&*ended.stdout, "cudaErrorLaunchTimeout\n", &ended)
}

/// SIGKILL reaches processes that ignore SIGTERM, and processes that have left their parent and
/// process group.
fn stubborn(setup: &Setup) -> Result<(), Failed> {
    let mark = file(setup, "stubborn");
    let script = format!(
        "trap '' TERM; (setsid sh -c 'trap \"\" TERM; sleep 3; touch {}' &) ; sleep 1000; sleep 1000",
        mark.display()
    );
    let start = Instant::now();
    let ended = code(setup, &["--timeout", "0.3"], &["sh", "-c", &script], 124)?;
    same(start.elapsed() < Duration::from_secs(30), true, &ended)?;
    std::thread::sleep(Duration::from_secs(4).saturating_sub(start.elapsed()));
    same(mark.exists(), false, &ended)
}

fn continued(setup: &Setup) -> Result<(), Failed> {
    let (modes, report) = (modes(setup)?, file(setup, "continued.json"));
    let mode = ["bad", "bad", "good", "bad", "error"];
    let command = [&[text(&modes)][..], &mode].concat();
    let with = ["--continue-after-fault", "--error-exitcode", "5", "--report", text(&report)];
    let ended = code(setup, &with, &command, 5)?;
    same(&*ended.stdout, "cudaSuccess\n", &ended)?;
    same(ended.stderr.matches("out of bounds").count(), 1, &ended)?;
    contains(&ended, "the launch has ended, and the context stays usable")?;
    contains(&ended, "3 faults in all: out-of-bounds at ")?;
    contains(&ended, "texunit: 3 faults in 1 process; exit code 5")?;
    let json = json(&report)?;
    at(&json, "/launches", 4)?;
    at(&json, "/faults/0/count", 3)?;
    at(&json, "/faults/0/launch", 1)?;
    at(&json, "/processes/0/faults", 3)?;
    // Without the option, the second launch is refused.
    let ended = code(setup, &with[1..], &command, 5)?;
    same(&*ended.stdout, "cudaErrorIllegalAddress\n", &ended)?;
    contains(&ended, "texunit: 1 fault in 1 process")
}

fn inner(setup: &Setup) -> Result<(), Failed> {
    let (modes, report) = (modes(setup)?, file(setup, "inner.json"));
    let texunit = setup.texunit().get_program().to_owned();
    let texunit = texunit.to_str().unwrap();
    let inner = [texunit, "run", "--timeout", "100", text(&modes), "bad"];
    code(setup, &["--error-exitcode", "9", "--report", text(&report)], &inner, 9)?;
    at(&json(&report)?, "/faults/0/kind", "out-of-bounds")?;
    // The program ends before the process that it has started.
    let script = format!("{} second bad & sleep 0.6", modes.display());
    code(
        setup,
        &["--error-exitcode", "9", "--report", text(&report)],
        &["bash", "-c", &script],
        9,
    )?;
    at(&json(&report)?, "/processes/0/has_ended", true)
}

/// The libraries without `texunit run`, as after `install-libs`.
fn alone(setup: &Setup) -> Result<(), Failed> {
    let (modes, folder) = (modes(setup)?, setup.build.join("alone"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir(&folder)?;
    let alone = |report: &str, format: &str| {
        let mut command = Command::new(&modes);
        clean(&mut command);
        command.env("LD_LIBRARY_PATH", &setup.libraries).env("TEXUNIT_REPORT", folder.join(report));
        command.env("TEXUNIT_REPORT_FORMAT", format).arg("bad");
        command
    };
    let ended = succeed(&mut alone("r-%p.json", ""), &folder.join("plain"))?;
    let mut names = Vec::new();
    for entry in std::fs::read_dir(&folder)? {
        names.extend(entry?.file_name().into_string().ok().filter(|name| name.ends_with(".json")));
    }
    same(names.len(), 1, &ended)?;
    let json = json(&folder.join(&names[0]))?;
    at(&json, "/faults/0/kind", "out-of-bounds")?;
    same(names[0].clone(), format!("r-{}.json", json["processes"][0]["pid"]), &ended)?;
    succeed(&mut alone("r.sarif", ""), &folder.join("plain"))?;
    let sarif: Value = serde_json::from_slice(&std::fs::read(folder.join("r.sarif"))?)?;
    at(&sarif, "/version", "2.1.0")?;
    let ended = succeed(&mut alone("r", "github"), &folder.join("plain"))?;
    same(std::fs::read_to_string(folder.join("r"))?.starts_with("::error file="), true, &ended)?;
    let ended = succeed(&mut alone("r", "html"), &folder.join("plain"))?;
    contains(&ended, "TEXUNIT_REPORT_FORMAT is `html`; it takes json, sarif, junit and github")
}

fn colors(setup: &Setup) -> Result<(), Failed> {
    let modes = modes(setup)?;
    let modes = text(&modes);
    let ended = code(setup, &["--color", "always"], &[modes, "bad"], 0)?;
    contains(&ended, "\x1b[")?;
    let ended = code(setup, &[], &[modes, "bad"], 0)?;
    same(ended.stderr.contains('\x1b'), false, &ended)?;
    // On a pseudo-terminal, which Python creates.
    let on_terminal = |no_color: &str, words: &[&str]| -> Result<Ended, Failed> {
        let script = "import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)";
        let mut python = Command::new("python3");
        clean(&mut python);
        python.env("TEXUNIT_LIBS", &setup.libraries).env("TERM", "xterm").env("NO_COLOR", no_color);
        python.args(["-c", script]).arg(setup.texunit().get_program()).arg("run").args(words);
        Ok(run(&mut python, &setup.build.join("terminal"))?)
    };
    let ended = on_terminal("", &["--timeout", "2", modes, "endless"])?;
    same(ended.status.code(), Some(124), &ended)?;
    let shown =
        ["\rendless(int volatile*): 0 of 1 CTA in 1 s\x1b[K", "\r\x1b[Ktexunit: ", "\x1b[1m"];
    same(shown.map(|part| ended.stdout.contains(part)), [true; 3], &ended)?;
    let ended = on_terminal("1", &[modes, "bad"])?;
    same(ended.stdout.contains('\x1b'), false, &ended)?;
    same(ended.stdout.contains("kernel fault"), true, &ended)
}

/// Two tests, each with its own program.
fn pytest(setup: &Setup) -> Result<(), Failed> {
    let (modes, report) = (modes(setup)?, file(setup, "pytest.json"));
    let folder = setup.build.join("pytest");
    std::fs::create_dir_all(&folder)?;
    let tests = format!(
        "import subprocess\n\n\ndef test_good():\n    subprocess.run([{0:?}, 'good'], check=True)\n\n\n\
         def test_bad():\n    subprocess.run([{0:?}, 'good', 'bad'], check=True)\n",
        text(&modes)
    );
    std::fs::write(folder.join("test_two.py"), tests)?;
    let mut command = setup.run();
    command.args(["--error-exitcode", "9", "--report", text(&report)]);
    command.args(["python3", "-m", "pytest", "-q", "-p", "no:cacheprovider"]).arg(&folder);
    command.env("PYTHONPATH", setup.file("reports")).env("PYTHONDONTWRITEBYTECODE", "1");
    let ended = run(&mut command, &report)?;
    same(ended.stdout.contains("2 passed"), true, &ended)?;
    same(ended.status.code(), Some(9), &ended)?;
    let json = json(&report)?;
    at(&json, "/processes/0/launches", 1)?;
    at(&json, "/processes/1/launches", 2)?;
    at(&json, "/faults/0/process", json["processes"][1]["pid"].clone())
}
