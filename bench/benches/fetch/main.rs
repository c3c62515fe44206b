//! Benchmark of fetches and surface accesses on one thread: the cases of `texunit bench` through
//! the API and through PTX, and a selection of other combinations through the API.
//!
//!     cargo bench -p texunit-bench --bench fetch -- --save-baseline FILE
//!     cargo bench -p texunit-bench --bench fetch -- --baseline FILE
//!
//! With `--reference`, the reference sampler is measured, too.
//! Prints a table with the best of several runs and ratios to the baseline; time never makes it
//! fail. The lines of a baseline are those of `texunit bench --format json`.
#![allow(clippy::print_stdout, clippy::print_stderr, clippy::unwrap_used, missing_docs)]

mod others;
mod surfaces;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;
use texunit_workloads::cases;
use texunit_workloads::measure::{Rate, Via, json, measure, time};
use texunit_workloads::workload::{Effort, Workload};

const USAGE: &str = "options: [--baseline FILE] [--save-baseline FILE] [--seconds S] [--reference] [PART OF A NAME]";

struct Options {
    baseline: Option<PathBuf>,
    save: Option<PathBuf>,
    effort: Effort,
    reference: bool,
    part: String,
}

fn options() -> Result<Options, String> {
    let mut options = Options {
        baseline: None,
        save: None,
        effort: Effort {
            threads: 1,
            fetches: cases::FETCHES,
            batch: cases::BATCH,
            time: Duration::from_millis(500),
        },
        reference: false,
        part: String::new(),
    };
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or_else(|| format!("{arg} needs a value"));
        match arg.as_str() {
            // Cargo passes `--bench` to every benchmark, so that it is ignored.
            "--bench" => {}
            "--reference" => options.reference = true,
            "--baseline" => options.baseline = Some(value()?.into()),
            "--save-baseline" => options.save = Some(value()?.into()),
            "--seconds" => {
                let seconds =
                    value()?.parse().ok().and_then(|s| Duration::try_from_secs_f64(s).ok());
                options.effort.time = seconds.ok_or("--seconds needs a number")?;
            }
            _ if arg.starts_with('-') => return Err(format!("{arg} is not known")),
            _ => options.part = arg,
        }
    }
    Ok(options)
}

/// Best fetch rates of an earlier run, by case and interface.
#[derive(Default)]
struct Baseline {
    rates: HashMap<(String, String), f64>,
}

impl Baseline {
    fn read(file: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(file).map_err(|e| format!("{}: {e}", file.display()))?;
        let mut rates = HashMap::new();
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.is_empty()) {
            let (key, rate) = parse(line)
                .ok_or_else(|| format!("{}:{}: not a rate", file.display(), number + 1))?;
            rates.insert(key, rate);
        }
        Ok(Self { rates })
    }

    fn rate(&self, name: &str, via: Via) -> Option<f64> {
        self.rates.get(&(name.to_owned(), via.name().to_owned())).copied()
    }
}

fn parse(line: &str) -> Option<((String, String), f64)> {
    let line: serde_json::Value = serde_json::from_str(line).ok()?;
    let word = |key: &str| Some(line.get(key)?.as_str()?.to_owned());
    Some(((word("case")?, word("via")?), line.get("mfetch_per_s")?.as_f64()?))
}

/// Prints the rows of the table with their ratios to the baseline, and collects them for the next
/// baseline.
struct Table {
    baseline: Baseline,
    reference: bool,
    part: String,
    lines: String,
}

impl Table {
    fn wants(&self, name: &str) -> bool {
        name.contains(&self.part)
    }

    fn measure(&mut self, workload: &Workload, via: Via, effort: Effort) -> Result<(), String> {
        if self.wants(&workload.name) {
            self.row(&workload.name, via, &effort, measure(workload, via, effort)?);
            if self.reference && via == Via::Api {
                let Rate { best, median, .. } = of_reference(workload, effort)?;
                println!("| {} | reference | {best:.3} | {median:.3} | - |", workload.name);
            }
        }
        Ok(())
    }

    fn row(&mut self, name: &str, via: Via, effort: &Effort, rate: Rate) {
        let ratio = match self.baseline.rate(name, via) {
            Some(before) => format!("{:.2}", rate.best / before),
            None => "-".into(),
        };
        println!("| {name} | {} | {:.1} | {:.1} | {ratio} |", via.name(), rate.best, rate.median);
        self.lines += &json(name, via, effort, rate);
        self.lines += "\n";
    }
}

/// The rate of the reference sampler.
fn of_reference(workload: &Workload, effort: Effort) -> Result<Rate, String> {
    let (texture, effort) = (workload.texture()?, Effort { fetches: 256, ..effort });
    workload.expected(&texture, 0)?;
    Ok(time(effort, || {
        for fetch in 0..effort.fetches {
            std::hint::black_box(workload.expected(&texture, fetch).unwrap());
        }
    }))
}

fn run() -> Result<(), String> {
    let Options { baseline, save, effort, reference, part } =
        options().map_err(|e| format!("{e}\n{USAGE}"))?;
    let baseline =
        baseline.map_or_else(|| Ok(Baseline::default()), |file| Baseline::read(&file))?;
    let mut table = Table { baseline, reference, part, lines: String::new() };
    println!(
        "| {}: fetches | via | best, M/s | median, M/s | of the baseline |",
        texunit_unit::simd_level()
    );
    println!("|---|---|---|---|---|");
    for case in cases::all() {
        table.measure(&case, Via::Api, effort)?;
        table.measure(&case, Via::Ptx, effort)?;
    }
    let effort = Effort { fetches: cases::FETCHES / 4, ..effort };
    for workload in others::all() {
        table.measure(&workload, Via::Api, effort)?;
    }
    surfaces::all(&effort, &mut table)?;
    if let Some(file) = save {
        std::fs::write(&file, &table.lines).map_err(|e| format!("{}: {e}", file.display()))?;
    }
    Ok(())
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(trouble) => {
            eprintln!("error: {trouble}");
            ExitCode::FAILURE
        }
    }
}
