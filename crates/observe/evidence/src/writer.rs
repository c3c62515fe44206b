//! Appends events to this process's event file in the run's folder.

use crate::event::Event;
use crate::file_names::{EXTENSION, identity, own_file};
use crate::witness::{EventKind, Witnesses};
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

/// Appends events to this process's event file in the run's folder.
#[derive(Debug)]
pub struct Writer {
    folder: PathBuf,
    state: Mutex<State>,
    /// Number of bytes written.
    bytes: AtomicU64,
    /// The memory files that count events, whether or not they could be written.
    witnesses: OnceLock<Witnesses>,
}

#[derive(Debug, Default)]
struct State {
    open: Option<Open>,
    /// Lines of events that could not be written. They are written with the next event.
    waiting: Vec<u8>,
    /// The ID of the process that the waiting lines belong to.
    process: u32,
}

/// Maximum number of bytes of waiting lines.
const MAX_WAITING: usize = 1 << 20;

/// An open event file.
#[derive(Debug)]
struct Open {
    /// The ID of the process that opened the file; a forked process opens a file of its own.
    process: u32,
    /// Device and inode of the file, which identify it.
    identity: Option<(u64, u64)>,
    file: File,
}

impl Open {
    fn new(folder: &Path) -> io::Result<Self> {
        let file = File::options().append(true).create(true).open(own_file(folder, EXTENSION))?;
        Ok(Self { process: std::process::id(), identity: identity(&file), file })
    }

    /// Whether the descriptor still is the event file. Programs close descriptors that they did not
    /// open (daemons close all), and the number may then refer to another file of the program.
    fn is_own(&self) -> bool {
        self.process == std::process::id() && self.identity == identity(&self.file)
    }
}

/// Initial interval between events about continuously changing numbers.
const PERIOD: Duration = Duration::from_millis(100);
/// Number of written bytes after which the interval between such events doubles.
const DOUBLES: u64 = 8 << 20;

impl Writer {
    /// A writer for a run's folder. The event file is created with the first event.
    pub fn new(folder: &Path) -> Self {
        let (bytes, witnesses) = (AtomicU64::new(0), OnceLock::new());
        Self { folder: folder.to_owned(), state: Mutex::default(), bytes, witnesses }
    }

    /// The folder of the run.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The minimum interval between events about continuously changing numbers. It grows with the
    /// size of the file, so that a run of days still has a readable file.
    pub fn period(&self) -> Duration {
        PERIOD * 2_u32.pow((self.bytes.load(Relaxed) / DOUBLES).min(24) as u32)
    }

    /// Appends an event in a single write. If that fails, the event is written with the next one,
    /// since a program that has used up its descriptors may close some.
    ///
    /// # Errors The event cannot be written.
    pub fn append(&self, event: &Event) -> io::Result<()> {
        let written = self.write(event);
        // The event is counted after it is written: a process that is killed in between has lost
        // nothing.
        self.witnesses.get_or_init(|| Witnesses::of(&self.folder)).note(EventKind::of(event));
        written
    }

    fn write(&self, event: &Event) -> io::Result<()> {
        let mut line = serde_json::to_vec(event)?;
        line.push(b'\n');
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let state = &mut *state;
        if std::mem::replace(&mut state.process, std::process::id()) != std::process::id() {
            // The waiting lines belong to the parent that this process was forked from.
            state.waiting.clear();
        }
        if let Some(other) = state.open.take_if(|open| !open.is_own()) {
            // The descriptor belongs to the parent process or to another file of the program, and
            // must not be closed here.
            std::mem::forget(other.file);
        }
        if state.open.is_none() {
            match Open::new(&self.folder) {
                Ok(open) => state.open = Some(open),
                Err(error) => {
                    if state.waiting.len() + line.len() <= MAX_WAITING {
                        state.waiting.append(&mut line);
                    }
                    return Err(error);
                }
            }
        }
        let Some(open) = &mut state.open else { return Ok(()) };
        let mut bytes = std::mem::take(&mut state.waiting);
        bytes.append(&mut line);
        self.bytes.fetch_add(bytes.len() as u64, Relaxed);
        let written = open.file.write_all(&bytes);
        if written.is_err() {
            // The failed write may have left a part of the line in the file, which a line end
            // separates from the next line.
            state.waiting.push(b'\n');
        }
        written
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// A program that closes all descriptors and opens files of its own finds no events in them,
    /// and no event is lost.
    #[test]
    fn a_file_that_has_our_number_is_left_alone() {
        let folder = texunit_testkit::TempDir::new("writer");
        let writer = Writer::new(&folder);
        writer.append(&Event::Ended { launch: 1 }).unwrap();
        let users = folder.join("user.dat");
        // The test replaces the file as the program's `dup2` would do.
        let mut state = writer.state.lock().unwrap();
        state.open.as_mut().unwrap().file = File::create(&users).unwrap();
        drop(state);
        writer.append(&Event::Ended { launch: 2 }).unwrap();
        assert_eq!(std::fs::read(&users).unwrap(), b"");
        let told = std::fs::read_to_string(own_file(&folder, EXTENSION)).unwrap();
        assert_eq!(told.lines().count(), 2, "{told}");
    }
    #[test]
    fn what_cannot_be_written_is_written_later() {
        let folder = texunit_testkit::TempDir::new("writer");
        let later = folder.join("later");
        let writer = Writer::new(&later);
        for launch in 1..3 {
            assert!(writer.append(&Event::Ended { launch }).is_err());
        }
        std::fs::create_dir(&later).unwrap();
        writer.append(&Event::Ended { launch: 3 }).unwrap();
        let told = std::fs::read_to_string(own_file(&later, EXTENSION)).unwrap();
        assert_eq!(told.lines().count(), 3, "{told}");
    }
}
