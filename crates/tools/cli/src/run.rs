//! Runs one launch, from the job file to the written outputs.

use crate::args::LaunchFormat;
use crate::explain::launch::Explained;
use crate::launch_args::LaunchArgs;
use crate::launch_report::{Failure, Report};
use crate::progress::{Shown, with_bar};
use crate::ranges::{self, Recording};
use crate::{checks, effective, observation};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;
use texunit_device::debug::Debugger;
use texunit_device::observe::Several;
use texunit_device::{
    CtaRange, Device, FaultKind, Fill, GradientEngine, InitialContents, Kernel, LaunchError,
    Module, Observer, Watch,
};
use texunit_files::{CommandFiles, FileError};
#[cfg(feature = "sass")]
use texunit_gradients::TxdEngine;
use texunit_job::load::{self, read_job, read_ptx, wrong_shape};
use texunit_job::{Bound, Job, Problems, bind};
use texunit_report::Instruction;

/// The observers whose results are files.
const OBSERVATIONS: &[observation::Make] = &[
    #[cfg(feature = "coverage")]
    crate::coverage::of_launch,
    #[cfg(feature = "profile")]
    crate::profile::of_launch,
];

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
    if let Some(mut job) = job_of(&args.job, &mut report) {
        job.settings = args.how.settings().over(&job.settings);
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
    let fresh = InitialContents { fill: args.how.fill, is_tracked: args.checks.follows_init() };
    let device = Device::new(&job.settings.device().with_initial_contents(fresh));
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
    let arithmetic = job.settings.arithmetic();
    let observations: Vec<_> =
        OBSERVATIONS.iter().filter_map(|make| make(args, kernel.module(), arithmetic)).collect();
    let log = report.log.take();
    let checks = log.as_ref().and_then(|log| checks::observer(log, kernel.name()));
    let checking = checks.as_deref();
    let observers = attached
        .observer
        .into_iter()
        .chain(watching)
        .chain(observations.iter().map(|observation| observation.observer()))
        .chain(checking);
    let observers = Several(observers.chain(recorder).collect());
    let own = load::launch_options(job);
    #[cfg(feature = "debug")]
    let stepping = attached.debugger(kernel.name(), log.as_ref().filter(|_| checks.is_some()));
    #[cfg(feature = "debug")]
    let debugger = stepping.as_ref().map(|of| of as &dyn Debugger);
    #[cfg(not(feature = "debug"))]
    let debugger: Option<&dyn Debugger> = None;
    #[cfg(feature = "sass")]
    let engine = args.how.via_txd.then(|| TxdEngine::new(kernel.module().source()));
    #[cfg(feature = "sass")]
    let gradients = engine.as_ref().map(|engine| engine as &dyn GradientEngine);
    #[cfg(not(feature = "sass"))]
    let gradients: Option<&dyn GradientEngine> = None;
    let start = Instant::now();
    let result = with_bar(shown, total, |progress| {
        let options = own
            .with_threads(args.threads.into())
            .with_progress(progress)
            .with_observer(observers.any())
            .with_debugger(debugger)
            .with_gradients(gradients)
            .with_schedule(args.how.schedule);
        let options = recording.as_ref().map_or(options, |recording| recording.options(options));
        kernel.launch(&options, &values)
    });
    report.times.launch = start.elapsed();
    let forms = kernel.instruction_forms(arithmetic.approximate);
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
    report.failures.extend(observations.iter().filter_map(|observation| observation.write(args)));
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
    match explained.write(file, None, report.kernel.as_deref(), report.located()) {
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
