//! Staying with the program: its signals, its time, the processes that it starts, how it ends.
//!
//! The program stays in the process group of whoever started us, so that it has the terminal as it would have it
//! without us. Signals that a process sends us are passed on; those of the terminal reach the program anyway. Processes
//! whose parents have ended become our children (`PR_SET_CHILD_SUBREAPER`), so that none is lost sight of.

use super::refusal;
use super::signals::Signals;
use super::tree::{self, Strangers, Tree};
use nix::errno::Errno;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// How often the tree is looked at while something is waited for that sends no signal.
const TICK: Duration = Duration::from_millis(50);
/// What a kernel has to end where it is, and the program to end then.
const GRACE: Duration = Duration::from_secs(1);
/// What processes have from SIGTERM to SIGKILL.
const TERM: Duration = Duration::from_secs(2);
/// How long processes are waited for that even SIGKILL does not end.
const KILL: Duration = Duration::from_secs(10);
/// When it is said that something is still waited for.
const PATIENCE: Duration = Duration::from_secs(10);

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

/// The folder that processes tell of themselves in. It ends with this.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    /// It is one of a run that this one is part of, and which reads it.
    is_inner: bool,
}

impl Folder {
    /// A new folder: in that of the run that this one is part of, or among temporary files.
    pub(super) fn new() -> Result<Self, String> {
        let outer = texunit_evidence::folder().filter(|folder| folder.is_dir());
        let (above, is_inner) = (outer.clone().unwrap_or_else(std::env::temp_dir), outer.is_some());
        let mut last = None;
        for _ in 0..100 {
            let number = RandomState::new().build_hasher().finish();
            let path = above.join(texunit_evidence::folder_name(number));
            match std::fs::DirBuilder::new().mode(0o700).create(&path) {
                Ok(()) => return Ok(Self { path, is_inner }),
                Err(error) => last = Some(error),
            }
        }
        let why = last.map_or_else(String::new, |error| format!(": {error}"));
        Err(format!("no folder can be made in {}{why}", above.display()))
    }

    /// Its path.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if !self.is_inner {
            // A process that goes on may write to it at this time.
            let _ = std::fs::remove_dir_all(&self.path);
        }
    }
}

/// Runs the program of `path` and waits for it, and for all that it has started and that tells of itself in the folder.
pub(super) fn run(
    mut command: Command,
    path: &Path,
    timeout: Option<Duration>,
    folder: &Folder,
) -> Result<Outcome, String> {
    command.env(texunit_evidence::FOLDER, folder.path());
    let start = Instant::now();
    let cannot = |what: &'static str| move |error: Errno| format!("{what}: {}", error.desc());
    nix::sys::prctl::set_child_subreaper(true)
        .map_err(cannot("processes cannot be kept together"))?;
    let strangers = Strangers::of_this_process();
    let signals = Signals::block().map_err(cannot("signals cannot be waited for"))?;
    let program = signals.spawn(&mut command).map_err(|error| refusal::refused(path, &error))?;
    let mut watch = Watch {
        program,
        ended: None,
        deadline: timeout.map(|time| start + time),
        phase: Phase::Running,
        folder: folder.path(),
        strangers,
        waits_since: None,
        has_said: false,
    };
    // What has ended already sends no signal any more.
    watch.reap();
    while !watch.is_over() {
        signals.wait(watch.patience());
        // Signals first: one that comes behind this wakes the next wait.
        let arrived = signals.arrived();
        watch.reap();
        arrived.into_iter().for_each(|signal| watch.pass_on(signal));
        watch.advance(timeout);
    }
    let (code, signal) = watch.ended.unwrap_or((super::NOT_STARTED, None));
    Ok(Outcome {
        code,
        signal,
        timed_out: timeout.filter(|_| !matches!(watch.phase, Phase::Running)),
        wall: start.elapsed(),
        cpu: cpu_time(),
    })
}

/// What the processes have used that have ended and were waited for.
fn cpu_time() -> Duration {
    let Ok(usage) = getrusage(UsageWho::RUSAGE_CHILDREN) else { return Duration::ZERO };
    let times = [usage.user_time(), usage.system_time()];
    let microseconds = times.map(|t| t.tv_sec() * 1_000_000 + t.tv_usec());
    Duration::from_micros(microseconds.iter().sum::<i64>().unsigned_abs())
}

/// How far the end of a run is.
#[derive(Clone, Copy, Debug)]
enum Phase {
    Running,
    /// The time is over: kernels end where they are.
    Stopping(Instant),
    /// The processes were asked to end.
    Terminating(Instant),
    /// They are killed.
    Killing(Instant),
}

/// A program that is watched.
struct Watch<'a> {
    program: Pid,
    /// The exit code, and the signal, of the program.
    ended: Option<(u8, Option<i32>)>,
    deadline: Option<Instant>,
    phase: Phase,
    folder: &'a Path,
    /// Processes that were there before the program.
    strangers: Strangers,
    /// The program has ended, others have not.
    waits_since: Option<Instant>,
    has_said: bool,
}

impl Watch<'_> {
    /// Whether nothing is left to wait for.
    fn is_over(&mut self) -> bool {
        if self.ended.is_none() {
            return matches!(self.phase, Phase::Killing(since) if since.elapsed() > KILL);
        }
        match self.phase {
            // What is left behind and has nothing to tell goes on by itself, as it does without us.
            Phase::Running => {
                let left = self.left_behind();
                if let Some(pid) = left.first() {
                    self.say_that_it_waits(*pid);
                }
                left.is_empty()
            }
            Phase::Killing(since) if since.elapsed() > KILL => true,
            _ => self.tree().is_empty(),
        }
    }

    /// The program, and all that it has started.
    fn tree(&self) -> Tree {
        Tree::of_this_process(&self.strangers)
    }

    /// Processes that the program has left behind and that tell of themselves.
    fn left_behind(&self) -> Vec<Pid> {
        let telling = tree::telling(self.folder);
        self.tree().into_iter().filter(|pid| telling.contains(pid)).collect()
    }

    fn say_that_it_waits(&mut self, pid: Pid) {
        let since = *self.waits_since.get_or_insert_with(Instant::now);
        if since.elapsed() > PATIENCE && !std::mem::replace(&mut self.has_said, true) {
            super::say(format_args!(
                "texunit: the program has ended, but process {pid}, which it started, has not: waiting for it"
            ));
        }
    }

    /// How long nothing has to be done but what signals ask for.
    fn patience(&self) -> Option<Duration> {
        match (self.phase, self.deadline) {
            (Phase::Running, Some(deadline)) if self.ended.is_none() => {
                Some(deadline.saturating_duration_since(Instant::now()))
            }
            (Phase::Running, None) if self.ended.is_none() => None,
            _ => Some(TICK),
        }
    }

    /// Takes note of the children that have ended.
    fn reap(&mut self) {
        loop {
            let (pid, code, signal) = match waitpid(None, Some(WaitPidFlag::WNOHANG)) {
                Ok(WaitStatus::Exited(pid, code)) => (pid, code as u8, None),
                Ok(WaitStatus::Signaled(pid, signal, _)) => {
                    (pid, 128_u8.saturating_add(signal as u8), Some(signal as i32))
                }
                Ok(WaitStatus::StillAlive) => return,
                Ok(_) | Err(Errno::EINTR) => continue,
                // There are none any more.
                Err(_) => {
                    self.ended.get_or_insert((super::NOT_STARTED, None));
                    return;
                }
            };
            if pid == self.program {
                self.ended = Some((code, signal));
            }
        }
    }

    /// Passes a signal on: to the program, or to what it has left behind.
    fn pass_on(&self, signal: Signal) {
        match self.ended {
            None => {
                let _ = kill(self.program, signal);
            }
            Some(_) => tree::signal(self.left_behind(), signal),
        }
    }

    /// Does what the time asks for.
    fn advance(&mut self, timeout: Option<Duration>) {
        let now = Instant::now();
        match self.phase {
            Phase::Running if self.deadline.is_some_and(|deadline| now >= deadline) => {
                let seconds = timeout.unwrap_or_default().as_secs_f64();
                super::say(format_args!(
                    "texunit: the program has not ended within {seconds} s (--timeout): it is ended now"
                ));
                // Without the file, the kernels go on until the processes are ended.
                let _ = std::fs::write(self.folder.join(texunit_evidence::STOP), "");
                self.phase = Phase::Stopping(now);
            }
            Phase::Stopping(since) if self.has_stopped() || since.elapsed() > GRACE => {
                tree::signal(self.tree(), Signal::SIGTERM);
                self.phase = Phase::Terminating(now);
            }
            Phase::Terminating(since) if since.elapsed() > TERM => {
                tree::signal(self.tree(), Signal::SIGKILL);
                self.phase = Phase::Killing(now);
            }
            // Those that were started in the meantime.
            Phase::Killing(_) => tree::signal(self.tree(), Signal::SIGKILL),
            _ => {}
        }
    }

    /// Whether no kernel is running any more.
    fn has_stopped(&self) -> bool {
        texunit_evidence::read(self.folder).iter().all(|record| record.running.is_empty())
    }
}
