//! How long and how broadly a case is measured.

use std::time::Duration;

/// How much is measured.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Host threads, at least one.
    pub threads: usize,
    /// Fetches of a run.
    pub fetches: u32,
    /// Fetches whose results lie in arrays at a time.
    pub batch: u32,
    /// Time for the runs.
    pub time: Duration,
}
