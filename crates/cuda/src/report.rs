//! The report of a run (`TEXUNIT_REPORT`): what was launched, what it did, what went wrong. Written
//! when the process ends.

use crate::call::say;
use crate::launch::Shape;
use crate::module::Function;
use crate::settings::settings;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::ffi::c_int;
use std::sync::{Mutex, Once, PoisonError};
use std::time::Duration;
use texunit_device::{Count, Fault, LaunchStats, Tally};

/// Faults that are kept; a program with more has few kinds of them.
const MOST_FAULTS: usize = 100;

#[derive(Debug, Default)]
struct Run {
    kernels: BTreeMap<String, Kernel>,
    faults: Vec<Value>,
    more_faults: u64,
}

/// All launches of the kernels of one name.
#[derive(Debug, Default)]
struct Kernel {
    launches: u64,
    ctas: u64,
    threads: u64,
    time: Duration,
    sum: LaunchStats,
}

static RUN: Mutex<Option<Run>> = Mutex::new(None);

/// Counts a launch, if there is to be a report.
pub(crate) fn launched(
    function: &Function,
    shape: &Shape,
    time: Duration,
    stats: &LaunchStats,
    fault: Option<&Fault>,
) {
    if settings().report.is_none() {
        return;
    }
    at_exit();
    let product = |n: [u32; 3]| n.iter().fold(1_u64, |a, &b| a.saturating_mul(b.into()));
    let mut run = RUN.lock().unwrap_or_else(PoisonError::into_inner);
    let run = run.get_or_insert_default();
    let kernel = run.kernels.entry(function.kernel.name().to_owned()).or_default();
    kernel.launches += 1;
    kernel.ctas = kernel.ctas.saturating_add(product(shape.grid));
    let threads = product(shape.grid).saturating_mul(product(shape.block));
    kernel.threads = kernel.threads.saturating_add(threads);
    kernel.time += time;
    let sum = &mut kernel.sum;
    sum.warp_instructions += stats.warp_instructions;
    sum.thread_instructions += stats.thread_instructions;
    sum.fetches += stats.fetches;
    sum.tally.merge(&stats.tally);
    sum.surface_accesses += stats.surface_accesses;
    sum.divisions_by_zero += stats.divisions_by_zero;
    sum.past_end += stats.past_end;
    let Some(fault) = fault else { return };
    if run.faults.len() >= MOST_FAULTS {
        run.more_faults += 1;
        return;
    }
    let source = function.kernel.module().source();
    let place = source.location(fault.span.start);
    run.faults.push(json!({
        "kind": fault.kind.name(),
        "message": fault.kind.to_string(),
        "code": crate::faults::code(&fault.kind).name(),
        "kernel": fault.kernel,
        "block": fault.cta,
        "thread": fault.thread,
        "file": source.name(),
        "line": place.line,
        "column": place.column,
    }));
}

/// Has the report written when the process ends, also one without a launch.
pub(crate) fn at_exit() {
    static ONCE: Once = Once::new();
    unsafe extern "C" {
        fn atexit(function: extern "C" fn()) -> c_int;
    }
    if settings().report.is_some() {
        ONCE.call_once(|| {
            // SAFETY: the function is there as long as the library is, which is never unloaded
            // before the process ends.
            unsafe { atexit(write) };
        });
    }
}

extern "C" fn write() {
    let Some(path) = &settings().report else { return };
    let run = RUN.lock().unwrap_or_else(PoisonError::into_inner).take().unwrap_or_default();
    let text = format!("{:#}\n", run.json());
    if let Err(error) = std::fs::write(path, text) {
        say(format_args!("the report {} cannot be written: {error}", path.display()));
    }
}

fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}

impl Run {
    fn json(&self) -> Value {
        let devices: Vec<&str> = crate::state::gpus()
            .map(|gpus| gpus.iter().map(|gpu| gpu.profile.key).collect())
            .unwrap_or_default();
        let kernels: Vec<Value> = self.kernels.iter().map(|(name, k)| k.json(name)).collect();
        let mut tally = Tally::default();
        self.kernels.values().for_each(|kernel| tally.merge(&kernel.sum.tally));
        let sum = |of: fn(&Kernel) -> u64| self.kernels.values().map(of).sum::<u64>();
        json!({
            "texunit": env!("CARGO_PKG_VERSION"),
            "devices": devices,
            "launches": sum(|k| k.launches),
            "milliseconds": milliseconds(self.kernels.values().map(|k| k.time).sum()),
            "thread_instructions": sum(|k| k.sum.thread_instructions),
            "fetches": sum(|k| k.sum.fetches),
            "surface_accesses": sum(|k| k.sum.surface_accesses),
            "accesses": accesses(&tally),
            "accesses_past_end": sum(|k| k.sum.past_end),
            "kernels": kernels,
            "faults": self.faults,
            "more_faults": self.more_faults,
        })
    }
}

/// Fetches and surface accesses by geometry and format.
fn accesses(tally: &Tally) -> Vec<Value> {
    let row = |count: Count| {
        json!({
            "kind": if count.surface { "surface" } else { "texture" },
            "geometry": count.geometry.name(),
            "format": count.format.name(),
            "count": count.accesses,
        })
    };
    tally.sorted().into_iter().map(row).collect()
}

impl Kernel {
    fn json(&self, name: &str) -> Value {
        json!({
            "name": name,
            "launches": self.launches,
            "blocks": self.ctas,
            "threads": self.threads,
            "milliseconds": milliseconds(self.time),
            "warp_instructions": self.sum.warp_instructions,
            "thread_instructions": self.sum.thread_instructions,
            "fetches": self.sum.fetches,
            "surface_accesses": self.sum.surface_accesses,
            "divisions_by_zero": self.sum.divisions_by_zero,
            "accesses_past_end": self.sum.past_end,
            "accesses": accesses(&self.sum.tally),
        })
    }
}
