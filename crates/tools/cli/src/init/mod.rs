//! `texunit init`: a job file for the kernels of a PTX file, with every parameter filled in as far
//! as the PTX says what it is.

mod objects;
mod text;

use crate::check::read::read_file;
use crate::color::{self, Stream};
use crate::failure::Stopped;
use crate::out;
use clap::Args;
use std::path::{Component, Path, PathBuf};
use text::Skeleton;
pub(crate) use text::left;
use texunit_check::ir::{FuncId, Function, Module};
use texunit_check::{Options, check_with, uses};
use texunit_files::CommandFiles;
use texunit_report::place::both_names;
use texunit_syntax::{Diagnostic, Parsed, SourceFile, parse};

/// Arguments of `texunit init`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:\n  \
    texunit init rotate.ptx                        writes rotate.toml beside it\n  \
    texunit init kernels.ptx --kernel blur --out -  prints a job for one kernel\n  \
    texunit init kernels.ptx --out jobs            a job for each kernel, in the folder jobs")]
pub struct InitArgs {
    /// The PTX file.
    #[arg(value_name = "KERNEL.ptx")]
    pub ptx: PathBuf,
    /// Only this kernel; default: a job for each kernel of the file.
    #[arg(long, value_name = "NAME")]
    pub kernel: Option<String>,
    /// The job file, or the folder for the jobs of several kernels; `-` is standard output.
    /// Default: beside the PTX, with its name.
    #[arg(long, short, value_name = "PATH")]
    pub out: Option<PathBuf>,
    /// Replace existing files.
    #[arg(long)]
    pub force: bool,
}

/// Maximum length of a kernel's name in a file name.
const LONG_NAME: usize = 100;

/// Maximum number of names listed in a message.
const MAX_LISTED: usize = 8;

/// Runs the command; returns the exit code.
pub fn run(args: &InitArgs) -> u8 {
    match init(args) {
        Ok(text) => crate::exit(out::print(&text), true),
        Err(Stopped::Usage(message)) => crate::usage_error("init", &message),
        Err(Stopped::Failed(message)) => out::failed(&message),
    }
}

/// Writes the jobs; returns the text for standard output.
fn init(args: &InitArgs) -> Result<String, Stopped> {
    let error =
        |message: String| Stopped::Failed(format!("error: {}", texunit_report::visible(&message)));
    let source = read_file(&args.ptx).map_err(|unread| error(unread.message()))?.source;
    let module = &typed(&source).map_err(Stopped::Failed)?;
    let kernels = chosen(module, args).map_err(error)?;
    let plan = Plan { args, several: kernels.len() > 1 };
    let jobs: Vec<(PathBuf, String, &Function)> = kernels
        .iter()
        .map(|&id| {
            let kernel = &module.functions[id.0 as usize];
            let path = plan.path(kernel);
            let uses = uses::uses(module, id);
            let (ptx, job) = (plan.ptx_from(&path), plan.shown(&path));
            let text = Skeleton { module, kernel, uses: &uses, ptx: &ptx, job: &job }.text();
            (path, text, kernel)
        })
        .collect();
    if plan.is_stdout() {
        return Ok(jobs.into_iter().map(|(_, text, _)| text).collect());
    }
    plan.keep_apart(&jobs).map_err(Stopped::Usage)?;
    plan.write(&jobs).map_err(error)
}

/// The typed module of a text, or its errors formatted for standard error.
pub(crate) fn typed(source: &SourceFile) -> Result<Module, String> {
    let parsed = parse(source);
    let checked = check_with(source, &parsed.module, Options::default());
    let errors = errors(parsed, checked.diagnostics);
    match errors.is_empty() {
        true => Ok(checked.module),
        false => Err(texunit_report::human(source, &errors, color::wanted(Stream::Stderr))),
    }
}

/// The errors of a text in their order: of the parser, and of the checks.
pub(crate) fn errors(parsed: Parsed<'_>, checked: Vec<Diagnostic>) -> Vec<Diagnostic> {
    // For a file that is not PTX, further messages are useless.
    let is_ptx = !parsed.module.items.is_empty() || parsed.diagnostics.is_empty();
    let mut errors = parsed.diagnostics;
    errors.extend(checked.into_iter().filter(|_| is_ptx));
    errors.retain(Diagnostic::is_error);
    errors.sort_by_key(|d| (d.primary.span.start, d.code));
    errors
}

/// The kernels to write jobs for.
fn chosen(module: &Module, args: &InitArgs) -> Result<Vec<FuncId>, String> {
    let is_kernel = |f: &&(usize, &Function)| f.1.is_entry && f.1.body.is_some();
    let functions: Vec<(usize, &Function)> = module.functions.iter().enumerate().collect();
    let kernels: Vec<&(usize, &Function)> = functions.iter().filter(is_kernel).collect();
    let names: Vec<&str> = kernels.iter().map(|(_, f)| f.name.as_str()).collect();
    let shown = args.ptx.display();
    if names.is_empty() {
        return Err(format!("`{shown}` has no kernel (`.entry`)"));
    }
    let Some(name) = &args.kernel else {
        if args.out.as_deref() == Some(Path::new("-")) && names.len() > 1 {
            let all = listed(&names);
            return Err(format!("`--out -` prints one job: choose a kernel with --kernel: {all}"));
        }
        return Ok(kernels.iter().map(|(at, _)| FuncId(*at as u32)).collect());
    };
    match kernels.iter().find(|(_, f)| f.name == *name) {
        Some((at, _)) => Ok(vec![FuncId(*at as u32)]),
        None => Err(no_kernel(&args.ptx, name, &names)),
    }
}

/// The message for a kernel name that a file lacks, with the existing names.
pub(crate) fn no_kernel(file: &Path, name: &str, names: &[&str]) -> String {
    let near = texunit_job::problem::nearest(name, names).map_or_else(
        || format!("its kernels are {}", listed(names)),
        |near| format!("did you mean {}?", both_names(near)),
    );
    format!("`{}` has no kernel `{name}`; {near}", file.display())
}

/// The names of kernels, each with its source name.
fn listed(names: &[&str]) -> String {
    let all: Vec<String> = names.iter().take(MAX_LISTED).map(|name| both_names(name)).collect();
    match names.len() - all.len() {
        0 => all.join(", "),
        more => format!("{} and {more} more", all.join(", ")),
    }
}

/// The destination of jobs.
struct Plan<'a> {
    args: &'a InitArgs,
    several: bool,
}

impl Plan<'_> {
    fn is_stdout(&self) -> bool {
        self.args.out.as_deref() == Some(Path::new("-"))
    }

    /// The job file of a kernel.
    fn path(&self, kernel: &Function) -> PathBuf {
        let stem = self.args.ptx.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let name = if self.several {
            let plain = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' };
            let kernel: String = kernel.name.chars().take(LONG_NAME).map(plain).collect();
            format!("{stem}-{kernel}.toml")
        } else {
            format!("{stem}.toml")
        };
        match &self.args.out {
            None => self.args.ptx.with_file_name(name),
            Some(out) if self.several || out.is_dir() => out.join(name),
            Some(out) => out.clone(),
        }
    }

    fn shown(&self, job: &Path) -> String {
        if self.is_stdout() { "JOB.toml".to_owned() } else { job.display().to_string() }
    }

    /// The PTX file's path relative to a job's folder.
    fn ptx_from(&self, job: &Path) -> String {
        let ptx = &self.args.ptx;
        if self.is_stdout() {
            return ptx.display().to_string();
        }
        let folder = job.parent().filter(|f| f.as_os_str() != "").unwrap_or(Path::new("."));
        let full = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        relative(&full(ptx), &full(folder)).display().to_string()
    }

    /// Rejects a job with the path of the PTX or of another job.
    fn keep_apart(&self, jobs: &[(PathBuf, String, &Function)]) -> Result<(), String> {
        let mut places = CommandFiles::default();
        places.reads("is the PTX", &self.args.ptx);
        for (path, _, kernel) in jobs {
            places.writes(format!("the job of `{}`", kernel.name), path);
        }
        places.check().map_err(|why| format!("{why} with --out, or choose a kernel with --kernel"))
    }

    /// Writes all files, or none if one of them exists.
    fn write(&self, jobs: &[(PathBuf, String, &Function)]) -> Result<String, String> {
        if let (Some((path, ..)), false) =
            (jobs.iter().find(|(path, ..)| path.symlink_metadata().is_ok()), self.args.force)
        {
            return Err(format!(
                "`{}` exists; --force replaces it, --out names another file",
                path.display()
            ));
        }
        if let (true, Some(folder)) = (self.several, &self.args.out) {
            crate::files::make_folder(folder)?;
        }
        let mut said = String::new();
        for (path, text, kernel) in jobs {
            texunit_files::write_atomically(path, text.as_bytes())
                .map_err(|e| format!("cannot write {e}"))?;
            let count = kernel.params.len();
            let noun = if count == 1 { "parameter" } else { "parameters" };
            said += &format!(
                "wrote {0}: kernel {1}, {count} {noun}; `texunit launch {0}` runs it\n",
                path.display(),
                both_names(&kernel.name)
            );
        }
        Ok(said)
    }
}

/// A path relative to a folder, both absolute.
fn relative(path: &Path, folder: &Path) -> PathBuf {
    let plain = |path: &Path| path.components().all(|c| !matches!(c, Component::ParentDir));
    if !plain(path) || !plain(folder) {
        return path.to_owned();
    }
    let (path_parts, folder_parts): (Vec<_>, Vec<_>) =
        (path.components().collect(), folder.components().collect());
    let common = path_parts.iter().zip(&folder_parts).take_while(|(a, b)| a == b).count();
    let up = folder_parts[common..].iter().map(|_| Component::ParentDir);
    up.chain(path_parts[common..].iter().copied()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_from_a_folder() {
        let from = |path: &str, folder: &str| {
            relative(Path::new(path), Path::new(folder)).display().to_string()
        };
        assert_eq!(from("/a/k.ptx", "/a"), "k.ptx");
        assert_eq!(from("/a/b/k.ptx", "/a"), "b/k.ptx");
        assert_eq!(from("/a/k.ptx", "/a/jobs/x"), "../../k.ptx");
        assert_eq!(from("/a/../k.ptx", "/a"), "/a/../k.ptx");
    }
}
