//! Benchmark of checking PTX: MB/s of the parser, the checker and the lints on one thread, memory,
//! and the start-up time of the program; NVIDIA's ptxas is timed beside it if it is available.
//!
//! Prints tables with the best of several runs; time never makes it fail. docs/performance.md has
//! measured numbers, with the machine. ptxas 13.5 is looked up in the folder that TEXUNIT_NVIDIA
//! names, else in target/nvidia, with the layout of `cargo run -p xtask -- oracle`.
#![allow(clippy::print_stdout, clippy::unwrap_used, missing_docs)]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use texunit_bench::{best, generated, memory, nvcc_output, seconds};
use texunit_check::{Options, check_source, check_with, lint};
use texunit_syntax::{Diagnostic, SourceFile, parse};

/// A PTX text to check.
struct Input {
    name: &'static str,
    text: String,
    runs: usize,
}

fn inputs() -> Vec<Input> {
    vec![
        Input { name: "nvcc output", text: nvcc_output(), runs: 9 },
        Input { name: "kernel of 200,000 lines", text: generated(1, 200_000), runs: 5 },
        Input { name: "kernel of 50 MB", text: generated(1, 1_435_000), runs: 1 },
    ]
}

/// The times of parsing, checking, linting, and all of them together, in seconds.
fn phases(source: &SourceFile) -> [f64; 4] {
    let options = Options::default();
    let (parsing, parsed) = seconds(|| parse(source));
    let (checking, checked) = seconds(|| check_with(source, &parsed.module, options));
    let (linting, _) = seconds(|| lint::lint(source, &parsed.module, &checked));
    drop((parsed, checked));
    let (all, diagnostics) = seconds(|| check_source(source, &options));
    let errors: Vec<&Diagnostic> = diagnostics.iter().filter(|d| d.is_error()).collect();
    assert!(errors.is_empty(), "{}: {:?}", source.name(), errors[0]);
    [parsing, checking, linting, all]
}

/// The argument that makes this program check one file and print its peak memory, because memory is
/// measured in a process of its own.
const MEMORY: &str = "--memory-of";

/// Peak memory of a process of this program that only checks the given file, as text for the table.
fn memory_of(file: &Path) -> String {
    let program = std::env::current_exe().unwrap();
    let output = Command::new(program).arg(MEMORY).arg(file).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).trim().to_string();
    if text.is_empty() { "unknown".into() } else { text }
}

fn check_and_tell_memory(file: &str) {
    let source = SourceFile::new(file, std::fs::read_to_string(file).unwrap());
    drop(check_source(&source, &Options::default()));
    if let Some(mib) = memory("VmHWM:") {
        println!("{mib:.0} MiB");
    }
}

fn ptxas() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/nvidia");
    let folder = std::env::var_os("TEXUNIT_NVIDIA").map_or(root, PathBuf::from);
    Some(folder.join("cu13/nvidia/cu13/bin/ptxas")).filter(|p| p.is_file())
}

/// Best time in seconds of several runs of a program, and whether it succeeded.
fn run(runs: usize, program: &Path, args: &[&str]) -> (f64, bool) {
    best(runs, || {
        let mut command = Command::new(program);
        command.args(args).stdout(Stdio::null()).stderr(Stdio::null()).stdin(Stdio::null());
        command.status().unwrap().success()
    })
}

/// Options with which ptxas stops after its front end.
const FRONT_END: [&str; 3] = ["-arch=compute_80", "-o", "/dev/null"];

fn speed(folder: &Path, ptxas: Option<&Path>) {
    println!("| input | MB | parse | check | lint | all, ms | MB/s | memory | ptxas, ms | MB/s |");
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for Input { name, text, runs } in inputs() {
        let file = folder.join("input.ptx");
        std::fs::write(&file, &text).unwrap();
        let mb = text.len() as f64 / 1e6;
        let memory = memory_of(&file);
        let source = SourceFile::new(name, text);
        let best = (0..runs)
            .map(|_| phases(&source))
            .reduce(|a, b| std::array::from_fn(|n| a[n].min(b[n])))
            .unwrap();
        let [parsing, checking, linting, all] = best.map(|s| s * 1e3);
        let theirs = ptxas.map(|ptxas| {
            run(runs.min(3), ptxas, &[&FRONT_END[..], &[file.to_str().unwrap()]].concat())
        });
        let theirs = match theirs {
            Some((time, true)) => format!("{:.0} | {:.1}", time * 1e3, mb / time),
            Some((_, false)) => "refused |".into(),
            None => "absent |".into(),
        };
        println!(
            "| {name} | {mb:.1} | {parsing:.1} | {checking:.1} | {linting:.1} | {all:.1} | {:.1} | {memory} | {theirs} |",
            mb * 1e3 / all
        );
    }
}

/// The path of the `texunit` program in the target folder of this benchmark, if it was built.
fn program() -> Option<PathBuf> {
    let exe = std::env::current_exe().ok()?;
    let path = exe.parent()?.parent()?.join(format!("texunit{}", std::env::consts::EXE_SUFFIX));
    path.is_file().then_some(path)
}

fn start_up(folder: &Path, ptxas: Option<&Path>) {
    const RUNS: usize = 50;
    const TINY: &str = ".version 8.0\n.target sm_80\n.address_size 64\n.entry k() { ret; }\n";
    println!("\n| start-up, process included | ms |\n|---|---|");
    let file = folder.join("tiny.ptx");
    std::fs::write(&file, TINY).unwrap();
    let file = file.to_str().unwrap();
    match program() {
        Some(program) => {
            let (time, content) = run(RUNS, &program, &["check", file]);
            assert!(content, "texunit check {file} failed");
            println!("| `texunit check` of a file of four lines | {:.1} |", time * 1e3);
        }
        None => println!("| `texunit check`: run `cargo build --release` first | |"),
    }
    match ptxas {
        Some(ptxas) => {
            let (time, _) = run(RUNS, ptxas, &["--version"]);
            println!("| `ptxas --version` | {:.1} |", time * 1e3);
            let (time, content) = run(RUNS, ptxas, &[&FRONT_END[..], &[file]].concat());
            assert!(content, "ptxas failed");
            println!("| `ptxas`, front end, the same file | {:.1} |", time * 1e3);
        }
        None => println!("| ptxas 13.5 is not here: set TEXUNIT_NVIDIA | |"),
    }
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    if let [_, word, file] = args.as_slice()
        && word == MEMORY
    {
        return check_and_tell_memory(file);
    }
    let folder = texunit_testkit::TempDir::new("bench");
    let ptxas = ptxas();
    speed(&folder, ptxas.as_deref());
    start_up(&folder, ptxas.as_deref());
}
