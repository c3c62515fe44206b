//! Staying with the program: its signals, its time, the processes that it starts, how it ends.
//!
//! Anyone who asks the run to end (SIGTERM, SIGINT) asks the program, which takes the time that it needs. What it leaves
//! behind has two seconds; and while the program stays, reports are written once as far as they go, because the next signal may be one
//! that nobody can wait for.
//!
//! The program stays in the process group of its caller, so that it has the terminal as it would have it
//! without us. Signals that a process sends us are passed on; those of the terminal reach the program anyway. Processes
//! whose parents have ended become our children (`PR_SET_CHILD_SUBREAPER`), so that none is lost sight of.

use super::refusal;
use super::signals::Signals;
use super::tree::Strangers;
use super::watch::Watch;
use nix::errno::Errno;
use nix::sys::resource::{UsageWho, getrusage};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;
use std::process::{Child, Command};
use std::time::{Duration, Instant};
use texunit_files::PrivateFolder;

/// The error of a file of which the system does not know how to run it.
const ENOEXEC: i32 = 8;

/// How a run has ended.
#[derive(Debug)]
pub(super) struct Outcome {
    /// The program's exit code, or 128 and its signal.
    pub(super) code: u8,
    /// The signal that has ended the program.
    pub(super) signal: Option<i32>,
    /// The time that was over.
    pub(super) timed_out: Option<Duration>,
    /// How long it took.
    pub(super) wall: Duration,
    /// How long cores were busy.
    pub(super) cpu: Duration,
}

/// The folder that processes tell of themselves in. It ends with this, unless it is part of that of a run that this one
/// is part of, and which reads it.
pub(super) fn folder() -> Result<PrivateFolder, String> {
    let outer = texunit_evidence::folder().filter(|folder| folder.is_dir());
    let above = outer.clone().unwrap_or_else(std::env::temp_dir);
    let folder = PrivateFolder::within(&above, texunit_evidence::folder_name);
    let folder = folder.map_err(|error| error.to_string())?;
    Ok(if outer.is_some() { folder.that_stays() } else { folder })
}

/// Runs the program of `path` and waits for it, and for all that it has started and that tells of itself in the folder.
/// `meanwhile` writes what is known after so long: someone has asked the program to end, and it has not.
pub(super) fn run(
    mut command: Command,
    path: &Path,
    timeout: Option<Duration>,
    folder: &Path,
    meanwhile: &mut dyn FnMut(Duration),
) -> Result<Outcome, String> {
    command.env(texunit_evidence::FOLDER, folder);
    // Processes whose environment was cleared find the folder so (`texunit_evidence::run_above`), and the options in it.
    let _held = std::fs::File::open(folder);
    keep_options(&command, folder);
    let start = Instant::now();
    let cannot = |what: &'static str| move |error: Errno| format!("{what}: {}", error.desc());
    nix::sys::prctl::set_child_subreaper(true)
        .map_err(cannot("processes cannot be kept together"))?;
    let strangers = Strangers::of_this_process(folder);
    let signals = Signals::block().map_err(cannot("signals cannot be waited for"))?;
    let program = signals.spawn(|| spawn(&mut command, path));
    let program = program.map_err(|error| refusal::refused(path, &error))?;
    let deadline = timeout.map(|time| start + time);
    let mut watch = Watch::new(program, deadline, folder, strangers.beside(program));
    // Processes that have already ended send no more signals.
    watch.reap();
    while !watch.is_over() {
        signals.wait(watch.patience());
        // Signals first: one that comes after this wakes the next wait.
        let arrived = signals.arrived();
        watch.reap();
        arrived.iter().for_each(|arrived| watch.pass_on(arrived));
        watch.advance(timeout);
        if watch.stays() {
            meanwhile(start.elapsed());
        }
    }
    let (code, signal) = watch.end();
    Ok(Outcome {
        code,
        signal,
        timed_out: timeout.filter(|_| watch.is_late()),
        wall: start.elapsed(),
        cpu: cpu_time(),
    })
}

/// Keeps the options that are in a program's environment in the folder of the run.
fn keep_options(command: &Command, folder: &Path) {
    let mut all: BTreeMap<OsString, OsString> = std::env::vars_os().collect();
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => drop(all.insert(name.to_owned(), value.to_owned())),
            None => drop(all.remove(name)),
        }
    }
    if let Err(error) = texunit_evidence::keep_variables(folder, all) {
        super::say(format_args!(
            "texunit: {}: {error}: options do not reach processes whose environment is cleared",
            folder.display()
        ));
    }
}

/// Starts a program. What the system does not know is a script for a shell, as it is for shells themselves and where
/// `texunit run` becomes the program.
fn spawn(command: &mut Command, path: &Path) -> std::io::Result<Child> {
    match command.spawn() {
        Err(error) if error.raw_os_error() == Some(ENOEXEC) => {
            let mut shell = Command::new("/bin/sh");
            shell.arg(path).args(command.get_args());
            for (name, value) in command.get_envs() {
                match value {
                    Some(value) => shell.env(name, value),
                    None => shell.env_remove(name),
                };
            }
            shell.spawn()
        }
        started => started,
    }
}

/// Resource usage of the processes that have ended and were waited for.
fn cpu_time() -> Duration {
    let Ok(usage) = getrusage(UsageWho::RUSAGE_CHILDREN) else { return Duration::ZERO };
    let times = [usage.user_time(), usage.system_time()];
    let microseconds = times.map(|t| t.tv_sec() * 1_000_000 + t.tv_usec());
    Duration::from_micros(microseconds.iter().sum::<i64>().unsigned_abs())
}
