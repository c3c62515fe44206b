//! Copies the repository's files, to build mutants in the copy.

use crate::files::{self, at};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Makes `to` equal to the files of `from` that git does not ignore. Equal files are not touched,
/// so that cargo builds only what differs.
pub(super) fn copy(from: &Path, to: &Path) -> Result<(), String> {
    let mut git = Command::new("git");
    git.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]).current_dir(from);
    let names = files::call(&mut git)?;
    let there = |name: &&str| !name.is_empty() && from.join(name).is_file();
    let names: HashSet<_> = names.split('\0').filter(there).map(PathBuf::from).collect();
    for name in &names {
        at(&to.join(name), same(&from.join(name), &to.join(name)))?;
    }
    remove_others(to, to, &names)
}

fn same(from: &Path, to: &Path) -> std::io::Result<()> {
    let bytes = std::fs::read(from)?;
    if std::fs::read(to).is_ok_and(|old| old == bytes) {
        return Ok(());
    }
    if let Some(folder) = to.parent() {
        std::fs::create_dir_all(folder)?;
    }
    // `copy` also copies the permissions, because some files are executable.
    std::fs::copy(from, to).map(|_| ())
}

fn remove_others(folder: &Path, root: &Path, names: &HashSet<PathBuf>) -> Result<(), String> {
    for path in files::entries(folder)? {
        if path.is_dir() {
            remove_others(&path, root, names)?;
        } else if path.strip_prefix(root).is_ok_and(|name| !names.contains(name)) {
            files::remove(&path)?;
        }
    }
    Ok(())
}
