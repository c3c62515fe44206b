//! Writes the files of a job. Identical contents are written only once, and all files are removed
//! if the job cannot be completed.

use crate::Refused;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The files of a job that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The path of the job file.
    pub job: PathBuf,
    /// Number of files, including the job file.
    pub files: u32,
    /// Total size of the files in bytes.
    pub bytes: u64,
}

/// The files that are being written into a folder.
#[derive(Debug, Default)]
pub(crate) struct Files {
    folder: PathBuf,
    /// Whether the folder was created for the job, or was empty.
    is_new: bool,
    /// File names by contents.
    known: HashMap<Vec<u8>, String>,
    /// Files that the job has created, which are removed if it cannot be completed.
    made: Vec<PathBuf>,
    files: u32,
    bytes: u64,
    is_done: bool,
}

fn failed(path: &Path, error: &std::io::Error) -> Refused {
    Refused::File(format!("`{}`: {error}", path.display()))
}

impl Files {
    /// Starts a job in a folder, which is created if necessary.
    pub(crate) fn new(folder: &Path) -> Result<Self, Refused> {
        let is_new = fs::read_dir(folder).map_or(true, |mut all| all.next().is_none());
        fs::create_dir_all(folder).map_err(|e| failed(folder, &e))?;
        let mut files = Self::default();
        (files.folder, files.is_new) = (folder.to_owned(), is_new);
        Ok(files)
    }

    /// Writes bytes to a file with this name, unless another file has the same contents. Returns
    /// the name of the file.
    pub(crate) fn data(&mut self, name: &str, bytes: Vec<u8>) -> Result<String, Refused> {
        if let Some(known) = self.known.get(&bytes) {
            return Ok(known.clone());
        }
        self.write(name, &bytes)?;
        self.known.insert(bytes, name.to_owned());
        Ok(name.to_owned())
    }

    /// Writes a file into the job's folder.
    pub(crate) fn write(&mut self, name: &str, bytes: &[u8]) -> Result<PathBuf, Refused> {
        let path = self.folder.join(name);
        if !path.exists() {
            self.made.push(path.clone());
        }
        fs::write(&path, bytes).map_err(|e| failed(&path, &e))?;
        self.files += 1;
        self.bytes += bytes.len() as u64;
        Ok(path)
    }

    /// Marks the job as complete, so that its files are kept.
    pub(crate) fn done(mut self, job: PathBuf) -> Written {
        self.is_done = true;
        Written { job, files: self.files, bytes: self.bytes }
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        if self.is_done {
            return;
        }
        for file in &self.made {
            let _ = fs::remove_file(file);
        }
        if self.is_new {
            let _ = fs::remove_dir(&self.folder);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use texunit_testkit::TempDir;

    #[test]
    fn equal_contents_are_one_file() {
        let temp = TempDir::new("record-files");
        let folder = temp.path().join("a/b");
        let mut files = Files::new(&folder).unwrap();
        assert_eq!(files.data("x.bin", vec![1, 2]).unwrap(), "x.bin");
        assert_eq!(files.data("y.bin", vec![1, 2]).unwrap(), "x.bin");
        assert_eq!(files.data("z.bin", vec![1]).unwrap(), "z.bin");
        let job = files.write("job.toml", b"ptx").unwrap();
        let written = files.done(job.clone());
        assert_eq!(written, Written { job, files: 3, bytes: 6 });
        assert!(!folder.join("y.bin").exists());
    }

    #[test]
    fn nothing_is_left_of_what_is_not_finished() {
        let temp = TempDir::new("record-unfinished");
        let folder = temp.path().join("a");
        Files::new(&folder).unwrap().data("x.bin", vec![1]).unwrap();
        assert!(!folder.exists());
        // Files that existed before are kept.
        fs::write(temp.path().join("file"), "").unwrap();
        let mut files = Files::new(temp.path()).unwrap();
        files.write("x.bin", b"1").unwrap();
        drop(files);
        assert!(temp.path().exists() && !temp.path().join("x.bin").exists());
        assert!(matches!(Files::new(&temp.path().join("file")), Err(Refused::File(_))));
    }
}
