//! The processes below this one.

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// Processes, parents before children.
pub(super) struct Tree(Vec<Pid>);

impl Tree {
    /// All that have this process above them, without those that have ended and are not waited for yet.
    pub(super) fn of_this_process() -> Self {
        let mut children: HashMap<u32, Vec<(u32, bool)>> = HashMap::new();
        let numbers = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        let numbers = numbers.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
        for pid in numbers {
            // Some end while we look.
            let stat = std::fs::read(format!("/proc/{pid}/stat")).unwrap_or_default();
            if let Some((parent, has_ended)) = parent(&String::from_utf8_lossy(&stat)) {
                children.entry(parent).or_default().push((pid, has_ended));
            }
        }
        let (mut found, mut next) = (Vec::new(), vec![std::process::id()]);
        while let Some(above) = next.pop() {
            for (pid, has_ended) in children.remove(&above).unwrap_or_default() {
                next.push(pid);
                if !has_ended {
                    found.push(Pid::from_raw(pid.cast_signed()));
                }
            }
        }
        Self(found)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl IntoIterator for Tree {
    type Item = Pid;
    type IntoIter = std::vec::IntoIter<Pid>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

/// The parent of a process, and whether it has ended, of what `/proc/PID/stat` says.
fn parent(stat: &str) -> Option<(u32, bool)> {
    // The name of the program comes before, in parentheses, and may have any characters.
    let mut words = stat.rsplit_once(')')?.1.split_whitespace();
    let state = words.next()?;
    Some((words.next()?.parse().ok()?, matches!(state, "Z" | "X")))
}

/// Sends a signal to processes; some may have ended in the meantime.
pub(super) fn signal(to: impl IntoIterator<Item = Pid>, signal: Signal) {
    for pid in to {
        let _ = kill(pid, signal);
    }
}

/// Processes that tell of themselves in a folder: the numbers of which the files have their names.
pub(super) fn telling(folder: &Path) -> HashSet<Pid> {
    let files = texunit_evidence::processes(folder).into_iter();
    files.map(|pid| Pid::from_raw(pid.cast_signed())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parents() {
        assert_eq!(parent("7 (a) b) c) S 5 7 7 0"), Some((5, false)));
        assert_eq!(parent("7 (x) Z 1 7"), Some((1, true)));
        assert_eq!(parent("7 (x)"), None);
        assert_eq!(parent(""), None);
    }
}
