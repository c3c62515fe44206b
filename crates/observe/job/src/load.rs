//! Loads a job file, its PTX and its kernel.

use crate::problem::{Problem, codes};
use crate::spec::{self, Job};
use crate::syntax;
use std::path::Path;
use texunit_device::{ArgError, Kernel, LaunchOptions, Module, VariableAddresses};
use texunit_forms::{Count, sort_by_key};
use texunit_spec::{At, Problems};
use texunit_syntax::SourceFile;

/// Maximum size of a job file: parsing TOML takes a multiple of its size in memory, and large data
/// belongs in files of its own.
const MAX_JOB: usize = 64 << 20;

/// A job file that was read.
#[derive(Clone, Debug)]
pub struct JobFile {
    /// The text, for messages.
    pub source: SourceFile,
    /// The parsed job; `None` if it is not TOML or lacks a required key.
    pub job: Option<Job>,
    /// The problems of the job, in the order of the file; a parsed job may have some, too.
    pub problems: Vec<Problem>,
}

/// The error for a file that cannot be read as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// The message, with the name of the file.
    pub message: String,
    /// Advice for correcting the file.
    pub help: Option<&'static str>,
}

/// Reads a job file.
pub fn read_job(path: &Path) -> Result<JobFile, Unreadable> {
    let text = read_text(path, MAX_JOB)?;
    let problems = Problems::default();
    let job = spec::parse(&text, &problems);
    let mut problems = problems.take();
    if problems.iter().any(|p| p.code == codes::SYNTAX)
        && let Some(other) = syntax::other_file(&text, path)
    {
        problems = vec![other];
    }
    sort_by_key(&mut problems, |p| p.span.start);
    Ok(JobFile { source: SourceFile::new(path.display().to_string(), text), job, problems })
}

/// Whether a TOML file is a job, which has a `ptx` key.
pub fn is_job(path: &Path) -> bool {
    // Endless devices and pipes are not read.
    let text = texunit_files::read_bytes(path).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    let Some(text) = text else { return false };
    text.parse::<toml::Table>().is_ok_and(|table| table.contains_key("ptx"))
}

/// The name and text of the PTX file of a job whose file is in `folder`.
pub fn read_ptx(job: &Job, folder: &Path) -> Result<(String, String), Problem> {
    let path = folder.join(&job.ptx.value);
    match read_text(&path, SourceFile::MAX_LEN) {
        Ok(text) => Ok((path.display().to_string(), text)),
        Err(Unreadable { message, help }) => {
            let mut problem = job.ptx.problem(codes::FILE, message);
            problem.help = help.map(str::to_owned);
            Err(problem)
        }
    }
}

/// Reads a text file of limited size.
fn read_text(path: &Path, limit: usize) -> Result<String, Unreadable> {
    let wrong = |message, help| Unreadable { message, help };
    let bytes = texunit_files::read_bytes(path).map_err(|e| wrong(e.to_string(), None))?;
    let name = path.display();
    if bytes.len() > limit {
        let message =
            format!("`{name}`: has {}, but at most {limit} are read", Count(bytes.len(), "byte"));
        return Err(wrong(message, None));
    }
    if let Some(kind) = texunit_syntax::foreign::binary_file(&bytes) {
        let message = format!("`{name}`: expected a text file, found {}", kind.what);
        return Err(wrong(message, Some(kind.help)));
    }
    String::from_utf8(bytes).map_err(|e| {
        let at = e.utf8_error().valid_up_to();
        let line = 1 + e.as_bytes()[..at].iter().filter(|&&b| b == b'\n').count();
        let message = format!("`{name}`: expected a text file, but line {line} is not UTF-8");
        wrong(message, Some("save it as UTF-8 or ASCII, if it is text"))
    })
}

/// The fixed addresses and handles of the job's module variables.
pub fn places(job: &Job) -> VariableAddresses {
    let mut places = VariableAddresses::default();
    for (name, at) in &job.places {
        // A name is either a variable or a reference in the module, so that only one of the two
        // settings applies.
        places.memory.insert(name.value.clone(), at.value);
        places.handles.insert(name.value.clone(), at.value);
    }
    places
}

/// The kernel of a job.
pub fn kernel(job: &Job, module: &Module) -> Result<Kernel, Problem> {
    let name = &job.kernel.value;
    module.kernel(name).map_err(|error| {
        let kernels = error.kernels;
        let message = format!("`{}` has no kernel `{name}`", job.ptx.value.display());
        let problem = job.kernel.problem(codes::NAME, message);
        if kernels.is_empty() {
            return problem.help("it has no `.entry` at all");
        }
        problem.suggest(name, &kernels)
    })
}

/// The options of the job's launch, with the settings of the job.
pub fn launch_options<'a>(job: &Job) -> LaunchOptions<'a> {
    let (settings, default) = (&job.settings, LaunchOptions::default());
    LaunchOptions::new(job.grid.value, job.block.value)
        .with_dynamic_shared(job.dynamic_shared.as_ref().map_or(0, |size| size.value))
        .with_cooperative(job.cooperative)
        .with_cluster(job.cluster.as_ref().map(|of| of.value))
        .with_max_steps(settings.max_steps.unwrap_or(default.max_steps))
        .with_stack_limit(settings.stack_limit.unwrap_or(default.stack_limit))
        .with_printf_limit(settings.printf_limit.unwrap_or(default.printf_limit))
        .with_count_local(true)
        .with_fmad(settings.arithmetic().fmad)
        .with_approximate(settings.arithmetic().approximate)
        .with_bounds(settings.bounds.unwrap_or_default())
        .with_bad_fetch(settings.bad_fetch.unwrap_or_default())
}

/// The problem of a launch configuration that drivers reject, at the key that causes it.
pub fn wrong_shape(job: &Job, error: &ArgError) -> Problem {
    let at = match error {
        ArgError::Dimension { what: "grid", .. } | ArgError::Ctas(_) => job.grid.at(),
        ArgError::Dimension { .. } | ArgError::Block(_) | ArgError::LocalMemory { .. } => {
            job.block.at()
        }
        ArgError::Shared { .. } => job.dynamic_shared.as_ref().map_or(job.kernel.at(), At::at),
        _ => job.kernel.at(),
    };
    let problem = Problem::new(codes::VALUE, at, error.to_string());
    match error {
        ArgError::LocalMemory { .. } => problem.help(
            "`--memory-limit` says how much there is, buffers and arrays included; smaller CTAs need less",
        ),
        _ => problem,
    }
}
