//! What several test programs need.

use std::fs;
use std::path::{Path, PathBuf};

/// All `.ptx` files of a folder and those in it, in order.
pub(crate) fn ptx_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display())) {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(ptx_files(&path));
        } else if path.extension().is_some_and(|e| e == "ptx") {
            files.push(path);
        }
    }
    files.sort();
    files
}
