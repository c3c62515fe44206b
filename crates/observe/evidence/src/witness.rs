//! Counts the events of a run where neither a full disk nor a child process can lose them.
//!
//! Event files ([`crate::Writer`]) can be lost: the disk is full, the folder is removed, a child
//! damages a file. Therefore `texunit run` also keeps a file in memory (`memfd`), and every process
//! appends one byte to it for each event, whether the event could be written or not. The difference
//! between this count and the events in the files is lost ([`Lost`]).
//!
//! Processes find the memory file through `/proc`: the folder's name contains the ID of the process
//! that created it, which has the file open. A process without permission to look there (it has
//! become another user) is not counted.

use crate::file_names::{identity, maker};
use crate::reader::RunRecords;
use crate::{Event, Record};
use std::fmt;
use std::fs::File;
use std::io::{Read as _, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use texunit_forms::Count;
use texunit_report::Severity;

/// The name of a run's memory file, in which each byte counts an event.
pub const WITNESS: &std::ffi::CStr = c"texunit-evidence";
/// The beginning of the link by which `/proc` shows an open memory file named [`WITNESS`].
const LINK: &str = "/memfd:texunit-evidence";
/// The modification time of the memory file after an event for which no byte could be appended to
/// the file.
const EVENT: SystemTime = UNIX_EPOCH;

/// The modification time of the memory file after an event that makes the run fail, and for which
/// no byte could be appended to the file.
fn failure() -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(1)
}

/// Maximum number of nested runs: a program under `texunit run` may execute `texunit run` again,
/// and its events count for all of these runs.
const DEPTH: usize = 16;

/// The meaning of a byte in a run's memory file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// An event that is not a finding.
    Event = b'e' as isize,
    /// A finding that is a note.
    Note = b'n' as isize,
    /// A finding that is a warning.
    Warning = b'w' as isize,
    /// A finding that is an error, or a fault.
    Error = b'f' as isize,
    /// A coverage file of a module is about to be created.
    Coverage = b'c' as isize,
}

impl EventKind {
    /// The kind of an event.
    pub(crate) fn of(event: &Event) -> Self {
        let mut record = Record::default();
        if matches!(event, Event::Finding(_) | Event::Totals(_)) {
            record.add(event.clone());
        }
        let has = |severity| record.failures(severity) > 0;
        match () {
            () if has(Severity::Error) => Self::Error,
            () if has(Severity::Warning) => Self::Warning,
            () if has(Severity::Note) => Self::Note,
            () => Self::Event,
        }
    }
}

/// The memory files that count the events of a process: those of its run and of the runs around
/// that run, each as path, device and inode.
#[derive(Debug, Default)]
pub(crate) struct Witnesses(Vec<(PathBuf, (u64, u64))>);

impl Witnesses {
    /// Finds the memory files of the run with this folder, and of the runs around it.
    pub(crate) fn of(folder: &Path) -> Self {
        let makers = folder.ancestors().map_while(maker).take(DEPTH);
        let file = |process: u32| find(&Path::new("/proc").join(process.to_string()));
        Self(makers.filter_map(file).collect())
    }

    pub(crate) fn note(&self, told: EventKind) {
        for (path, expected) in &self.0 {
            // The file's creator may have ended, and another process may have its ID.
            let file = File::options().append(true).open(path);
            let mut file = file.ok().filter(|file| identity(file) == Some(*expected));
            let Some(file) = &mut file else { continue };
            if file.write_all(&[told as u8]).is_err() {
                // The process's file size limit also applies to memory files; changing the
                // modification time is always possible.
                let was = file.metadata().and_then(|found| found.modified()).unwrap_or(EVENT);
                let now =
                    if told == EventKind::Error || was == failure() { failure() } else { EVENT };
                let _ = file.set_modified(now);
            }
        }
    }
}

/// Counts something that is in no event file, such as coverage, in the memory files of a run.
pub fn note(folder: &Path, told: EventKind) {
    Witnesses::of(folder).note(told);
}

/// The memory file that a process has open: its path below `/proc`, device and inode.
fn find(process: &Path) -> Option<(PathBuf, (u64, u64))> {
    let open = std::fs::read_dir(process.join("fd")).ok()?;
    let is_it = |path: &PathBuf| {
        std::fs::read_link(path).is_ok_and(|to| to.to_string_lossy().starts_with(LINK))
    };
    let path = open.flatten().map(|entry| entry.path()).find(is_it)?;
    let identity = identity(&File::open(&path).ok()?)?;
    Some((path, identity))
}

/// How many events, findings and coverage files of a run its memory file has counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    events: u64,
    /// Number of findings and faults, by [`Severity`].
    found: [u64; Severity::ALL.len()],
    modules: u64,
}

impl Tally {
    /// Counts the bytes of a memory file; an unreadable file counts as empty.
    pub fn of(mut witness: &File) -> Self {
        let mut told = Vec::new();
        let _ = witness.seek(SeekFrom::Start(0)).and_then(|_| witness.read_to_end(&mut told));
        let count =
            |kind: EventKind| told.iter().filter(|&&byte| byte == kind as u8).count() as u64;
        let time = witness.metadata().and_then(|found| found.modified()).ok();
        let uncounted = u64::from(time.is_some_and(|time| [EVENT, failure()].contains(&time)));
        let mut found = [EventKind::Note, EventKind::Warning, EventKind::Error].map(count);
        let events = count(EventKind::Event) + found.iter().sum::<u64>() + uncounted;
        found[Severity::Error as usize] += u64::from(time == Some(failure()));
        Self { events, found, modules: count(EventKind::Coverage) }
    }
}

/// The data of a run that was counted and cannot be read: events, coverage, the folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lost {
    /// The run's folder was removed.
    pub folder: bool,
    /// Number of events that were counted but cannot be read.
    pub events: u64,
    /// Number of modules whose coverage cannot be read.
    pub modules: u64,
    /// Whether faults or findings were counted and none can be read.
    pub failures: bool,
}

impl Lost {
    /// Compares the memory file's counts with the data that was read; `None` if nothing is missing.
    /// `folder` says whether the run's folder still exists, `modules` is the number of modules with
    /// readable coverage, and findings of the severity `fail_on` and above are failures.
    pub fn of(
        told: &Tally,
        folder: bool,
        read: &RunRecords,
        modules: u64,
        fail_on: Severity,
    ) -> Option<Self> {
        let counting = told.found[fail_on as usize..].iter().sum::<u64>();
        let lost = Self {
            folder: !folder,
            events: told.events.saturating_sub(read.events).max(read.damaged) + read.dropped,
            modules: told.modules.saturating_sub(modules),
            failures: counting > 0
                && read.records.iter().all(|record| record.failures(fail_on) == 0),
        };
        (lost.folder || lost.events > 0 || lost.modules > 0).then_some(lost)
    }
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        if self.folder {
            parts.push("the folder of the run was removed".to_owned());
        }
        if self.events > 0 {
            let among = if self.failures { ", among them faults or findings" } else { "" };
            let whose = if self.events == 1 { "a process" } else { "processes" };
            let records = Count(self.events, "record");
            parts.push(format!("{records} of what {whose} did could not be kept or read{among}"));
        }
        if self.modules > 0 {
            let modules = Count(self.modules, "module");
            parts.push(format!("the coverage of {modules} could not be kept or read"));
        }
        write!(f, "evidence lost: {}", parts.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Finding, Totals};

    #[test]
    fn failures_are_told_apart() {
        let check = || Some(String::new());
        let finding =
            |severity| Event::Finding(Finding { check: check(), severity, ..Finding::default() });
        assert_eq!(EventKind::of(&finding(Severity::Error)), EventKind::Error);
        assert_eq!(EventKind::of(&finding(Severity::Warning)), EventKind::Warning);
        assert_eq!(EventKind::of(&finding(Severity::Note)), EventKind::Note);
        assert_eq!(EventKind::of(&Event::Finding(Finding::default())), EventKind::Error, "a fault");
        let mut more = Totals::default();
        more.more_checked.add(Severity::Warning, 1);
        assert_eq!(EventKind::of(&Event::Totals(more)), EventKind::Warning);
        assert_eq!(EventKind::of(&Event::Totals(Totals::default())), EventKind::Event);
        assert_eq!(EventKind::of(&Event::Ended { launch: 1 }), EventKind::Event);
    }

    #[test]
    fn less_than_was_told_is_lost() {
        let folder = texunit_testkit::TempDir::new("witness");
        let path = folder.join("told");
        let told = |bytes: &[u8], read: &RunRecords, modules| {
            std::fs::write(&path, bytes).unwrap();
            let tally = Tally::of(&File::open(&path).unwrap());
            Lost::of(&tally, true, read, modules, Severity::Warning)
        };
        let read = |events, damaged| RunRecords { events, damaged, ..RunRecords::default() };
        assert_eq!(told(b"efec", &read(3, 0), 1), None);
        assert_eq!(told(b"", &read(3, 0), 1), None);
        let lost = told(b"efec", &read(1, 0), 0).unwrap();
        assert_eq!(lost, Lost { folder: false, events: 2, modules: 1, failures: true });
        let text = "evidence lost: 2 records of what processes did could not be kept or read, among them faults or \
                    findings; the coverage of 1 module could not be kept or read";
        assert_eq!(lost.to_string(), text);
        assert!(told(b"wec", &read(0, 0), 1).unwrap().failures);
        assert!(!told(b"nec", &read(0, 0), 1).unwrap().failures);
        assert_eq!(told(b"e", &read(1, 1), 0).map(|lost| lost.events), Some(1));
        let gone =
            Lost::of(&Tally::default(), false, &RunRecords::default(), 0, Severity::Note).unwrap();
        assert_eq!(gone.to_string(), "evidence lost: the folder of the run was removed");
    }
}
