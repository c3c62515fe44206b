//! Launches a case in this process, and returns its result.

use crate::case::Case;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use texunit_device::{
    Approximate, BadFetch, Bounds, ComputeCapability, Device, DeviceOptions, Fault, Fill,
    GradientPath, InitialContents, Kernel, LaunchError, Module,
};
use texunit_job::load::{kernel, launch_options, places, wrong_shape};
use texunit_job::{Bound, Content, Job, Problem, Problems, WrongObject, bind, parse};
use texunit_syntax::{Diagnostic, SourceFile};

/// Options of `texunit launch`. An option that is `None` is taken from the job or is a default.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// The value of `--arch`.
    pub architecture: Option<ComputeCapability>,
    /// The value of `--memory-limit`.
    pub memory_limit: Option<u64>,
    /// The value of `--max-steps`.
    pub max_steps: Option<u64>,
    /// The value of `--fmad`.
    pub fmad: Option<bool>,
    /// The value of `--approx`.
    pub approximate: Option<Approximate>,
    /// The value of `--bounds`.
    pub bounds: Option<Bounds>,
    /// The value of `--bad-fetch`.
    pub bad_fetch: Option<BadFetch>,
    /// The value of `--schedule`.
    pub schedule: Option<u64>,
    /// The value of `--fill`.
    pub fill: Option<Fill>,
    /// Whether gradients use TXD, the value of `--via-txd`.
    pub gradients: GradientPath,
    /// The value of `--threads`.
    pub threads: usize,
}

/// The step limit of a warp if neither options nor job set one.
pub(super) const USUAL_STEPS: u64 = 1_000_000_000;

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
        let Some(job) = job.filter(|_| problems.borrow().is_empty()) else {
            return Err(Outcome::Problems(problems.take()));
        };
        let usual = DeviceOptions::default();
        let own = &job.settings;
        let device = Device::new(
            &usual
                .clone()
                .with_architecture(settings.architecture.or(own.arch).unwrap_or(usual.architecture))
                .with_memory_limit(
                    settings.memory_limit.or(own.memory_limit).unwrap_or(usual.memory_limit),
                )
                .with_first_launch(own.grid_id)
                .with_initial_contents(InitialContents { fill: settings.fill, is_tracked: false }),
        );
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
    let own = launch_options(&job);
    let options = own
        .with_threads(settings.threads)
        .with_max_steps(settings.max_steps.or(job.settings.max_steps).unwrap_or(USUAL_STEPS))
        .with_fmad(settings.fmad.unwrap_or(own.fmad))
        .with_approximate(settings.approximate.unwrap_or(own.approximate))
        .with_bounds(settings.bounds.unwrap_or(own.bounds))
        .with_bad_fetch(settings.bad_fetch.unwrap_or(own.bad_fetch))
        .with_gradients(settings.gradients)
        .with_schedule(settings.schedule)
        .with_cancel(stop);
    let source = || kernel.module().source().clone();
    match kernel.launch(&options, &args) {
        Ok(stats) => match (bound.output_bytes(), bound.wrong_objects()) {
            (Ok(outputs), Ok(wrong)) => {
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
