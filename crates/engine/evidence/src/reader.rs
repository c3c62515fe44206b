//! What a folder of events says of each process.

use crate::event::{Allocation, Api, Event, Finding, Kernel, Process, Running, Totals};
use crate::own::files;
use crate::writer::EXTENSION;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
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
    /// Numbers.
    pub totals: Totals,
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
            Event::Kernel(kernel) => put(&mut self.kernels, kernel.name.clone(), kernel),
            Event::Instructions { rows } => {
                rows.into_iter().for_each(|row| push(&mut self.instructions, row));
            }
            Event::Running(running) => put(&mut self.running, running.launch, running),
            Event::Ended { launch } => drop(self.running.remove(&launch)),
            Event::Finding(finding) => put(&mut self.findings, finding.number, finding),
            Event::Api(api) => {
                let key = [api.function.clone(), api.code.clone(), api.reason.clone()];
                put(&mut self.api, key, api);
            }
            Event::Allocation(allocation) => push(&mut self.allocations, allocation),
            Event::Totals(totals) => self.totals = totals,
        }
    }

    /// What checks have found that is so bad or worse, each finding once, those included that were only counted.
    pub fn checked(&self, severity: Severity) -> u64 {
        let told = self.findings.values().filter(|finding| finding.check.is_some());
        let told = told.filter(|finding| finding.severity >= severity).count() as u64;
        told.saturating_add(self.totals.more_checked.from(severity))
    }

    /// Faults of kernels, those included that were only counted.
    pub fn faults(&self) -> u64 {
        let told = self.findings.values().filter(|finding| finding.check.is_none());
        told.map(|fault| fault.count.max(1)).fold(self.totals.more_findings, u64::saturating_add)
    }
}

fn put<K: Ord, T>(all: &mut BTreeMap<K, T>, key: K, one: T) {
    if all.len() < MAX_KEPT || all.contains_key(&key) {
        all.insert(key, one);
    }
}

fn push<T>(all: &mut Vec<T>, one: T) {
    if all.len() < MAX_KEPT {
        all.push(one);
    }
}

/// What each process of a run did, in the order in which they started. A folder that is not there has none.
pub fn read(folder: &Path) -> Vec<Record> {
    let mut records = Vec::new();
    for path in files(folder, EXTENSION) {
        if let Ok(file) = File::open(&path) {
            read_file(BufReader::new(file.take(MAX_BYTES)), &mut records);
        }
    }
    records.sort_by(|a, b| a.process.started.total_cmp(&b.process.started));
    records
}

/// Reads the events of a file, which are those of one process, or of several programs that it was one after the other.
fn read_file(mut file: impl BufRead, records: &mut Vec<Record>) {
    let mut line = Vec::new();
    let mut current: Option<Record> = None;
    loop {
        line.clear();
        match file.by_ref().take(LONGEST).read_until(b'\n', &mut line) {
            Ok(1..) => {}
            _ => break,
        }
        // The last line of a process that was killed may be cut off.
        let Ok(event) = serde_json::from_slice(&line) else { continue };
        match event {
            Event::Process(process) => records.extend(current.replace(Record::new(process))),
            event => current.get_or_insert_default().add(event),
        }
    }
    records.extend(current);
}
