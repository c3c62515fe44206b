//! Reading and writing of whole files, with size limits and atomic replacement.

use crate::error::{FileError, Problem};
use crate::leftovers::Temporary;
use crate::{Kind, MAX_BYTES};
use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

/// Reads a regular file of at most [`MAX_BYTES`].
pub fn read_bytes(path: &Path) -> Result<Vec<u8>, FileError> {
    read(path).map_err(|problem| FileError::new(path, problem))
}

fn read(path: &Path) -> Result<Vec<u8>, Problem> {
    if let Some(held) = crate::memory_files::get(path) {
        return Ok(held.to_vec());
    }
    // The kind of file is tested before the file is opened, because opening a pipe waits for its
    // writer.
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
    let mut bytes = room(metadata.len() as usize)?;
    // The file may grow while it is read; one byte more than the limit reveals that.
    open(path)?.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(|e| match e.kind() {
        ErrorKind::WouldBlock => Problem::NotAFile("one of the system's that waits for more"),
        _ => Problem::Io(e),
    })?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(Problem::TooLarge { what: "the file", bytes: bytes.len() as u64 });
    }
    Ok(bytes)
}

/// Allocates a buffer of a size that a file determines; fails if there is not enough memory.
///
/// # Errors
/// [`Problem::Io`] of the kind [`ErrorKind::OutOfMemory`].
pub fn room(size: usize) -> Result<Vec<u8>, Problem> {
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(size).map_err(|_| Problem::Io(ErrorKind::OutOfMemory.into()))?;
    Ok(bytes)
}

/// A copy of bytes; fails if there is not enough memory.
pub(crate) fn copy(of: &[u8]) -> Result<Vec<u8>, Problem> {
    let mut bytes = room(of.len())?;
    bytes.extend_from_slice(of);
    Ok(bytes)
}

/// Opens a file such that no read of it blocks: special files such as `/proc/kmsg` look like
/// regular ones, but a read at their end waits for more.
fn open(path: &Path) -> std::io::Result<File> {
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK);
    options.open(path)
}

/// A file that has been written under a temporary name. If it is dropped without [`Self::commit`],
/// or if a signal ends the process, it is removed.
#[derive(Debug)]
pub struct Prepared {
    temporary: Temporary,
    path: PathBuf,
}

impl Prepared {
    /// Writes `bytes` to a new file in the folder of `path`, which must exist.
    pub fn new(path: &Path, bytes: &[u8]) -> Result<Self, FileError> {
        prepare(path, bytes).map_err(|problem| FileError::new(path, problem))
    }

    /// Gives the new file the permissions of another file and, if possible, its owner.
    pub fn like(&self, other: &std::fs::Metadata) -> Result<(), FileError> {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            let temporary = self.temporary.path();
            // Only a superuser can change the owner, so failures are ignored.
            let _ = std::os::unix::fs::chown(temporary, Some(other.uid()), Some(other.gid()));
        }
        self.permissions(other)
    }

    /// Gives the new file the permissions of another file.
    pub fn permissions(&self, other: &std::fs::Metadata) -> Result<(), FileError> {
        std::fs::set_permissions(self.temporary.path(), other.permissions())
            .map_err(|e| FileError::new(&self.path, e))
    }

    /// Renames the file to its final name, replacing an existing file.
    pub fn commit(self) -> Result<(), FileError> {
        let Self { temporary, path } = self;
        temporary.rename(&path).map_err(|e| FileError::new(&path, e))
    }
}

/// Writes `bytes` to a new file and renames it to `path`, so that a partly written file is never
/// visible. The folder must exist.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    Prepared::new(path, bytes)?.commit()
}

fn prepare(path: &Path, bytes: &[u8]) -> Result<Prepared, Problem> {
    // Renaming would replace a device or a pipe such as /dev/stdout by a file.
    match std::fs::metadata(path) {
        Ok(there) if there.is_dir() => return Err(Problem::NotAFile("a folder")),
        Ok(there) if !there.is_file() => return Err(Problem::NotAFile("a device or a pipe")),
        _ => {}
    }
    path.file_name().ok_or(Problem::NotAFile("no file name"))?;
    let (mut file, temporary) = Temporary::beside(path)?;
    let prepared = Prepared { temporary, path: path.to_owned() };
    file.write_all(bytes)?;
    file.flush()?;
    Ok(prepared)
}

/// Converts a decoder's error to the error for a damaged file.
pub(crate) fn damaged(kind: Kind, error: impl std::fmt::Display) -> Problem {
    Problem::Damaged { kind, message: error.to_string() }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use texunit_testkit::TempDir;

    #[test]
    fn what_is_no_file_is_not_replaced() {
        let folder = TempDir::new("io");
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
    }
}
