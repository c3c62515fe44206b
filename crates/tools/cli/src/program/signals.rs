//! Signals for the parent of a program: which are waited for, and how the program is started without that.

use nix::poll::{PollFd, PollFlags, PollTimeout};
use nix::sys::signal::{SigSet, SigmaskHow, Signal, kill};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::unistd::Pid;
use std::os::fd::AsFd;
use std::process::Child;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Signals that are passed on.
const PASSED: [Signal; 8] = [
    Signal::SIGHUP,
    Signal::SIGINT,
    Signal::SIGQUIT,
    Signal::SIGTERM,
    Signal::SIGUSR1,
    Signal::SIGUSR2,
    Signal::SIGALRM,
    Signal::SIGABRT,
];

/// Signals that ask the run to end.
const ENDING: [Signal; 4] = [Signal::SIGHUP, Signal::SIGINT, Signal::SIGQUIT, Signal::SIGTERM];

/// A signal that has come.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrived {
    pub(super) signal: Signal,
    /// Some process has sent it. Those of the terminal reach the whole process group, of which the program is.
    pub(super) is_sent: bool,
}

impl Arrived {
    pub(super) fn asks_for_the_end(&self) -> bool {
        ENDING.contains(&self.signal)
    }
}

/// The signals that are waited for, instead of doing what they do otherwise.
pub(super) struct Signals {
    fd: SignalFd,
    /// The signals that were blocked before; the program inherits them.
    before: SigSet,
    /// Nothing is waited for any more: signals do what they do otherwise.
    is_over: Arc<AtomicBool>,
}

impl Signals {
    /// Blocks them in the calling thread, which is the only one.
    pub(super) fn block() -> nix::Result<Self> {
        let mut set = SigSet::empty();
        PASSED.into_iter().chain([Signal::SIGCHLD]).for_each(|signal| set.add(signal));
        let before = set.thread_swap_mask(SigmaskHow::SIG_BLOCK)?;
        let fd = SignalFd::with_flags(&set, SfdFlags::SFD_NONBLOCK | SfdFlags::SFD_CLOEXEC)?;
        Ok(Self { fd, before, is_over: Arc::default() })
    }

    /// Starts the program, by what does that. It takes over what its starting thread has blocked, so that is another one, with what was
    /// blocked before. A signal that reaches that thread is noted, and passed on.
    pub(super) fn spawn(
        &self,
        start: impl FnOnce() -> std::io::Result<Child> + Send,
    ) -> std::io::Result<Pid> {
        let noted: Vec<(Signal, Arc<AtomicBool>)> =
            PASSED.into_iter().map(|signal| (signal, Arc::default())).collect();
        for (signal, flag) in &noted {
            // Ignored signals stay ignored, also for the program.
            if !texunit_files::is_ignored(*signal as i32) {
                let is_over = Arc::clone(&self.is_over);
                signal_hook::flag::register_conditional_default(*signal as i32, is_over)?;
                signal_hook::flag::register(*signal as i32, Arc::clone(flag))?;
            }
        }
        // Without a handler the end of a program that ends before the starting thread does is dropped there, and if
        // SIGCHLD is ignored, so it is not delivered. Those who wait look for ended children first.
        signal_hook::flag::register(Signal::SIGCHLD as i32, Arc::<AtomicBool>::default())?;
        let spawned = std::thread::scope(|scope| {
            let spawn = || {
                self.before.thread_set_mask()?;
                start()
            };
            let spawned = scope.spawn(spawn).join();
            spawned.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
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

    /// Waits for a signal, at most so long.
    pub(super) fn wait(&self, patience: Option<Duration>) {
        // A timeout longer than can be told ends early, and is waited for again.
        let timeout = patience.map_or(PollTimeout::NONE, |time| {
            let milliseconds = time.as_millis().saturating_add(1).min(60_000) as u16;
            PollTimeout::from(milliseconds)
        });
        let _ = nix::poll::poll(&mut [PollFd::new(self.fd.as_fd(), PollFlags::POLLIN)], timeout);
    }

    /// The signals that have arrived since the last call.
    pub(super) fn arrived(&self) -> Vec<Arrived> {
        let mut all = Vec::new();
        while let Ok(Some(info)) = self.fd.read_signal() {
            let signal = i32::try_from(info.ssi_signo).ok().and_then(|n| Signal::try_from(n).ok());
            let Some(signal) = signal.filter(|&signal| signal != Signal::SIGCHLD) else { continue };
            // Codes above 0 are the kernel's own. An alarm is one, too, but of this process alone: it was set before
            // this process became `texunit run`.
            all.push(Arrived { signal, is_sent: signal == Signal::SIGALRM || info.ssi_code <= 0 });
        }
        all
    }
}

/// From here on signals do what they did before: the report that is written, for example, ends by SIGTERM.
impl Drop for Signals {
    fn drop(&mut self) {
        // Signals that arrived while the program was running were for the program.
        self.arrived();
        self.is_over.store(true, Ordering::SeqCst);
        let _ = self.before.thread_set_mask();
    }
}
