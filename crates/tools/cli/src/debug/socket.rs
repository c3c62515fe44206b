//! The socket that a debugged program finds in its environment, in a folder that only this user can
//! access.

use std::io;
use std::os::unix::net::UnixListener;
use std::path::PathBuf;
use texunit_files::PrivateFolder;

/// A socket, which is removed together with its folder.
pub(super) struct Socket {
    folder: PrivateFolder,
    pub(super) listener: UnixListener,
}

impl Socket {
    pub(super) fn new() -> io::Result<Self> {
        let folder = PrivateFolder::new("texunit-debug")?;
        let listener = UnixListener::bind(folder.path().join("socket"))?;
        Ok(Self { folder, listener })
    }

    pub(super) fn path(&self) -> PathBuf {
        self.folder.path().join("socket")
    }
}
