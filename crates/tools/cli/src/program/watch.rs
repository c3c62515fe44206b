//! The state machine of a supervised program: reacts to signals, to the time limit, and to
//! processes left behind.

use super::signals::{Arrived, ENDING};
use super::tree::{self, Strangers};
use nix::errno::Errno;
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;
use std::path::Path;
use std::time::{Duration, Instant};

/// Polling interval while waiting for something that causes no signal.
const TICK: Duration = Duration::from_millis(50);
/// Time for a kernel to stop, and then for the program to end.
const GRACE: Duration = Duration::from_secs(1);
/// Time for the program to end by itself after its kernels have stopped, for example for an inner
/// run to write its report.
const SETTLE: Duration = Duration::from_millis(300);
/// Time from SIGTERM to SIGKILL, and the time if only the program was asked to end.
const TERM: Duration = Duration::from_secs(2);
/// Time to wait for processes that even SIGKILL does not end.
const KILL: Duration = Duration::from_secs(10);
/// Time after which a message says that texunit is waiting.
const PATIENCE: Duration = Duration::from_secs(10);
/// A program that ends later than this after a signal has not ended because of it.
const CAUSED: Duration = Duration::from_secs(60);

/// The phases of ending a run.
#[derive(Clone, Copy, Debug)]
enum Phase {
    Running,
    /// The time limit is exceeded: kernels are stopped.
    Stopping(Instant),
    /// All processes were asked to end.
    Terminating(Instant),
    /// All processes are killed.
    Killing(Instant),
}

/// How the program has ended.
#[derive(Clone, Copy, Debug)]
struct End {
    code: u8,
    signal: Option<i32>,
    at: Instant,
}

/// A request to end the run.
#[derive(Clone, Copy, Debug)]
struct EndRequest {
    at: Instant,
    /// Whether preliminary reports were written for it.
    has_told: bool,
}

/// A supervised program.
pub(super) struct Watch<'a> {
    program: Pid,
    ended: Option<End>,
    deadline: Option<Instant>,
    phase: Phase,
    folder: &'a Path,
    /// Processes that existed before the program.
    strangers: Strangers,
    asked: Option<EndRequest>,
    /// Since when the program has ended but others have not.
    waits_since: Option<Instant>,
    has_said: bool,
    /// Whether the time limit was exceeded before the program ended.
    is_late: bool,
}

impl<'a> Watch<'a> {
    /// Supervises a program that was started.
    pub(super) fn new(
        program: Pid,
        deadline: Option<Instant>,
        folder: &'a Path,
        strangers: Strangers,
    ) -> Self {
        Self {
            program,
            ended: None,
            deadline,
            phase: Phase::Running,
            folder,
            strangers,
            asked: None,
            waits_since: None,
            has_said: false,
            is_late: false,
        }
    }

    /// The exit code of the program, and the signal that ended it.
    pub(super) fn end(&self) -> (u8, Option<i32>) {
        self.ended.map_or((super::NOT_STARTED, None), |end| (end.code, end.signal))
    }

    /// Whether the time limit was exceeded before the program ended.
    pub(super) fn is_late(&self) -> bool {
        self.is_late
    }

    /// Whether there is nothing left to wait for.
    pub(super) fn is_over(&mut self) -> bool {
        if self.ended.is_none() {
            return matches!(self.phase, Phase::Killing(since) if since.elapsed() > KILL);
        }
        match self.phase {
            // Processes that were left behind and write no evidence continue on their own, as
            // without texunit.
            Phase::Running => {
                let left = self.left_behind();
                if let Some(pid) = left.first() {
                    self.say_that_it_waits(*pid);
                }
                left.is_empty()
            }
            Phase::Killing(since) if since.elapsed() > KILL => true,
            _ => self.strangers.own_processes().is_empty(),
        }
    }

    /// Processes that the program has left behind and that write evidence.
    fn left_behind(&self) -> Vec<Pid> {
        let telling = tree::telling(self.folder);
        self.strangers.own_processes().into_iter().filter(|pid| telling.contains(pid)).collect()
    }

    fn say_that_it_waits(&mut self, pid: Pid) {
        let since = *self.waits_since.get_or_insert_with(Instant::now);
        if since.elapsed() > PATIENCE && !std::mem::replace(&mut self.has_said, true) {
            super::say(format_args!(
                "texunit: the program has ended, but process {pid}, which it started, has not: waiting for it"
            ));
        }
    }

    /// How long to wait for signals until something else has to be done.
    pub(super) fn patience(&self) -> Option<Duration> {
        if self.ended.is_some() || !matches!(self.phase, Phase::Running) {
            return Some(TICK);
        }
        let asked = self.asked.filter(|asked| !asked.has_told);
        let next = self.deadline.into_iter().chain(asked.map(|asked| asked.at + TERM)).min();
        next.map(|next| next.saturating_duration_since(Instant::now()))
    }

    /// Collects children that have ended.
    pub(super) fn reap(&mut self) {
        loop {
            let (pid, code, signal) = match waitpid(None, Some(WaitPidFlag::WNOHANG)) {
                Ok(WaitStatus::Exited(pid, code)) => (pid, code as u8, None),
                Ok(WaitStatus::Signaled(pid, signal, _)) => {
                    (pid, 128_u8.saturating_add(signal as u8), Some(signal as i32))
                }
                Ok(WaitStatus::StillAlive) => return,
                Ok(_) | Err(Errno::EINTR) => continue,
                // There are no children left.
                Err(_) => {
                    let (code, at) = (super::NOT_STARTED, Instant::now());
                    self.ended.get_or_insert(End { code, signal: None, at });
                    return;
                }
            };
            if pid == self.program {
                self.ended = Some(End { code, signal, at: Instant::now() });
            }
        }
    }

    /// Forwards a signal to the program, or to the processes that it left behind.
    pub(super) fn pass_on(&mut self, arrived: &Arrived) {
        if ENDING.contains(&arrived.signal) {
            self.asked = Some(EndRequest { at: Instant::now(), has_told: false });
        }
        match self.ended {
            _ if !arrived.is_sent => {}
            None => {
                let _ = kill(self.program, arrived.signal);
            }
            Some(_) => tree::signal(self.left_behind(), arrived.signal),
        }
    }

    /// Whether the program was asked to end a while ago and has not; true once for each request.
    pub(super) fn stays(&mut self) -> bool {
        let Some(asked) = self.asked.as_mut().filter(|_| self.ended.is_none()) else {
            return false;
        };
        asked.at.elapsed() >= TERM && !std::mem::replace(&mut asked.has_told, true)
    }

    /// Whether the program has ended upon a request, and the time of the processes left behind is
    /// over.
    fn has_left_too_much(&self) -> bool {
        self.asked.zip(self.ended).is_some_and(|(asked, end)| {
            end.at.saturating_duration_since(asked.at) < CAUSED && asked.at.elapsed() >= TERM
        })
    }

    /// Performs what is due: changes the phase and sends signals.
    pub(super) fn advance(&mut self, timeout: Option<Duration>) {
        let now = Instant::now();
        match self.phase {
            Phase::Running if self.deadline.is_some_and(|deadline| now >= deadline) => {
                let seconds = timeout.unwrap_or_default().as_secs_f64();
                super::say(format_args!(
                    "texunit: the program has not ended within {seconds} s (--timeout): it is stopped now"
                ));
                // If the file cannot be written, kernels run until their processes are ended.
                let _ = std::fs::write(self.folder.join(texunit_evidence::STOP), "");
                self.is_late = true;
                self.phase = Phase::Stopping(now);
            }
            Phase::Running if self.has_left_too_much() => {
                super::say(format_args!(
                    "texunit: the program was asked to end, and has; processes that it started have not, and are stopped now"
                ));
                self.terminate(now);
            }
            Phase::Stopping(since)
                if since.elapsed() > GRACE || since.elapsed() > SETTLE && self.has_stopped() =>
            {
                self.terminate(now);
            }
            Phase::Terminating(since) if since.elapsed() > TERM => {
                tree::signal(self.strangers.own_processes(), Signal::SIGKILL);
                self.phase = Phase::Killing(now);
            }
            // Includes processes that were started meanwhile.
            Phase::Killing(_) => tree::signal(self.strangers.own_processes(), Signal::SIGKILL),
            _ => {}
        }
    }

    fn terminate(&mut self, now: Instant) {
        tree::signal(self.strangers.own_processes(), Signal::SIGTERM);
        self.phase = Phase::Terminating(now);
    }

    /// Whether no kernel is running any more.
    fn has_stopped(&self) -> bool {
        texunit_evidence::read(self.folder).iter().all(|record| record.running.is_empty())
    }
}
