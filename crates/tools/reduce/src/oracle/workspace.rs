//! A folder in which cases lie while they are tried.

use crate::case::{Case, PTX};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use texunit_files::PrivateFolder;

/// A folder of its own in the system's folder for such, which goes with this value.
#[derive(Debug)]
pub struct Workspace {
    folder: PrivateFolder,
    /// Data files that lie there: their names say what they hold.
    written: BTreeSet<String>,
}

impl Workspace {
    /// Makes one.
    pub fn new() -> std::io::Result<Self> {
        let folder = PrivateFolder::new("texunit-reduce")?;
        Ok(Self { folder, written: BTreeSet::new() })
    }

    /// Where it is.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Lays the data files of a case there, and takes those of others away.
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

    /// Lays a whole case there: its module under a name, and its job. The path of what is to be launched or
    /// read.
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
