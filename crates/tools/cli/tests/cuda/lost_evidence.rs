//! Lost evidence fails the run, and reports keep all tests: `texunit run` around programs that
//! damage its files, that are killed while recording, and as a launcher of each test.

use crate::commands::{NVCC, Row, contains, same};
use crate::evidence::{at, code, file, json, modes, text};
use crate::process::run;
use crate::tools::{Setup, clean};
use libtest_mimic::Failed;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// The tests of this module.
pub(crate) const TESTS: &[Row] = &[
    ("evidence", NVCC, lost),
    ("records", NVCC, recorded),
    ("reports of one name", NVCC, launcher),
];

/// Ways to lose evidence, with the messages.
const WAYS: [(&str, &str); 4] = [
    ("rm -r \"$TEXUNIT_EVIDENCE\"", "the folder of the run was removed"),
    ("rm \"$TEXUNIT_EVIDENCE\"/*.jsonl", "could not be kept or read"),
    (
        "for f in \"$TEXUNIT_EVIDENCE\"/*.jsonl; do echo nonsense > $f; done",
        "could not be kept or read",
    ),
    ("true", "could not be kept or read"),
];

fn lost(setup: &Setup) -> Result<(), Failed> {
    let modes = modes(setup)?;
    for (number, (damage, words)) in WAYS.into_iter().enumerate() {
        // No file can grow, as on a full disk.
        let full = if damage == "true" { "trap '' XFSZ; ulimit -f 0; " } else { "" };
        let script = |mode: &str| format!("({full}exec {} {mode}); {damage}", modes.display());
        let names =
            ["json", "xml", "sarif"].map(|form| file(setup, &format!("lost-{number}.{form}")));
        let [json_file, xml, sarif] = &names;
        let reports = ["--report", text(json_file), "--report", text(xml), "--report", text(sarif)];
        let all = [
            &["--error-exitcode", "9"],
            &reports[..],
            &["--report", "-", "--report-format", "github"],
        ]
        .concat();
        let ended = code(setup, &all, &["bash", "-c", &script("bad")], 9)?;
        contains(&ended, "texunit: evidence lost: ")?;
        contains(&ended, words)?;
        let why = json(json_file)?["run"]["evidence_lost"].as_str().unwrap_or_default().to_owned();
        same(why.contains(words), true, &ended)?;
        for other in
            [&std::fs::read_to_string(xml)?, &std::fs::read_to_string(sarif)?, &ended.stdout]
        {
            same(other.contains(words), true, &ended)?;
        }
        code(setup, &["--error-exitcode", "9"], &["bash", "-c", &script("good")], 125)?;
        code(setup, &reports[..2], &["bash", "-c", &script("good")], 1)?;
        code(setup, &reports[..2], &["bash", "-c", &(script("good") + "; exit 3")], 3)?;
    }
    // Programs that are killed lose nothing.
    let killed = format!("{0} kill; {0} good", modes.display());
    let ended = code(setup, &["--error-exitcode", "9"], &["bash", "-c", &killed], 0)?;
    same(ended.stderr.contains("evidence lost"), false, &ended)
}

/// Each folder of a recording has its job, whenever the processes are killed.
fn recorded(setup: &Setup) -> Result<(), Failed> {
    let (modes, folder) = (modes(setup)?, setup.build.join("lost-record"));
    let script = format!("while true; do {} good good good; done", modes.display());
    for (wait, signal) in [(150, "-HUP"), (230, "-HUP"), (310, "-KILL"), (370, "-KILL")] {
        let _ = std::fs::remove_dir_all(&folder);
        // `nohup cargo test` ignores hangups, and so do all its children.
        let mut command = Command::new("env");
        clean(&mut command);
        command.env("TEXUNIT_LIBS", &setup.libraries);
        command.args(["--default-signal=HUP", "setsid", "--wait"]);
        command.arg(setup.run().get_program()).args(["run", "--record", text(&folder)]);
        let mut child = command.args(["bash", "-c", &script]).spawn()?;
        std::thread::sleep(Duration::from_millis(wait));
        // `setsid` either becomes the program, or starts it in a session of its own.
        let group = format!(
            "kill {signal} -- -$(ps -o pgid= -p {0} --ppid {0} | tail -1 | tr -d ' ')",
            child.id()
        );
        Command::new("bash").args(["-c", &group]).status()?;
        child.wait()?;
        // Nothing can remove a hidden part if `texunit run` itself is killed.
        let is_part = |name: &std::ffi::OsStr| name.to_string_lossy().starts_with(".texunit-");
        let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
        let mut without = entries
            .filter(|entry| !entry.path().join("job.toml").is_file())
            .filter(|entry| signal == "-HUP" || !is_part(&entry.file_name()));
        if let Some(entry) = without.next() {
            return Err(format!("{signal} after {wait} ms: {}", entry.path().display()).into());
        }
    }
    Ok(())
}

/// A program with the name of a test runner, which executes shell commands.
fn runner(setup: &Setup, name: &str) -> Result<Command, Failed> {
    let folder = setup.build.join("lost-runner");
    std::fs::create_dir_all(&folder)?;
    let program = folder.join(name);
    if !program.is_file() {
        std::fs::copy("/bin/sh", &program)?;
    }
    let mut command = Command::new(program);
    clean(&mut command);
    command.env("TEXUNIT_LIBS", &setup.libraries).arg("-c");
    Ok(command)
}

fn launcher(setup: &Setup) -> Result<(), Failed> {
    let modes = modes(setup)?;
    let program = setup.texunit().get_program().to_owned();
    let run_with = |name: &str, option: &str, path: &Path, modes_of: [&str; 2]| {
        let one = |mode: &str| {
            let (texunit, path) = (program.display(), path.display());
            format!("{texunit} run --error-exitcode 1 {option} {path} {} {mode}", modes.display())
        };
        // Results of both tests; a last command keeps the shell from becoming the program.
        let [first, second] = modes_of.map(one);
        let script = format!("{first}; a=$?; {second}; echo $a $?; true");
        run(runner(setup, name)?.arg(script), &modes).map_err(Failed::from)
    };
    let xml = file(setup, "launcher.xml");
    for round in 0..2 {
        // The next runner starts with an empty report.
        let ended = run_with("ctest", "--report", &xml, ["bad", "good"])?;
        same(&*ended.stdout, "1 0\n", &ended)?;
        let report = std::fs::read_to_string(&xml)?;
        let head = "<testsuites name=\"texunit\" tests=\"2\" failures=\"1\" errors=\"0\">";
        same((round, report.contains(head)), (round, true), &ended)?;
        std::thread::sleep(Duration::from_millis(50));
    }
    let sarif = file(setup, "launcher.sarif");
    let ended = run_with("ctest", "--report", &sarif, ["bad", "good"])?;
    same(json(&sarif)?["runs"].as_array().map(Vec::len), Some(2), &ended)?;
    let info = file(setup, "launcher.info");
    let ended = run_with("ctest", "--coverage", &info, ["good", "good"])?;
    let once = file(setup, "once.info");
    code(setup, &["--coverage", text(&once)], &[text(&modes), "good"], 0)?;
    let lanes = |path: &Path| -> Result<u64, Failed> {
        let text = std::fs::read_to_string(path)?;
        let line = text.lines().find_map(|line| line.strip_prefix("FNDA:64,fill"));
        let twice = text.lines().find_map(|line| line.strip_prefix("FNDA:128,fill"));
        Ok(u64::from(line.is_some()) + 2 * u64::from(twice.is_some()))
    };
    same((lanes(&once)?, lanes(&info)?), (1, 2), &ended)?;
    // A JSON report describes one run: the second test is refused, and the first report remains.
    let report = file(setup, "launcher.json");
    let ended = run_with("ctest", "--report", &report, ["bad", "good"])?;
    same(&*ended.stdout, "1 2\n", &ended)?;
    contains(&ended, "was written since ctest began")?;
    at(&json(&report)?, "/processes/0/command/1", "bad")?;
    // A repeated test replaces its earlier result; a shell is not recognised as a test runner.
    for (name, command) in [("ctest", ["bad", "bad"]), ("shell", ["bad", "good"])] {
        let ended = run_with(name, "--report", &report, command)?;
        let expected = if command[1] == "bad" { "1 1\n" } else { "1 0\n" };
        same(&*ended.stdout, expected, &ended)?;
        at(&json(&report)?, "/processes/0/command/1", command[1])?;
    }
    // A process without launches has no suite.
    let empty = file(setup, "launcher-empty.xml");
    let ended = code(setup, &["--report", text(&empty)], &[text(&modes), "error"], 0)?;
    let report = std::fs::read_to_string(&empty)?;
    same((report.contains("<testsuite "), report.contains("tests=\"0\"")), (false, true), &ended)
}
