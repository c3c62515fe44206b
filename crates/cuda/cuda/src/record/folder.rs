//! The folder of a recorded launch: unique, even if several processes record at the same time.

use super::*;
use crate::settings::plain_name;
use std::fs::{File, TryLockError};
use std::io::{self, ErrorKind};

/// An exclusive claim on the folder of a single launch against other processes of the run.
#[derive(Debug)]
pub(super) struct Claim(Option<File>);

impl Claim {
    /// Claims the folder; `None` if another process has claimed it or written its job.
    pub(super) fn of(folder: &Path) -> Option<Self> {
        // Errors here are reported when the job is written.
        let _ = std::fs::create_dir_all(folder);
        let locked = File::open(folder).ok();
        let is_taken = |file: &File| matches!(file.try_lock(), Err(TryLockError::WouldBlock));
        if locked.as_ref().is_some_and(is_taken) {
            return None;
        }
        let claim = Self(locked);
        // The check comes after locking, as the previous owner writes its job before it unlocks.
        (!folder.join("job.toml").exists()).then_some(claim)
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        // The file is unlocked explicitly, as a process forked meanwhile has it open, too.
        let _ = self.0.as_ref().map(File::unlock);
    }
}

/// Maximum length of a kernel's name in the name of a folder.
const LONG_NAME: usize = 48;
/// Maximum number of folders that are tried for a number and name.
const MAX_FOLDERS: u32 = 1000;

/// Prefix and suffix of the name of an unfinished folder, which `texunit run` removes.
const PART: [&str; 2] = [".texunit-", ".part"];

/// The folder for a job that is being written, which `texunit run` removes at its end: a process
/// may be killed at any time, and an incomplete job must not look like a complete one.
pub(super) fn unfinished(folder: &Path) -> PathBuf {
    // Errors here are reported when the job is written.
    let _ = std::fs::create_dir_all(folder);
    static NUMBERS: AtomicU32 = AtomicU32::new(0);
    let (process, number) = (std::process::id(), NUMBERS.fetch_add(1, Relaxed));
    folder.join(format!("{}{process}-{number}{}", PART[0], PART[1]))
}

/// Renames the folder of a complete job to its final name, also within the job.
pub(super) fn finish(
    unfinished: &Path,
    wanted: &RecordSettings,
    function: &Function,
    number: u64,
) -> io::Result<PathBuf> {
    let folder = if wanted.kernel.is_some() {
        move_files(unfinished, &wanted.folder).map(|()| wanted.folder.clone())
    } else {
        let full = texunit_report::place::function_name(function.kernel.name());
        let fine = |c: &char| c.is_ascii_alphanumeric() || *c == '_';
        let name: String = plain_name(&full).chars().filter(fine).take(LONG_NAME).collect();
        rename_below(unfinished, &wanted.folder, &format!("{number:04}-{name}"))
    };
    if folder.is_err() {
        let _ = std::fs::remove_dir_all(unfinished);
    }
    folder.map(|folder| folder.join("job.toml"))
}

/// Renames a folder to an unused name. Another process of the run may have a launch with the same
/// number, and another program the same process number.
fn rename_below(from: &Path, parent: &Path, name: &str) -> io::Result<PathBuf> {
    let process = std::process::id();
    let others = (2..MAX_FOLDERS).map(|n| format!("{name}-{process}-{n}"));
    for name in [name.to_owned(), format!("{name}-{process}")].into_iter().chain(others) {
        let folder = parent.join(name);
        // An empty folder of that name belongs to another process, which is about to fill it.
        if folder.symlink_metadata().is_err() {
            match std::fs::rename(from, &folder) {
                Ok(()) => return Ok(folder),
                Err(error) => match error.kind() {
                    ErrorKind::AlreadyExists | ErrorKind::DirectoryNotEmpty => {}
                    _ => return Err(error),
                },
            }
        }
    }
    Err(ErrorKind::AlreadyExists.into())
}

/// Moves the files of a folder, the job last, so that a folder with a job is complete.
fn move_files(from: &Path, to: &Path) -> io::Result<()> {
    let names = std::fs::read_dir(from)?.map(|entry| Ok(entry?.file_name()));
    let mut names = names.collect::<io::Result<Vec<_>>>()?;
    names.sort_by_key(|name| name == "job.toml");
    for name in names {
        std::fs::rename(from.join(&name), to.join(&name))?;
    }
    std::fs::remove_dir(from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use texunit_testkit::TempDir;

    #[test]
    fn a_folder_is_of_one_launch() {
        let temp = TempDir::new("record-claim");
        let folder = temp.path().join("a/b");
        let first = Claim::of(&folder);
        assert!(first.is_some() && Claim::of(&folder).is_none());
        // The launch was refused, so that another process may claim the folder for its own.
        drop(first);
        let second = Claim::of(&folder);
        assert!(second.is_some());
        std::fs::write(folder.join("job.toml"), "").unwrap();
        drop(second);
        assert!(Claim::of(&folder).is_none());
    }

    /// A folder with a complete job.
    fn complete_job(parent: &Path) -> PathBuf {
        let part = unfinished(parent);
        std::fs::create_dir(&part).unwrap();
        for name in ["job.toml", "kernel.ptx"] {
            std::fs::write(part.join(name), name).unwrap();
        }
        part
    }

    #[test]
    fn folders_are_new_and_whole() {
        let temp = TempDir::new("record-folders");
        let process = std::process::id();
        std::fs::create_dir(temp.join("1-k")).unwrap();
        for name in [format!("1-k-{process}"), format!("1-k-{process}-2")] {
            let folder = rename_below(&complete_job(&temp), &temp, "1-k").unwrap();
            assert_eq!(folder, temp.path().join(name));
            assert!(folder.join("job.toml").is_file());
        }
        assert!(rename_below(&complete_job(&temp), &temp.join("none"), "k").is_err());
    }

    #[test]
    fn a_job_is_put_into_a_folder() {
        let temp = TempDir::new("record-put");
        let folder = temp.join("rec");
        for others in [false, true] {
            let _ = std::fs::remove_dir_all(&folder);
            std::fs::create_dir(&folder).unwrap();
            if others {
                std::fs::write(folder.join("why.txt"), "").unwrap();
            }
            move_files(&complete_job(&temp), &folder).unwrap();
            assert_eq!(std::fs::read_dir(&folder).unwrap().count(), if others { 3 } else { 2 });
            assert_eq!(std::fs::read(folder.join("kernel.ptx")).unwrap(), b"kernel.ptx");
            assert_eq!(std::fs::read_dir(&temp).unwrap().count(), 1);
        }
    }
}
