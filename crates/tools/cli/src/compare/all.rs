//! `texunit compare --all`: runs everything on the GPU, in several processes.

use super::unit::{Answer, Unit};
use super::worker::{Hello, Worker};
use super::{CompareArgs, Comparison, Source, folder, job, sources};
use crate::args::OutputFormat;
use crate::progress::{Shown, with_bar};
use serde::Serialize;
use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::time::Instant;
use texunit_cases::{Access, Case, load, random_case_of};
use texunit_gpu::compare::faulting;

/// Default number of random cases.
const RANDOM: u32 = 10_000;
/// Number of fetches of a random case.
const FETCHES: u32 = 4096;
/// Maximum number of processes, each of which has a context on the GPU.
const WORKERS: usize = 8;

/// The amount of work.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Workload {
    /// Number of work units: cases of files, random cases, jobs, faulting accesses.
    pub units: usize,
    /// Number of cases of files.
    pub cases: usize,
    /// Number of random cases.
    pub random: usize,
    /// Number of fetches of both.
    pub fetches: u64,
    /// Number of surface accesses of both, each of which is a launch.
    pub accesses: u64,
    /// Number of jobs and compiled forms of programs.
    pub jobs: usize,
    /// Number of faulting accesses, each of which ends a process.
    pub faults: usize,
    /// Number of kernels that the driver compiles.
    pub kernels: usize,
    /// Number of processes.
    pub workers: usize,
}

impl Workload {
    /// Estimated time on a GPU in seconds (docs/compare.md).
    pub fn seconds(&self) -> f64 {
        // Time of each process (context, kernels), and time that processes share (cases, fetches,
        // launches, jobs, faults).
        let alone = 0.5 + 0.02 * self.kernels as f64;
        let shared = 1e-3 * (self.cases + self.random) as f64
            + 5e-7 * self.fetches as f64
            + 6e-5 * self.accesses as f64
            + 0.15 * self.jobs as f64
            + 0.6 * self.faults as f64;
        alone + shared / self.workers.max(1) as f64
    }

    fn count(&mut self, case: &Case, fetches: u32, kernels: &mut HashSet<String>) {
        match &case.access {
            Access::Fetch(fetch) => {
                self.fetches += u64::from(fetches);
                kernels.insert(format!("{:?}", fetch.form));
            }
            Access::Surface(surface) => {
                self.accesses += surface.accesses.len() as u64;
                kernels.insert(surface.op.to_string());
            }
        }
    }
}

/// The work units, and why others are left out.
struct Plan {
    units: Vec<Unit>,
    sources: Vec<Source>,
    asked: Workload,
    errors: Vec<String>,
}

fn plan(args: &CompareArgs) -> Plan {
    let (mut errors, mut units, mut asked) = (Vec::new(), Vec::new(), Workload::default());
    let mut kernels = HashSet::new();
    let sources = sources(args, &mut errors);
    for Source { path: file, .. } in &sources {
        if texunit_job::load::is_job(file) {
            let forms = job::forms(file).into_iter();
            units.extend(forms.map(|form| Unit::Job { file: file.clone(), form }));
            continue;
        }
        let read = match load(file) {
            Ok(read) => read,
            Err(error) => {
                errors.push(error.to_string());
                continue;
            }
        };
        crate::warn_deprecated(&file.display().to_string(), &read.notes);
        for (number, case) in read.cases.iter().enumerate() {
            asked.count(case, case.count() as u32, &mut kernels);
            asked.cases += 1;
            units.push(Unit::Case { file: file.clone(), number });
            let faults = faulting(case).into_iter();
            units.extend(faults.map(|access| Unit::Fault { file: file.clone(), number, access }));
        }
    }
    asked.jobs = units.iter().filter(|unit| matches!(unit, Unit::Job { .. })).count();
    asked.faults = units.iter().filter(|unit| matches!(unit, Unit::Fault { .. })).count();
    for index in 0..args.random.unwrap_or(RANDOM).into() {
        asked.count(&random_case_of(args.seed, index, 1), FETCHES, &mut kernels);
        asked.random += 1;
        units.push(Unit::Random { seed: args.seed, index, fetches: FETCHES });
    }
    asked.kernels = kernels.len();
    asked.units = units.len();
    asked.workers = std::thread::available_parallelism().map_or(1, usize::from).min(WORKERS);
    Plan { units, sources, asked, errors }
}

/// Runs all work that the arguments select.
pub(super) fn run(args: &CompareArgs) -> Comparison {
    let Plan { units, sources, asked, errors } = plan(args);
    let human = args.format == OutputFormat::Human;
    if human {
        crate::out::stderr_line(&super::print::workload_text(&asked));
    }
    let mut comparison = Comparison { errors, ..Comparison::default() };
    let start = Instant::now();
    let (worker, hello) = match Worker::start() {
        Ok(started) => started,
        Err(error) => {
            comparison.errors.push(error);
            return comparison;
        }
    };
    let shown = if human { Shown::Bar } else { Shown::Not };
    let mut answers = with_bar(shown, units.len() as u64, |done| {
        ask(&units, worker, &hello, asked.workers, done, &mut comparison.errors)
    });
    comparison.seconds = Some(start.elapsed().as_secs_f64());
    answers.sort_by_key(|(number, _)| *number);
    if answers.len() < units.len() {
        let missing = units.len() - answers.len();
        comparison.errors.push(format!("{missing} of {} were not compared", units.len()));
    }
    comparison.compared = answers.iter().map(|(_, answer)| answer.compared.clone()).collect();
    comparison.asked = Some(asked);
    match hello {
        Hello::NoCard(why) | Hello::Failed(why) => comparison.no_card = Some(why),
        Hello::Card(card) => {
            comparison.card = Some(card);
            if let Some(path) = &args.record {
                let answers: Vec<_> =
                    answers.iter().map(|(number, answer)| (&units[*number], answer)).collect();
                folder::write(path, args.seed, &sources, &answers, &mut comparison);
            }
        }
    }
    comparison
}

/// Runs work units; returns their answers with their numbers, in the order of completion.
fn ask(
    units: &[Unit],
    first: Worker,
    hello: &Hello,
    workers: usize,
    done: &AtomicU64,
    errors: &mut Vec<String>,
) -> Vec<(usize, Answer)> {
    let next = AtomicUsize::new(0);
    let work = |mut worker: Option<Worker>| {
        let mut answers = Vec::new();
        loop {
            let number = next.fetch_add(1, Relaxed);
            let Some(unit) = units.get(number) else { return (answers, None) };
            let mut asker = match worker.take().map_or_else(|| restart(hello), Ok) {
                Ok(asker) => asker,
                Err(error) => {
                    answers.push((number, unit.failed(error.clone())));
                    return (answers, Some(error));
                }
            };
            let (answer, goes_on) = asker.ask(unit);
            answers.push((number, answer));
            done.fetch_add(1, Relaxed);
            worker = goes_on.then_some(asker);
        }
    };
    std::thread::scope(|scope| {
        let mut first = Some(first);
        let threads: Vec<_> = (0..workers)
            .map(|_| {
                let worker = first.take();
                scope.spawn(move || work(worker))
            })
            .collect();
        let mut answers = Vec::with_capacity(units.len());
        for thread in threads {
            match thread.join() {
                Ok((part, error)) => {
                    answers.extend(part);
                    errors.extend(error);
                }
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        answers
    })
}

/// Starts a process, which must have the same GPU as the first one.
fn restart(hello: &Hello) -> Result<Worker, String> {
    let (worker, again) = Worker::start()?;
    match again == *hello {
        true => Ok(worker),
        false => Err("the card is gone".to_owned()),
    }
}
