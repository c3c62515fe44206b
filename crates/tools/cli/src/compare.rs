//! `texunit compare`: fetch cases and jobs on a real GPU beside the reference.

mod job;
mod print;

pub use print::{human, json, print};

use crate::args::CompareArgs;
use std::path::{Path, PathBuf};
use texunit_cases::Case;
use texunit_gpu::compare::{Compared, Outcome, compare};
use texunit_gpu::{Gpu, GpuError, Runner};

/// The result of the comparison.
#[derive(Debug, Default)]
pub struct Comparison {
    /// Name, compute capability and driver of the card.
    pub card: Option<Card>,
    /// All cases and jobs, in the order they ran.
    pub compared: Vec<Compared>,
    /// The file with the card's answers, and how many cases it holds.
    pub recorded: Option<(PathBuf, usize)>,
    /// Files that could not be read or written.
    pub errors: Vec<String>,
    /// Why there is no card.
    pub no_card: Option<String>,
}

/// The card that was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Card {
    /// `NVIDIA GeForce RTX 3060`
    pub name: String,
    /// Major and minor compute capability.
    pub capability: (u32, u32),
    /// 12040 for CUDA 12.4.
    pub driver_version: u32,
}

impl Comparison {
    /// Whether all that the card was asked agrees, and nothing failed.
    pub fn succeeded(&self) -> bool {
        self.errors.is_empty()
            && self
                .compared
                .iter()
                .all(|c| matches!(c.outcome, Outcome::Equal { .. } | Outcome::Skipped { .. }))
    }
}

/// Default folders of cases: the folders of texunit's own repository.
const DEFAULTS: [&str; 3] = ["tests/fetch", "tests/compare", "examples"];
/// Folders below a folder that are searched.
const DEPTH: usize = 4;

/// Compares what the arguments name with the card of this machine.
pub fn run(args: &CompareArgs) -> Comparison {
    match Gpu::open() {
        Ok(gpu) => run_on(gpu, args),
        Err(error @ (GpuError::NoDriver(_) | GpuError::NoGpu(_) | GpuError::Ours(_))) => {
            Comparison { no_card: Some(error.to_string()), ..Comparison::default() }
        }
        Err(error) => Comparison { errors: vec![error.to_string()], ..Comparison::default() },
    }
}

/// Compares on a card that is open.
pub fn run_on(gpu: Gpu, args: &CompareArgs) -> Comparison {
    let card = Card {
        name: gpu.name().to_owned(),
        capability: gpu.capability(),
        driver_version: gpu.driver_version(),
    };
    let mut comparison = Comparison { card: Some(card), ..Comparison::default() };
    let runner = Runner::new(gpu);
    let mut recorded = Vec::new();
    for path in sources(args, &mut comparison.errors) {
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
        let text = texunit_cases::to_toml(&recorded);
        match texunit_files::write_atomically(path, text.as_bytes()) {
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
    let (compared, record) = compare(runner, file, case);
    comparison.compared.push(compared);
    recorded.extend(record);
}

/// The files to read, those of folders in the order of their names.
fn sources(args: &CompareArgs, errors: &mut Vec<String>) -> Vec<PathBuf> {
    let mut files = Vec::new();
    if args.cases.is_empty() && args.random.is_none() {
        let defaults: Vec<&Path> =
            DEFAULTS.iter().map(Path::new).filter(|path| path.is_dir()).collect();
        if defaults.is_empty() {
            errors.push(format!(
                "there are no folders {} here: name case files, job files or folders of them",
                DEFAULTS.join(" and ")
            ));
        }
        defaults.into_iter().for_each(|path| find(path, DEPTH, &mut files, errors));
    }
    for path in &args.cases {
        if path.is_dir() {
            find(path, DEPTH, &mut files, errors);
        } else {
            files.push(path.clone());
        }
    }
    files
}

fn find(folder: &Path, depth: usize, files: &mut Vec<PathBuf>, errors: &mut Vec<String>) {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) => {
            errors.push(format!("cannot read `{}`: {error}", folder.display()));
            return;
        }
    };
    let mut paths: Vec<PathBuf> = entries.filter_map(|e| e.ok().map(|e| e.path())).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            if depth > 0 {
                find(&path, depth - 1, files, errors);
            }
        } else if path.extension().is_some_and(|e| e == "toml") {
            files.push(path);
        }
    }
}

/// A job names its PTX; a case file says where its answers come from.
fn compare_file(
    runner: &Runner,
    path: &Path,
    comparison: &mut Comparison,
    recorded: &mut Vec<Case>,
) {
    if texunit_job::load::is_job(path) {
        comparison.compared.push(job::compare(runner, path));
        return;
    }
    match texunit_cases::load(path) {
        Ok(file) => {
            let name = path.display().to_string();
            crate::tell(&name, &file.notes);
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
