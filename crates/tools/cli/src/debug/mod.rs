//! `texunit debug`: the terminal of the debugger (crate `texunit-debug`), for jobs and programs.
//!
//! The engine is in the process that launches: for a job in this one, for a program in the
//! program's own, which finds a socket in its environment and receives commands through it. This
//! module has the arguments, scripts and the prompt.

#[cfg(target_os = "linux")]
pub mod dap;
mod job;
#[cfg(target_os = "linux")]
mod program;
mod script;

use clap::Args;
use script::Script;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use texunit_debug::Settings;
use texunit_record::Chosen;

/// Arguments of `texunit debug`.
#[derive(Clone, Debug, Args)]
#[command(after_help = crate::examples::of("texunit debug"))]
pub struct DebugArgs {
    /// Debug only launches of this kernel, or its Nth launch, and stop where it begins.
    #[arg(long, value_name = "NAME[:N]", value_parser = kernel)]
    pub kernel: Option<(String, Option<u64>)>,
    /// Ask nothing, go on after a command that fails, and end after the last one.
    #[arg(long)]
    pub batch: bool,
    /// Execute the commands in this file first. May be given more than once, and mixed with `-ex`:
    /// in the order given.
    #[arg(short = 'x', long = "command", value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Execute this command first (`-ex COMMAND`, as gdb has it).
    #[arg(
        long = "eval-command",
        visible_alias = "ex",
        value_name = "COMMAND",
        allow_hyphen_values = true
    )]
    pub commands: Vec<String>,
    /// Memory for checkpoints of a launch, from which it goes back; K, M and G stand for 2^10, 2^20
    /// and 2^30.
    #[arg(long, value_name = "BYTES", default_value = "1G", value_parser = crate::args::byte_size)]
    pub checkpoint_memory: u64,
    /// Run CTAs and warps in the random order that follows from this seed, as `texunit launch
    /// --schedule` does.
    #[arg(long, value_name = "SEED")]
    pub schedule: Option<u64>,
    /// Stop where these checks find something, as `run` and `launch` have them: each launch runs
    /// once before, to find it.
    #[arg(long, value_name = "LIST")]
    pub check: Option<String>,
    /// Of several processes of a program, debug the Nth that launches a kernel.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub process: u64,
    /// The device that a program sees, or the architecture of a job, as `run` and `launch` have it.
    #[arg(long, value_name = "NAME")]
    pub device: Option<String>,
    /// Folder for the outputs of a job.
    #[arg(long, short, value_name = "DIR", default_value = "texunit-out")]
    pub out: PathBuf,
    /// Answer the debugger behind this socket, of a job: what `texunit dap` starts.
    #[arg(long, hide = true, value_name = "SOCKET")]
    pub connect: Option<PathBuf>,
    /// A job (`.toml`), or a program and its arguments.
    #[arg(value_name = "PROGRAM|JOB.toml", trailing_var_arg = true, required = true)]
    pub target: Vec<OsString>,
}

/// The arguments of the process, with gdb's `-ex COMMAND` and `-x FILE` in one order; only those of
/// `debug` before the program.
pub(crate) fn arguments(all: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut all: Vec<OsString> = all.collect();
    let Some(debug) = all.iter().take(4).position(|word| word == "debug") else { return all };
    let mut at = debug + 1;
    while let Some(word) = all.get(at).and_then(|word| word.to_str()).filter(|w| w.starts_with('-'))
    {
        let takes = match word {
            "-ex" | "--ex" | "--eval-command" | "-eval-command" => {
                all[at] = "--eval-command".into();
                1
            }
            "-x" | "--command" | "-command" => {
                if let Some(file) = all.get(at + 1).cloned() {
                    let mut command = OsString::from("source ");
                    command.push(file);
                    all[at] = "--eval-command".into();
                    all[at + 1] = command;
                }
                1
            }
            "-batch" => {
                all[at] = "--batch".into();
                0
            }
            "--" => break,
            "--kernel"
            | "--checkpoint-memory"
            | "--schedule"
            | "--check"
            | "--process"
            | "--device"
            | "--out"
            | "-o"
            | "--connect"
            | "--color" => 1,
            _ => 0,
        };
        at += 1 + takes;
    }
    all
}

impl DebugArgs {
    /// The initial settings of a session.
    fn settings(&self) -> Settings {
        let mut settings = Settings::new();
        settings.kernel.clone_from(&self.kernel);
        settings.checkpoint_memory = self.checkpoint_memory;
        settings
    }

    /// Options of `run` and `launch`, which have this option for the device.
    fn shared(&self, device: &'static str) -> Vec<String> {
        words(self.schedule, [("--check", &self.check), (device, &self.device)])
    }

    fn script(&self) -> Script {
        let files = self.files.iter().map(|file| format!("source {}", file.display()));
        Script::new(files.chain(self.commands.iter().cloned()), self.batch)
    }
}

/// The options of a command line that have a value.
fn words(seed: Option<u64>, options: [(&str, &Option<String>); 2]) -> Vec<String> {
    let seed = seed.map(|seed| seed.to_string());
    let all = [("--schedule", &seed)].into_iter().chain(options);
    let given = all.filter_map(|(name, value)| Some([name.to_owned(), value.clone()?]));
    given.flatten().collect()
}

/// Parses a kernel name and, if it is there, a launch number: `blur`, `blur:2`
fn kernel(text: &str) -> Result<(String, Option<u64>), &'static str> {
    let Chosen { name, number } = text.parse()?;
    let is_numbered = name != text.trim();
    Ok((name, is_numbered.then_some(number)))
}

/// Runs the command; returns the exit code.
pub fn run(args: &DebugArgs) -> u8 {
    let Some(target) = args.target.first() else { return crate::USAGE };
    let path = Path::new(target);
    if path.extension().is_some_and(|end| end == "toml") {
        return job::run(args, path);
    }
    #[cfg(target_os = "linux")]
    return program::run(args);
    #[cfg(not(target_os = "linux"))]
    return crate::usage_error(
        "debug",
        "programs are debugged on Linux only; jobs (`.toml`) everywhere",
    );
}
