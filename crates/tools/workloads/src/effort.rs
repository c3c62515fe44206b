//! How long, and with how many threads and fetches, a case is measured.

use std::time::Duration;

/// The effort of a measurement.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Host threads, at least one.
    pub threads: usize,
    /// Fetches of a run.
    pub fetches: u32,
    /// Fetches per batch, whose results are in arrays at the same time.
    pub batch: u32,
    /// Minimum total time of the runs.
    pub time: Duration,
}
