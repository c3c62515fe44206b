//! A run: the records of all its processes, and sums over them.

use crate::event::{Accesses, Counts, Interpreted, Kernel};
use crate::reader::Record;
use crate::witness::Lost;
use std::collections::{BTreeMap, HashSet};
use texunit_report::{Instruction, Severity};

/// A run: its processes, and what `texunit run` itself knows.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// The version of texunit.
    pub texunit: String,
    /// The executed command with its arguments.
    pub command: Vec<String>,
    /// The processes that have loaded libcuda, in the order of their start.
    pub records: Vec<Record>,
    /// Wall time of the run in milliseconds.
    pub milliseconds: Option<f64>,
    /// CPU time of all processes, including those without libcuda, in milliseconds.
    pub cpu_milliseconds: Option<f64>,
    /// The exit code of the run, if it has ended.
    pub exit_code: Option<u8>,
    /// The signal that ended the program.
    pub signal: Option<i32>,
    /// The seconds of `--timeout`, if the program was stopped by it.
    pub timed_out: Option<f64>,
    /// The seed of `--schedule`.
    pub schedule: Option<u64>,
    /// Events that are missing from the record, if any.
    pub lost: Option<Lost>,
    /// Why the program's kernels could not be executed, if none could.
    pub not_executed: Option<String>,
    /// Minimum severity of a finding that makes the run fail.
    pub fail_on: Severity,
}

impl Default for Run {
    fn default() -> Self {
        Self {
            texunit: String::new(),
            command: Vec::new(),
            records: Vec::new(),
            milliseconds: None,
            cpu_milliseconds: None,
            exit_code: None,
            signal: None,
            timed_out: None,
            schedule: None,
            lost: None,
            not_executed: None,
            fail_on: Severity::Warning,
        }
    }
}

impl Run {
    /// Number of faults, and of findings that make the run fail, in all processes.
    pub fn failures(&self) -> u64 {
        let all = self.records.iter().map(|record| self.failures_of(record));
        all.fold(0, u64::saturating_add)
    }

    /// Number of faults, and of findings that make the run fail, in one process.
    pub fn failures_of(&self, record: &Record) -> u64 {
        record.failures(self.fail_on)
    }

    /// Counts of findings in all processes, by severity.
    pub fn findings(&self) -> Counts {
        let mut counts = Counts::default();
        for record in &self.records {
            counts.add_all(&record.totals.more_checked);
            let found = record.findings.values().filter(|finding| finding.check.is_some());
            found.for_each(|finding| counts.add(finding.severity, 1));
        }
        counts
    }

    /// The run with the record of a single process.
    pub fn of_process(&self, process: u32) -> Self {
        let own = self.records.iter().filter(|record| record.process.pid == process);
        Self { records: own.cloned().collect(), ..self.clone() }
    }

    /// The devices' names: the common list of all processes, or each name once if the lists differ.
    pub fn devices(&self) -> Vec<String> {
        let mut lists = self.records.iter().map(|r| &r.devices).filter(|list| !list.is_empty());
        let Some(first) = lists.next() else { return Vec::new() };
        let mut all = first.clone();
        for list in lists.filter(|list| *list != first) {
            for device in list {
                if !all.contains(device) {
                    all.push(device.clone());
                }
            }
        }
        all
    }

    /// The kernels of all processes, those with the same name combined.
    pub fn kernels(&self) -> Vec<Kernel> {
        let mut all: BTreeMap<&str, Kernel> = BTreeMap::new();
        for kernel in self.records.iter().flat_map(|record| record.kernels.values()) {
            match all.get_mut(&*kernel.name) {
                Some(sum) => add(sum, kernel),
                None => drop(all.insert(&kernel.name, kernel.clone())),
            }
        }
        all.into_values().collect()
    }

    /// The instruction forms of all kernels, without duplicates.
    pub fn instructions(&self) -> impl Iterator<Item = &Instruction> {
        let mut told = HashSet::new();
        let all = self.records.iter().flat_map(|record| &record.instructions);
        all.filter(move |row| told.insert(row.key()))
    }

    /// Fetches and surface accesses of kernels, combined.
    pub fn accesses(&self, kernels: &[Kernel]) -> Vec<Accesses> {
        let mut all = Vec::new();
        kernels.iter().for_each(|kernel| add_accesses(&mut all, &kernel.accesses));
        all.sort_by(|a: &Accesses, b| order(a).cmp(&order(b)));
        all
    }
}

fn order(a: &Accesses) -> (bool, &str, &str) {
    (a.kind == "surface", &a.geometry, &a.format)
}

fn add(sum: &mut Kernel, more: &Kernel) {
    for (sum, more) in [
        (&mut sum.launches, more.launches),
        (&mut sum.blocks, more.blocks),
        (&mut sum.threads, more.threads),
        (&mut sum.warp_instructions, more.warp_instructions),
        (&mut sum.thread_instructions, more.thread_instructions),
        (&mut sum.fetches, more.fetches),
        (&mut sum.surface_accesses, more.surface_accesses),
        (&mut sum.divisions_by_zero, more.divisions_by_zero),
        (&mut sum.accesses_past_end, more.accesses_past_end),
    ] {
        *sum = sum.saturating_add(more);
    }
    // Fused additions are counted in the code and not in launches, so that they are not added up.
    sum.fused_sums = sum.fused_sums.max(more.fused_sums);
    sum.undecided_sums = sum.undecided_sums.max(more.undecided_sums);
    sum.milliseconds += more.milliseconds;
    sum.cpu_milliseconds += more.cpu_milliseconds;
    sum.place = sum.place.take().or_else(|| more.place.clone());
    let older = &mut sum.ptx_older_than_device;
    *older = older.take().or_else(|| more.ptx_older_than_device.clone());
    add_accesses(&mut sum.accesses, &more.accesses);
    sum.accesses.sort_by(|a, b| order(a).cmp(&order(b)));
    add_interpreted(&mut sum.interpreted, &more.interpreted);
}

fn add_interpreted(sum: &mut Vec<Interpreted>, more: &[Interpreted]) {
    for row in more {
        match sum.iter_mut().find(|of| of.place == row.place && of.instruction == row.instruction) {
            Some(found) => found.count = found.count.saturating_add(row.count),
            None => sum.push(row.clone()),
        }
    }
    sum.sort_by_key(|row| std::cmp::Reverse(row.count));
    sum.truncate(Interpreted::MAX_KEPT);
}

fn add_accesses(sum: &mut Vec<Accesses>, more: &[Accesses]) {
    for row in more {
        match sum.iter_mut().find(|a| order(a) == order(row)) {
            Some(found) => found.count = found.count.saturating_add(row.count),
            None => sum.push(row.clone()),
        }
    }
}
