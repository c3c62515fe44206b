//! Launches a case in this process, and returns its result.

use crate::case::Case;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use texunit_device::{
    Device, Fault, Fill, GradientEngine, InitialContents, Kernel, LaunchError, Module,
};
use texunit_gradients::TxdEngine;
use texunit_job::load::{kernel, launch_options, places, wrong_shape};
use texunit_job::{Bound, Content, Job, Problem, Problems, WrongObject, bind, parse};
use texunit_syntax::{Diagnostic, SourceFile};

/// Options of `texunit launch`.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Those that a job may set too; without a value, the job's or the default applies.
    pub of_job: texunit_job::Settings,
    /// The value of `--schedule`.
    pub schedule: Option<u64>,
    /// The value of `--fill`.
    pub fill: Option<Fill>,
    /// Whether gradients use TXD (`--via-txd`).
    pub via_txd: bool,
    /// The value of `--threads`.
    pub threads: usize,
}

impl Settings {
    pub(super) fn with_max_steps(mut self, max_steps: Option<u64>) -> Self {
        self.of_job.max_steps = max_steps;
        self
    }
}

/// The result of a launch.
#[derive(Debug)]
pub enum Outcome {
    /// The job has problems and cannot be launched.
    Problems(Vec<Problem>),
    /// The PTX has errors, so that it cannot be launched.
    Errors(SourceFile, Vec<Diagnostic>),
    /// An internal error of texunit, with its message.
    Bug(String),
    /// The launch has ended with a fault.
    Fault(SourceFile, Box<Fault>),
    /// The kernel has completed.
    Finished(Results),
}

/// The results of a completed kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Results {
    /// Contents of the output files, by file name.
    pub outputs: Vec<(PathBuf, Vec<u8>)>,
    /// The `printf` output of the kernel.
    pub printed: Vec<u8>,
    /// Objects whose contents differ from the job's expectation.
    pub wrong: Vec<WrongObject>,
    /// Whether there were fetches without a matching texture.
    pub bad_fetches: bool,
}

/// Launches a case whose files are in a folder. A panic becomes [`Outcome::Bug`].
pub fn look(case: &Case, folder: &Path, settings: &Settings, stop: &AtomicBool) -> Outcome {
    super::trying(|| launch(case, folder, settings, stop)).unwrap_or_else(Outcome::Bug)
}

/// The contents of a job's objects; empty if the job cannot be launched.
pub fn contents(case: &Case, folder: &Path, settings: &Settings) -> Vec<Content> {
    let found = super::trying(|| {
        let prepared = Prepared::of(case, folder, settings).ok()?;
        Some(prepared.bound.contents(&prepared.job))
    });
    found.ok().flatten().unwrap_or_default()
}

/// A job and its module, checked and ready to launch.
struct Prepared {
    job: Job,
    kernel: Kernel,
    bound: Bound,
}

impl Prepared {
    fn of(case: &Case, folder: &Path, settings: &Settings) -> Result<Self, Outcome> {
        let problems = Problems::default();
        let job = parse(&case.job_text(), &problems);
        let Some(mut job) = job.filter(|_| problems.borrow().is_empty()) else {
            return Err(Outcome::Problems(problems.take()));
        };
        job.settings = settings.of_job.over(&job.settings);
        let fresh = InitialContents { fill: settings.fill, is_tracked: false };
        let device = Device::new(&job.settings.device().with_initial_contents(fresh));
        let module = Module::load_at(&device, "kernel.ptx", &case.ptx, &places(&job));
        let module = module.map_err(|e| Outcome::Errors(e.source, e.diagnostics))?;
        let kernel = kernel(&job, &module).map_err(|p| Outcome::Problems(vec![p]))?;
        let bound = bind(&job, folder, &device, &kernel, &problems);
        let problems = problems.take();
        if !problems.is_empty() {
            return Err(Outcome::Problems(problems));
        }
        let unsupported = kernel.unsupported();
        if !unsupported.is_empty() {
            return Err(Outcome::Errors(module.source().clone(), unsupported));
        }
        Ok(Self { job, kernel, bound })
    }
}

fn launch(case: &Case, folder: &Path, settings: &Settings, stop: &AtomicBool) -> Outcome {
    let Prepared { job, kernel, bound } = match Prepared::of(case, folder, settings) {
        Ok(prepared) => prepared,
        Err(seen) => return seen,
    };
    let Some(args) = bound.args() else { return Outcome::Problems(Vec::new()) };
    let engine = settings.via_txd.then(|| TxdEngine::new(kernel.module().source()));
    let options = launch_options(&job)
        .with_threads(settings.threads)
        .with_gradients(engine.as_ref().map(|engine| engine as &dyn GradientEngine))
        .with_schedule(settings.schedule)
        .with_cancel(stop);
    let source = || kernel.module().source().clone();
    match kernel.launch(&options, &args) {
        Ok(stats) => match (bound.wrong_objects(), bound.output_bytes()) {
            (Ok(wrong), Ok(outputs)) => {
                let bad_fetches = !stats.bad_fetches.is_empty();
                Outcome::Finished(Results { outputs, printed: stats.printf, wrong, bad_fetches })
            }
            _ => Outcome::Problems(Vec::new()),
        },
        Err(LaunchError::Fault(fault)) => Outcome::Fault(source(), fault),
        Err(LaunchError::Unsupported(list)) => Outcome::Errors(source(), list),
        Err(LaunchError::Args(error)) => Outcome::Problems(vec![wrong_shape(&job, &error)]),
    }
}
