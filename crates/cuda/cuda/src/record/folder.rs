//! Where a recorded launch is written: a folder of its own, whoever else records at the same time.

use super::Wanted;
use super::wanted::plain_name;
use crate::module::Function;
use std::fs::{File, TryLockError};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The folder of one launch, which no other process of the run may record into as long as this lives.
#[derive(Debug)]
pub(super) struct Claim(Option<File>);

impl Claim {
    /// `None` if another process has the folder, or had it and has written its job.
    pub(super) fn of(folder: &Path) -> Option<Self> {
        // What cannot be made or locked here is told of when the job is written.
        let _ = std::fs::create_dir_all(folder);
        let locked = File::open(folder).ok();
        let is_taken = |file: &File| matches!(file.try_lock(), Err(TryLockError::WouldBlock));
        if locked.as_ref().is_some_and(is_taken) {
            return None;
        }
        let claim = Self(locked);
        // Only now: whoever had the folder has written it before they let go.
        (!folder.join("job.toml").exists()).then_some(claim)
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        // A process that was forked off meanwhile has the file open, too.
        let _ = self.0.as_ref().map(File::unlock);
    }
}

/// Longest part of a kernel's name in the name of a folder.
const LONG_NAME: usize = 48;
/// Folders of one number and name that are tried.
const MAX_FOLDERS: u32 = 1000;

pub(super) fn of_launch(wanted: &Wanted, function: &Function, number: u64) -> PathBuf {
    if wanted.kernel.is_some() {
        return wanted.folder.clone();
    }
    let full = texunit_report::place::function_name(function.kernel.name());
    let fine = |c: &char| c.is_ascii_alphanumeric() || *c == '_';
    let name: String = plain_name(&full).chars().filter(fine).take(LONG_NAME).collect();
    // What cannot be made is told of when the job is written.
    let _ = std::fs::create_dir_all(&wanted.folder);
    new_folder(&wanted.folder, &format!("{number:04}-{name}"))
}

/// Makes a folder that is not there yet: another process of the run may have a launch of that number too, and so may
/// another program with the number of this process.
fn new_folder(parent: &Path, name: &str) -> PathBuf {
    let process = std::process::id();
    let others = (2..MAX_FOLDERS).map(|n| format!("{name}-{process}-{n}"));
    let mut names = [name.to_owned(), format!("{name}-{process}")].into_iter().chain(others);
    let is_there = |folder: &PathBuf| {
        let made = std::fs::create_dir(folder);
        made.is_err_and(|error| error.kind() == ErrorKind::AlreadyExists)
    };
    let free = names.by_ref().map(|name| parent.join(name)).find(|folder| !is_there(folder));
    free.unwrap_or_else(|| parent.join(name))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use texunit_testkit::TempDir;

    #[test]
    fn a_folder_is_of_one_launch() {
        let temp = TempDir::new("record-claim");
        let folder = temp.path().join("a/b");
        let first = Claim::of(&folder);
        assert!(first.is_some() && Claim::of(&folder).is_none());
        // The launch was refused: another process may have one that is not.
        drop(first);
        let second = Claim::of(&folder);
        assert!(second.is_some());
        std::fs::write(folder.join("job.toml"), "").unwrap();
        drop(second);
        assert!(Claim::of(&folder).is_none());
    }

    #[test]
    fn folders_are_new() {
        let temp = TempDir::new("record-folders");
        let process = std::process::id();
        for name in ["1-k".to_owned(), format!("1-k-{process}"), format!("1-k-{process}-2")] {
            let folder = new_folder(temp.path(), "1-k");
            assert_eq!(folder, temp.path().join(name));
            assert!(folder.is_dir());
        }
        assert_eq!(new_folder(&temp.path().join("none"), "k"), temp.path().join("none/k"));
    }
}
