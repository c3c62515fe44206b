//! What a folder of events says of each process.

use crate::event::{Allocation, Api, Event, Finding, Kernel, Library, Process, Running, Totals};
use crate::own::files;
use crate::writer::EXTENSION;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use texunit_report::{Instruction, Severity};

/// Most bytes of a file that are read: a [`crate::Writer`] that keeps to its period writes less.
const MAX_BYTES: u64 = 1 << 30;
/// Longest line that is read.
const LONGEST: u64 = 4 << 20;
/// Most kernels, findings, refused calls and allocations of a process that are kept, each.
const MAX_KEPT: usize = 10_000;

/// What one process did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    /// Who it was.
    pub process: Process,
    /// The names of its devices.
    pub devices: Vec<String>,
    /// Its kernels, by name.
    pub kernels: BTreeMap<String, Kernel>,
    /// Their instruction forms, in the order in which they were told.
    pub instructions: Vec<Instruction>,
    /// Launches that were running when the process ended, or was last heard of, by their numbers.
    pub running: BTreeMap<u64, Running>,
    /// Faults of kernels, and what checks have found, by their numbers.
    pub findings: BTreeMap<u64, Finding>,
    /// Refused calls, by function, code and reason.
    pub api: BTreeMap<[String; 3], Api>,
    /// Allocations that were not freed.
    pub allocations: Vec<Allocation>,
    /// Libraries with the names of NVIDIA's that were loaded.
    pub libraries: Vec<Library>,
    /// Numbers.
    pub totals: Totals,
    /// Things that were told and are not kept here, as there are too many.
    pub dropped: u64,
}

impl Record {
    /// Of a process that is known.
    pub fn new(process: Process) -> Self {
        Self { process, ..Self::default() }
    }

    /// Takes an event in.
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

    /// What checks have found that is so bad or worse, each finding once, those included that were only counted.
    pub fn checked(&self, severity: Severity) -> u64 {
        let told = self.findings.values().filter(|finding| finding.check.is_some());
        let told = told.filter(|finding| finding.severity >= severity).count() as u64;
        told.saturating_add(self.totals.more_checked.from(severity))
    }

    /// Faults, and what checks have found of this severity and above.
    pub fn failures(&self, fail_on: Severity) -> u64 {
        self.faults().saturating_add(self.checked(fail_on))
    }

    /// Faults of kernels, those included that were only counted.
    pub fn faults(&self) -> u64 {
        let told = self.findings.values().filter(|finding| finding.check.is_none());
        told.map(|fault| fault.count.max(1)).fold(self.totals.more_findings, u64::saturating_add)
    }
}

/// Keeps one; how many are dropped.
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

/// What the files of a run hold.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Read {
    /// What each process did, in the order in which they started.
    pub records: Vec<Record>,
    /// Events that were read.
    pub events: u64,
    /// Lines that are no events, and files that cannot be read to their ends.
    pub damaged: u64,
    /// Things that were read and are not kept, as there are too many.
    pub dropped: u64,
}

/// What each process of a run did, in the order in which they started. A folder that is not there has none.
pub fn read(folder: &Path) -> Vec<Record> {
    read_all(folder).records
}

/// As [`read()`], and how much of it could be read.
pub fn read_all(folder: &Path) -> Read {
    let mut all = Read::default();
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

/// Reads the events of a file, which are those of one process, or of several programs that it was one after the other.
fn read_file(mut file: impl BufRead, all: &mut Read) {
    let mut line = Vec::new();
    let mut current: Option<Record> = None;
    loop {
        line.clear();
        match std::io::Read::take(&mut file, LONGEST).read_until(b'\n', &mut line) {
            Ok(1..) => {}
            _ => break,
        }
        // The last line of a process that was killed may be cut off.
        let Ok(event) = serde_json::from_slice(&line) else {
            // The end of a line that could not be written stands alone, so that the next one can be read.
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
