//! `texunit compare`: runs fetch cases and jobs on a real GPU, and compares the results with the
//! reference.

mod all;
mod folder;
mod job;
mod print;
mod unit;
mod worker;

pub use all::Workload;
pub use print::{human, json, print};
pub use worker::serve;

use crate::args::{OutputFormat, integer};
use clap::Args;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use texunit_cases::{Case, Engine, find_files};
use texunit_files::CommandFiles;
use texunit_gpu::compare::{Compared, Outcome, compare};
use texunit_gpu::{Gpu, GpuError, Runner};

/// Arguments of `texunit compare`.
#[derive(Clone, Debug, Args)]
pub struct CompareArgs {
    /// Case files, job files, and folders of them; `tests/fetch`, `tests/compare` and `examples` by
    /// default.
    #[arg(value_name = "CASES")]
    pub cases: Vec<PathBuf>,
    /// Ask everything: all cases, accesses that fault, 10000 random cases of 4096 fetches, all
    /// jobs, `tests/programs` among them. Work is done by several processes, so that a fault of one
    /// ends nothing; docs/compare.md.
    #[arg(long)]
    pub all: bool,
    /// Write the card's results as cases, with its name, to this file; with --all, all results to
    /// this folder.
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// Number of random cases: resources, samplers, instructions, coordinates.
    #[arg(long, value_name = "N", allow_negative_numbers = true,
          value_parser = integer::<u32>("random cases", 0..=u32::MAX))]
    pub random: Option<u32>,
    /// Which random cases; the same seed gives the same ones.
    #[arg(long, value_name = "S", default_value_t = 0, allow_negative_numbers = true,
          value_parser = integer::<u64>("a seed", 0..=u64::MAX))]
    pub seed: u64,
    /// Output format.
    #[arg(long, value_enum, default_value_t = OutputFormat::Human)]
    pub format: OutputFormat,
    /// Do what is asked for on standard input: a process of --all.
    #[arg(long, hide = true)]
    pub worker: bool,
}

/// The result of the comparison.
#[derive(Debug, Default)]
pub struct Comparison {
    /// Name, compute capability and driver of the GPU.
    pub card: Option<Card>,
    /// All cases and jobs, in order of execution.
    pub compared: Vec<Compared>,
    /// The work of `--all`.
    pub asked: Option<Workload>,
    /// The file or folder with the GPU's results, and the number of its cases.
    pub recorded: Option<(PathBuf, usize)>,
    /// The time of `--all` in seconds.
    pub seconds: Option<f64>,
    /// Files that could not be read or written.
    pub errors: Vec<String>,
    /// Why there is no GPU.
    pub no_card: Option<String>,
}

/// The GPU.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Card {
    /// `NVIDIA GeForce RTX 3060`
    pub name: String,
    /// Major and minor compute capability.
    #[serde(rename = "compute_capability")]
    pub capability: (u32, u32),
    /// 12040 for CUDA 12.4.
    pub driver_version: u32,
}

impl Comparison {
    /// Whether all results agree and nothing failed.
    pub fn succeeded(&self) -> bool {
        self.errors.is_empty()
            && self
                .compared
                .iter()
                .all(|c| matches!(c.outcome, Outcome::Equal { .. } | Outcome::Skipped { .. }))
    }
}

/// `texunit compare`; returns the exit code.
pub fn command(args: &CompareArgs) -> u8 {
    if args.worker {
        return serve();
    }
    if let Some(why) = misused(args) {
        return crate::usage_error("compare", &why);
    }
    let comparison = run(args);
    let printed = match args.format {
        OutputFormat::Human => print(&comparison),
        OutputFormat::Json => crate::json::print(&json(&comparison)),
    };
    match comparison.no_card {
        Some(_) => crate::USAGE,
        None => crate::exit(printed, comparison.succeeded()),
    }
}

/// Default folders of cases in texunit's own repository.
const DEFAULTS: [&str; 3] = ["tests/fetch", "tests/compare", "examples"];
/// Maximum depth of searched folders.
const DEPTH: usize = 4;

/// The folder that `--all` adds.
const PROGRAMS: &str = "tests/programs";

/// Why the options are contradictory: the recording would overwrite what is compared.
pub(crate) fn misused(args: &CompareArgs) -> Option<String> {
    let record = args.record.as_ref()?;
    let mut places = CommandFiles::default();
    // Unreadable files are reported later.
    let sources = sources(args, &mut Vec::new());
    sources.iter().for_each(|source| places.reads("is compared", &source.path));
    let files = match args.all {
        true => folder::names(&sources).into_iter().map(|name| record.join(name)).collect(),
        false => vec![record.clone()],
    };
    files.iter().for_each(|file| places.writes("--record", file));
    places.check().err()
}

/// Compares the cases that the arguments name on this machine's GPU.
pub fn run(args: &CompareArgs) -> Comparison {
    if args.all {
        return all::run(args);
    }
    match Gpu::open() {
        Ok(gpu) => run_on(gpu, args),
        Err(error) if is_absence(&error) => {
            Comparison { no_card: Some(error.to_string()), ..Comparison::default() }
        }
        Err(error) => Comparison { errors: vec![error.to_string()], ..Comparison::default() },
    }
}

/// Whether there is no GPU, as opposed to one that fails.
fn is_absence(error: &GpuError) -> bool {
    matches!(error, GpuError::NoDriver(_) | GpuError::NoGpu(_) | GpuError::Ours(_))
}

impl Card {
    fn of(gpu: &Gpu) -> Self {
        let (name, capability) = (gpu.name().to_owned(), gpu.capability());
        Self { name, capability, driver_version: gpu.driver_version() }
    }
}

/// Compares on an open GPU.
pub fn run_on(gpu: Gpu, args: &CompareArgs) -> Comparison {
    let mut comparison = Comparison { card: Some(Card::of(&gpu)), ..Comparison::default() };
    let runner = Runner::new(gpu);
    let mut recorded = Vec::new();
    for Source { path, .. } in sources(args, &mut comparison.errors) {
        compare_file(&runner, &path, &mut comparison, &mut recorded);
        if runner.gpu().lost().is_some() {
            break;
        }
    }
    if let Some(count) = args.random {
        let name = format!("random, seed {}", args.seed);
        for index in 0..count {
            if runner.gpu().lost().is_some() {
                break;
            }
            let case = texunit_cases::random_case(args.seed, index.into());
            compare_case(&runner, &name, &case, &mut comparison, &mut recorded);
        }
    }
    if let Some(error) = runner.gpu().lost() {
        let last = comparison.compared.last();
        let last = last.map_or(String::new(), |c| format!(" after {} {}", c.file, c.name));
        comparison.errors.push(format!(
            "the card stopped responding{last}: {error}; the cases after it were not compared"
        ));
    }
    if let Some(path) = &args.record {
        if recorded.is_empty() {
            let path = path.display();
            comparison.errors.push(format!(
                "`{path}` is not written: the card has returned no case that could be recorded"
            ));
            return comparison;
        }
        match texunit_files::write_atomically(path, texunit_cases::to_toml(&recorded).as_bytes()) {
            Ok(()) => comparison.recorded = Some((path.clone(), recorded.len())),
            Err(error) => comparison.errors.push(format!("cannot write {error}")),
        }
    }
    comparison
}

fn compare_case(
    runner: &Runner,
    file: &str,
    case: &Case,
    comparison: &mut Comparison,
    recorded: &mut Vec<Case>,
) {
    let (compared, record) = compare(Some(runner), Engine::Reference, file, case);
    comparison.compared.push(compared);
    recorded.extend(record);
}

/// A file to compare.
struct Source {
    path: PathBuf,
    /// Name of the file relative to the given folder, or its own name.
    name: PathBuf,
}

/// The files to compare; those of folders are sorted by name.
fn sources(args: &CompareArgs, errors: &mut Vec<String>) -> Vec<Source> {
    let mut roots: Vec<&Path> = args.cases.iter().map(PathBuf::as_path).collect();
    if roots.is_empty() && (args.all || args.random.is_none()) {
        let defaults = DEFAULTS.into_iter().chain(args.all.then_some(PROGRAMS)).map(Path::new);
        roots = defaults.filter(|path| path.is_dir()).collect();
        if roots.is_empty() {
            errors.push(format!(
                "there are no folders {} here: name case files, job files or folders of them",
                DEFAULTS.join(" and ")
            ));
        }
    }
    let mut files = Vec::new();
    for root in roots {
        if !root.is_dir() {
            let name = root.file_name().map_or_else(PathBuf::new, PathBuf::from);
            files.push(Source { path: root.to_owned(), name });
            continue;
        }
        match find_files(root, DEPTH) {
            Ok(paths) => files.extend(paths.into_iter().map(|path| {
                let name = path.strip_prefix(root).unwrap_or(&path).to_owned();
                Source { path, name }
            })),
            Err(error) => errors.push(format!("cannot read `{}`: {error}", root.display())),
        }
    }
    files
}

/// Compares a file: one that names PTX is a job, one with a source of its results is a case file.
fn compare_file(
    runner: &Runner,
    path: &Path,
    comparison: &mut Comparison,
    recorded: &mut Vec<Case>,
) {
    if texunit_job::load::is_job(path) {
        for form in job::forms(path) {
            if runner.gpu().lost().is_none() {
                let (compared, _) = job::compare(Some(runner), path, form.as_deref());
                comparison.compared.push(compared);
            }
        }
        return;
    }
    match texunit_cases::load(path) {
        Ok(file) => {
            let name = path.display().to_string();
            crate::warn_deprecated(&name, &file.notes);
            for case in &file.cases {
                if runner.gpu().lost().is_some() {
                    return;
                }
                compare_case(runner, &name, case, comparison, recorded);
            }
        }
        Err(error) => comparison.errors.push(error.to_string()),
    }
}
