//! Reads the event files of a run's folder into a record for each process.

use crate::event::{Allocation, Api, Event, Finding, Kernel, Library, Process, Running, Totals};
use crate::file_names::{EXTENSION, files};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use texunit_report::{Instruction, Severity};

/// Maximum number of bytes that are read from an event file; a [`crate::Writer`] that keeps to its
/// period writes less.
const MAX_BYTES: u64 = 1 << 30;
/// Maximum length of an event's line in bytes.
const LONGEST: u64 = 4 << 20;
/// Maximum number of kernels in a process's record, also of findings, refused calls, allocations.
const MAX_KEPT: usize = 10_000;

/// The events of one process, combined.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    /// The process that the record is about.
    pub process: Process,
    /// The names of the process's devices.
    pub devices: Vec<String>,
    /// The process's kernels, by name.
    pub kernels: BTreeMap<String, Kernel>,
    /// Instruction forms of the process's kernels, in the order of the events.
    pub instructions: Vec<Instruction>,
    /// Launches that were still running when the process ended, by number.
    pub running: BTreeMap<u64, Running>,
    /// Faults and findings, by number.
    pub findings: BTreeMap<u64, Finding>,
    /// Refused calls, by function, code and reason.
    pub api: BTreeMap<[String; 3], Api>,
    /// Allocations that were not freed.
    pub allocations: Vec<Allocation>,
    /// Loaded libraries that are named like libraries of NVIDIA.
    pub libraries: Vec<Library>,
    /// Totals of the process.
    pub totals: Totals,
    /// Number of events that were dropped because of the limits.
    pub dropped: u64,
}

impl Record {
    /// The record of a process without events.
    pub fn new(process: Process) -> Self {
        Self { process, ..Self::default() }
    }

    /// Applies an event to the record.
    pub fn add(&mut self, event: Event) {
        match event {
            Event::Process(process) => self.process = process,
            Event::Devices { names } => self.devices = names,
            Event::Kernel(kernel) => {
                self.dropped += put(&mut self.kernels, kernel.name.clone(), kernel);
            }
            Event::Instructions { rows } => {
                for row in rows {
                    self.dropped += push(&mut self.instructions, row);
                }
            }
            Event::Running(running) => {
                self.dropped += put(&mut self.running, running.launch, running);
            }
            Event::Ended { launch } => drop(self.running.remove(&launch)),
            Event::Finding(finding) => {
                self.dropped += put(&mut self.findings, finding.number, finding);
            }
            Event::Api(api) => {
                let key = [api.function.clone(), api.code.clone(), api.reason.clone()];
                self.dropped += put(&mut self.api, key, api);
            }
            Event::Allocation(allocation) => {
                self.dropped += push(&mut self.allocations, allocation);
            }
            Event::Library(library) => self.dropped += push(&mut self.libraries, library),
            Event::Totals(totals) => self.totals = totals,
        }
    }

    /// Number of findings of this severity and above, including those that were only counted.
    pub fn checked(&self, severity: Severity) -> u64 {
        let counted = self.findings.values().filter(|finding| finding.check.is_some());
        let counted = counted.filter(|finding| finding.severity >= severity).count() as u64;
        counted.saturating_add(self.totals.more_checked.from(severity))
    }

    /// Number of faults, and of findings of this severity and above.
    pub fn failures(&self, fail_on: Severity) -> u64 {
        self.faults().saturating_add(self.checked(fail_on))
    }

    /// Number of faults, including those that were only counted.
    pub fn faults(&self) -> u64 {
        let counted = self.findings.values().filter(|finding| finding.check.is_none());
        counted.map(|fault| fault.count.max(1)).fold(self.totals.more_findings, u64::saturating_add)
    }
}

/// Inserts a value, unless the map has [`MAX_KEPT`] values; returns the number of dropped values.
fn put<K: Ord, T>(all: &mut BTreeMap<K, T>, key: K, one: T) -> u64 {
    let is_kept = all.len() < MAX_KEPT || all.contains_key(&key);
    if is_kept {
        all.insert(key, one);
    }
    (!is_kept).into()
}

fn push<T>(all: &mut Vec<T>, one: T) -> u64 {
    let is_kept = all.len() < MAX_KEPT;
    if is_kept {
        all.push(one);
    }
    (!is_kept).into()
}

/// The contents of a run's event files.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunRecords {
    /// The record of each process, in the order of their start.
    pub records: Vec<Record>,
    /// Number of events that were read.
    pub events: u64,
    /// Number of invalid lines, and of files that could not be read completely.
    pub damaged: u64,
    /// Number of events that were dropped because of the limits.
    pub dropped: u64,
}

/// The record of each process of a run, in the order of their start; empty if the folder does not
/// exist.
pub fn read(folder: &Path) -> Vec<Record> {
    read_all(folder).records
}

/// Reads a run as [`read()`] does, and counts the events, the damaged lines and the dropped events.
pub fn read_all(folder: &Path) -> RunRecords {
    let mut all = RunRecords::default();
    for path in files(folder, EXTENSION) {
        let Ok(file) = File::open(&path) else {
            all.damaged += 1;
            continue;
        };
        all.damaged += u64::from(file.metadata().is_ok_and(|found| found.len() > MAX_BYTES));
        read_file(BufReader::new(std::io::Read::take(file, MAX_BYTES)), &mut all);
    }
    all.records.sort_by(|a, b| a.process.started.total_cmp(&b.process.started));
    all.dropped = all.records.iter().map(|record| record.dropped).sum();
    all
}

/// Reads the events of a file, which belong to one process, or to several programs that the process
/// executed in turn.
fn read_file(mut file: impl BufRead, all: &mut RunRecords) {
    let mut line = Vec::new();
    let mut current: Option<Record> = None;
    loop {
        line.clear();
        match std::io::Read::take(&mut file, LONGEST).read_until(b'\n', &mut line) {
            Ok(1..) => {}
            _ => break,
        }
        // The last line of a killed process may be incomplete.
        let Ok(event) = serde_json::from_slice(&line) else {
            // A lone line end is no damage: the writer ends with it a line that could not be
            // written completely.
            all.damaged += u64::from(line.len() > 1 && line.ends_with(b"\n"));
            continue;
        };
        all.events += 1;
        match event {
            Event::Process(process) => all.records.extend(current.replace(Record::new(process))),
            event => current.get_or_insert_default().add(event),
        }
    }
    all.records.extend(current);
}
