//! Names of the files and folders of a run, which have process IDs.

use crate::STOP;
use std::fs::File;
use std::path::{Path, PathBuf};

/// The extension of event files.
pub(crate) const EXTENSION: &str = "jsonl";

/// Maximum nesting of runs; a run inside a run has its folder in the folder of the outer run.
const DEPTH: u32 = 16;
/// Maximum number of files of a run that are listed.
const MAX_FILES: usize = 100_000;

/// The state of a process as the system shows it (`/proc/PID/stat`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessStat {
    /// The name of its program, cut by the system after 15 bytes.
    pub name: String,
    /// Whether the process is a zombie: it has ended, but its parent has not waited for it.
    pub has_ended: bool,
    /// The parent's process ID.
    pub parent: u32,
    /// When the process started, in clock ticks since the system's start. Process IDs are reused,
    /// so that only ID and start time together identify a process.
    pub started: u64,
}

impl ProcessStat {
    /// Reads the state of a process from its folder, for example `/proc/self`; `None` if there is
    /// no such process.
    pub fn read(folder: &Path) -> Option<Self> {
        let stat = std::fs::read(folder.join("stat")).ok()?;
        let stat = String::from_utf8_lossy(&stat);
        // The program's name is in parentheses, and may contain any characters.
        let (before, behind) = stat.rsplit_once(')')?;
        let name = before.split_once('(')?.1.to_owned();
        let mut words = behind.split_whitespace();
        let has_ended = matches!(words.next()?, "Z" | "X");
        let parent = words.next()?.parse().ok()?;
        let started = words.nth(17)?.parse().ok()?;
        Some(Self { name, has_ended, parent, started })
    }
}

/// The path of this process's file with an extension, in a run's folder. The file name has the
/// process ID and, since IDs are reused, the start time.
pub fn own_file(folder: &Path, extension: &str) -> PathBuf {
    let started = ProcessStat::read(Path::new("/proc/self")).map_or(0, |stat| stat.started);
    folder.join(format!("{}-{started}.{extension}", std::process::id()))
}

/// All files with an extension in a run's folder and the folders of nested runs, sorted by name.
pub fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    collect(folder, extension, DEPTH, &mut found);
    found.sort();
    found
}

fn collect(folder: &Path, extension: &str, depth: u32, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        if found.len() >= MAX_FILES {
            return;
        }
        let (path, kind) = (entry.path(), entry.file_type());
        if kind.as_ref().is_ok_and(std::fs::FileType::is_dir) && depth > 0 {
            collect(&path, extension, depth - 1, found);
        } else if kind.is_ok_and(|kind| kind.is_file())
            && path.extension().is_some_and(|e| e == extension)
        {
            found.push(path);
        }
    }
}

/// Prefix of the names of runs' folders.
const PREFIX: &str = "texunit-";

/// The name of a folder for a run of this process, without the 16 random digits at its end.
pub fn folder_prefix() -> String {
    format!("{PREFIX}{}-", std::process::id())
}

/// The ID of the process that created a run's folder, taken from the folder's name; `None` for any
/// other folder.
pub(crate) fn maker(folder: &Path) -> Option<u32> {
    let name = folder.file_name()?.to_str()?;
    let (process, number) = name.strip_prefix(PREFIX)?.split_once('-')?;
    let is_number = number.len() == 16 && number.bytes().all(|digit| digit.is_ascii_hexdigit());
    process.parse().ok().filter(|_| is_number)
}

/// Whether the run with this folder, or an outer run, has been stopped ([`crate::STOP`]).
pub fn is_over(folder: &Path) -> bool {
    let outer = folder.ancestors().skip(1).take_while(|above| maker(above).is_some());
    std::iter::once(folder).chain(outer.take(DEPTH as usize)).any(|of| of.join(STOP).exists())
}

/// IDs of the processes with an event file in a run's folder.
pub fn processes(folder: &Path) -> Vec<u32> {
    files(folder, EXTENSION).iter().filter_map(|path| process_of(path)).collect()
}

/// The process ID in a file's name ([`own_file`]).
pub fn process_of(file: &Path) -> Option<u32> {
    file.file_name()?.to_str()?.split('-').next()?.parse().ok()
}

/// Device and inode of a file; `None` if its descriptor is closed.
#[cfg(unix)]
pub(crate) fn identity(file: &File) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    file.metadata().ok().map(|m| (m.dev(), m.ino()))
}

#[cfg(not(unix))]
pub(crate) fn identity(_: &File) -> Option<(u64, u64)> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_inner_run_ends_with_the_outer_one() {
        let temporary = texunit_testkit::TempDir::new("runs");
        let [of_run, other, last] =
            ["7", "f", "a"].map(|letter| folder_prefix() + &letter.repeat(16));
        let outer = temporary.join(of_run);
        let inner = outer.join(other).join(last);
        std::fs::create_dir_all(&inner).unwrap();
        // The folder that contains the outermost run does not belong to a run.
        std::fs::write(temporary.join(STOP), "").unwrap();
        assert!(!is_over(&inner) && !is_over(&outer));
        // A folder with another name is a run's folder if the process was told so.
        assert!(is_over(&temporary));
        std::fs::write(outer.join(STOP), "").unwrap();
        assert!(is_over(&inner) && is_over(&outer));
        std::fs::remove_file(outer.join(STOP)).unwrap();
        std::fs::write(inner.join(STOP), "").unwrap();
        assert!(is_over(&inner) && !is_over(&outer));
    }

    #[test]
    fn names_contain_anything() {
        let folder = texunit_testkit::TempDir::new("stat");
        let read = |stat: &str| {
            folder.file("stat", stat);
            ProcessStat::read(&folder).map(|s| (s.name, s.parent, s.started, s.has_ended))
        };
        let rest = "5 7 7 0 -1 4 0 0 0 0 0 0 0 0 20 0 1 0 1234 99";
        let is = |name: &str, has_ended| Some((name.to_owned(), 5, 1234, has_ended));
        assert_eq!(read(&format!("7 (a) b) c) S {rest}")), is("a) b) c", false));
        assert_eq!(read(&format!("7 (x) Z {rest}")), is("x", true));
        for wrong in ["7 (a) S 5 7 7 0", "7 (x)", ""] {
            assert_eq!(read(wrong), None);
        }
    }
}
