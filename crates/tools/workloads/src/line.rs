//! A measurement as a line of JSON, the format of `texunit bench --format json` and of baselines.

use crate::effort::Effort;
use crate::measure::{Rate, Via};
use serde::Serialize;

/// A line of JSON. Rates are in million fetches per second.
#[derive(Debug, Serialize)]
pub struct Line<'a> {
    case: &'a str,
    via: &'static str,
    threads: usize,
    mfetch_per_s: f64,
    median_mfetch_per_s: f64,
    simd: &'static str,
    fetches: u32,
    batch: u32,
    runs: usize,
}

impl<'a> Line<'a> {
    /// The line for a case's rate.
    pub fn new(case: &'a str, via: Via, effort: &Effort, rate: Rate) -> Self {
        let rounded = |rate: f64| (rate * 1000.0).round() / 1000.0;
        Self {
            case,
            via: via.name(),
            threads: effort.threads,
            mfetch_per_s: rounded(rate.best),
            median_mfetch_per_s: rounded(rate.median),
            simd: texunit_unit::fetch_simd_level().name(),
            fetches: effort.fetches,
            batch: effort.batch,
            runs: rate.runs,
        }
    }

    /// The line without its line end.
    pub fn json(&self) -> String {
        serde_json::to_string(self).expect("numbers and words")
    }
}
