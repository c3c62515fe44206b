//! The events that the processes of a run leave behind, and the reports made from them.
//!
//! A *run* is a tree of processes. `texunit run` creates a folder for it and names the folder in
//! the environment ([`FOLDER`]). Every process that loads libcuda appends [`Event`]s to a file of
//! its own there, through a [`Writer`], as lines of JSON. When all processes have ended, [`read`]
//! makes a [`Record`] of each process; [`Run`] combines them, and a [`Format`] writes them as a
//! report.
//!
//! # Guarantees
//!
//! * Appended events survive any end of the process: a line is a single write to the end of a file.
//!   No signal handler and no exit handler is needed.
//! * A reader accepts any file: incomplete and invalid lines are skipped, and sizes are limited.
//! * Events that are lost nevertheless (a full disk, a child that removes files) are counted
//!   ([`Lost`]).
//!
//! Not in this crate: the events' origin (crate `cuda`), and starting and stopping processes
//! (`cli::program`). Other data of a process, such as coverage, is in files beside its events:
//! [`own_file`] names them, [`files`] finds them.

mod event;
mod file_names;
mod format;
mod parents;
mod reader;
mod run;
mod witness;
mod write;
mod writer;

pub use event::{
    Accesses, Allocation, Api, Counts, Event, Finding, Interpreted, Kernel, Library, Process,
    Related, Running, Totals,
};
pub use file_names::{ProcessStat, files, folder_prefix, is_over, own_file, process_of, processes};
pub use format::Format;
pub use parents::{OuterRun, keep_variables, kept_variables, run_above};
pub use reader::{Record, RunRecords, read, read_all};
pub use run::Run;
pub use witness::{EventKind, Lost, Tally, WITNESS, note};
pub use write::{is_of_each_process, is_written_in_place, name_of_process, write};
pub use writer::Writer;

use std::sync::{Mutex, MutexGuard, TryLockError};
use std::time::{Duration, Instant};

/// The environment variable that has the path of a run's folder.
pub const FOLDER: &str = "TEXUNIT_EVIDENCE";

/// A file in a run's folder by which `--timeout` makes processes stop their kernels ([`is_over`]).
pub const STOP: &str = "stop";

/// The folder of the run that this process belongs to.
pub fn folder() -> Option<std::path::PathBuf> {
    std::env::var_os(FOLDER).filter(|folder| !folder.is_empty()).map(Into::into)
}

/// How long to wait for a lock: in a forked process, the thread that holds it may not exist.
const TIMEOUT: Duration = Duration::from_secs(2);

/// Locks a mutex, poisoned or not; `None` if another thread keeps it locked for seconds.
pub fn lock<T>(mutex: &Mutex<T>) -> Option<MutexGuard<'_, T>> {
    let start = Instant::now();
    loop {
        match mutex.try_lock() {
            Ok(value) => return Some(value),
            Err(TryLockError::Poisoned(poisoned)) => return Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) if start.elapsed() > TIMEOUT => return None,
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_micros(100)),
        }
    }
}
