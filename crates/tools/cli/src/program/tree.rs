//! Lists the descendants of this process.

use nix::errno::Errno;
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{Id, WaitPidFlag, waitid};
use nix::unistd::Pid;
use std::collections::{HashMap, HashSet};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use texunit_evidence::ProcessStat;

/// Child processes that existed before the run: they were started by the process that became
/// `texunit run`, not by the program under test.
///
/// Neither strangers nor their descendants count as processes of the program. When a process ends,
/// its children become children of `texunit run`, whether the process was a stranger's or the
/// program's. Only processes of the program have the run's folder in their environment or in their
/// evidence. Therefore, if there are strangers, a child of `texunit run` that has the folder in
/// neither is treated as a stranger.
pub(super) struct Strangers {
    known: HashSet<Key>,
    folder: PathBuf,
    program: Option<Pid>,
}

impl Strangers {
    /// The current descendants, in a run with this folder.
    pub(super) fn of_this_process(folder: &Path) -> Self {
        let mut strangers =
            Self { known: HashSet::new(), folder: folder.to_owned(), program: None };
        let flags = WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG | WaitPidFlag::WNOWAIT;
        if waitid(Id::All, flags) != Err(Errno::ECHILD) {
            let found = below(std::process::id(), &HashSet::new()).into_iter();
            strangers.known.extend(found.map(|process| process.key));
        }
        strangers
    }

    /// The program and its descendants, parents before children, without zombies.
    pub(super) fn own_processes(&self) -> Vec<Pid> {
        let found = self.without(below(std::process::id(), &self.known)).into_iter();
        let going_on = found.filter(|process| !process.has_ended);
        going_on.map(|process| Pid::from_raw(process.key.0.cast_signed())).collect()
    }

    /// Adds the program, which is not a stranger.
    pub(super) fn beside(mut self, program: Pid) -> Self {
        self.program = Some(program);
        self
    }

    /// Processes, parents before children, without those left behind by other programs and their
    /// descendants.
    fn without(&self, mut found: Vec<Process>) -> Vec<Process> {
        if self.known.is_empty() {
            return found;
        }
        let (own, telling) = (std::process::id(), telling(&self.folder));
        let mut theirs = HashSet::new();
        found.retain(|process| {
            let pid = Pid::from_raw(process.key.0.cast_signed());
            let is_theirs = theirs.contains(&process.parent)
                || process.parent == own
                    && self.program != Some(pid)
                    && !telling.contains(&pid)
                    && !knows(process.key.0, &self.folder);
            if is_theirs {
                theirs.insert(process.key.0);
            }
            !is_theirs
        });
        found
    }
}

/// Whether a process has the folder of a run, or a folder below it, in its environment.
fn knows(pid: u32, folder: &Path) -> bool {
    let all = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    let value = |entry: &[u8]| -> Option<Vec<u8>> {
        let value = entry.strip_prefix(texunit_evidence::FOLDER.as_bytes())?.strip_prefix(b"=")?;
        Some(value.to_owned())
    };
    let named = all.split(|&byte| byte == 0).find_map(value);
    named.is_some_and(|named| named.starts_with(folder.as_os_str().as_bytes()))
}

/// Process ID and start time, since IDs are reused.
type Key = (u32, u64);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Process {
    key: Key,
    parent: u32,
    /// Whether the process is a zombie: it has ended, but its parent has not waited for it.
    has_ended: bool,
}

impl Process {
    fn of(pid: u32) -> Option<Self> {
        // A process may end meanwhile.
        let stat = ProcessStat::read(Path::new(&format!("/proc/{pid}")))?;
        Some(Self { key: (pid, stat.started), parent: stat.parent, has_ended: stat.has_ended })
    }
}

/// All descendants of a process, parents before children, without the given ones and their
/// descendants.
fn below(top: u32, without: &HashSet<Key>) -> Vec<Process> {
    let mut children: HashMap<u32, Vec<Process>> = HashMap::new();
    let numbers = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = numbers.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    for process in numbers.filter_map(Process::of) {
        if !without.contains(&process.key) {
            children.entry(process.parent).or_default().push(process);
        }
    }
    let (mut found, mut next) = (Vec::new(), vec![top]);
    while let Some(above) = next.pop() {
        let of_this = children.remove(&above).unwrap_or_default();
        next.extend(of_this.iter().map(|process| process.key.0));
        found.extend(of_this);
    }
    found
}

/// Sends a signal to processes, some of which may have ended.
pub(super) fn signal(to: impl IntoIterator<Item = Pid>, signal: Signal) {
    for pid in to {
        let _ = kill(pid, signal);
    }
}

/// IDs of the processes with evidence in a folder.
pub(super) fn telling(folder: &Path) -> HashSet<Pid> {
    let files = texunit_evidence::processes(folder).into_iter();
    files.map(|pid| Pid::from_raw(pid.cast_signed())).collect()
}

#[cfg(test)]
#[test]
fn this_process_goes_on() {
    assert_eq!(Process::of(std::process::id()).map(|own| own.has_ended), Some(false));
}
