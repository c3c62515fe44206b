//! Supervises the program: forwards signals, enforces the time limit, waits for the processes that
//! it starts, and determines the outcome.
//!
//! A request to end the run (SIGTERM, SIGINT) is forwarded to the program, which may take its time.
//! Processes that it leaves behind get two seconds. If the program does not end, preliminary
//! reports are written, because the next signal may be SIGKILL.
//!
//! The program stays in the caller's process group, so that it has the terminal as without `texunit
//! run`. Signals sent by processes are forwarded; signals of the terminal reach the program anyway.
//! Orphaned processes become children of this process (`PR_SET_CHILD_SUBREAPER`), so that none is
//! lost.

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

/// The error for a file with an unknown executable format.
const ENOEXEC: i32 = 8;

/// The outcome of a run.
#[derive(Debug)]
pub(super) struct Outcome {
    /// The program's exit code, or 128 plus its signal.
    pub(super) code: u8,
    /// The signal that ended the program.
    pub(super) signal: Option<i32>,
    /// The time limit, if it was exceeded.
    pub(super) timed_out: Option<Duration>,
    /// Wall time of the program's run.
    pub(super) wall: Duration,
    /// CPU time of the program's run.
    pub(super) cpu: Duration,
}

/// The evidence folder of the run. It is removed with the value, unless it is inside the folder of
/// an outer run, which reads it.
pub(super) fn folder() -> Result<PrivateFolder, String> {
    let outer = texunit_evidence::folder().filter(|folder| folder.is_dir());
    let above = outer.clone().unwrap_or_else(std::env::temp_dir);
    let folder = PrivateFolder::new(&above, &texunit_evidence::folder_prefix());
    let mut folder = folder.map_err(|error| error.to_string())?;
    folder.stays = outer.is_some();
    Ok(folder)
}

/// Runs the program at `path`, and waits for it and for its processes that write evidence to the
/// folder. `meanwhile` writes preliminary reports when the program was asked to end and does not.
pub(super) fn run(
    mut command: Command,
    path: &Path,
    timeout: Option<Duration>,
    folder: &Path,
    meanwhile: &mut dyn FnMut(Duration),
) -> Result<Outcome, String> {
    command.env(texunit_evidence::FOLDER, folder);
    // The open folder lets processes with a cleared environment find it
    // (`texunit_evidence::run_above`), with the options in it.
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
    // Processes that have ended already cause no more signals.
    watch.reap();
    while !watch.is_over() {
        signals.wait(watch.patience());
        // Signals are read first: one that arrives later wakes the next wait.
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

/// Stores the options of the program's environment in the folder of the run.
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

/// Starts a program. A file with an unknown format is run by a shell, as shells and `exec` wrappers
/// do.
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

/// CPU time of the processes that were waited for.
fn cpu_time() -> Duration {
    let Ok(usage) = getrusage(UsageWho::RUSAGE_CHILDREN) else { return Duration::ZERO };
    let times = [usage.user_time(), usage.system_time()];
    let microseconds = times.map(|t| t.tv_sec() * 1_000_000 + t.tv_usec());
    Duration::from_micros(microseconds.iter().sum::<i64>().unsigned_abs())
}
