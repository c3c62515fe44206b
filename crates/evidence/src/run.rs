//! What all processes of a run did together.

use crate::reader::Record;

/// A run: its processes, and what whoever started them knows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Run {
    /// The version of texunit.
    pub texunit: String,
    /// The command that was run, and its arguments.
    pub command: Vec<String>,
    /// Each process that has loaded libcuda, in the order in which they started.
    pub records: Vec<Record>,
    /// Wall time of the run.
    pub milliseconds: Option<f64>,
    /// Time of all cores that the processes of the run have used, those without libcuda included.
    pub cpu_milliseconds: Option<f64>,
    /// The exit code of the run, if it has ended.
    pub exit_code: Option<u8>,
    /// The signal that has ended the program.
    pub signal: Option<i32>,
    /// The seconds of `--timeout`, if they were over before the program ended.
    pub timed_out: Option<f64>,
}

impl Run {
    /// Faults and findings in all processes.
    pub fn failures(&self) -> u64 {
        self.records.iter().fold(0, |sum, record| sum.saturating_add(record.failures()))
    }
}
