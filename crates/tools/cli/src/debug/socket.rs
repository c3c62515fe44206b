//! The socket that a debugged program finds in its environment, in a folder that only this user can
//! access.

use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::net::UnixListener;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// A socket, which is removed together with its folder.
pub(super) struct Socket {
    folder: PathBuf,
    pub(super) listener: UnixListener,
}

/// Number of sockets of this process.
static NUMBER: AtomicU32 = AtomicU32::new(0);

impl Socket {
    pub(super) fn new() -> io::Result<Self> {
        let number = NUMBER.fetch_add(1, Relaxed);
        let name = format!("texunit-debug-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::DirBuilder::new().mode(0o700).create(&folder)?;
        Ok(Self { listener: UnixListener::bind(folder.join("socket"))?, folder })
    }

    pub(super) fn path(&self) -> PathBuf {
        self.folder.join("socket")
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
