//! Running launches and the thread that watches them.
//!
//! Every [`TICK`] the thread reports launches that take long to the run (crate `evidence`), so that
//! they are known if the process is killed; reports statistics of kernels whose launches have
//! ended; cancels all launches when `texunit run` signals the end of the time limit; and shows the
//! progress of a launch on a terminal or in lines. It sleeps while nothing runs, and is not started
//! unless one of these is requested.

mod progress;

use crate::module::{Function, Module};
use crate::prelude::*;
use crate::settings::settings;
use crate::shape::Shape;
use crate::{report, signals};
use std::sync::{Condvar, PoisonError};
use std::time::Instant;
use texunit_evidence::{Event, Running};
use texunit_report::CodeLocation;

/// Interval at which the watching thread looks at running launches.
const TICK: Duration = Duration::from_millis(50);
/// Minimum duration of launches that are reported as running.
const LONG: Duration = Duration::from_millis(100);

/// Value of [`Launch::reported`] for a launch that has ended.
const OVER: u64 = u64::MAX;

/// A running launch.
pub(crate) struct Launch {
    /// Number of the launch in the process, from 1.
    pub(crate) number: u64,
    /// Whether the launch is to be cancelled; set by another thread.
    pub(crate) cancel: AtomicBool,
    /// Number of CTAs that have ended.
    pub(crate) ctas: AtomicU64,
    module: Arc<Module>,
    kernel: String,
    shape: Shape,
    start: Instant,
    /// Duration in milliseconds at the last report; 0 before the first.
    reported: AtomicU64,
    /// Number of progress lines printed.
    lines: AtomicU64,
}

struct Table {
    launches: Vec<Arc<Launch>>,
    /// The process whose thread watches the launches.
    watched_in: u32,
    /// Whether the thread sleeps until it is woken.
    sleeps: bool,
    /// Whether the time limit of the run has been reached.
    is_over: bool,
}

impl Table {
    const fn new(watched_in: u32) -> Self {
        Self { launches: Vec::new(), watched_in, sleeps: false, is_over: false }
    }
}

static TABLE: Mutex<Table> = Mutex::new(Table::new(0));
static WAKE: Condvar = Condvar::new();
static NUMBER: AtomicU64 = AtomicU64::new(1);

/// Registers a launch; `None` if nothing is requested.
pub(crate) fn begin(module: &Arc<Module>, function: &Function, shape: &Shape) -> Option<Watched> {
    let shows = progress::is_shown() || progress::is_told();
    if !report::is_wanted() && !shows {
        return None;
    }
    let launch = Arc::new(Launch {
        number: NUMBER.fetch_add(1, Ordering::Relaxed),
        cancel: AtomicBool::new(false),
        ctas: AtomicU64::new(0),
        module: Arc::clone(module),
        kernel: function.kernel.name().to_owned(),
        shape: *shape,
        start: Instant::now(),
        reported: AtomicU64::new(0),
        lines: AtomicU64::new(0),
    });
    if settings().evidence.is_some() || shows {
        let mut table = lock(&TABLE);
        let process = std::process::id();
        if table.watched_in != process {
            // Launches of the parent process are not this process's.
            *table = Table::new(process);
            if let Err(error) = signals::spawn(watch) {
                say(format_args!("launches are not watched: {error}"));
            }
        }
        launch.cancel.store(table.is_over, Ordering::Relaxed);
        table.launches.push(Arc::clone(&launch));
        if std::mem::take(&mut table.sleeps) {
            WAKE.notify_one();
        }
    }
    Some(Watched(launch))
}

/// A registered launch, which is removed when this is dropped.
pub(crate) struct Watched(Arc<Launch>);

impl std::ops::Deref for Watched {
    type Target = Launch;

    fn deref(&self) -> &Launch {
        &self.0
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        lock(&TABLE).launches.retain(|launch| !Arc::ptr_eq(launch, &self.0));
        // A launch that has been reported as running is also reported as ended; afterwards it is no
        // longer reported.
        if self.reported.swap(OVER, Ordering::AcqRel) != 0 {
            report::event(Event::Ended { launch: self.number });
        }
        progress::end(self.start.elapsed());
    }
}

impl Launch {
    /// Total number of CTAs.
    fn total(&self) -> u64 {
        self.shape.grid.iter().fold(1_u64, |product, &n| product.saturating_mul(n.into()))
    }

    /// Reports that the launch is running: first after [`LONG`], then whenever the duration has
    /// doubled.
    fn report_if_due(&self) {
        let milliseconds = self.start.elapsed().as_millis() as u64;
        let reported = self.reported.load(Ordering::Acquire);
        if reported == OVER
            || milliseconds < (LONG.as_millis() as u64).max(reported.saturating_mul(2))
        {
            return;
        }
        let loaded = &self.module.loaded;
        let running = Running {
            launch: self.number,
            kernel: self.kernel.clone(),
            place: CodeLocation::of_function(loaded.sources(), loaded.source(), &self.kernel),
            grid: self.shape.grid,
            block: self.shape.block,
            milliseconds: milliseconds as f64,
            ctas: self.ctas.load(Ordering::Relaxed),
        };
        // The report comes before the mark. If the launch has ended meanwhile, the mark fails, and
        // its end is reported here.
        report::event(Event::Running(running));
        let marked = self.reported.compare_exchange(
            reported,
            milliseconds,
            Ordering::AcqRel,
            Ordering::Acquire,
        );
        if marked.is_err() {
            report::event(Event::Ended { launch: self.number });
        }
    }
}

/// Watches long-running launches and prints their progress, in a thread of its own.
fn watch() {
    let mut looks = 0_u64;
    loop {
        let launches = {
            let mut table = lock(&TABLE);
            while table.sleeps {
                table = WAKE.wait(table).unwrap_or_else(PoisonError::into_inner);
            }
            table.launches.clone()
        };
        if settings().evidence.is_some() {
            launches.iter().for_each(|launch| launch.report_if_due());
        }
        let has_news = report::is_wanted() && report::flush_at_times();
        // `texunit run`, or an outer one, signals the end of the time limit.
        let is_over = || settings().evidence.as_deref().is_some_and(texunit_evidence::is_over);
        if !launches.is_empty() && is_over() {
            let mut table = lock(&TABLE);
            table.is_over = true;
            table.launches.iter().for_each(|l| l.cancel.store(true, Ordering::Relaxed));
        }
        looks += 1;
        if looks.is_multiple_of(2) {
            progress::show(&launches);
            progress::print_due_lines(&launches);
        }
        drop(launches);
        let mut table = lock(&TABLE);
        table.sleeps = table.launches.is_empty() && !has_news;
        drop(table);
        std::thread::sleep(TICK);
    }
}
