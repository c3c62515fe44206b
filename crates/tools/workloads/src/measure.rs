//! Times the runs of a workload, and formats the rate as a line of JSON, the form of `texunit bench
//! --format json` and of baselines.

use crate::api::Arrays;
use crate::ptx::Launch;
use crate::workload::{Effort, Failure, Workload};
use std::time::Instant;

/// The interface that fetches use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Via {
    /// The Rust API, with coordinates and results in arrays.
    Api,
    /// A PTX kernel that computes coordinates, fetches and stores.
    Ptx,
}

impl Via {
    /// `api`
    pub fn name(self) -> &'static str {
        match self {
            Self::Api => "api",
            Self::Ptx => "ptx",
        }
    }
}

/// Million fetches per second.
#[derive(Clone, Copy, Debug)]
pub struct Rate {
    /// The rate of the fastest run.
    pub best: f64,
    /// The median rate.
    pub median: f64,
    /// Number of runs.
    pub runs: usize,
}

const MIN_RUNS: usize = 3;

/// Runs a workload repeatedly. The first run is not timed; its results are compared with the
/// reference sampler, and a difference is a panic because it is an internal error.
pub fn measure(workload: &Workload, via: Via, effort: Effort) -> Result<Rate, Failure> {
    match via {
        Via::Api => {
            let mut arrays = Arrays::new(workload, effort)?;
            arrays.run();
            arrays.verify()?;
            Ok(time(effort, || arrays.run()))
        }
        Via::Ptx => {
            let mut launch = Launch::new(workload, effort.threads, effort.fetches)?;
            launch.run();
            launch.verify()?;
            Ok(time(effort, || launch.run()))
        }
    }
}

/// The rate of a function that makes `effort.fetches` fetches.
pub fn time(effort: Effort, mut run: impl FnMut()) -> Rate {
    let start = Instant::now();
    let mut seconds = Vec::new();
    while seconds.len() < MIN_RUNS || start.elapsed() < effort.time {
        let start = Instant::now();
        run();
        seconds.push(start.elapsed().as_secs_f64());
    }
    seconds.sort_by(f64::total_cmp);
    let rate = |seconds: f64| f64::from(effort.fetches) / seconds / 1e6;
    let runs = seconds.len();
    Rate { best: rate(seconds[0]), median: rate(seconds[runs / 2]), runs }
}

/// The line for a case's rate, without its line end. Rates are in million fetches per second.
pub fn json(case: &str, via: Via, effort: &Effort, rate: Rate) -> String {
    let rounded = |rate: f64| (rate * 1000.0).round() / 1000.0;
    let line = serde_json::json!({
        "case": case,
        "via": via.name(),
        "threads": effort.threads,
        "mfetch_per_s": rounded(rate.best),
        "median_mfetch_per_s": rounded(rate.median),
        "simd": texunit_unit::fetch_simd_level().name(),
        "fetches": effort.fetches,
        "batch": effort.batch,
        "runs": rate.runs,
    });
    line.to_string()
}
