//! The report of a run (`TEXUNIT_REPORT`): what was launched, what it did, what went wrong. Written
//! when the process ends.

use crate::call::say;
use crate::launch::Shape;
use crate::module::Function;
use crate::settings::settings;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::ffi::c_int;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Mutex, Once, PoisonError};
use std::time::{Duration, Instant};
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
    /// Fetches and surface accesses.
    tally: Tally,
    /// The target of its PTX, if that is older than the device.
    older: Option<u32>,
}

static RUN: Mutex<Option<Run>> = Mutex::new(None);

/// Counts a launch, if there is to be a report.
pub(crate) fn launched(
    function: &Function,
    shape: &Shape,
    time: Duration,
    (stats, tally): (&LaunchStats, &Tally),
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
    kernel.older = kernel.older.or(function.older().map(|(target, _)| target));
    kernel.ctas = kernel.ctas.saturating_add(product(shape.grid));
    let threads = product(shape.grid).saturating_mul(product(shape.block));
    kernel.threads = kernel.threads.saturating_add(threads);
    kernel.time += time;
    kernel.tally.merge(tally);
    let sum = &mut kernel.sum;
    sum.warp_instructions += stats.warp_instructions;
    sum.thread_instructions += stats.thread_instructions;
    sum.fetches += stats.fetches;
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
    if let Err(error) = put(path, text.as_bytes()) {
        say(format_args!("the report {} cannot be written: {error}", path.display()));
    }
}

/// Longest time in which whoever reads a pipe takes nothing of it.
const PATIENCE: Duration = Duration::from_secs(5);

/// Writes the report in place. A pipe may have no reader, or one that stops: neither keeps the program from
/// ending, nor ends it by a signal.
fn put(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut options = File::options();
    options.write(true).create(true).truncate(true);
    #[cfg(target_os = "linux")]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, O_NONBLOCK);
    let mut file = options.open(path).map_err(|error| match error.raw_os_error() {
        Some(ENXIO) => io::Error::other("nobody reads the pipe"),
        _ => error,
    })?;
    let _ignored = PipeSignal::ignore();
    let (mut rest, mut last) = (bytes, Instant::now());
    while !rest.is_empty() {
        match file.write(rest) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => (rest, last) = (&rest[count..], Instant::now()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                if last.elapsed() > PATIENCE {
                    return Err(io::Error::other("whoever reads the pipe takes nothing of it"));
                }
                std::thread::sleep(Duration::from_millis(5));
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Opening and writing do not wait; of Linux.
#[cfg(target_os = "linux")]
const O_NONBLOCK: c_int = 0o4000;
/// The error of a pipe without a reader.
const ENXIO: c_int = 6;

unsafe extern "C" {
    fn signal(number: c_int, handler: usize) -> usize;
}

/// SIGPIPE, ignored as long as this lives: a pipe that nobody reads any more is an error of the write.
struct PipeSignal {
    before: usize,
}

impl PipeSignal {
    const NUMBER: c_int = 13;
    /// `SIG_IGN`
    const IGNORED: usize = 1;
    /// `SIG_ERR`
    const FAILED: usize = usize::MAX;

    fn ignore() -> Self {
        // SAFETY: a number and a constant; what was there before is put back.
        Self { before: unsafe { signal(Self::NUMBER, Self::IGNORED) } }
    }
}

impl Drop for PipeSignal {
    fn drop(&mut self) {
        if self.before != Self::FAILED {
            // SAFETY: what the first call has answered.
            unsafe { signal(Self::NUMBER, self.before) };
        }
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
        self.kernels.values().for_each(|kernel| tally.merge(&kernel.tally));
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
            "geometry": format!(".{}", count.geometry),
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
            "ptx_older_than_device": self.older.map(|target| format!("sm_{target}")),
            "accesses_past_end": self.sum.past_end,
            "accesses": accesses(&self.tally),
        })
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn no_pipe_is_waited_for() {
        let folder = texunit_testkit::TempDir::new("report");
        let (pipe, file) = (folder.join("pipe"), folder.join("file"));
        let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
        assert!(made.success());
        let why = put(&pipe, b"report").unwrap_err().to_string();
        assert_eq!(why, "nobody reads the pipe");
        // More than a pipe holds, to a reader that is slow.
        let long = vec![b'x'; 1 << 20];
        let open = File::options().read(true).write(true).open(&pipe).unwrap();
        let reader = std::thread::spawn(move || {
            let mut all = vec![0; 1 << 20];
            std::thread::sleep(Duration::from_millis(50));
            io::Read::read_exact(&mut &open, &mut all).unwrap();
            all
        });
        put(&pipe, &long).unwrap();
        assert_eq!(reader.join().unwrap(), long);
        std::fs::write(&file, "an older and longer report").unwrap();
        put(&file, b"new").unwrap();
        assert_eq!(std::fs::read(&file).unwrap(), b"new");
    }
}
