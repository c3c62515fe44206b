//! The temporary folder that cases are written to before they are launched.

use crate::case::{Case, PTX};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use texunit_files::PrivateFolder;

/// A temporary folder, which is removed when the value is dropped.
#[derive(Debug)]
pub struct Workspace {
    folder: PrivateFolder,
    /// The names of data files in the folder, which are hashes of their contents.
    written: BTreeSet<String>,
}

impl Workspace {
    /// Creates the temporary folder.
    pub fn new() -> std::io::Result<Self> {
        let folder = PrivateFolder::new("texunit-reduce")?;
        Ok(Self { folder, written: BTreeSet::new() })
    }

    /// The path of the folder.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Writes the data files of a case into the folder, and removes those of other cases.
    pub fn place_files(&mut self, case: &Case) -> std::io::Result<()> {
        let wanted: BTreeSet<String> = case.used_files().map(|(name, _)| name.clone()).collect();
        for gone in self.written.difference(&wanted) {
            std::fs::remove_file(self.folder().join(gone))?;
        }
        self.written.retain(|name| wanted.contains(name));
        for (name, bytes) in case.used_files() {
            if self.written.insert(name.clone()) {
                std::fs::write(self.folder().join(name), bytes)?;
            }
        }
        Ok(())
    }

    /// Writes a whole case into the folder; its module gets the name `name` if there is no job.
    /// Returns the path of the file to launch or read.
    pub fn place(&mut self, case: &Case, name: &str) -> std::io::Result<PathBuf> {
        self.place_files(case)?;
        let ptx = self.folder().join(if case.job.is_some() { PTX } else { name });
        std::fs::write(&ptx, case.ptx.as_bytes())?;
        if case.job.is_none() {
            return Ok(ptx);
        }
        let job = self.folder().join("job.toml");
        std::fs::write(&job, case.job_text())?;
        Ok(job)
    }
}
