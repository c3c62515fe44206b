//! Appending events.

use crate::event::Event;
use crate::own::own_file;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The extension of files with events.
pub(crate) const EXTENSION: &str = "jsonl";

/// Appends events to the file of this process.
#[derive(Debug)]
pub struct Writer {
    folder: PathBuf,
    /// The file, and the process that has opened it: a process that was forked off has one of its own.
    open: Mutex<Option<(u32, File)>>,
}

impl Writer {
    /// For the folder of a run. Its file is made with the first event.
    pub fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), open: Mutex::new(None) }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
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
        match &mut *open {
            Some((_, file)) => file.write_all(&line),
            None => Ok(()),
        }
    }
}
