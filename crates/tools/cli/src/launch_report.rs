//! The report of a launch: what it has run, written and found, and what has stopped it.

use crate::checks::Log;
use crate::effective::Line;
use crate::explain::launch::Explained;
pub use crate::failure::Failure;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use texunit_device::{CtaRange, Fault, LaunchStats, Sources};
use texunit_job::{Problem, Written};
use texunit_report::{Instruction, Located};
use texunit_syntax::{Diagnostic, SourceFile};

/// The duration of each phase.
#[derive(Clone, Copy, Debug, Default)]
pub struct Times {
    /// Reading the job, images and arrays.
    pub load: Duration,
    /// Parsing, checking and lowering the PTX.
    pub compile: Duration,
    /// Running the kernel.
    pub launch: Duration,
    /// Writing the outputs.
    pub write: Duration,
}

/// A written file of sets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenSets {
    /// The file.
    pub path: PathBuf,
    /// Size of the written file in bytes.
    pub bytes: u64,
    /// Number of bytes that the range has read.
    pub read: u64,
    /// Number of bytes that it has written or reduced.
    pub written: u64,
}

/// The result of a merge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MergedSets {
    /// Number of files.
    pub files: usize,
    /// Number of bytes written to memory.
    pub bytes: u64,
}

/// The report of a launch.
#[derive(Debug, Default)]
pub struct Report {
    /// The job file, as given.
    pub job: String,
    /// The text of the job file, for messages.
    pub job_source: Option<SourceFile>,
    /// The text of the PTX, for messages.
    pub ptx_source: Option<SourceFile>,
    /// The source positions of the PTX, once it is loaded.
    pub sources: Option<Arc<Sources>>,
    /// Name of the kernel, once the job is read.
    pub kernel: Option<String>,
    /// CTAs along x, y, z, once the job is read.
    pub grid: Option<[u32; 3]>,
    /// The launched range of CTAs, if not all are launched.
    pub ctas: Option<CtaRange>,
    /// Threads along x, y, z, once the job is read.
    pub block: Option<[u32; 3]>,
    /// Durations of the phases that were reached.
    pub times: Times,
    /// Counters and output of the launch, even if it ended with a fault.
    pub stats: Option<LaunchStats>,
    /// Number of objects that were compared with the job's expectations.
    pub checked: Option<usize>,
    /// The written outputs.
    pub outputs: Vec<Written>,
    /// The file with the sets of a range of CTAs.
    pub sets: Option<WrittenSets>,
    /// The result of a merge, instead of a launch.
    pub merged: Option<MergedSets>,
    /// Notes about the job, which stop nothing.
    pub job_notes: Vec<Problem>,
    /// Warnings about the PTX, which stop nothing.
    pub ptx_warnings: Vec<Diagnostic>,
    /// Other warnings, which stop nothing.
    pub warnings: Vec<String>,
    /// The instruction forms of the kernel, once it was launched.
    pub instructions: Vec<Instruction>,
    /// The effective state of the fetches, if requested.
    pub effective: Option<Vec<Line>>,
    /// Whether the text lists instructions that were interpreted in the middle of compiled code.
    pub tells_interpreted: bool,
    /// The accesses of the thread of `--explain`.
    pub explained: Option<Explained>,
    /// The file that the explanation was written to.
    pub explanation: Option<PathBuf>,
    /// The fault that ended the launch.
    pub fault: Option<Box<Fault>>,
    /// Other reasons that stopped the launch.
    pub failures: Vec<Failure>,
    /// Whether the options contradict each other, which has the exit code of wrong usage.
    pub is_misused: bool,
    /// The findings of checks, if any are enabled.
    pub log: Option<Log>,
    /// Whether each finding is printed with the text that suppresses it.
    pub gen_suppressions: bool,
}

impl Report {
    /// Whether the kernel completed and every output is written.
    pub fn ran(&self) -> bool {
        self.failures.is_empty() && self.fault.is_none() && self.stats.is_some()
    }

    /// Whether it completed without findings that make it fail.
    pub fn succeeded(&self) -> bool {
        self.ran() && !self.log.as_ref().is_some_and(Log::fails)
    }

    /// The PTX with its line table, if it could be loaded.
    pub fn located(&self) -> Option<Located<'_>> {
        Some(Located { text: self.ptx_source.as_ref()?, sources: self.sources.as_deref() })
    }

    pub(crate) fn fail(&mut self, failure: Failure) {
        self.failures.push(failure);
    }

    /// Adds the problems of the job, sorted by position.
    pub(crate) fn take(&mut self, mut problems: Vec<Problem>) {
        problems.sort_by_key(|p| p.span.start);
        self.failures.extend(problems.into_iter().map(Failure::Job));
    }
}
