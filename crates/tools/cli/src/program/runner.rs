//! Recognises runs that a test runner starts one per test (CMAKE_TEST_LAUNCHER, a runner of cargo),
//! all with the same report names. A report written since the runner began belongs to an earlier
//! test, and must not be overwritten.

use std::path::Path;
use std::time::{Duration, SystemTime};
use texunit_evidence::ProcessStat;

/// Process names of test runners.
const RUNNERS: &str =
    "ctest cargo cargo-nextest meson ninja make gmake bazel process-wrapper linux-sandbox";
/// Process names of wrappers that only start another program.
const BETWEEN: &str = "sh bash dash ksh zsh timeout time";
/// Maximum number of ancestors that are examined.
const DEPTH: usize = 16;
/// Clock ticks per second in `/proc/PID/stat`, always 100 on Linux.
const UNITS: f64 = 100.0;

#[cfg(unix)]
fn parent() -> u32 {
    std::os::unix::process::parent_id()
}

/// Other systems are not supported.
#[cfg(not(unix))]
fn parent() -> u32 {
    0
}

/// A test runner that has started this program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Runner {
    /// The process name.
    pub(super) name: String,
    began: SystemTime,
}

impl Runner {
    /// The nearest ancestor that is a test runner, with only wrappers in between.
    pub(super) fn above() -> Option<Self> {
        let now = std::fs::read_to_string("/proc/uptime").ok()?;
        Self::of(parent(), now.split(' ').next()?.parse().ok()?, Path::new("/proc"))
    }

    fn of(mut process: u32, now: f64, proc: &Path) -> Option<Self> {
        for _ in 0..DEPTH {
            let stat = ProcessStat::read(&proc.join(process.to_string()))?;
            if RUNNERS.split(' ').any(|name| name == stat.name) {
                let age = now - stat.started as f64 / UNITS;
                let age = Duration::try_from_secs_f64(age.max(0.0)).ok()?;
                return Some(Self { name: stat.name, began: SystemTime::now().checked_sub(age)? });
            }
            if BETWEEN.split(' ').all(|name| name != stat.name) {
                return None;
            }
            process = stat.parent;
        }
        None
    }

    /// The text of a file that was written since the runner began.
    pub(super) fn earlier(&self, path: &Path) -> Option<String> {
        let found = path.metadata().ok().filter(std::fs::Metadata::is_file)?;
        let is_earlier = found.len() > 0 && found.modified().ok()? >= self.began;
        is_earlier.then(|| std::fs::read_to_string(path).ok()).flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_starts_tests_is_a_runner() {
        let proc = texunit_testkit::TempDir::new("runner");
        let process = |pid: u32, name: &str, parent: u32, started: u32| {
            std::fs::create_dir_all(proc.join(pid.to_string())).unwrap();
            let numbers = "0 0 -1 4 0 0 0 0 0 0 0 0 20 0 1 0";
            let stat = format!("{pid} ({name}) S {parent} 7 {numbers} {started} 99");
            std::fs::write(proc.join(pid.to_string()).join("stat"), stat).unwrap();
        };
        process(1, "init", 0, 0);
        process(20, "ctest", 1, 500);
        process(21, "sh", 20, 600);
        process(22, "python3", 20, 600);
        process(30, "bash", 1, 500);
        let of = |pid| Runner::of(pid, 9.0, &proc);
        assert_eq!([22, 30, 1, 99].map(|pid| of(pid).is_some()), [false; 4]);
        for pid in [20, 21] {
            let runner = of(pid).unwrap();
            assert_eq!(runner.name, "ctest");
            let age = runner.began.elapsed().unwrap().as_secs_f64();
            assert!((3.9..4.9).contains(&age), "{age}");
        }
    }

    #[test]
    fn what_was_there_before_is_replaced() {
        let folder = texunit_testkit::TempDir::new("runner");
        let file = folder.file("report.xml", "text");
        let since = |began| Runner { name: "ctest".to_owned(), began };
        let now = SystemTime::now();
        assert_eq!(since(now - Duration::from_secs(9)).earlier(&file).as_deref(), Some("text"));
        assert_eq!(since(now + Duration::from_secs(9)).earlier(&file), None);
        assert_eq!(since(now).earlier(&folder.join("none")), None);
        assert_eq!(since(SystemTime::UNIX_EPOCH).earlier(&folder.file("empty", "")), None);
    }
}
