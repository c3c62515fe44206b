//! Runs one launch, from the job file to the written outputs.

use crate::args::{LaunchArgs, LaunchFormat};
use crate::checks::{self, Log};
use crate::coverage;
use crate::effective::{self, Line};
use crate::explain::launch::Explained;
use crate::profile;
use crate::progress::{Shown, with_bar};
use crate::ranges::{self, Recording};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use texunit_device::debug::Debugger;
use texunit_device::observe::Several;
use texunit_device::{
    CtaRange, Device, DeviceOptions, Fault, FaultKind, Fill, InitialContents, Kernel, LaunchError,
    LaunchStats, Module, Observer, Sources, Watch,
};
use texunit_files::{CommandFiles, FileError};
use texunit_job::load::{self, read_job, read_ptx, wrong_shape};
use texunit_job::{Bound, Job, Problem, Problems, Written, bind};
use texunit_report::{Instruction, Located};
use texunit_syntax::{Diagnostic, SourceFile};

/// The duration of each phase.
#[derive(Clone, Copy, Debug, Default)]
pub struct Times {
    /// Reading the job, images and arrays.
    pub load: Duration,
    /// Parsing, checking and lowering the PTX.
    pub compile: Duration,
    /// Running the kernel.
    pub launch: Duration,
    /// Writing the outputs.
    pub write: Duration,
}

/// What stopped the launch, or prevented an output from being written.
#[derive(Clone, Debug)]
pub enum Failure {
    /// A problem in the job.
    Job(Problem),
    /// An error in the PTX, or a warning beside one.
    Ptx(Diagnostic),
    /// An error about a file without a position in the job: the job file itself, or an output.
    File {
        /// The file.
        path: PathBuf,
        /// The message.
        message: String,
        /// Advice.
        help: Option<String>,
    },
}

/// A written file of sets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenSets {
    /// The file.
    pub path: PathBuf,
    /// Size of the written file in bytes.
    pub bytes: u64,
    /// Number of bytes that the range has read.
    pub read: u64,
    /// Number of bytes that it has written or reduced.
    pub written: u64,
}

/// The result of a merge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MergedSets {
    /// Number of files.
    pub files: usize,
    /// Number of bytes written to memory.
    pub bytes: u64,
}

/// The report of a launch.
#[derive(Debug, Default)]
pub struct Report {
    /// The job file, as given.
    pub job: String,
    /// The text of the job file, for messages.
    pub job_source: Option<SourceFile>,
    /// The text of the PTX, for messages.
    pub ptx_source: Option<SourceFile>,
    /// The source positions of the PTX, once it is loaded.
    pub sources: Option<Arc<Sources>>,
    /// Name of the kernel, once the job is read.
    pub kernel: Option<String>,
    /// CTAs along x, y, z, once the job is read.
    pub grid: Option<[u32; 3]>,
    /// The launched range of CTAs, if not all are launched.
    pub ctas: Option<CtaRange>,
    /// Threads along x, y, z, once the job is read.
    pub block: Option<[u32; 3]>,
    /// Durations of the phases that were reached.
    pub times: Times,
    /// Counters and output of the launch, even if it ended with a fault.
    pub stats: Option<LaunchStats>,
    /// Number of objects that were compared with the job's expectations.
    pub checked: Option<usize>,
    /// The written outputs.
    pub outputs: Vec<Written>,
    /// The file with the sets of a range of CTAs.
    pub sets: Option<WrittenSets>,
    /// The result of a merge, instead of a launch.
    pub merged: Option<MergedSets>,
    /// Notes about the job, which stop nothing.
    pub job_notes: Vec<Problem>,
    /// Warnings about the PTX, which stop nothing.
    pub ptx_warnings: Vec<Diagnostic>,
    /// Other warnings, which stop nothing.
    pub warnings: Vec<String>,
    /// The instruction forms of the kernel, once it was launched.
    pub instructions: Vec<Instruction>,
    /// The effective state of the fetches, if requested.
    pub effective: Option<Vec<Line>>,
    /// Whether the text lists instructions that were interpreted in the middle of compiled code.
    pub tells_interpreted: bool,
    /// The accesses of the thread of `--explain`.
    pub explained: Option<Explained>,
    /// The file that the explanation was written to.
    pub explanation: Option<PathBuf>,
    /// The fault that ended the launch.
    pub fault: Option<Box<Fault>>,
    /// Other reasons that stopped the launch.
    pub failures: Vec<Failure>,
    /// Whether the options contradict each other, which has the exit code of wrong usage.
    pub is_misused: bool,
    /// The findings of checks, if any are enabled.
    pub log: Option<Log>,
    /// Whether each finding is printed with the text that suppresses it.
    pub gen_suppressions: bool,
}

impl Report {
    /// Whether the kernel completed and every output is written.
    pub fn ran(&self) -> bool {
        self.failures.is_empty() && self.fault.is_none() && self.stats.is_some()
    }

    /// Whether it completed without findings that make it fail.
    pub fn succeeded(&self) -> bool {
        self.ran() && !self.log.as_ref().is_some_and(Log::fails)
    }

    /// The PTX with its line table, if it could be loaded.
    pub fn located(&self) -> Option<Located<'_>> {
        let text = self.ptx_source.as_ref()?;
        Some(Located { text, sources: self.sources.as_deref() })
    }

    fn fail(&mut self, failure: Failure) {
        self.failures.push(failure);
    }

    /// Adds the problems of the job, sorted by position.
    fn take(&mut self, mut problems: Vec<Problem>) {
        problems.sort_by_key(|p| p.span.start);
        self.failures.extend(problems.into_iter().map(Failure::Job));
    }
}

/// Runs a job.
pub fn launch(args: &LaunchArgs) -> Report {
    launch_observed(args, None)
}

/// Launches a kernel with an observer.
pub fn launch_observed(args: &LaunchArgs, observer: Option<&dyn Observer>) -> Report {
    launch_with(args, Attached::observer(observer))
}

/// Launches a kernel in a debugger.
#[cfg(feature = "debug")]
pub fn launch_debugged(args: &LaunchArgs, debugging: &texunit_debug::Debugging) -> Report {
    launch_with(args, Attached { debugging: Some(debugging), ..Attached::observer(None) })
}

/// The observer and the debugger of a launch.
#[derive(Clone, Copy)]
struct Attached<'a> {
    observer: Option<&'a dyn Observer>,
    #[cfg(feature = "debug")]
    debugging: Option<&'a texunit_debug::Debugging>,
}

impl<'a> Attached<'a> {
    /// Without a debugger.
    fn observer(observer: Option<&'a dyn Observer>) -> Self {
        Self {
            observer,
            #[cfg(feature = "debug")]
            debugging: None,
        }
    }

    /// The debugger of a launch, with the log of its checks.
    #[cfg(feature = "debug")]
    fn debugger<'l>(
        self,
        kernel: &str,
        findings: Option<&'l texunit_checks::Log>,
    ) -> Option<texunit_debug::LaunchDebugger<'l>>
    where
        'a: 'l,
    {
        let debugging = self.debugging?;
        // A job has a single launch, so that it is always debugged.
        debugging.wants(kernel);
        Some(texunit_debug::LaunchDebugger { debugging, findings })
    }
}

fn launch_with(args: &LaunchArgs, attached: Attached<'_>) -> Report {
    let mut report = Report {
        job: args.job.display().to_string(),
        tells_interpreted: args.interpreted,
        gen_suppressions: args.checks.gen_suppressions(),
        ctas: args.ctas,
        ..Report::default()
    };
    let start = Instant::now();
    if let Some(job) = job_of(&args.job, &mut report) {
        report.kernel = Some(job.kernel.value.clone());
        report.grid = Some(job.grid.value);
        report.block = Some(job.block.value);
        run_job(&job, args, attached, &mut report, start);
        write_explanation(args, &mut report);
    }
    report
}

/// Reads the job; problems that do not prevent a launch are added to the report.
fn job_of(path: &Path, report: &mut Report) -> Option<Job> {
    match read_job(path) {
        Ok(file) => {
            report.job_source = Some(file.source);
            report.take(file.problems);
            report.job_notes = file.job.as_ref().map_or_else(Vec::new, |job| job.notes.clone());
            file.job
        }
        Err(unreadable) => {
            let (message, help) = (unreadable.message, unreadable.help.map(str::to_owned));
            report.fail(Failure::File { path: path.to_owned(), message, help });
            None
        }
    }
}

fn run_job(
    job: &Job,
    args: &LaunchArgs,
    attached: Attached<'_>,
    report: &mut Report,
    start: Instant,
) {
    let folder = args.job.parent().unwrap_or(Path::new(""));
    let (settings, options) = (&job.settings, DeviceOptions::default());
    let device = Device::new(
        &options
            .clone()
            .with_architecture(args.how.arch.or(settings.arch).unwrap_or(options.architecture))
            .with_memory_limit(
                args.how.memory_limit.or(settings.memory_limit).unwrap_or(options.memory_limit),
            )
            .with_first_launch(settings.grid_id)
            .with_initial_contents(InitialContents {
                fill: args.how.fill,
                is_tracked: args.checks.follows_init(),
            }),
    );
    if let Some(fill @ Fill::Random(_)) = args.how.fill {
        report.warnings.push(format!("fresh memory is filled by --fill {fill}"));
    }
    let Some(module) = load_module(job, folder, &device, report) else { return };
    let problems = Problems::default();
    let kernel = load::kernel(job, &module).map_err(|p| problems.borrow_mut().push(p)).ok();
    let bound = kernel.as_ref().map(|k| bind(job, folder, &device, k, &problems));
    report.take(problems.take());
    report.times.load = start.elapsed().saturating_sub(report.times.compile);
    if let (Some(kernel), Some(mut bound)) = (kernel, bound) {
        report.failures.extend(kernel.unsupported().into_iter().map(Failure::Ptx));
        report.warnings.append(&mut bound.warnings);
        let text = report.job_source.as_ref().map_or("", |source| source.text());
        let guessed = crate::init::left(text, module.source(), kernel.name());
        if !guessed.is_empty() {
            report.warnings.push(format!(
                "sizes and values of this job are placeholders, as `texunit init` has guessed them: {}",
                texunit_job::problem::listed(&guessed)
            ));
        }
        if bound.has_outputs()
            && args.ctas.is_none()
            && let Some(failure) = no_folder(&args.out)
        {
            report.fail(failure);
        }
        keep_apart(&bound, [&args.job, &folder.join(&job.ptx.value)], args, report);
        if let Some(failure) = args.explain.and_then(|thread| not_in_grid(thread, job, args)) {
            report.fail(failure);
        }
        match args.checks.log(&args.kernel) {
            Ok(log) => report.log = log,
            Err(failure) => report.fail(*failure),
        }
        if report.failures.is_empty() {
            report.effective = args.effective.then(|| effective::lines(&kernel, &bound));
            if args.merge.is_empty() {
                run_kernel(job, (&kernel, &bound), args, attached, report);
            } else {
                let start = Instant::now();
                let is_merged = ranges::merge(job, &device, &kernel, args, report);
                report.times.launch = start.elapsed();
                if is_merged {
                    compare(&bound, report);
                    write_outputs(&bound, args, report);
                }
            }
        }
    }
}

fn load_module(job: &Job, folder: &Path, device: &Device, report: &mut Report) -> Option<Module> {
    let (name, text) = match read_ptx(job, folder) {
        Ok(ptx) => ptx,
        Err(problem) => {
            report.fail(Failure::Job(problem));
            return None;
        }
    };
    let start = Instant::now();
    let loaded = Module::load_at(device, &name, &text, &load::places(job));
    report.times.compile = start.elapsed();
    match loaded {
        Ok(module) => {
            report.ptx_source = Some(module.source().clone());
            report.sources = Some(Arc::clone(module.sources()));
            report.ptx_warnings = module.warnings().to_vec();
            Some(module)
        }
        Err(error) => {
            report.ptx_source = Some(error.source);
            report.sources = Some(error.sources);
            report.failures.extend(error.diagnostics.into_iter().map(Failure::Ptx));
            None
        }
    }
}

fn run_kernel(
    job: &Job,
    (kernel, bound): (&Kernel, &Bound),
    args: &LaunchArgs,
    attached: Attached<'_>,
    report: &mut Report,
) {
    let values = bound.args().expect("every object was made, as there is no failure");
    let total = args.ctas.unwrap_or_else(|| CtaRange::of_grid(job.grid.value)).len();
    let recording = Recording::of(job, kernel, args, report);
    let recorder = recording.as_ref().map(Recording::observer);
    let shown = match !args.quiet && args.format != LaunchFormat::Json {
        false => Shown::Not,
        true if report.log.is_some() => Shown::BarOrLines,
        true => Shown::Bar,
    };
    let watch = args.explain.map(Watch::new);
    let watching = watch.as_ref().map(|watch| watch as &dyn Observer);
    let coverage = args
        .coverage
        .as_ref()
        .and_then(|_| coverage::of_launch(kernel.module(), args.how.arithmetic(&job.settings)));
    let covering = coverage.as_ref().map(coverage::Module::observer);
    let profile = args.profile.as_ref().and_then(|_| profile::of_launch(kernel.module()));
    let profiling = profile.as_ref().map(profile::Launch::observer);
    let log = report.log.take();
    let checks = log.as_ref().and_then(|log| checks::observer(log, kernel.name()));
    let checking = checks.as_deref();
    let observers = attached
        .observer
        .into_iter()
        .chain(watching)
        .chain(covering)
        .chain(profiling)
        .chain(checking);
    let observers = Several(observers.chain(recorder).collect());
    let (settings, own) = (&job.settings, load::launch_options(job));
    #[cfg(feature = "debug")]
    let stepping = attached.debugger(kernel.name(), log.as_ref().filter(|_| checks.is_some()));
    #[cfg(feature = "debug")]
    let debugger = stepping.as_ref().map(|of| of as &dyn Debugger);
    #[cfg(not(feature = "debug"))]
    let debugger: Option<&dyn Debugger> = None;
    let start = Instant::now();
    let result = with_bar(shown, total, |progress| {
        let options = own
            .with_threads(args.threads.into())
            .with_max_steps(args.how.max_steps.unwrap_or(own.max_steps))
            .with_fmad(args.how.arithmetic(settings).fmad)
            .with_approximate(args.how.arithmetic(settings).approximate)
            .with_bounds(args.how.bounds.map_or(own.bounds, Into::into))
            .with_bad_fetch(args.how.bad_fetch(settings.bad_fetch))
            .with_progress(progress)
            .with_observer(observers.any())
            .with_debugger(debugger)
            .with_gradients(args.how.gradients())
            .with_schedule(args.how.schedule);
        let options = recording.as_ref().map_or(options, |recording| recording.options(options));
        kernel.launch(&options, &values)
    });
    report.times.launch = start.elapsed();
    let forms = kernel.instruction_forms(args.how.arithmetic(settings).approximate);
    report.instructions = Instruction::of(kernel.name(), forms, kernel.module().source());
    drop(checks);
    if let Some(log) = &log {
        checks::launched(log, result.is_ok());
    }
    report.log = log;
    let stats = result.as_ref().map_or_else(LaunchError::stats, Some);
    if let Some(stats) = stats.filter(|stats| !stats.bad_fetches.is_empty()) {
        let log = report.log.get_or_insert_default();
        log.bad_fetches(stats, kernel.module().source(), texunit_report::Host::Job);
    }
    report.explained = watch.as_ref().map(Explained::new);
    let covered = args.coverage.as_ref().zip(coverage);
    report.failures.extend(
        covered.and_then(|(file, covered)| coverage::write(file, &covered, args.coverage_toolkit)),
    );
    report.failures.extend(
        args.profile
            .as_ref()
            .zip(profile)
            .and_then(|(file, profile)| profile::write(file, args.profile_format, &profile)),
    );
    let fault = match &result {
        // The fault of a cancelled launch adds nothing to the reason of the cancellation.
        Err(LaunchError::Fault(fault)) if fault.kind != FaultKind::Cancelled => Some(&**fault),
        _ => None,
    };
    if recording.as_ref().is_some_and(|recording| recording.is_refused(fault, report)) {
        return;
    }
    match result {
        Ok(stats) if recording.is_some() => {
            report.stats = Some(stats);
            recording.iter().for_each(|recording| recording.write(job.grid.value, report));
        }
        Ok(stats) => {
            report.stats = Some(stats);
            compare(bound, report);
            write_outputs(bound, args, report);
        }
        Err(LaunchError::Fault(mut fault)) => {
            if let Some(recording) = &recording {
                report.warnings.extend(recording.waits(&fault));
            }
            report.stats = Some(std::mem::take(&mut fault.stats));
            report.fault = Some(fault);
        }
        Err(LaunchError::Unsupported(list)) => {
            report.failures.extend(list.into_iter().map(Failure::Ptx));
        }
        Err(LaunchError::Args(error)) => report.fail(Failure::Job(wrong_shape(job, &error))),
    }
}

/// Compares the results with the job's expectations.
fn compare(bound: &Bound, report: &mut Report) {
    match bound.differences() {
        Ok(differences) => {
            report.checked = Some(bound.expectations()).filter(|&n| n > 0);
            report.take(differences);
        }
        Err(error) => {
            let path = PathBuf::from(&report.job);
            report.fail(Failure::File { path, message: error.to_string(), help: None });
        }
    }
}

/// Rejects results that would overwrite another file of the launch. Problems of the job itself are
/// reported already.
fn keep_apart(bound: &Bound, read: [&Path; 2], args: &LaunchArgs, report: &mut Report) {
    if !report.failures.is_empty() {
        return;
    }
    let mut places = CommandFiles::default();
    read.into_iter().for_each(|path| places.reads("the job reads", path));
    args.checks.files().iter().for_each(|file| places.reads("--suppressions reads", file));
    args.merge.iter().for_each(|file| places.reads("is merged", file));
    let outputs = bound.places(args.ctas.is_none().then_some(&*args.out), &mut places);
    for (option, file) in [
        ("--coverage", &args.coverage),
        ("--profile", &args.profile),
        ("--explain-out", &args.explain_out),
        ("--writes", &args.writes),
    ] {
        file.iter().for_each(|file| places.writes(option, file));
    }
    for conflict in places.conflicts() {
        let of_job =
            (conflict.result < outputs).then(|| bound.conflict(conflict.result, &conflict.message));
        report.fail(match of_job.flatten() {
            Some(problem) => Failure::Job(problem),
            None => Failure::File { path: args.job.clone(), message: conflict.message, help: None },
        });
        report.is_misused = true;
    }
}

/// Writes all outputs, or none if one cannot be written.
fn write_outputs(bound: &Bound, args: &LaunchArgs, report: &mut Report) {
    let start = Instant::now();
    match bound.write_outputs(&args.out) {
        Ok(list) => report.outputs = list,
        Err(error) => report.fail(cannot_write(error)),
    }
    report.times.write = start.elapsed();
}

/// Writes the explanation of `--explain` to its file, and removes it from the report.
fn write_explanation(args: &LaunchArgs, report: &mut Report) {
    let Some(file) = &args.explain_out else { return };
    let Some(explained) = report.explained.take() else { return };
    match explained.write(file, None, report) {
        Ok(()) => report.explanation = Some(file.clone()),
        Err(error) => report.fail(cannot_write(error)),
    }
}

fn cannot_write(error: FileError) -> Failure {
    let message = match &error.problem {
        texunit_files::Problem::Folder(_) => {
            format!("cannot make the folder `{}`: {}", error.path.display(), error.problem)
        }
        _ => format!("cannot write {error}"),
    };
    Failure::File { path: error.path, message, help: None }
}

/// Why outputs cannot be written to their folder, as far as that can be determined before a launch
/// that may take hours.
fn no_folder(folder: &Path) -> Option<Failure> {
    // The nearest existing ancestor must be a folder.
    let exists = folder.ancestors().find(|p| p.symlink_metadata().is_ok())?;
    if exists.is_dir() {
        return None;
    }
    let message = format!("cannot write to `{}`: expected a folder", exists.display());
    let help = Some("`--out` names the folder that outputs are written to".to_owned());
    Some(Failure::File { path: exists.to_owned(), message, help })
}

/// The error for a thread that is outside of the grid.
fn not_in_grid(thread: [u32; 3], job: &Job, args: &LaunchArgs) -> Option<Failure> {
    let size = |axis: usize| u64::from(job.grid.value[axis]) * u64::from(job.block.value[axis]);
    let size = [size(0), size(1), size(2)];
    if thread.iter().zip(size).all(|(&t, n)| u64::from(t) < n) {
        return None;
    }
    let ([x, y, z], [w, h, d]) = (thread, size);
    let message = format!("--explain: no thread ({x}, {y}, {z}) is in the grid of {w} x {h} x {d}");
    let help = Some("threads are counted over the whole grid, from 0".to_owned());
    Some(Failure::File { path: args.job.clone(), message, help })
}
