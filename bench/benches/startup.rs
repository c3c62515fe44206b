//! Benchmark of start-up: time and memory from a module's text to the first launch of one of its
//! kernels; the cost of a first launch of a kernel with 500 instructions, with machine code and
//! without; and the cost of a kernel with 80,000 regions for which generating code never pays.
//!
//! Prints tables with the best of several processes, each of which loads one module once; time
//! never makes it fail. docs/performance.md has measured numbers, with the machine. Arguments
//! select modules by name.
#![allow(clippy::print_stdout, clippy::unwrap_used, missing_docs)]

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use texunit_bench::{cpu_time, generated, is_wanted, median, memory, nvcc_output, seconds};
use texunit_device::{Device, DeviceOptions, LaunchOptions, Module};
use texunit_syntax::SourceFile;

const RUNS: usize = 9;

/// A PTX module, and its kernel to launch.
struct Input {
    name: &'static str,
    text: String,
    kernel: &'static str,
}

/// One kernel that consists of pieces of five instructions, each ending with a divergent branch, so
/// that a warp enters each region at most once.
fn short_regions(pieces: usize) -> String {
    let mut text = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k0(.param .u64 k0_param_0)\n{\n\t\
         .reg .pred %p<2>;\n\t.reg .b32 %r<5>;\n\t.reg .b64 %rd<3>;\n\tld.param.u64 \t%rd1, [k0_param_0];\n\t\
         cvta.to.global.u64 \t%rd2, %rd1;\n\tmov.u32 \t%r0, %tid.x;\n\tmov.u32 \t%r1, %r0;\n\t\
         mov.u32 \t%r2, %r0;\n"
        .to_owned();
    for n in 0..pieces {
        let _ = write!(
            text,
            "\tmad.lo.s32 \t%r1, %r1, 1664525, {n};\n\txor.b32 \t%r2, %r2, %r1;\n\t\
             setp.lt.s32 \t%p1, %r2, 0;\n\t@%p1 bra \t$L{n};\n\tadd.s32 \t%r2, %r2, %r0;\n$L{n}:\n"
        );
    }
    text += "\tst.global.u32 \t[%rd2], %r2;\n\tret;\n}\n";
    text
}

fn inputs() -> Vec<Input> {
    let input = |name, text, kernel| Input { name, text, kernel };
    vec![
        input("one kernel of 500 lines", generated(1, 500), "k0"),
        input("500 kernels, 100,000 lines", generated(500, 100_000), "k250"),
        input("one kernel of 100,000 lines", generated(1, 100_000), "k0"),
        input("nvcc output, CUB and Thrust", nvcc_output(), ""),
    ]
}

/// Milliseconds that `work` takes. Above [`COARSE`] seconds they are CPU time, which other programs
/// do not affect, since this thread does all of the work.
fn ms<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let cpu = cpu_time();
    let (time, result) = seconds(work);
    let cpu = cpu.zip(cpu_time()).map(|(from, to)| to - from).filter(|_| time > COARSE);
    (cpu.unwrap_or(time) * 1e3, result)
}

/// Time in seconds above which CPU time is precise enough, since the system counts it in steps of
/// some milliseconds.
const COARSE: f64 = 0.05;

/// Arguments that make this program perform one measurement and print its numbers, separated by
/// spaces, because each measurement needs a new process.
const PHASES: &str = "--phases-of";
const START: &str = "--start-of";

/// Measures parsing and checking of a file, in milliseconds.
fn phases(file: &str) -> Vec<f64> {
    let source = SourceFile::new(file, std::fs::read_to_string(file).unwrap());
    let (parsing, parsed) = ms(|| texunit_syntax::parse(&source));
    let (checking, checked) = ms(|| texunit_check::check(&source, &parsed.module));
    drop(checked);
    vec![parsing, checking]
}

/// Measures a file: the times of loading it, of lowering one kernel (by querying the kernel's
/// attributes), of the first launch with `grid` CTAs and of the second, and the process's peak
/// memory.
fn start(file: &str, kernel: &str, grid: u32) -> Vec<f64> {
    let text = std::fs::read_to_string(file).unwrap();
    let device = Device::new(&DeviceOptions::default());
    let (loading, module) = ms(|| Module::load(&device, file, &text).unwrap());
    drop(text);
    let name = if kernel.is_empty() { module.kernels()[0].clone() } else { kernel.to_owned() };
    let (lowering, kernel) = ms(|| {
        let kernel = module.kernel(&name).unwrap();
        kernel.resources();
        kernel
    });
    let out = device.alloc(1 << 16, "out").unwrap();
    let mut params = vec![0; kernel.param_size() as usize];
    params[..8].copy_from_slice(&out.address().to_le_bytes());
    let options = LaunchOptions::new(grid, 128).with_threads(1);
    // All parameters are zeros, so that an arbitrary kernel may fault, which does not take longer.
    let (first, _) = ms(|| kernel.launch_packed(&options, &params));
    let (second, _) = ms(|| kernel.launch_packed(&options, &params));
    vec![loading, lowering, first, second, memory("VmHWM:").unwrap_or(0.0)]
}

/// The numbers that one process of this program prints.
fn once(args: &[&str], jit: Option<&str>) -> Vec<f64> {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(args).envs(jit.map(|jit| ("TEXUNIT_JIT", jit)));
    let output = command.output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    text.split_whitespace().map(|word| word.parse().unwrap()).collect()
}

/// The minimum of each number over several processes of this program.
fn least(args: &[&str], jit: Option<&str>) -> Vec<f64> {
    let fewer = |a: Vec<f64>, b: Vec<f64>| a.iter().zip(b).map(|(a, b)| a.min(b)).collect();
    (0..RUNS).map(|_| once(args, jit)).reduce(fewer).unwrap()
}

fn modules(folder: &Path) {
    println!(
        "| module | lines | MB | parse | check | load | one kernel lowered | first launch | second | text to launch | memory, MiB |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    for Input { name, text, kernel } in inputs() {
        if !is_wanted(name) {
            continue;
        }
        let path = folder.join("module.ptx");
        std::fs::write(&path, &text).unwrap();
        let file = path.to_str().unwrap();
        let phases = least(&[PHASES, file], None);
        let start = least(&[START, file, kernel, "1"], None);
        let [load, lower, first, second, memory] = start[..] else { panic!("five numbers") };
        println!(
            "| {name} | {} | {:.1} | {:.1} | {:.1} | {load:.1} | {lower:.2} | {first:.2} | {second:.2} | {:.1} | {memory:.0} |",
            text.lines().count(),
            text.len() as f64 / 1e6,
            phases[0],
            phases[1],
            load + lower + first
        );
    }
}

/// Measures first launches of a kernel with 500 instructions, with CTAs of 128 threads.
fn first_launches(folder: &Path) {
    println!(
        "\n| first launch of 500 instructions, ms | interpreted | with machine code | more | from the first time on | more |"
    );
    println!("|---|---|---|---|---|---|");
    let path = folder.join("kernel.ptx");
    std::fs::write(&path, generated(1, 500)).unwrap();
    let file = path.to_str().unwrap();
    for grid in ["1", "16", "64", "256", "1024"] {
        let first = |jit| {
            let numbers = least(&[START, file, "k0", grid], Some(jit));
            numbers[1] + numbers[2]
        };
        let [off, on, always] = ["off", "on", "always"].map(first);
        println!(
            "| {grid} CTAs | {off:.2} | {on:.2} | {:+.2} | {always:.2} | {:+.2} |",
            on - off,
            always - off
        );
    }
}

/// Measures code generation where it never pays: a kernel with 80,000 short regions that 300 warps
/// reach.
fn never_pays(folder: &Path) {
    println!("\n| 80,000 short regions, 300 warps, ms | interpreted | with machine code | times |");
    println!("|---|---|---|---|");
    let path = folder.join("regions.ptx");
    std::fs::write(&path, short_regions(80_000)).unwrap();
    let file = path.to_str().unwrap();
    // Launches with and without machine code alternate, so that the load by other programs affects
    // both.
    let mut ratios = Vec::new();
    let mut all = [Vec::new(), Vec::new()];
    for _ in 0..3 {
        let [off, on] = ["off", "on"].map(|jit| once(&[START, file, "k0", "75"], Some(jit))[2]);
        ratios.push(on / off);
        all[0].push(off);
        all[1].push(on);
    }
    let [off, on] = all.map(median);
    println!("| first launch | {off:.0} | {on:.0} | {:.2} |", median(ratios));
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let numbers = match words[..] {
        [PHASES, file] => phases(file),
        [START, file, kernel, grid] => start(file, kernel, grid.parse().unwrap()),
        _ => {
            let folder = texunit_testkit::TempDir::new("bench");
            modules(&folder);
            if is_wanted("") {
                first_launches(&folder);
            }
            if is_wanted("short regions") {
                never_pays(&folder);
            }
            return;
        }
    };
    let words: Vec<String> = numbers.iter().map(f64::to_string).collect();
    println!("{}", words.join(" "));
}
