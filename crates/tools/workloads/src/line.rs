//! A measurement as a line of JSON, the format of `texunit bench --format json` and of baselines.

use crate::effort::Effort;
use crate::measure::{Rate, Via};

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
