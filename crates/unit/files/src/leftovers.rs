//! Files that do not have their name yet, and what becomes of them when a signal ends the process.
//!
//! Once the first of them is made, the signals that a user or a system ends programs with (SIGINT, SIGTERM, SIGHUP)
//! are waited for: the files are removed, and the signal does what it does otherwise, so that the caller sees
//! the process ended by it. A signal that was ignored when the process started (`nohup`) stays so. SIGXFSZ is
//! another matter: the write that passes the limit fails, whoever wrote says so and removes its files, and the end
//! of the program is [`end_by_signal`].

use crate::error::Problem;
use std::fs::{File, OpenOptions};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The files that are there. Whoever removes them all keeps the lock, so that none is made after that.
static FILES: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn files() -> MutexGuard<'static, Vec<PathBuf>> {
    FILES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A file that does not have its name yet. Dropped without [`Self::rename`], it is removed.
#[derive(Debug)]
pub(crate) struct Temporary {
    path: PathBuf,
}

impl Temporary {
    /// Makes a new file beside another. Its name is drawn, and nothing that lies there is followed or opened.
    pub(crate) fn beside(path: &Path) -> Result<(File, Self), Problem> {
        signals::wait();
        // More than one attempt: the name may be there.
        for _ in 0..100 {
            let number = RandomState::new().build_hasher().finish();
            // Not made from the name, which may already be as long as names can be.
            let beside = path.with_file_name(format!(".texunit-{number:016x}.part"));
            // Under the lock, so that no signal comes between the file and its note.
            let mut files = files();
            match OpenOptions::new().write(true).create_new(true).open(&beside) {
                Ok(file) => {
                    files.push(beside.clone());
                    return Ok((file, Self { path: beside }));
                }
                Err(e) if e.kind() == ErrorKind::AlreadyExists => {}
                Err(e) => return Err(Problem::Io(e)),
            }
        }
        Err(Problem::Unsupported("there are leftover temporary files beside it".into()))
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Gives the file its name; a file that had it is replaced.
    pub(crate) fn rename(self, to: &Path) -> std::io::Result<()> {
        std::fs::rename(&self.path, to)
        // Dropped here: there is nothing to remove if it has its name.
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let mut files = files();
        files.retain(|file| *file != self.path);
        // Nothing to be done about a leftover that cannot be removed; the write has already failed with its own
        // message.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Ends the process by SIGXFSZ if a write of it has passed the limit of the size of files; otherwise does
/// nothing. For the end of a program, when everything is said and removed.
pub fn end_by_signal() {
    signals::end();
}

/// Leaves SIGINT, SIGTERM and SIGHUP to the program from here on, which comes to its end by itself when one arrives. To be
/// called before the first file is written.
pub fn leave_signals() {
    signals::leave();
}

/// Whether a signal is ignored, as whoever has started us wants it (`nohup`). To be asked before it gets a handler.
pub fn is_ignored(signal: i32) -> bool {
    signals::is_ignored(signal)
}

#[cfg(target_os = "linux")]
mod signals {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
    use signal_hook::iterator::Signals;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::{Arc, OnceLock};

    /// Whether SIGXFSZ came, once it is waited for.
    static TOO_LARGE: OnceLock<Arc<AtomicBool>> = OnceLock::new();

    /// The program waits for the signals that end it.
    static LEFT: AtomicBool = AtomicBool::new(false);

    pub(super) fn leave() {
        LEFT.store(true, Ordering::Relaxed);
    }

    /// Waits for signals from here on, once.
    pub(super) fn wait() {
        TOO_LARGE.get_or_init(|| {
            let too_large = Arc::new(AtomicBool::new(false));
            // A system that lets nobody wait ends us as it always did: with files left behind.
            if !is_ignored(SIGXFSZ) {
                let _ = signal_hook::flag::register(SIGXFSZ, Arc::clone(&too_large));
            }
            if LEFT.load(Ordering::Relaxed) {
                return too_large;
            }
            let others =
                [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|&signal| !is_ignored(signal));
            if let Ok(signals) = Signals::new(others) {
                let _ = std::thread::Builder::new()
                    .name("signals".to_owned())
                    .spawn(move || remove_at(signals));
            }
            too_large
        });
    }

    pub(super) fn is_ignored(signal: i32) -> bool {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
        mask.is_some_and(|mask| mask >> (signal - 1) & 1 != 0)
    }

    /// Removes the files at the first signal, and ends by it.
    fn remove_at(mut signals: Signals) {
        let Some(signal) = signals.forever().next() else { return };
        // Never given back: no file is made any more.
        let mut files = super::files();
        files.drain(..).for_each(|file| drop(std::fs::remove_file(file)));
        let _ = signal_hook::low_level::emulate_default_handler(signal);
        std::process::exit(128 + signal);
    }

    pub(super) fn end() {
        if TOO_LARGE.get().is_some_and(|too_large| too_large.load(Ordering::Relaxed)) {
            let _ = signal_hook::low_level::emulate_default_handler(SIGXFSZ);
        }
    }
}

/// Signals of other systems do what they always do.
#[cfg(not(target_os = "linux"))]
mod signals {
    pub(super) fn wait() {}
    pub(super) fn leave() {}
    pub(super) fn end() {}
    pub(super) fn is_ignored(_: i32) -> bool {
        false
    }
}
