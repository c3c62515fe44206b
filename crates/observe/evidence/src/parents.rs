//! Finds the run of a process whose environment does not name it.
//!
//! `sudo`, `env -i` and test runners clear the environment. The parents of a process are still
//! known, and `texunit run` keeps the folder of its run open, where `/proc` shows it.

use crate::file_names::maker;
use crate::process_stat::ProcessStat;
use std::path::{Path, PathBuf};

/// Maximum number of parents that are examined.
const MAX_PARENTS: usize = 64;
/// The process name of `texunit`.
const NAME: &str = "texunit";

/// A run found among the parents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OuterRun {
    /// The folder of the run.
    Folder(PathBuf),
    /// A `texunit` process (its ID) that this process has no permission to inspect.
    Hidden(u32),
}

/// The innermost run among the parents of this process.
pub fn run_above() -> Option<OuterRun> {
    #[cfg(target_os = "linux")]
    {
        above(std::os::unix::process::parent_id(), Path::new("/proc"))
    }
    #[cfg(not(target_os = "linux"))]
    None
}

/// The run of a process or of one of its ancestors.
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

/// The run's folder among the open files of a `texunit` process.
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

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    #[test]
    fn the_innermost_run_is_found() {
        let folder = texunit_testkit::TempDir::new("parents");
        let proc = folder.join("proc");
        let run = folder.join(crate::folder_name(7).replace(&std::process::id().to_string(), "20"));
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
}
