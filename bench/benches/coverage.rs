//! Benchmark of `--coverage`: the time of launches with the observer of the crate coverage,
//! compared with launches without it.
//!
//! Runs the jobs of examples/, programs of tests/programs, a loop of fused multiply-adds, and a
//! kernel that mostly branches. Prints a table with medians of several rounds; time never makes it
//! fail. Arguments select kernels by name. docs/performance.md has measured numbers.
#![allow(clippy::print_stdout, clippy::unwrap_used, missing_docs)]

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use texunit_bench::{is_wanted, median};
use texunit_coverage::Module as Covered;
use texunit_device::{Arg, Device, DeviceOptions, Kernel, LaunchOptions, Module, Observer};
use texunit_job::{Problems, bind, load};

/// Number of rounds, and the minimum time of a round. Rounds are short, so that other programs
/// interrupt few of them.
const ROUNDS: usize = 101;
const MIN: Duration = Duration::from_millis(1);
/// Time after which no further round of a kernel begins, except for the first nine.
const MAX: Duration = Duration::from_secs(6);

/// Names of programs in tests/programs that have loops, branches and calls.
const PROGRAMS: &str = "barrier_matmul bitonic block_groups branch_table divergence histogram \
     libm64 life mandelbrot matmul recursion reduce scan sha256 switch";

/// Measures a kernel and prints its row of the table: median times of a launch without and with
/// coverage, and their ratio.
fn row(name: &str, kernel: &Kernel, options: &LaunchOptions<'_>, args: &[Arg<'_>]) {
    let covered = Covered::new(kernel.module().listing(Default::default()), Path::new("k.ptx"));
    let run = |with: bool, count: u32| {
        let observer = with.then_some(&covered as &dyn Observer);
        let options = (*options).with_observer(observer).with_threads(1);
        let start = Instant::now();
        for _ in 0..count {
            kernel.launch(&options, args).unwrap();
        }
        start.elapsed()
    };
    // Doubles the number of launches until a round is long enough, by which machine code is also
    // generated before the first round.
    let mut count = 1;
    while run(false, count).max(run(true, count)) < MIN {
        count *= 2;
    }
    let (mut rounds, start) = (Vec::new(), Instant::now());
    for round in (0..ROUNDS).take_while(|&round| round < 9 || start.elapsed() < MAX) {
        // The order alternates, so that neither variant has an advantage.
        let times = match round % 2 {
            0 => (run(false, count), run(true, count)),
            _ => {
                let with = run(true, count);
                (run(false, count), with)
            }
        };
        rounds.push((times.0.as_secs_f64(), times.1.as_secs_f64()));
    }
    let median = |of: fn(&(f64, f64)) -> f64| median(rounds.iter().map(of).collect());
    let each = 1e6 / f64::from(count);
    let (without, with) = (median(|t| t.0) * each, median(|t| t.1) * each);
    println!("| {name} | {without:.1} | {with:.1} | {:+.0} % |", (with / without - 1.0) * 100.0);
}

/// Measures the kernel of a job, or of a program of tests/programs, whose first PTX file is used.
fn job(path: &Path, name: &str) {
    let folder = path.parent().unwrap();
    let mut table: toml::Table = std::fs::read_to_string(path).unwrap().parse().unwrap();
    let first = table["ptx"].as_array().map(|forms| forms[0].clone());
    table.extend(first.map(|form| ("ptx".to_owned(), form)));
    table.retain(|key, _| !key.starts_with("expect"));
    let problems = Problems::default();
    let job = texunit_job::parse(&toml::to_string(&table).unwrap(), &problems).unwrap();
    let device = Device::new(&DeviceOptions::default());
    let (file, text) = load::read_ptx(&job, folder).unwrap();
    let module = Module::load(&device, &file, &text).unwrap();
    let kernel = load::kernel(&job, &module).unwrap();
    let bound = bind(&job, folder, &device, &kernel, &problems);
    let found = problems.take();
    assert!(found.is_empty(), "{name}: {}", found[0].message);
    row(name, &kernel, &load::launch_options(&job), &bound.args().unwrap());
}

/// Measures a kernel that has one buffer, given as PTX.
fn text(name: &str, text: &str, grid: u32) {
    let device = Device::new(&DeviceOptions::default());
    let kernel = Module::load(&device, "k.ptx", text).unwrap().kernel(name).unwrap();
    let out = device.alloc(u64::from(grid) * 256 * 4, "out").unwrap();
    let options = LaunchOptions::new(grid, 256);
    let mut args = vec![Arg::Buffer(&out)];
    args.extend((1..kernel.params().len()).map(|_| Arg::U32(256)));
    row(name, &kernel, &options, &args);
}

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    println!("| launch | without, us | with, us | slower by |\n|---|---|---|---|");
    let mut jobs: Vec<(String, PathBuf)> = std::fs::read_dir(root.join("examples"))
        .unwrap()
        .map(|entry| entry.unwrap())
        .map(|entry| (entry.file_name().into_string().unwrap(), entry.path().join("job.toml")))
        .filter(|(_, path)| path.is_file())
        .collect();
    jobs.sort();
    for name in PROGRAMS.split(' ') {
        jobs.push((name.to_owned(), root.join("tests/programs").join(name).join("case.toml")));
    }
    for (name, path) in jobs.iter().filter(|(name, _)| is_wanted(name)) {
        job(path, name);
    }
    let (fma, collatz) = (include_str!("fma.ptx"), include_str!("collatz.ptx"));
    for (name, ptx) in [("fma_loop", fma), ("collatz", collatz)] {
        if is_wanted(name) {
            text(name, ptx, 64);
        }
    }
}
