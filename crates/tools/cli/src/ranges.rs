//! `texunit launch --ctas A..B --writes FILE` and `texunit merge`: runs a grid as several ranges of
//! CTAs, on one machine or many.

use crate::args::{HowArgs, OutputFormat};
use crate::codes::{DEPENDENT, NOT_ALONE};
use crate::examples;
use crate::launch_args::LaunchArgs;
use crate::launch_report::{Failure, MergedSets, Report, WrittenSets};
use clap::Args;
use std::path::{Path, PathBuf};
use texunit_device::{
    CtaRange, Device, Diagnostic, Fault, FaultKind, Kernel, LaunchOptions, Observer, SourceFile,
};
use texunit_forms::Count;
use texunit_job::Job;
use texunit_sets::{
    Conflict, ConflictSide, Does, MergeError, Objects, Recorder, Refused, Sets, identity,
};
use texunit_syntax::Span;

/// Arguments of `texunit merge`.
#[derive(Clone, Debug, Args)]
#[command(after_help = examples::of("texunit merge"))]
pub struct MergeArgs {
    /// The job file that all ranges were launched with.
    #[arg(value_name = "JOB.toml")]
    pub job: PathBuf,
    /// Files that `texunit launch --ctas --writes` has written, in any order: all CTAs of the grid.
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// Folder for the outputs; created if it does not exist.
    #[arg(long, short, value_name = "DIR", default_value = "texunit-out")]
    pub out: PathBuf,
    /// Output format.
    #[arg(long, value_enum, default_value_t = OutputFormat::Human)]
    pub format: OutputFormat,
    /// Print nothing but errors and what the kernel has printed.
    #[arg(long, short)]
    pub quiet: bool,
    /// How the ranges were executed: the same options as theirs.
    #[command(flatten)]
    pub how: HowArgs,
}

impl MergeArgs {
    /// A launch that merges these files instead of running the kernel.
    pub fn as_launch(&self) -> LaunchArgs {
        LaunchArgs {
            job: self.job.clone(),
            out: self.out.clone(),
            format: self.format.into(),
            quiet: self.quiet,
            how: self.how,
            merge: self.files.clone(),
            ..LaunchArgs::default()
        }
    }
}

/// `texunit merge`.
pub fn run(args: &MergeArgs) -> u8 {
    crate::launch(&args.as_launch())
}

/// The recorded launch of a range.
pub(crate) struct Recording<'a> {
    recorder: Recorder,
    identity: [u8; 32],
    ctas: CtaRange,
    file: &'a Path,
}

impl<'a> Recording<'a> {
    /// The recording, which begins with the current state of the device; `None` for a whole launch.
    pub(crate) fn of(
        job: &Job,
        kernel: &Kernel,
        args: &'a LaunchArgs,
        report: &Report,
    ) -> Option<Self> {
        let (ctas, file) = (args.ctas?, args.writes.as_deref()?);
        let objects = Objects::of(&kernel.module().device().state());
        let identity = identity_of(job, kernel, &args.how, report, &objects);
        Some(Self { recorder: Recorder::new(objects), identity, ctas, file })
    }

    /// The observer that records the launch.
    pub(crate) fn observer(&self) -> &dyn Observer {
        &self.recorder
    }

    /// The options of the launch, with those of the range.
    pub(crate) fn options<'o>(&'o self, options: LaunchOptions<'o>) -> LaunchOptions<'o> {
        options.with_ctas(self.ctas).with_cancel(self.recorder.stop())
    }

    /// Reports why there are no sets, unless the launch ended with a fault that explains it.
    pub(crate) fn is_refused(&self, fault: Option<&Fault>, report: &mut Report) -> bool {
        let refused = self.recorder.refused();
        // The refused access is the one that faulted.
        if fault.is_some() && refused.iter().all(|refused| refused.is_stray) {
            return false;
        }
        report.failures.extend(refused.iter().map(refusal));
        !refused.is_empty()
    }

    /// Why a range may not have completed.
    pub(crate) fn waits(&self, fault: &Fault) -> Option<String> {
        let waits = matches!(fault.kind, FaultKind::StepLimit { .. } | FaultKind::Deadlock { .. });
        waits.then(|| format!("the CTAs {} may wait for what others do", self.ctas))
    }

    /// Writes the file of a completed launch.
    pub(crate) fn write(&self, grid: [u32; 3], report: &mut Report) {
        let stats = report.stats.clone().unwrap_or_default();
        let sets = match self.recorder.sets(self.identity, (grid, self.ctas), &stats) {
            Ok(sets) => sets,
            Err(refused) => return report.failures.extend(refused.iter().map(refusal)),
        };
        let bytes = sets.to_bytes();
        if bytes.len() as u64 > texunit_files::MAX_BYTES {
            let message =
                format!("the sets have {}, more than a file can have", Count(bytes.len(), "byte"));
            let help = Some("take smaller ranges".to_owned());
            let path = self.file.to_owned();
            return report.failures.push(Failure::File { path, message, help });
        }
        match texunit_files::write_atomically(self.file, &bytes) {
            Ok(()) => {
                let (read, written) = (sets.read(), sets.written());
                let (path, bytes) = (self.file.to_owned(), bytes.len() as u64);
                report.sets = Some(WrittenSets { path, bytes, read, written });
            }
            Err(error) => {
                let message = format!("cannot write {error}");
                let path = self.file.to_owned();
                report.failures.push(Failure::File { path, message, help: None });
            }
        }
    }
}

/// The identity of the launch, which includes options that change its result.
fn identity_of(
    job: &Job,
    kernel: &Kernel,
    how: &HowArgs,
    report: &Report,
    objects: &Objects,
) -> [u8; 32] {
    let settings = &job.settings;
    let options = format!(
        "{:?} {:?} {:?} {:?} {:?} {}",
        settings.arch,
        how.fill,
        settings.bounds.unwrap_or_default(),
        settings.bad_fetch.unwrap_or_default(),
        settings.arithmetic(),
        how.via_txd,
    );
    let texts = [&report.job_source, &report.ptx_source]
        .map(|text| text.as_ref().map_or("", SourceFile::text));
    identity([kernel.name(), texts[0], texts[1], &options], objects)
}

fn refusal(refused: &Refused) -> Failure {
    let message = format!("a range of CTAs cannot be launched alone: {}", refused.message);
    match refused.span {
        Some(span) => Failure::Ptx(Diagnostic::error(NOT_ALONE, span, message).help(refused.help)),
        None => {
            Failure::File { path: PathBuf::new(), message, help: Some(refused.help.to_owned()) }
        }
    }
}

/// Reads the files, and merges them into the memory of the job.
pub(crate) fn merge(
    job: &Job,
    device: &Device,
    kernel: &Kernel,
    args: &LaunchArgs,
    report: &mut Report,
) -> bool {
    let mut all = Vec::new();
    for path in &args.merge {
        let sets = texunit_files::read_bytes(path).map_err(|error| error.to_string());
        let sets = sets.and_then(|bytes| {
            Sets::from_bytes(&bytes).map_err(|e| format!("`{}`: {e}", path.display()))
        });
        match sets {
            Ok(sets) => all.push(sets),
            Err(message) => {
                report.failures.push(Failure::File { path: path.clone(), message, help: None });
            }
        }
    }
    if !report.failures.is_empty() {
        return false;
    }
    let objects = Objects::of(&device.state());
    let own = identity_of(job, kernel, &args.how, report, &objects);
    let limit = texunit_job::load::launch_options(job).printf_limit;
    match texunit_sets::merge(&objects, &own, &all, limit) {
        Ok(merged) => {
            report.stats = Some(merged.stats);
            report.merged = Some(MergedSets { files: all.len(), bytes: merged.bytes });
            true
        }
        Err(error) => {
            report.failures.push(failure(&error, args, &objects, report));
            false
        }
    }
}

fn failure(error: &MergeError, args: &LaunchArgs, objects: &Objects, report: &Report) -> Failure {
    let file = |i: usize| args.merge.get(i).cloned().unwrap_or_default();
    let of_file = |i: usize, help: Option<&str>| {
        let message = format!("`{}`: {error}", file(i).display());
        Failure::File { path: file(i), message, help: help.map(str::to_owned) }
    };
    match error {
        MergeError::Conflict(conflict) => {
            Failure::Ptx(dependence(conflict, objects, report.ptx_source.as_ref()))
        }
        MergeError::Other(i) | MergeError::Object(i) => {
            let help = "the job, its files, the PTX and the options must be those of all ranges";
            of_file(*i, Some(help))
        }
        MergeError::Twice(_, first, second) => {
            let names = [*first, *second].map(|i| format!("`{}`", file(i).display()));
            let message = format!("{error}: {} and {}", names[0], names[1]);
            Failure::File { path: file(*second), message, help: None }
        }
        MergeError::Missing(range) => {
            let help = format!("`texunit launch --ctas {range} --writes FILE` makes it");
            let (path, message) = (args.job.clone(), error.to_string());
            Failure::File { path, message, help: Some(help) }
        }
        MergeError::Nothing => {
            Failure::File { path: args.job.clone(), message: error.to_string(), help: None }
        }
    }
}

/// Describes two ranges' accesses to the same bytes.
fn dependence(conflict: &Conflict, objects: &Objects, text: Option<&SourceFile>) -> Diagnostic {
    let [first, second] = conflict.ends;
    let place = objects.list().get(conflict.object as usize).map_or_else(String::new, |object| {
        let name = object.block.name();
        let plus = match conflict.offset {
            0 => String::new(),
            offset => format!(" + {offset:#x}"),
        };
        match object.address {
            Some(address) => {
                let at = address.wrapping_add(conflict.offset);
                format!("`{name}`{plus}, address {at:#x}")
            }
            None => format!("`{name}`{plus}"),
        }
    });
    let (a, b) = (first.ctas, second.ctas);
    let message = match (first.does, second.does) {
        (Does::Writes, Does::Writes) => {
            format!("the CTAs {a} and the CTAs {b} write different values to {place}")
        }
        (Does::Reduces, Does::Reduces) => {
            format!("the CTAs {a} and the CTAs {b} reduce {place} in two ways")
        }
        (Does::Writes, _) => {
            format!("the CTAs {b} {} what the CTAs {a} write: {place}", verb(second))
        }
        (_, Does::Writes) => {
            format!("the CTAs {b} write what the CTAs {a} {}: {place}", verb(first))
        }
        _ => format!("the CTAs {b} {} what the CTAs {a} {}: {place}", verb(second), verb(first)),
    };
    let label = |end: ConflictSide| format!("the CTAs {} {} it here", end.ctas, verb(end));
    let is_atomic = |end: ConflictSide| text.is_some_and(|text| starts_with_atomic(text, end.span));
    let help = if is_atomic(first) || is_atomic(second) {
        "only integer add, min, max, and, or and xor whose results are not used are folded; launch the grid as a whole"
    } else {
        "each range has run without what the others do; launch the grid as a whole"
    };
    let error = Diagnostic::error(DEPENDENT, second.span, message).label(label(second)).help(help);
    if first.span == second.span { error } else { error.note(first.span, label(first)) }
}

fn verb(end: ConflictSide) -> &'static str {
    match end.does {
        Does::Reads => "read",
        Does::Writes => "write",
        Does::Reduces => "reduce",
    }
}

/// Whether an instruction is an atomic, possibly with a predicate.
fn starts_with_atomic(text: &SourceFile, span: Span) -> bool {
    let mut words = text.snippet(span).split_whitespace();
    let word = words.next().filter(|word| !word.starts_with('@')).or_else(|| words.next());
    word.is_some_and(|word| word.starts_with("atom") || word.starts_with("red"))
}
