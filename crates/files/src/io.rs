//! Whole files in, whole files out.

use crate::error::{FileError, Problem};
use crate::{Kind, MAX_BYTES};
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

/// Reads a regular file of at most [`MAX_BYTES`].
pub fn read_bytes(path: &Path) -> Result<Vec<u8>, FileError> {
    read(path).map_err(|problem| FileError::new(path, problem))
}

fn read(path: &Path) -> Result<Vec<u8>, Problem> {
    // Asked before opening: opening a pipe waits for its writer.
    let metadata = std::fs::metadata(path).map_err(|e| match e.kind() {
        ErrorKind::NotFound => Problem::Missing,
        _ => Problem::Io(e),
    })?;
    if metadata.is_dir() {
        return Err(Problem::NotAFile("a folder"));
    }
    if !metadata.is_file() {
        return Err(Problem::NotAFile("a device or a pipe"));
    }
    if metadata.len() > MAX_BYTES {
        return Err(Problem::TooLarge { what: "the file", bytes: metadata.len() });
    }
    let mut bytes = Vec::with_capacity(metadata.len() as usize);
    // The file may grow while it is read; one byte more than the limit tells.
    File::open(path)?.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(Problem::TooLarge { what: "the file", bytes: bytes.len() as u64 });
    }
    Ok(bytes)
}

/// A file that is written but does not have its name yet. Dropped without [`Self::commit`], it is
/// removed again.
#[derive(Debug)]
pub struct Prepared {
    temporary: Option<PathBuf>,
    path: PathBuf,
}

impl Prepared {
    /// Writes `bytes` to a new file beside `path`, whose folder must exist.
    pub fn new(path: &Path, bytes: &[u8]) -> Result<Self, FileError> {
        prepare(path, bytes).map_err(|problem| FileError::new(path, problem))
    }

    /// Gives the new file the permissions and, as far as the system lets us, the owner of another.
    pub fn like(&self, other: &std::fs::Metadata) -> Result<(), FileError> {
        let Some(temporary) = &self.temporary else { return Ok(()) };
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            // Only a superuser can give files away, and nobody else needs to.
            let _ = std::os::unix::fs::chown(temporary, Some(other.uid()), Some(other.gid()));
        }
        std::fs::set_permissions(temporary, other.permissions())
            .map_err(|e| FileError::new(&self.path, e))
    }

    /// Gives the file its name; a file that had it is replaced.
    pub fn commit(mut self) -> Result<(), FileError> {
        if let Some(from) = &self.temporary {
            std::fs::rename(from, &self.path).map_err(|e| FileError::new(&self.path, e))?;
        }
        self.temporary = None;
        Ok(())
    }
}

impl Drop for Prepared {
    fn drop(&mut self) {
        if let Some(path) = &self.temporary {
            // Nothing to be done about a leftover that cannot be removed; the write has
            // already failed with its own message.
            let _ = std::fs::remove_file(path);
        }
    }
}

/// Writes `bytes` to a new file beside `path` and renames it to `path`, so that nobody ever sees
/// half a file. The folder must exist.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    Prepared::new(path, bytes)?.commit()
}

fn prepare(path: &Path, bytes: &[u8]) -> Result<Prepared, Problem> {
    // Renaming would put a file in the place of a device or a pipe such as /dev/stdout.
    match std::fs::metadata(path) {
        Ok(there) if there.is_dir() => return Err(Problem::NotAFile("a folder")),
        Ok(there) if !there.is_file() => return Err(Problem::NotAFile("a device or a pipe")),
        _ => {}
    }
    path.file_name().ok_or(Problem::NotAFile("no file name"))?;
    let (mut file, temporary) = create_beside(path)?;
    let prepared = Prepared { temporary: Some(temporary), path: path.to_owned() };
    file.write_all(bytes)?;
    file.flush()?;
    Ok(prepared)
}

fn create_beside(path: &Path) -> Result<(File, PathBuf), Problem> {
    // More than one attempt: other outputs of this process may be on their way here too.
    for attempt in 0..10_000 {
        // Not made from the name, which may already be as long as names can be.
        let beside = path.with_file_name(format!(".texunit-{}-{attempt}.part", std::process::id()));
        match OpenOptions::new().write(true).create_new(true).open(&beside) {
            Ok(file) => return Ok((file, beside)),
            Err(e) if e.kind() == ErrorKind::AlreadyExists => {}
            Err(e) => return Err(Problem::Io(e)),
        }
    }
    Err(Problem::Unsupported("there are leftover temporary files beside it".into()))
}

/// An error of a decoder as damage.
pub(crate) fn damaged(kind: Kind, error: impl std::fmt::Display) -> Problem {
    Problem::Damaged { kind, message: error.to_string() }
}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn what_is_no_file_is_not_replaced() {
        let folder = std::env::temp_dir().join(format!("texunit-io-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let socket = folder.join("socket");
        let _open = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        let link = folder.join("link");
        std::os::unix::fs::symlink(&socket, &link).unwrap();
        for path in [&socket, &link] {
            let error = write_atomically(path, b"text").unwrap_err().problem.to_string();
            assert_eq!(error, "expected a file, but it is a device or a pipe");
        }
        assert!(!socket.metadata().unwrap().is_file());
        write_atomically(&folder.join("file"), b"text").unwrap();
        assert_eq!(read_bytes(&folder.join("file")).unwrap(), b"text");
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
