//! Launches: one thread runs the kernel, while the caller's thread lets Python handle signals.

use crate::error::value_error;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};
use texunit_checks::{Checks, InitWhen, Log, Options, Suppressions};
use texunit_device::observe::Several;
use texunit_device::{
    Approximate, Arg, Arithmetic, BadFetch, Bounds, Fault, Kernel, LaunchError, LaunchOptions,
    LaunchStats, Module, Observer,
};
use texunit_report::{CodeLocation, Host, Located, Object};
use texunit_syntax::Diagnostic;

/// The interval at which Python checks signals and receives progress.
const TICK: Duration = Duration::from_millis(50);

/// The keywords of a launch; `module.py` has their defaults.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Keywords {
    grid: [u32; 3],
    block: [u32; 3],
    dynamic_shared: u32,
    threads: usize,
    max_steps: Option<u64>,
    /// The time limit of the launch in seconds.
    timeout: Option<f64>,
    stack_limit: Option<u32>,
    printf_limit: Option<usize>,
    cooperative: bool,
    /// Number of CTAs of a cluster along x, y, z.
    cluster: Option<[u32; 3]>,
    fmad: bool,
    /// The results of approximate instructions: `card` or `rounded`.
    approx: String,
    /// The treatment of accesses out of bounds: `exact` or `hardware`.
    bounds: String,
    /// The treatment of fetches without a matching texture: `fault` or `zero`.
    bad_fetch: String,
    schedule: Option<u64>,
    checks: String,
    init: String,
    max_findings: Option<u64>,
    suppressions: Vec<PathBuf>,
    has_coverage: bool,
}

/// A prepared launch: its kernel, arguments and options.
pub(crate) struct Launch<'a> {
    pub(crate) module: &'a Module,
    pub(crate) kernel: &'a Kernel,
    pub(crate) words: &'a Keywords,
}

/// The result of a launch: its report as JSON, the output, and an exception if it was interrupted.
pub(crate) struct LaunchResult {
    pub(crate) json: String,
    pub(crate) printf: Vec<u8>,
    pub(crate) coverage: Option<texunit_coverage::Coverage>,
    /// The exception that a signal handler has raised, usually `KeyboardInterrupt`.
    pub(crate) interrupted: Option<PyErr>,
}

/// The diagnostics of a text as JSON, each with its rendering for people.
pub(crate) fn diagnostics(text: Located<'_>, all: &[Diagnostic]) -> Value {
    let object = |d: &Diagnostic| {
        let mut value = json!(Object::new(Some(text), d));
        value["rendered"] = json!(texunit_report::human(text, std::slice::from_ref(d), false));
        value
    };
    all.iter().map(object).collect()
}

/// The value that the word given for a keyword stands for; two words are possible.
fn word<T: Copy>(key: &str, given: &str, words: [(&str, T); 2]) -> PyResult<T> {
    let [(first, _), (second, _)] = words;
    let found = words.into_iter().find(|(word, _)| *word == given);
    found.map(|row| row.1).ok_or_else(|| value_error(format!("{key}: {first} or {second}")))
}

impl Launch<'_> {
    fn log(&self) -> PyResult<Option<Log>> {
        let words = self.words;
        let checks = Checks::parse(&words.checks).map_err(value_error)?;
        if checks.is_none() {
            return Ok(None);
        }
        let init = InitWhen::parse(&words.init).map_err(value_error)?;
        let mut suppressions = Suppressions::default();
        for file in &words.suppressions {
            let read = Suppressions::read(file);
            let wrong = |what| value_error(format!("suppressions: {}: {what}", file.display()));
            suppressions.extend(read.map_err(wrong)?);
        }
        let max_findings = words.max_findings;
        let options = Options { checks, init, max_findings, suppressions, ..Options::default() };
        Ok(Some(Log::new(options)))
    }

    /// Runs the kernel on another thread, while this thread handles signals without holding the
    /// GIL.
    pub(crate) fn run(
        &self,
        py: Python<'_>,
        args: &[Arg<'_>],
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<LaunchResult> {
        let words = self.words;
        let mut log = self.log()?;
        let bounds = word("bounds", &words.bounds, Bounds::NAMES)?;
        let bad_fetch = word("bad_fetch", &words.bad_fetch, BadFetch::NAMES)?;
        let approximate = word("approx", &words.approx, Approximate::NAMES)?;
        let arithmetic = Arithmetic { fmad: words.fmad, approximate };
        let path = Path::new(self.module.source().name());
        let coverage = py.detach(|| {
            words
                .has_coverage
                .then(|| texunit_coverage::Module::new(self.module.listing(arithmetic), path))
        });
        let checks = log.as_ref().and_then(|log| log.launch(self.kernel.name()));
        let checking = checks.as_ref().map(|checks| checks as &dyn Observer);
        let covering = coverage.as_ref().map(|coverage| coverage as &dyn Observer);
        let observers = Several(checking.into_iter().chain(covering).collect());
        let (cancel, done) = (AtomicBool::new(false), AtomicU64::new(0));
        let default = LaunchOptions::default();
        let options = default
            .with_grid(words.grid)
            .with_block(words.block)
            .with_dynamic_shared(words.dynamic_shared)
            .with_threads(words.threads)
            .with_max_steps(words.max_steps.unwrap_or(default.max_steps))
            .with_stack_limit(words.stack_limit.unwrap_or(default.stack_limit))
            .with_printf_limit(words.printf_limit.unwrap_or(default.printf_limit))
            .with_count_local(true)
            .with_fmad(words.fmad)
            .with_approximate(arithmetic.approximate)
            .with_bounds(bounds)
            .with_bad_fetch(bad_fetch)
            .with_cooperative(words.cooperative)
            .with_cluster(words.cluster)
            .with_progress(&done)
            .with_cancel(&cancel)
            .with_observer(observers.any())
            .with_schedule(words.schedule);
        let start = Instant::now();
        let watch = Watch { timeout: words.timeout, cancel: &cancel, done: &done, progress };
        let total = words.grid.iter().map(|&n| u64::from(n)).product();
        let (result, interrupted) =
            watch.while_running(py, total, || self.kernel.launch(&options, args))?;
        let seconds = start.elapsed().as_secs_f64();
        drop(observers);
        drop(checks);
        if let Some(log) = &log {
            log.heap_ends(0, result.is_ok());
        }
        let stats = result.as_ref().map_or_else(LaunchError::stats, Some);
        if let Some(stats) = stats.filter(|stats| !stats.bad_fetches.is_empty()) {
            log.get_or_insert_default().bad_fetches(stats, self.module.source(), Host::Python);
        }
        let (mut value, printf) = self.outcome(result)?;
        value["seconds"] = json!(seconds);
        value["findings"] = self.findings(log.as_ref());
        value["findings_suppressed"] = json!(log.as_ref().map_or(0, Log::suppressed));
        value["findings_not_shown"] = json!(log.as_ref().map_or(0, |log| log.more().total()));
        let coverage = coverage.map(|coverage| coverage.coverage());
        Ok(LaunchResult { json: value.to_string(), printf, coverage, interrupted })
    }

    fn outcome(&self, result: Result<LaunchStats, LaunchError>) -> PyResult<(Value, Vec<u8>)> {
        Ok(match result {
            Ok(stats) => (json!({ "counters": counters(&stats) }), stats.printf),
            Err(LaunchError::Fault(mut fault)) => {
                let stats = std::mem::take(&mut fault.stats);
                let (value, text) = self.fault(&fault);
                let counters = counters(&stats);
                (json!({ "counters": counters, "fault": value, "text": text }), stats.printf)
            }
            Err(LaunchError::Unsupported(list)) => {
                let text = (self.module.source(), &**self.module.sources());
                (json!({ "unsupported": diagnostics(text.into(), &list) }), Vec::new())
            }
            Err(LaunchError::Args(error)) => return Err(value_error(error)),
        })
    }

    fn fault(&self, fault: &Fault) -> (Value, String) {
        let (source, host) = (self.module.source(), Host::Python);
        let diagnostic = texunit_report::fault_diagnostic(fault, host);
        let text = texunit_report::human((source, &*fault.sources), &[diagnostic], false);
        let mut value = texunit_report::fault_json(fault, Some(source), host);
        let place = CodeLocation::of_fault(fault, source);
        value["source"] = json!({
            "file": place.file(), "line": place.line(), "column": place.column(), "function": place.function(),
        });
        (value, text)
    }

    fn findings(&self, log: Option<&Log>) -> Value {
        let located = Located::from((self.module.source(), &**self.module.sources()));
        let all = (1..).zip(log.map(Log::findings).unwrap_or_default());
        let value = |(number, finding): (u64, texunit_checks::Finding)| {
            let mut value = finding.json(number);
            value["text"] = json!(texunit_checks::text(&finding, Some(located), false));
            value["suppression"] = json!(finding.suppression());
            value
        };
        all.map(value).collect()
    }
}

fn counters(stats: &LaunchStats) -> Value {
    json!({
        "warp_instructions": stats.warp_instructions,
        "thread_instructions": stats.thread_instructions,
        "fetches": stats.fetches,
        "surface_accesses": stats.surface_accesses,
        "divisions_by_zero": stats.divisions_by_zero,
        "accesses_past_end": stats.past_end,
        "fused_sums": stats.fusion.fused,
        "undecided_sums": stats.fusion.undecided,
    })
}

/// Watches a running kernel from the caller's thread: time limit, signals and progress.
struct Watch<'a, 'py> {
    timeout: Option<f64>,
    cancel: &'a AtomicBool,
    done: &'a AtomicU64,
    progress: Option<&'a Bound<'py, PyAny>>,
}

/// Signals the end of the kernel when it is dropped, so that a panic of the kernel's thread signals
/// it too.
struct EndSignal<'a>(&'a Mutex<bool>, &'a Condvar);

impl Drop for EndSignal<'_> {
    fn drop(&mut self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.1.notify_one();
    }
}

impl Watch<'_, '_> {
    /// Runs `work` on another thread. It is cancelled if a signal handler or a callback raises, or
    /// at the time limit; the exception is returned beside the result.
    fn while_running<T: Send>(
        &self,
        py: Python<'_>,
        total: u64,
        work: impl FnOnce() -> T + Send,
    ) -> PyResult<(T, Option<PyErr>)> {
        let (is_over, wake) = (Mutex::new(false), Condvar::new());
        let end = self.timeout.and_then(|seconds| {
            // A time limit that overflows the clock is never reached.
            Instant::now().checked_add(Duration::try_from_secs_f64(seconds).ok()?)
        });
        let mut raised = None;
        let result = std::thread::scope(|scope| {
            let worker = std::thread::Builder::new().name("texunit launch".into()).spawn_scoped(
                scope,
                || {
                    let _ended = EndSignal(&is_over, &wake);
                    work()
                },
            );
            let worker = worker.map_err(|why| PyRuntimeError::new_err(why.to_string()))?;
            loop {
                let left = end.map(|end| end.saturating_duration_since(Instant::now()));
                let tick = left.filter(|left| !left.is_zero()).map_or(TICK, |left| left.min(TICK));
                let ended = py.detach(|| {
                    let guard = is_over.lock().unwrap_or_else(PoisonError::into_inner);
                    let waited = wake.wait_timeout_while(guard, tick, |is_over| !*is_over);
                    *waited.unwrap_or_else(PoisonError::into_inner).0
                });
                if ended {
                    break;
                }
                if raised.is_none() {
                    raised = py.check_signals().and_then(|()| self.report_progress(total)).err();
                }
                if raised.is_some() || end.is_some_and(|end| end <= Instant::now()) {
                    self.cancel.store(true, Ordering::Relaxed);
                }
            }
            let joined = py.detach(|| worker.join());
            joined.map_err(|_| PyRuntimeError::new_err("internal error: the launch panicked"))
        })?;
        if raised.is_none() {
            raised = self.report_progress(total).err();
        }
        Ok((result, raised))
    }

    fn report_progress(&self, total: u64) -> PyResult<()> {
        let Some(progress) = self.progress else { return Ok(()) };
        progress.call1((self.done.load(Ordering::Relaxed), total)).map(drop)
    }
}
