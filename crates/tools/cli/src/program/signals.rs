//! Blocks and receives signals for `texunit run`, and starts the program with the original signal
//! mask.

use nix::poll::{PollFd, PollFlags, PollTimeout};
use nix::sys::signal::Signal::{self, *};
use nix::sys::signal::{SigSet, SigmaskHow, kill};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::unistd::Pid;
use std::os::fd::AsFd;
use std::process::Child;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Signals that are forwarded.
const PASSED: [Signal; 8] = [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM, SIGABRT];

/// Signals that ask the run to end.
pub(super) const ENDING: [Signal; 4] = [SIGHUP, SIGINT, SIGQUIT, SIGTERM];

/// A received signal.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrived {
    pub(super) signal: Signal,
    /// Whether a process has sent it. The terminal's signals reach the whole process group,
    /// including the program.
    pub(super) is_sent: bool,
}

/// The signals that are received instead of having their usual effect.
pub(super) struct Signals {
    fd: SignalFd,
    /// The original signal mask, which the program inherits.
    before: SigSet,
    /// Whether signals have their usual effect again.
    is_over: Arc<AtomicBool>,
}

impl Signals {
    /// Blocks the signals in the calling thread, which must be the only one.
    pub(super) fn block() -> nix::Result<Self> {
        let mut set = SigSet::empty();
        PASSED.into_iter().chain([SIGCHLD]).for_each(|signal| set.add(signal));
        let before = set.thread_swap_mask(SigmaskHow::SIG_BLOCK)?;
        let fd = SignalFd::with_flags(&set, SfdFlags::SFD_NONBLOCK | SfdFlags::SFD_CLOEXEC)?;
        Ok(Self { fd, before, is_over: Arc::default() })
    }

    /// Starts the program by calling `start` on a new thread with the original signal mask, which
    /// the program inherits. A signal that reaches that thread is noted and forwarded.
    pub(super) fn spawn(
        &self,
        start: impl FnOnce() -> std::io::Result<Child> + Send,
    ) -> std::io::Result<Pid> {
        let noted: Vec<(Signal, Arc<AtomicBool>)> =
            PASSED.into_iter().map(|signal| (signal, Arc::default())).collect();
        for (signal, flag) in &noted {
            // Ignored signals stay ignored in the program.
            if !texunit_files::is_ignored(*signal as i32) {
                let is_over = Arc::clone(&self.is_over);
                signal_hook::flag::register_conditional_default(*signal as i32, is_over)?;
                signal_hook::flag::register(*signal as i32, Arc::clone(flag))?;
            }
        }
        // Without a handler, SIGCHLD is dropped if the program ends before the starting thread, and
        // if it is ignored. It is therefore not relied upon: waiting checks for ended children
        // first.
        signal_hook::flag::register(SIGCHLD as i32, Arc::<AtomicBool>::default())?;
        let spawned = std::thread::scope(|scope| {
            let spawn = || {
                self.before.thread_set_mask()?;
                start()
            };
            scope.spawn(spawn).join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        });
        // From here on the signals are blocked in every thread again.
        let child = Pid::from_raw(spawned?.id().cast_signed());
        for (signal, flag) in noted {
            if flag.load(Ordering::Relaxed) {
                let _ = kill(child, signal);
            }
        }
        Ok(child)
    }

    /// Waits for a signal, at most for `patience`.
    pub(super) fn wait(&self, patience: Option<Duration>) {
        // A timeout that overflows ends early, and the caller waits again.
        let timeout = patience.map_or(PollTimeout::NONE, |time| {
            PollTimeout::from(time.as_millis().saturating_add(1).min(60_000) as u16)
        });
        let _ = nix::poll::poll(&mut [PollFd::new(self.fd.as_fd(), PollFlags::POLLIN)], timeout);
    }

    /// The signals received since the last call.
    pub(super) fn arrived(&self) -> Vec<Arrived> {
        let mut all = Vec::new();
        while let Ok(Some(info)) = self.fd.read_signal() {
            let signal = i32::try_from(info.ssi_signo).ok().and_then(|n| Signal::try_from(n).ok());
            let Some(signal) = signal.filter(|&signal| signal != SIGCHLD) else { continue };
            // Positive codes are the kernel's. SIGALRM is an exception: it was set for this process
            // before it became `texunit run`, and is forwarded.
            all.push(Arrived { signal, is_sent: signal == Signal::SIGALRM || info.ssi_code <= 0 });
        }
        all
    }
}

/// Restores the usual effect of signals, so that for example SIGTERM ends the writing of reports.
impl Drop for Signals {
    fn drop(&mut self) {
        // Signals that arrived while the program was running were meant for it.
        self.arrived();
        self.is_over.store(true, Ordering::SeqCst);
        let _ = self.before.thread_set_mask();
    }
}
