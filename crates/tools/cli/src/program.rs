//! `texunit run`: executes a CUDA program with texunit's libraries in place of NVIDIA's. `texunit
//! install-libs`: copies those libraries into a folder.

mod evidence;
mod inspect;
mod libraries;
#[cfg(target_os = "linux")]
mod parent;
mod python;
mod record;
mod refusal;
mod reports;
mod runner;
#[cfg(target_os = "linux")]
mod signals;
#[cfg(target_os = "linux")]
mod tree;
#[cfg(target_os = "linux")]
mod watch;

use crate::args::{ApproxArg, BadFetchArg, BoundsArg, name_of};
use crate::checks::CheckOptions;
use clap::builder::{PathBufValueParser, TypedValueParser};
use clap::{Args, FromArgMatches, ValueEnum};
pub use evidence::{EvidenceArgs, ReportFormat};
pub use record::{Explained, RecordArgs};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The variables by which Triton finds ptxas outside of its own package.
const ASSEMBLERS: [&str; 2] = ["TRITON_PTXAS_PATH", "TRITON_PTXAS_BLACKWELL_PATH"];

/// Exit code if the program could not be started.
pub(crate) const NOT_STARTED: u8 = 125;

/// Arguments of `texunit run`.
#[derive(Clone, Debug, Args)]
pub struct RunArgs {
    /// The device that the program sees, by its architecture (sm_86, the default, sm_75, sm_90 and
    /// so on) or its card (rtx3060, t4, h100, h200); several separated by commas.
    #[arg(long, alias = "arch", value_name = "NAME", env = "TEXUNIT_DEVICE", value_parser = devices)]
    pub device: Option<String>,
    /// What to print on standard error as it happens.
    #[arg(long, value_name = "WHAT", value_enum, value_delimiter = ',')]
    pub trace: Vec<Trace>,
    /// What it fails for, and what it keeps.
    #[command(flatten)]
    pub evidence: EvidenceArgs,
    /// Launches that are repeated.
    #[command(flatten)]
    pub record: RecordArgs,
    /// What kernels are checked for.
    #[command(flatten)]
    pub checks: CheckOptions,
    /// Leave the memory pools of CuPy and PyTorch on. `--check memory` and `--check all` turn them
    /// off: an access past the end of an array is not found in a pool's block.
    #[arg(long, requires = "check")]
    pub keep_pools: bool,
    /// Write the PTX of every module that is loaded into this folder, one file for each distinct
    /// text; messages name the files.
    #[arg(long, value_name = "DIR", env = "TEXUNIT_SAVE_PTX", value_parser = folder())]
    pub save_ptx: Option<PathBuf>,
    /// With a fault that concerns an allocation, print where the program allocated the memory, and
    /// where it freed it.
    #[arg(long)]
    pub host_backtrace: bool,
    /// Print on standard error why calls of the CUDA APIs are refused: function, error, and the
    /// rule that was broken.
    #[arg(long)]
    pub report_api_errors: bool,
    /// Whether mul and add without a rounding modifier are fused where ptxas does it; default: on.
    #[arg(long, value_name = "on|off", num_args = 0..=1, require_equals = true, default_missing_value = "on",
          value_parser = crate::args::switch, env = "TEXUNIT_FMAD")]
    pub fmad: Option<bool>,
    /// How approximate instructions (`rcp.approx`, `sin.approx`, `div.full` and so on) compute.
    #[arg(long, value_enum, env = "TEXUNIT_APPROX")]
    pub approx: Option<ApproxArg>,
    /// Where accesses past the end of an object become faults.
    #[arg(long, value_enum, value_name = "BOUNDS")]
    pub bounds: Option<BoundsArg>,
    /// What becomes of fetches that no texture fits: of another geometry, of linear memory by
    /// floats, by a handle that was never returned or a surface's. Default: `zero`.
    #[arg(long, value_enum, env = "TEXUNIT_BAD_FETCH")]
    pub bad_fetch: Option<BadFetchArg>,
    /// Whose libraries the program gets for those that texunit has besides the driver and the
    /// runtime (cuFFT): texunit's, the default, or NVIDIA's, which find that texunit's driver is
    /// not theirs.
    #[arg(long, value_enum, value_name = "WHOSE", env = "TEXUNIT_LIBRARIES")]
    pub libraries: Option<Libraries>,
    /// The program, as a path or a name to look up in PATH, and its arguments.
    #[arg(value_name = "PROGRAM", trailing_var_arg = true, required = true)]
    pub command: Vec<OsString>,
}

/// The architectures of a list of devices, which the libraries parse again.
fn devices(names: &str) -> Result<String, String> {
    let cards = texunit_device::cards::find_all(names)?;
    Ok(cards.iter().map(|card| card.key).collect::<Vec<_>>().join(","))
}

/// A folder that may not exist.
fn folder() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(|path| match path.metadata() {
        Ok(found) if !found.is_dir() => Err("expected a folder; there is a file of that name"),
        _ => Ok(path),
    })
}

impl RunArgs {
    /// Parses the arguments of `texunit run`.
    pub(crate) fn parse(words: Vec<OsString>) -> Result<Self, clap::Error> {
        let command = Self::augment_args(clap::Command::new("run"));
        let all = std::iter::once(OsString::from("run")).chain(words);
        Self::from_arg_matches(&command.try_get_matches_from(all)?)
    }
}

/// What can be traced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Trace {
    /// Calls of the driver API, and refused calls of both APIs with their reasons.
    Api,
    /// Launches.
    Launch,
    /// Texture fetches and surface accesses.
    Fetch,
}

/// Whose libraries a program gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Libraries {
    /// texunit's.
    Texunit,
    /// NVIDIA's.
    Nvidia,
}

/// Arguments of `texunit install-libs`.
#[derive(Clone, Debug, Args)]
pub struct InstallLibsArgs {
    /// The folder; created if it does not exist.
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
}

fn say(text: std::fmt::Arguments<'_>) {
    // Standard error may be closed.
    let _ = crate::out::stderr_text(&format!("{text}\n"), false);
}

/// `texunit run`: replaces itself by the program, unless there is work to do after the program.
pub fn run(args: &RunArgs) -> u8 {
    if let Some(why) = reports::misused(args) {
        return crate::usage_error("run", &why);
    }
    start(args).unwrap_or_else(|message| crate::out::error(message, NOT_STARTED))
}

fn start(args: &RunArgs) -> Result<u8, String> {
    let Prepared { mut command, path, warnings, shims } = prepare(args)?;
    args.evidence.set(&mut command);
    python::prepare(&mut command, args, shims.as_deref());
    args.checks.set(&mut command, args.record.kernel_name())?;
    let explained = args.record.set(&mut command)?;
    if args.evidence.need_a_parent() || args.record.record.is_some() || explained.is_some() {
        let code = evidence::run(command, &path, args, &warnings)?;
        args.record.clean();
        explained.iter().for_each(record::Pending::explain);
        return Ok(code);
    }
    Err(refusal::refused(&path, &execute(command)))
}

/// The program with texunit's libraries, to be started by the caller.
pub(crate) fn command(args: &RunArgs) -> Result<Command, String> {
    let mut prepared = prepare(args)?;
    args.evidence.set(&mut prepared.command);
    Ok(prepared.command)
}

/// A program that is ready to start.
struct Prepared {
    command: Command,
    path: PathBuf,
    warnings: Vec<inspect::Warning>,
    shims: Option<PathBuf>,
}

fn prepare(args: &RunArgs) -> Result<Prepared, String> {
    let folder = libraries::folder()?;
    let (program, arguments) = args.command.split_first().ok_or("no program is given")?;
    // Programs that execute NVIDIA's tools by name get texunit's replacements.
    let shims = libraries::shims(&folder);
    let folders = std::env::var_os("PATH");
    let folders = shims.as_deref().map_or(folders.clone(), |shims| Some(before(shims, folders)));
    let path = find(program, folders.as_deref())?;
    if let Some(why) = refusal::unfit(&path) {
        return Err(why);
    }
    let warnings = inspect::warnings(&path);
    for warning in &warnings {
        crate::out::stderr_line(&format!("warning: {}", warning.text));
    }
    let mut command = Command::new(&path);
    command.args(arguments);
    let with = |variable: &str, first: &Path| before(first, std::env::var_os(variable));
    command.env("LD_LIBRARY_PATH", with("LD_LIBRARY_PATH", &folder));
    command.envs(folders.map(|folders| ("PATH", folders)));
    if let Some(shims) = &shims {
        let unset = ASSEMBLERS.iter().filter(|name| std::env::var_os(name).is_none());
        command.envs(unset.map(|name| (name, shims.join("ptxas"))));
    }
    // The audit library tells the dynamic linker where texunit's libraries are, even if an rpath
    // names others, and redirects calls of a statically linked runtime to texunit's runtime with
    // the same structures. It is an audit library and not preloaded, because preloaded symbols
    // could be bound to the program's variables with the same names.
    command.env("LD_AUDIT", with("LD_AUDIT", &folder.join(libraries::REDIRECT)));
    let traced: Vec<String> = args.trace.iter().map(name_of).collect();
    // The program may change its current folder.
    let saved = args.save_ptx.as_ref().map(|folder| {
        std::path::absolute(folder).map_err(|e| format!("{}: {e}", folder.display()))
    });
    let set = |is_set: bool| is_set.then(|| "1".to_owned());
    let options = [
        ("TEXUNIT_DEVICE", args.device.clone()),
        ("TEXUNIT_TRACE", (!traced.is_empty()).then(|| traced.join(","))),
        ("TEXUNIT_HOST_BACKTRACE", set(args.host_backtrace)),
        ("TEXUNIT_REPORT_API_ERRORS", set(args.report_api_errors)),
        ("TEXUNIT_FMAD", args.fmad.map(|fmad| u8::from(fmad).to_string())),
        ("TEXUNIT_APPROX", args.approx.as_ref().map(name_of)),
        ("TEXUNIT_BOUNDS", args.bounds.as_ref().map(name_of)),
        ("TEXUNIT_LIBRARIES", args.libraries.as_ref().map(name_of)),
        ("TEXUNIT_BAD_FETCH", args.bad_fetch.as_ref().map(name_of)),
    ];
    command.envs(options.into_iter().filter_map(|(name, value)| Some((name, value?))));
    command.envs(saved.transpose()?.map(|folder| ("TEXUNIT_SAVE_PTX", folder)));
    Ok(Prepared { command, path, warnings, shims })
}

/// Replaces this process by the program, so that exit code, signals and process ID are the
/// program's own.
#[cfg(unix)]
fn execute(mut command: Command) -> std::io::Error {
    use std::os::unix::process::CommandExt;
    command.exec()
}

#[cfg(not(unix))]
fn execute(_: Command) -> std::io::Error {
    std::io::Error::other("the drop-in libraries are for Linux")
}

/// Prepends a file or folder to a list.
fn before(folder: &Path, path: Option<OsString>) -> OsString {
    let mut all = folder.as_os_str().to_owned();
    if let Some(path) = path.filter(|path| !path.is_empty()) {
        all.push(":");
        all.push(path);
    }
    all
}

/// The file that a program name means: a path if it contains a slash, otherwise looked up in PATH.
fn find(program: &OsStr, folders: Option<&OsStr>) -> Result<PathBuf, String> {
    let path = Path::new(program);
    if path.components().count() > 1 || path.is_absolute() {
        return if path.is_file() { Ok(path.to_owned()) } else { Err(refusal::no_file(path)) };
    }
    let found = std::env::split_paths(folders.unwrap_or_default())
        .map(|f| f.join(path))
        .find(|file| is_program(file));
    found.ok_or_else(|| {
        let hint =
            if path.is_file() { format!("; ./{} is there", path.display()) } else { String::new() };
        format!("no program `{}` in PATH{hint}", path.display())
    })
}

#[cfg(unix)]
fn is_program(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata().is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(file: &Path) -> bool {
    file.is_file()
}

/// `texunit install-libs`.
pub fn install(args: &InstallLibsArgs) -> u8 {
    match libraries::install(&args.folder) {
        Ok(files) => {
            let names: String = files.iter().map(|file| format!("{}\n", file.display())).collect();
            // A closed pipe is not a failure.
            let _ = crate::out::print(&names);
            0
        }
        Err(message) => crate::out::error(message, super::FAILED),
    }
}
