//! Finds the run of a process whose environment does not name it.
//!
//! `sudo`, `env -i` and test runners clear the environment. The parents of a process are still
//! known, and `texunit run` keeps the folder of its run open, where `/proc` shows it. The settings
//! of the run are environment variables as well; a file in the run's folder has them for a process
//! that lacks them.

use crate::file_names::{ProcessStat, maker};
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

/// Maximum number of parents that are examined.
const MAX_PARENTS: usize = 64;
/// The process name of `texunit`.
const NAME: &str = "texunit";
/// The name of the file with the run's settings: `NAME=VALUE` and a zero byte for each variable.
const FILE: &str = "variables";
/// Prefix of texunit's environment variables.
const START: &str = "TEXUNIT_";
/// Maximum number of variables that are read from the file, since other programs can write to the
/// folder.
const MAX_VARIABLES: usize = 1000;
/// Maximum size in bytes of the file with the settings.
const LARGEST: u64 = 1 << 20;

/// The run of a parent process, as `/proc` shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OuterRun {
    /// The folder of the run.
    Folder(PathBuf),
    /// The parent is a `texunit` process (its ID) that this process has no permission to inspect.
    Hidden(u32),
}

/// The innermost run that a parent of this process has started.
pub fn run_above() -> Option<OuterRun> {
    #[cfg(target_os = "linux")]
    {
        above(std::os::unix::process::parent_id(), Path::new("/proc"))
    }
    #[cfg(not(target_os = "linux"))]
    None
}

/// The run that a process or one of its ancestors has started.
#[cfg_attr(not(target_os = "linux"), allow(dead_code))]
fn above(mut process: u32, proc: &Path) -> Option<OuterRun> {
    for _ in 0..MAX_PARENTS {
        let own = proc.join(process.to_string());
        let stat = ProcessStat::read(&own)?;
        if stat.name == NAME
            && let Some(found) = run_of(process, &own)
        {
            return Some(found);
        }
        process = Some(stat.parent).filter(|&parent| parent != 0)?;
    }
    None
}

/// Finds the run's folder among the open files of a `texunit` process.
fn run_of(process: u32, own: &Path) -> Option<OuterRun> {
    let open = match std::fs::read_dir(own.join("fd")) {
        Ok(open) => open,
        Err(error) => {
            let is_refused = error.kind() == std::io::ErrorKind::PermissionDenied;
            return is_refused.then_some(OuterRun::Hidden(process));
        }
    };
    let mut files = open.flatten().filter_map(|file| std::fs::read_link(file.path()).ok());
    let folder = files.find(|file| maker(file) == Some(process))?;
    folder.is_dir().then_some(OuterRun::Folder(folder))
}

/// Stores those environment variables in `all` that are texunit's in a file of the run's folder.
///
/// # Errors
/// The file cannot be written.
pub fn keep_variables(
    folder: &Path,
    all: impl IntoIterator<Item = (OsString, OsString)>,
) -> io::Result<()> {
    let mut bytes = Vec::new();
    for (name, value) in all {
        if name.as_encoded_bytes().starts_with(START.as_bytes()) && name != crate::FOLDER {
            let parts: [&OsStr; 4] = [&name, "=".as_ref(), &value, "\0".as_ref()];
            parts.iter().for_each(|part| bytes.extend_from_slice(part.as_encoded_bytes()));
        }
    }
    crate::write(&folder.join(FILE), &bytes)
}

/// The variables that [`keep_variables`] has stored, without those that are not UTF-8; empty if
/// there is no file.
pub fn kept_variables(folder: &Path) -> BTreeMap<String, String> {
    let path = folder.join(FILE);
    if !path.metadata().is_ok_and(|found| found.is_file() && found.len() <= LARGEST) {
        return BTreeMap::new();
    }
    let bytes = std::fs::read(path).unwrap_or_default();
    let texts = bytes.split(|&byte| byte == 0).filter_map(|entry| std::str::from_utf8(entry).ok());
    let pairs = texts.filter_map(|entry| entry.split_once('='));
    pairs.take(MAX_VARIABLES).map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn the_innermost_run_is_found() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = texunit_testkit::TempDir::new("parents");
        let proc = folder.join("proc");
        let run = folder.join("texunit-20-0123456789abcdef");
        std::fs::create_dir(&run).unwrap();
        let process = |pid: u32, name: &str, parent: u32, open: &[&Path]| {
            let own = proc.join(pid.to_string());
            std::fs::create_dir_all(own.join("fd")).unwrap();
            let rest = ["1"; 20].join(" ");
            std::fs::write(own.join("stat"), format!("{pid} ({name}) S {parent} {rest}")).unwrap();
            for (i, file) in open.iter().enumerate() {
                symlink(file, own.join("fd").join(i.to_string())).unwrap();
            }
        };
        process(20, NAME, 1, &[&folder.join("report.json"), &run]);
        process(21, "b) (ash", 20, &[]);
        // A `texunit` that has replaced itself by the program, and another program with that name.
        process(22, NAME, 21, &[&folder.join("texunit-x")]);
        process(23, "sh", 22, &[&run]);
        assert_eq!(above(23, &proc), Some(OuterRun::Folder(run.clone())));
        process(30, "init", 0, &[]);
        assert_eq!([above(30, &proc), above(99, &proc)], [None, None]);
        // Root can read everything, so the case does not exist there.
        let closed = proc.join("20/fd");
        std::fs::set_permissions(&closed, PermissionsExt::from_mode(0o000)).unwrap();
        let expected = match std::fs::read_dir(&closed) {
            Ok(_) => OuterRun::Folder(run.clone()),
            Err(_) => OuterRun::Hidden(20),
        };
        assert_eq!(above(23, &proc), Some(expected));
        std::fs::set_permissions(&closed, PermissionsExt::from_mode(0o700)).unwrap();
        std::fs::remove_dir(&run).unwrap();
        assert_eq!(above(23, &proc), None);
    }

    #[test]
    fn only_ours_are_kept() {
        let folder = texunit_testkit::TempDir::new("variables");
        assert!(kept_variables(&folder).is_empty());
        let all = [
            ("PATH", "/bin"),
            ("TEXUNIT_DEVICE", "sm_75"),
            ("TEXUNIT_EVIDENCE", "/a"),
            ("TEXUNIT_SAVE_PTX", "/tmp/a=b\nc"),
            ("TEXUNIT_TRACE", ""),
        ];
        keep_variables(&folder, all.map(|(name, value)| (name.into(), value.into()))).unwrap();
        let expected = [all[1], all[3], all[4]].map(|(n, v)| (n.to_owned(), v.to_owned()));
        assert_eq!(kept_variables(&folder), BTreeMap::from(expected));
        // Invalid contents of the file are ignored.
        std::fs::write(folder.join(FILE), b"A=\xff\0nothing\0=\0B=1").unwrap();
        let found = kept_variables(&folder);
        assert_eq!(found.get("B").map(String::as_str), Some("1"));
        assert!(!found.contains_key("A") && found.len() == 2);
        std::fs::write(folder.join(FILE), vec![b'x'; LARGEST as usize + 1]).unwrap();
        assert!(kept_variables(&folder).is_empty());
    }
}
