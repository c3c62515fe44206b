//! Finds the case files of a folder by their names.

use std::io;
use std::path::{Path, PathBuf};

/// Extensions of case files.
const ENDINGS: [&str; 2] = [".toml", ".toml.gz"];

/// The name of a case file without its extension; `None` for other files.
pub fn stem(path: &Path) -> Option<&str> {
    let name = path.file_name()?.to_str()?;
    ENDINGS.iter().find_map(|ending| name.strip_suffix(ending))
}

/// Whether a path has the extension of a case file.
pub fn is_case_file(path: &Path) -> bool {
    stem(path).is_some()
}

/// The case files in a folder and its subfolders down to `depth`, sorted by name.
pub fn find_files(folder: &Path, depth: usize) -> io::Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path()));
    let mut paths = entries.collect::<io::Result<Vec<_>>>()?;
    paths.sort();
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
            if depth > 0 {
                files.extend(find_files(&path, depth - 1)?);
            }
        } else if is_case_file(&path) {
            files.push(path);
        }
    }
    Ok(files)
}
