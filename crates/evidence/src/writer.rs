//! Appending events.

use crate::event::Event;
use crate::own::own_file;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The extension of files with events.
pub(crate) const EXTENSION: &str = "jsonl";

/// Appends events to the file of this process.
#[derive(Debug)]
pub struct Writer {
    folder: PathBuf,
    /// The file, and the process that has opened it: a process that was forked off has one of its own.
    open: Mutex<Option<(u32, File)>>,
    /// Bytes that were written.
    bytes: AtomicU64,
}

/// Time between two events of things that change all the time, at first.
const PERIOD: Duration = Duration::from_millis(100);
/// Bytes after which it is twice as long.
const DOUBLES: u64 = 8 << 20;

impl Writer {
    /// For the folder of a run. Its file is made with the first event.
    pub fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), open: Mutex::new(None), bytes: AtomicU64::new(0) }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// How long those wait who tell of things that change all the time: longer when much is told, so that a file of
    /// days does not become too long to be read.
    pub fn period(&self) -> Duration {
        PERIOD * 2_u32.pow((self.bytes.load(Relaxed) / DOUBLES).min(24) as u32)
    }

    /// Appends an event: one write to the end of the file.
    pub fn append(&self, event: &Event) -> io::Result<()> {
        let mut line = serde_json::to_vec(event)?;
        line.push(b'\n');
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let process = std::process::id();
        if open.as_ref().is_none_or(|(owner, _)| *owner != process) {
            let path = own_file(&self.folder, EXTENSION);
            *open = Some((process, File::options().append(true).create(true).open(path)?));
        }
        self.bytes.fetch_add(line.len() as u64, Relaxed);
        match &mut *open {
            Some((_, file)) => file.write_all(&line),
            None => Ok(()),
        }
    }
}
