//! `texunit run` and `texunit install-libs` as commands: exit codes, warnings, environment, report,
//! start-up.

use crate::process::{Ended, run, succeed};
use crate::program::{VARIANTS, Variant, build};
use crate::tools::{Setup, clean};
use libtest_mimic::{Failed, Trial};
use serde_json::Value;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

type Test = fn(&Setup) -> Result<(), Failed>;

/// A test: its name, the files of NVIDIA that it needs, and its function.
pub(crate) type Row = (&'static str, &'static [&'static str], Test);

/// What programs compiled by nvcc need.
pub(crate) const NVCC: &[&str] = &["nvcc"];

pub(crate) const SHARED: Variant = VARIANTS[0];
pub(crate) const STATIC: Variant = VARIANTS[1];

/// The output of `device.cu` on the default device.
pub(crate) const DEFAULT: &str = "NVIDIA GeForce RTX 3060 sm_86\n144\n";

/// The tests of a group; those whose files are missing are skipped.
pub(crate) fn trials(setup: &Setup, group: &str, rows: &[Row]) -> Vec<Trial> {
    let trial = |&(name, needs, test): &Row| {
        let (setup, skipped) = (setup.clone(), !setup.has(needs));
        Trial::test(format!("{group}/{name}"), move || test(&setup)).with_ignored_flag(skipped)
    };
    rows.iter().map(trial).collect()
}

/// The tests of this module.
pub(crate) const TESTS: &[Row] = &[
    ("exit codes and signals are the program's", &[], exit_codes),
    ("bounds", &[], bounds),
    ("what cannot be started has 125", &[], not_started),
    ("install-libs", &[], install_libs),
    ("a driver library that is closed", &[], closed),
    ("an exception in a host function", NVCC, exception),
    ("processes forked off beside launches", NVCC, forked),
    ("a report to a pipe", NVCC, report_to_a_pipe),
    ("start-up", NVCC, start_up),
    ("LD_LIBRARY_PATH without texunit run", NVCC, library_path),
    ("report of a fault", NVCC, fault_and_report),
    ("an assertion, with debug information", NVCC, assertion),
    ("warnings", NVCC, warnings),
];

pub(crate) fn same<T: PartialEq + std::fmt::Debug>(
    found: T,
    expected: T,
    of: &Ended,
) -> Result<(), Failed> {
    if found == expected {
        return Ok(());
    }
    Err(format!("{found:?}, but {expected:?} is expected: {of:?}").into())
}

/// An exception that leaves a host function terminates the process, and cannot be caught.
fn exception(setup: &Setup) -> Result<(), Failed> {
    let program = program(setup, "exception.cu", SHARED, &[])?;
    let ended = run(setup.run().arg(&program), &program)?;
    same(&*ended.stdout, "before\n", &ended)?;
    same(ended.status.to_string().contains("signal: 6"), true, &ended)?;
    same(ended.stderr.is_empty(), false, &ended)
}

/// A forked process can exit, whichever locks other threads held at that moment.
fn forked(setup: &Setup) -> Result<(), Failed> {
    let program = program(setup, "forked.cu", SHARED, &[])?;
    let mut command = setup.run();
    command.arg("--report").arg(program.with_extension("json")).arg("--coverage");
    command.arg(program.with_extension("info")).arg(&program);
    let ended = succeed(&mut command, &program)?;
    same(&*ended.stdout, "150\n", &ended)
}

/// The driver library stays loaded, because its functions are called when the process exits.
fn closed(setup: &Setup) -> Result<(), Failed> {
    let program = setup.build.join("closed");
    let source = setup.cases().join("commands/closed.c");
    succeed(Command::new("cc").arg(source).arg("-o").arg(&program).arg("-ldl"), &program)?;
    // Run directly, because libraries that `texunit run` preloads would keep the driver loaded.
    let mut command = Command::new(&program);
    clean(&mut command);
    let ended = succeed(command.env("LD_LIBRARY_PATH", &setup.libraries), &program)?;
    same(&*ended.stdout, "loaded\n", &ended)
}

/// If nobody reads the report, the program still ends with its own exit code.
fn report_to_a_pipe(setup: &Setup) -> Result<(), Failed> {
    let program = program(setup, "device.cu", SHARED, &[])?;
    let pipe = program.with_extension("pipe");
    let _ = std::fs::remove_file(&pipe);
    succeed(Command::new("mkfifo").arg(&pipe), &pipe)?;
    let mut command = setup.run();
    command.arg("--report").arg(&pipe).arg(&program);
    let start = Instant::now();
    let ended = run(&mut command, &program)?;
    same(&*ended.stdout, DEFAULT, &ended)?;
    same(ended.status.code(), Some(1), &ended)?;
    contains(&ended, "cannot be written: the pipe has no reader")?;
    same(start.elapsed() < Duration::from_secs(60), true, &ended)?;
    // With a reader.
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || std::fs::read(pipe)
    });
    let deadline = Instant::now() + Duration::from_secs(60);
    let report = loop {
        let ended = run(&mut command, &program)?;
        if ended.stderr.is_empty() {
            break reader.join().unwrap()?;
        }
        // The thread has not opened the pipe yet.
        same(Instant::now() < deadline, true, &ended)?;
    };
    let json: Value = serde_json::from_slice(&report)?;
    same(&json["launches"], &Value::from(1), &ended)
}

pub(crate) fn contains(ended: &Ended, text: &str) -> Result<(), Failed> {
    if ended.stderr.contains(text) {
        Ok(())
    } else {
        Err(format!("no `{text}` in {ended:?}").into())
    }
}

/// One of the programs of tests/cuda/commands.
pub(crate) fn program(
    setup: &Setup,
    name: &str,
    variant: Variant,
    flags: &[&str],
) -> Result<PathBuf, Failed> {
    let flags: Vec<_> = flags.iter().map(|&flag| flag.to_owned()).collect();
    build(setup, &setup.cases().join("commands").join(name), variant, &flags)
}

/// The library reads these options from the environment; crates/cuda/cuda/tests/all/settings.rs
/// tests their effects.
fn bounds(setup: &Setup) -> Result<(), Failed> {
    let shown = ["sh", "-c", "echo bounds=$TEXUNIT_BOUNDS"];
    for value in ["exact", "hardware"] {
        let of = setup.build.join("bounds");
        let ended = succeed(setup.run().args(["--bounds", value]).args(shown), &of)?;
        same(ended.stdout.clone(), format!("bounds={value}\n"), &ended)?;
    }
    let of = setup.build.join("bounds");
    let ended = succeed(setup.run().args(shown).env("TEXUNIT_BOUNDS", "hardware"), &of)?;
    same(&*ended.stdout, "bounds=hardware\n", &ended)?;
    let ended = run(setup.run().args(["--bounds", "loose"]).args(shown), &of)?;
    same(ended.status.code(), Some(2), &ended)
}

fn exit_codes(setup: &Setup) -> Result<(), Failed> {
    let ended = run(setup.run().args(["sh", "-c", "exit 7"]), &setup.build.join("exit"))?;
    same(ended.status.code(), Some(7), &ended)?;
    let ended = run(setup.run().args(["sh", "-c", "kill -9 $$"]), &setup.build.join("signal"))?;
    same(ended.status.code(), None, &ended)?;
    same(ended.status.to_string().contains("signal: 9"), true, &ended)
}

fn not_started(setup: &Setup) -> Result<(), Failed> {
    let files = setup.build.join("not-started");
    let text = files.with_extension("txt");
    std::fs::write(&text, "no program")?;
    let text = text.to_str().unwrap();
    for (program, said) in [
        ("/nowhere/program", "/nowhere/program: no such file"),
        ("no-such-program-of-texunit", "no program `no-such-program-of-texunit` in PATH"),
        (text, "denied"),
    ] {
        let ended = run(setup.run().arg(program), &files)?;
        same(ended.status.code(), Some(125), &ended)?;
        contains(&ended, said)?;
    }
    // As `cargo install` leaves the program: without a folder of libraries.
    let alone = setup.build.join("alone/bin");
    std::fs::create_dir_all(&alone)?;
    let alone = alone.join("texunit");
    // A copy instead could be busy while another thread starts a program.
    let _ = std::fs::remove_file(&alone);
    std::fs::hard_link(env!("CARGO_BIN_EXE_texunit"), &alone)?;
    let mut command = Command::new(&alone);
    clean(&mut command);
    let ended = run(command.args(["run", "true"]), &files)?;
    same(ended.status.code(), Some(125), &ended)?;
    contains(&ended, "(`cargo install` builds the program alone): they come with texunit's wheel")?;
    let ended = run(setup.run().arg("true").env("TEXUNIT_LIBS", "/nowhere"), &files)?;
    same(ended.status.code(), Some(125), &ended)?;
    contains(&ended, "TEXUNIT_LIBS is /nowhere, where no libcuda.so.1 is")
}

fn install_libs(setup: &Setup) -> Result<(), Failed> {
    let folder = setup.build.join("installed/here");
    let _ = std::fs::remove_dir_all(&folder);
    let files = setup.build.join("install-libs");
    // The second time overwrites the files of the first.
    for _ in 0..2 {
        let ended = succeed(setup.texunit().arg("install-libs").arg(&folder), &files)?;
        let shims = std::fs::read_dir(folder.join("shims"))?.count();
        same(ended.stdout.lines().count(), 25 + shims, &ended)?;
    }
    let core = concat!("libtexunit_core.so.", env!("CARGO_PKG_VERSION"));
    let runtimes =
        ["libcudart.so.12", "libcudart.so.13", "libcudart.so", "libcufft.so.11", "libcublas.so"];
    for name in [core, "libcuda.so.1", "libcuda.so"].into_iter().chain(runtimes) {
        if std::fs::read(folder.join(name))? != std::fs::read(setup.libraries.join(name))? {
            return Err(format!("{name} is no copy").into());
        }
    }
    let ended = run(setup.texunit().arg("install-libs").arg(&setup.libraries), &files)?;
    same(ended.status.success(), false, &ended)?;
    contains(&ended, "already")
}

/// Maximum duration of an empty program; longer for unoptimised builds.
const START_UP: Duration = Duration::from_millis(if cfg!(debug_assertions) { 120 } else { 30 });

/// The shortest of several durations, because other processes use the machine.
fn start_up(setup: &Setup) -> Result<(), Failed> {
    for variant in [SHARED, STATIC] {
        let program = program(setup, "empty.cu", variant, &[])?;
        let mut best = Duration::MAX;
        for _ in 0..20 {
            let start = Instant::now();
            let status = setup.run().arg(&program).status()?;
            best = best.min(start.elapsed());
            if !status.success() {
                return Err(status.to_string().into());
            }
        }
        if best >= START_UP {
            return Err(format!("{}: {best:?}", variant.name()).into());
        }
    }
    Ok(())
}

fn library_path(setup: &Setup) -> Result<(), Failed> {
    let program = program(setup, "device.cu", SHARED, &[])?;
    let folder = setup.build.join("library-path");
    succeed(setup.texunit().arg("install-libs").arg(&folder), &folder)?;
    let mut command = Command::new(&program);
    clean(&mut command);
    let ended = run(command.env("LD_LIBRARY_PATH", &folder), &program.with_extension("path"))?;
    same(&*ended.stdout, DEFAULT, &ended)
}

/// A fault gives a sticky error code, a diagnostic, and an entry in the run's report.
fn fault_and_report(setup: &Setup) -> Result<(), Failed> {
    for variant in [SHARED, STATIC] {
        let program = program(setup, "fault.cu", variant, &[])?;
        let report = program.with_extension(format!("{}.json", variant.name()));
        let mut command = setup.run();
        command.arg("--report").arg(&report).arg(&program);
        let ended = run(&mut command, &program)?;
        let printed = "cudaSuccess\ncudaErrorIllegalAddress\ncudaErrorIllegalAddress\n";
        same(&*ended.stdout, printed, &ended)?;
        contains(&ended, "kernel fault: ")?;
        contains(&ended, "st.global")?;
        contains(&ended, "thread (32, 0, 0)")?;
        contains(&ended, "`texunit explain-code out-of-bounds` says more")?;
        let json: Value = serde_json::from_slice(&std::fs::read(&report)?)?;
        same(&json["launches"], &Value::from(1), &ended)?;
        same(&json["kernels"][0]["name"], &Value::from("_Z6behindPiy"), &ended)?;
        same(&json["faults"][0]["code"], &Value::from("CUDA_ERROR_ILLEGAL_ADDRESS"), &ended)?;
        if json["fetches"].as_u64().is_none_or(|n| n == 0)
            || json["faults"][0]["line"].as_u64().is_none()
        {
            return Err(format!("{json:#}").into());
        }
    }
    Ok(())
}

/// The message of an assertion, in CUDA's words, appears between the program's own lines, whatever
/// debug information the PTX has.
fn assertion(setup: &Setup) -> Result<(), Failed> {
    let lines: &[&str] = &["-g", "-lineinfo"];
    let everything: &[&str] = &["-g", "-G"];
    for (variant, flags) in [(SHARED, lines), (STATIC, lines), (SHARED, everything)] {
        let program = program(setup, "assert.cu", variant, flags)?;
        let ended = run(setup.run().arg(&program), &program)?;
        let threads = "thread 0\nthread 1\nthread 2\nthread 3\ncudaSuccess\nthread 0\n";
        same(&*ended.stdout, &format!("{threads}cudaErrorAssert\ncudaErrorAssert\n"), &ended)?;
        let mut rest = ended.stderr.as_str();
        for text in [
            "before\nbetween\n",
            "assert.cu:8: void checks(int): block: [0,0,0], thread: [0,0,0] Assertion ",
            "`threadIdx.x < limit` failed.\n",
            "texunit: kernel fault: ",
            "\nafter\n",
        ] {
            let Some(at) = rest.find(text) else { return contains(&ended, text) };
            rest = &rest[at + text.len()..];
        }
    }
    Ok(())
}

fn warnings(setup: &Setup) -> Result<(), Failed> {
    // A runtime inside the program, without symbols.
    let stripped = program(setup, "device.cu", STATIC, &[])?.with_extension("stripped");
    std::fs::copy(program(setup, "device.cu", STATIC, &[])?, &stripped)?;
    succeed(Command::new("strip").arg(&stripped), &stripped)?;
    let ended = run(setup.run().arg(&stripped), &stripped)?;
    contains(&ended, "has no table of symbols (it is stripped)")
}
