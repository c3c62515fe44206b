//! Helpers of the benchmarks in `benches/` and `kernels/`; docs/performance.md has their tables.
#![allow(clippy::unwrap_used)]

use std::io::Read as _;
use std::time::Instant;

/// The output of nvcc 13.5 for data/sample.cu: CUB, Thrust and a few kernels with textures.
pub fn nvcc_output() -> String {
    let mut text = String::new();
    let packed = &include_bytes!("../data/sample.ptx.gz")[..];
    flate2::read::GzDecoder::new(packed).read_to_string(&mut text).unwrap();
    text
}

/// The time that `work` takes in seconds, and its result.
pub fn seconds<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let start = Instant::now();
    let result = work();
    (start.elapsed().as_secs_f64(), result)
}

/// CPU time of this thread in seconds, or `None` if the system does not report it.
pub fn cpu_time() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(status.split_whitespace().next()?.parse::<f64>().ok()? * 1e-9)
}

/// A line of `/proc/self/status` in MiB (`VmHWM:` is the peak), or `None` if the system does not
/// report it.
pub fn memory(of: &str) -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with(of))?;
    Some(line.split_whitespace().nth(1)?.parse::<f64>().ok()? / 1024.0)
}

/// Whether the arguments of this process name no rows of the table, or a part of this name.
pub fn is_wanted(name: &str) -> bool {
    let mut words = std::env::args().skip(1).filter(|word| !word.starts_with('-')).peekable();
    words.peek().is_none() || words.any(|word| name.contains(&word))
}

/// The median of several numbers.
pub fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}
