//! Files and folders that commands make.

use std::path::{Path, PathBuf};
use texunit_files::{Prepared, read_bytes};

/// The path of this program.
pub(crate) fn program() -> Result<PathBuf, String> {
    std::env::current_exe().map_err(|e| format!("cannot find the path of this program: {e}"))
}

pub(crate) fn make_folder(folder: &Path) -> Result<(), String> {
    let made = std::fs::create_dir_all(folder);
    made.map_err(|e| format!("cannot make the folder `{}`: {e}", folder.display()))
}

/// Copies a file with its permissions. It is written under a temporary name and renamed, because a
/// program may be using the existing file, and existing links must not be followed.
pub(crate) fn copy(from: &Path, to: &Path) -> Result<(), String> {
    let metadata = from.metadata().map_err(|e| format!("{}: {e}", from.display()))?;
    let made = Prepared::new(to, &read_bytes(from).map_err(|e| e.to_string())?)
        .and_then(|file| file.permissions(&metadata).and_then(|()| file.commit()));
    made.map_err(|e| format!("cannot write {e}"))
}
