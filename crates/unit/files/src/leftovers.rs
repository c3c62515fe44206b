//! Removal of temporary files when a signal ends the process.
//!
//! Once the first temporary file is made, a thread waits for the signals that usually end programs
//! (SIGINT, SIGTERM, SIGHUP). On a signal, it removes the files and raises the signal again with
//! its default action, so that the parent process sees which signal ended the process. A signal
//! that was ignored when the process started (`nohup`) stays ignored. SIGXFSZ is different: the
//! write that exceeds the limit fails, the writer reports an error and removes its files, and the
//! program then ends with [`end_by_signal`].

use crate::error::Problem;
use std::fs::{File, OpenOptions};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use texunit_forms::lock;

/// Paths of the existing temporary files. The signal thread keeps the lock after it has removed
/// them, so that no new file is made.
static FILES: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A temporary file. If it is dropped without [`Self::rename`], it is removed.
#[derive(Debug)]
pub(crate) struct Temporary {
    path: PathBuf,
}

impl Temporary {
    /// Makes a new file with a random name in the folder of another file. An existing file is never
    /// opened or followed.
    pub(crate) fn beside(path: &Path) -> Result<(File, Self), Problem> {
        signals::wait();
        // Several attempts, because the name may exist.
        for _ in 0..100 {
            let number = RandomState::new().build_hasher().finish();
            // The temporary name is not derived from the original name, which may already have the
            // maximum length.
            let beside = path.with_file_name(format!(".texunit-{number:016x}.part"));
            // Under the lock, so that no signal is handled between the creation of the file and its
            // entry in the list.
            let mut files = lock(&FILES);
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

    /// Path of the file.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Renames the file, replacing an existing file.
    pub(crate) fn rename(self, to: &Path) -> std::io::Result<()> {
        std::fs::rename(&self.path, to)
        // Dropping `self` has nothing to remove after a successful rename.
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let mut files = lock(&FILES);
        files.retain(|file| *file != self.path);
        // A file that cannot be removed stays; the failed write has its own message.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Ends the process with SIGXFSZ if a write has exceeded the file size limit; otherwise does
/// nothing. To be called at the end of a program, after all messages and removals.
pub fn end_by_signal() {
    signals::end();
}

/// Leaves SIGINT, SIGTERM and SIGHUP to the program from now on, which must exit by itself when one
/// arrives. To be called before the first file is written.
pub fn leave_signals() {
    signals::leave();
}

/// Whether a signal is ignored because the parent process has arranged it (`nohup`). To be asked
/// before a handler is installed.
pub fn is_ignored(signal: i32) -> bool {
    signals::is_ignored(signal)
}

#[cfg(target_os = "linux")]
mod signals {
    use super::{FILES, lock};
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
    use signal_hook::iterator::Signals;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::{Arc, OnceLock};

    /// Whether SIGXFSZ has arrived; set by the handler of the signal, once it is installed.
    static TOO_LARGE: OnceLock<Arc<AtomicBool>> = OnceLock::new();

    /// Whether the program handles SIGINT, SIGTERM and SIGHUP itself.
    static LEFT: AtomicBool = AtomicBool::new(false);

    pub(super) fn leave() {
        LEFT.store(true, Ordering::Relaxed);
    }

    /// Starts to wait for signals, once.
    pub(super) fn wait() {
        TOO_LARGE.get_or_init(|| {
            let too_large = Arc::new(AtomicBool::new(false));
            // If no handler can be installed, a signal ends the process as usual and leaves the
            // files behind.
            if !is_ignored(SIGXFSZ) {
                let _ = signal_hook::flag::register(SIGXFSZ, Arc::clone(&too_large));
            }
            if LEFT.load(Ordering::Relaxed) {
                return too_large;
            }
            let others =
                [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|&signal| !is_ignored(signal));
            if let Ok(signals) = Signals::new(others) {
                let thread = std::thread::Builder::new().name("signals".to_owned());
                let _ = thread.spawn(move || remove_at(signals));
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

    /// Waits for the first signal, removes the files and ends the process with the signal.
    fn remove_at(mut signals: Signals) {
        let Some(signal) = signals.forever().next() else { return };
        // The lock is never released, so that no further file is made.
        let mut files = lock(&FILES);
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

/// Other systems: signals have their default actions.
#[cfg(not(target_os = "linux"))]
mod signals {
    pub(super) fn wait() {}
    pub(super) fn leave() {}
    pub(super) fn end() {}
    pub(super) fn is_ignored(_: i32) -> bool {
        false
    }
}
